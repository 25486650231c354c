"""The program `simhash-doc`, which is also `python -m simhash_doc`."""

import signal
import sys


def main() -> None:
    """Run the command line. Ctrl-C ends it without a traceback, also while its modules are loaded."""
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from simhash_doc.cli import main as run

    try:
        if interruptible:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
