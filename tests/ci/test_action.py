"""The action for implementers: its scripts run the suite, publish the summary, and end with the status of the run."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest

ACTION = Path(__file__).parents[2] / "conformance/action.yml"
SUITE = """#!/usr/bin/env bash
while [ $# -gt 0 ]; do
  case $1 in
    --report | --junit | --html | --badge) echo "written by $1" >"$2"; shift ;;
    --markdown) echo "## summary" >"$2"; shift ;;
    --) shift; break ;;
  esac
  shift
done
exec "$@"
"""


def script(step: str) -> str:
    """Return the script of a step."""
    text = ACTION.read_text(encoding="utf-8")
    (block,) = re.findall(rf"    - name: {step}\n(?:      .*\n)*?      run: \|\n((?:        .*\n)+)", text)
    return dedent(block)


@pytest.mark.skipif(os.name != "posix", reason="adapters run on POSIX systems only")
@pytest.mark.parametrize("status", [0, 1])
def test_the_action_ends_with_the_status_of_the_run(tmp_path: Path, status: int) -> None:
    program = tmp_path / "simhash-doc/bin/simhash-doc"
    program.parent.mkdir(parents=True)
    program.write_text(SUITE, encoding="utf-8")
    program.chmod(0o755)
    environment = os.environ | {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "COMMAND": f"sh -c 'exit {status}'",
        "OPTIONS": "--timeout 20",
    }
    done = subprocess.run(["bash", "-e", "-c", script("Run the suite")], env=environment, check=False)
    assert done.returncode == status
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == "## summary\n"
    written = {path.name for path in (tmp_path / "simhash-doc-reports").iterdir()}
    assert written == {"report.json", "junit.xml", "summary.md", "report.html", "badge.svg"}
