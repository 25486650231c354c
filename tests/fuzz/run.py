"""Fuzz the targets under the guidance of coverage: needs atheris (`pip install atheris`), on Linux.

    python -m tests.fuzz.run --seconds 300                     # all targets, five minutes together
    python -m tests.fuzz.run --inputs 50000 engines html       # 50,000 inputs each
    python -m tests.fuzz.run --replay crash-1234 html          # one input that was found

Inputs that fail, take over ten seconds, or cost over ten times the ordinary time per byte are kept in `--findings`; the
status is then 1, as it is if coverage guides nothing. The ordinary time of a target is that of its seeds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.fuzz.targets import TARGETS, seeds

LONGEST = 8192  # bytes
SECONDS = 10  # for one input


def fuzz(name: str, findings: Path, seconds: float | None, inputs: int | None) -> dict[str, Any]:
    """Fuzz a target in a process of its own; return its figures."""
    limits = [f"-max_total_time={seconds:.0f}"] if seconds else []
    limits += [f"-runs={inputs}"] if inputs else []
    options = [
        f"-max_len={LONGEST}",
        f"-timeout={SECONDS}",
        "-rss_limit_mb=4096",
        "-verbosity=0",
        "-print_final_stats=0",
    ]
    command = [sys.executable, "-m", "tests.fuzz.one", name, str(findings), *limits, *options]
    command.append(f"-artifact_prefix={findings}/{name}-")
    figures_file = findings / f"figures-{name}.json"
    figures_file.unlink(missing_ok=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    figures = {"inputs": 0, "slowest": 0.0, "slow": 0}
    if figures_file.exists():
        figures = json.loads(figures_file.read_text())
    if done.returncode:
        (findings / f"log-{name}.txt").write_text(done.stdout + done.stderr)
    # libFuzzer keeps inputs that reach new lines: none, if nothing is instrumented.
    kept = len(list((findings / f"corpus-{name}").iterdir())) - len(seeds(name))
    return {"target": name, **figures, "kept": kept, "failed": done.returncode != 0 or kept <= 0}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all if none is named")
    parser.add_argument("--seconds", type=float, help="for all targets together")
    parser.add_argument("--inputs", type=int, help="for each target")
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"), help="folder for what is found")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run the targets on this input alone")
    arguments = parser.parse_args()
    arguments.findings.mkdir(parents=True, exist_ok=True)
    if unknown := set(arguments.targets) - TARGETS.keys():
        parser.error(f"unknown target {', '.join(sorted(unknown))}; the targets are {', '.join(TARGETS)}")
    chosen = arguments.targets or list(TARGETS)
    if arguments.replay:
        for name in chosen:
            TARGETS[name](arguments.replay.read_bytes())
        return 0
    seconds = arguments.seconds and arguments.seconds / len(chosen)
    results = []
    for name in chosen:
        results.append(fuzz(name, arguments.findings, seconds, arguments.inputs))
        print(json.dumps(results[-1]), flush=True)
    print(f"{sum(result['inputs'] for result in results):,} inputs")
    return 1 if any(result["failed"] or result["slow"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
