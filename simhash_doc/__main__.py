"""The program `simhash-doc`, which is also `python -m simhash_doc`."""

import sys

from simhash_doc.interruption import INTERRUPTED, end_at_interrupt, raise_at_interrupt


def main() -> None:
    """Run the command line. Ctrl-C ends it without a traceback, also while Python loads its modules or shuts down."""
    end_at_interrupt()
    from simhash_doc.cli import main as run

    try:
        raise_at_interrupt()
        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        end_at_interrupt()


if __name__ == "__main__":
    main()
