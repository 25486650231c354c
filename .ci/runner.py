"""Run the checks of a commit, all checks of this repository (--all), or the named steps.

Without a name, the steps run from nothing but Python 3.11 or newer: the tests first, on all cores, then the other
steps, one more at once than there are cores, because each waits for downloads at times. Named steps run one after the
other; with `coverage` among them, the processes of the others are measured, which takes three times as long.

A step is a script in `.ci/steps`. The comments at its start say what it checks, and what it needs. The comment `all`
says what only `--all` runs. The runner then sets CI_ALL=1, and the script reads it. If the comment is "everything", a
run without a name leaves the step out, unless it has `--all`. `coverage` and `fuzz` only run by name. The end of a run
lists what `--all` would have run in addition.

A step that fails does not end the run; the status is then 1, and the run ends with the last lines of the step. A step
whose status is 77 was skipped.
"""

from __future__ import annotations

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STEPS = ROOT / ".ci/steps"
ALONE = ("tests", "slow")  # each uses all cores
TOGETHER = (  # the long ones first
    "spark",
    "engines",
    "javascript",
    "c",
    "java",
    "mutants",
    "site",
    "rust",
    "wasm",
    "native",
    "wheel",
    "hosts",
    "vectors",
    "go",
    "types",
    "speed",
    "doctests",
    "negative",
    "lint",
    "reports",
    "data",
    "imports",
    "workflows",
)
BY_NAME = ("coverage", "fuzz")
EVERYTHING = "everything"
ORDER = (*ALONE, *TOGETHER, *BY_NAME)
# Debian packages, and a file or a program that is there once they are installed.
INSTALLED = {
    "chromium": "chromium",
    "clang": "clang",
    "clang-tidy": "clang-tidy",
    "cmake": "cmake",
    "fonts-noto-cjk": "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "fonts-noto-core": "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "mariadb-server": "/usr/sbin/mariadbd",
    "maven": "mvn",
    "openjdk-17-jdk-headless": "javac",
    "openjdk-17-jre-headless": "java",
    "pkg-config": "pkg-config",
    "postgresql": "/usr/lib/postgresql/*/bin/initdb",
    "valgrind": "valgrind",
    "unicode-data": "/usr/share/unicode/UnicodeData.txt",
}
SKIPPED = 77
LAST_LINES = 40  # of a step that failed, at the end of the run
ROOM = 8 * 1024**3  # bytes that a complete run writes: environments, builds and caches
_DURATION = re.compile(r"\d+\.\d+s (?:call|setup|teardown) +.*")
_PYTEST_SUMMARY = re.compile(r"=*\s*(\d+ (?:passed|failed|skipped|deselected|error).* in [\d.]+s.*?)\s*=*")


@dataclass(frozen=True)
class Step:
    """A check: a script, and the comments at its start."""

    name: str
    description: str
    extras: tuple[str, ...]
    debian: tuple[str, ...]
    all: str
    """What only a complete run has: a part of the script, or `EVERYTHING`."""
    all_debian: tuple[str, ...]
    """The Debian packages of that part."""
    measured: bool
    """Whether its processes count for the coverage."""
    native: bool
    """Whether it uses the compiled core."""

    @classmethod
    def read(cls, name: str) -> Step:
        """Read the head of a script: the description, and lines such as "# needs: test docs"."""
        _, first, *lines = (STEPS / f"{name}.sh").read_text(encoding="utf-8").splitlines()
        heads = dict(line.removeprefix("# ").split(": ", 1) for line in lines if re.match(r"# \w+: ", line))
        extras, debian, all_debian = (tuple(heads.get(key, "").split()) for key in ("needs", "debian", "all_debian"))
        measured, native = (heads.get(key) == "yes" for key in ("measured", "native"))
        description, more = first.removeprefix("# "), heads.get("all", "")
        return cls(name, description, extras, debian, more, all_debian, measured, native)

    @property
    def script(self) -> Path:
        return STEPS / f"{self.name}.sh"

    def left_out(self) -> str:
        """Return the line that says what a run without `--all` leaves out."""
        return f" - {self.name:<12} {self.description if self.all == EVERYTHING else self.all}"


@dataclass(frozen=True)
class Result:
    """How a step ended."""

    step: Step
    status: int
    seconds: float
    processor: float  # seconds, of all its processes
    output: str

    def lines(self) -> Iterator[str]:
        """Yield what the end of the run says about the step: its result and times, skips, what pytest sums up."""
        word = {0: "passed", SKIPPED: "skipped"}.get(self.status, "FAILED")
        times = f"{self.seconds:5.0f} s, {self.processor:5.0f} s of CPU"
        yield f" - {self.step.name:<12} {word:<8} {times}  {self.step.description}"
        for line in self.output.splitlines():
            if line.startswith("skipped: "):
                yield f"      {line}"
            elif summary := _PYTEST_SUMMARY.fullmatch(line):
                yield f"      pytest: {summary[1]}"
            elif _DURATION.fullmatch(line):
                yield f"      {line}"


class Run:
    """The environment of a run, and what runs in it."""

    def __init__(self, steps: list[Step], work: Path, *, here: bool, complete: bool) -> None:
        self._steps, self._work, self._here, self._complete = steps, work, here, complete
        self._measure = any(step.name == "coverage" for step in steps)
        self._environment = os.environ | {"CI_WORK": str(work), "COVERAGE_FILE": str(work / "coverage/data")}
        self._environment["CI"] = "true"  # Hypothesis then takes the same examples in each run
        self._environment["CI_ALL"] = "1" if complete else ""
        # Each process would compile all modules for itself.
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._environment["PIP_NO_COMPILE"] = "1"  # a module is compiled when it is first imported
        (work / "coverage").mkdir()

    def one_by_one(self) -> list[Result]:
        """Run the steps in the given order."""
        self._create_environment()
        self._install_debian(self._steps)
        self._build_native()
        self._install()
        return [self._execute(step, echo=True) for step in self._steps]

    def tests_first(self) -> list[Result]:
        """Run the steps that need all cores, then the others side by side."""
        self._create_environment()
        tests, *others = self._steps
        self._install_debian([tests])
        with ThreadPoolExecutor(1) as pool:
            packages = pool.submit(self._install_debian, others)
            native = pool.submit(self._build_native)
            results = [self._execute(tests, echo=True)]  # the command of the README installs what it needs
            packages.result()
            native.result()
        self._install()
        results += [self._execute(step, echo=True) for step in others if step.name in ALONE]
        with ThreadPoolExecutor((os.cpu_count() or 1) + 1) as pool:
            together = [step for step in others if step.name not in ALONE]
            results += pool.map(lambda step: self._execute(step, echo=False), together)
        return results

    def _install_debian(self, steps: list[Step]) -> None:
        """Install the Debian packages of some steps that are missing."""
        named = {name for step in steps for name in (*step.debian, *(step.all_debian if self._complete else ()))}
        missing = sorted(name for name in named if not _is_installed(name))
        if missing and shutil.which("apt-get") and not self._here:
            print(f"\n== Debian packages: {', '.join(missing)}", flush=True)
            root = [] if os.geteuid() == 0 else ["sudo"]
            subprocess.run([*root, "bash", str(ROOT / ".ci/debian.sh"), *missing], check=True)

    def _create_environment(self) -> None:
        """Create a virtual environment, or use the active one."""
        if self._here:
            self._environment["CI_HERE"] = "1"
            return
        home = self._work / "venv"
        venv.create(home, with_pip=True)
        programs = home / "bin"
        path = f"{programs}{os.pathsep}{self._environment['PATH']}"
        self._environment |= {"VIRTUAL_ENV": str(home), "PATH": path}
        if self._measure:
            # Not `sys.executable`, whose environment is another one.
            python = shutil.which("python", path=self._environment["PATH"]) or "python"
            subprocess.run([python, "-m", "pip", "install", "-q", "coverage>=7.11"], env=self._environment, check=True)

    def _build_native(self) -> None:
        """Build the compiled core, if a step uses it and there is Rust. If that fails, the step `native` says so."""
        if any(step.native for step in self._steps) and not self._here:
            print("\n== Build the compiled core", flush=True)
            subprocess.run(["bash", ".ci/native.sh"], cwd=ROOT, env=self._environment, check=False)

    def _install(self) -> None:
        """Install the package with what all steps need, and the compiled core if it was built, at once."""
        extras = sorted({extra for step in self._steps for extra in step.extras})
        if extras and not self._here:
            wanted = ["-e", f".[{','.join(extras)}]"]
            print(f"\n== Install {wanted[-1]}", flush=True)
            wanted += map(str, self._work.glob("native/*.whl"))
            subprocess.run(["bash", ".ci/install.sh", *wanted], cwd=ROOT, env=self._environment, check=True)

    def _execute(self, step: Step, *, echo: bool) -> Result:
        """Run a step; print its output as it comes, or at its end."""
        environment, title = self._environment, f"\n== {step.name}: {step.description}\n"
        if step.measured and self._measure:
            environment = environment | {"COVERAGE_PROCESS_START": str(ROOT / "pyproject.toml")}
        if echo:
            print(title, end="", flush=True)
        begun, lines = time.monotonic(), []
        with subprocess.Popen(
            ["bash", str(step.script)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line)
                if echo:
                    print(line, end="", flush=True)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        taken = time.monotonic() - begun
        result = Result(step, process.returncode, taken, usage.ru_utime + usage.ru_stime, "".join(lines))
        if not echo:
            print(f"{title}{result.output}", end="", flush=True)
        return result


def _is_installed(package: str) -> bool:
    sign = INSTALLED[package]
    return bool(glob.glob(sign) if sign.startswith("/") else shutil.which(sign))


def _chosen(names: list[str], *, complete: bool) -> list[Step]:
    """Return the steps of a run: those that are named, or all that it has, in their order."""
    steps = [Step.read(name) for name in names or (*ALONE, *TOGETHER)]
    return [step for step in steps if names or complete or step.all != EVERYTHING]


def _left_out(names: list[str]) -> list[Step]:
    """Return the steps that `--all` adds, or adds to, if the same steps are named."""
    run = {step.name for step in _chosen(names, complete=False)}
    steps = _chosen(names, complete=True)
    return [step for step in steps if step.name not in run or step.all not in ("", EVERYTHING)]


def main() -> int:
    parser = argparse.ArgumentParser(prog=".ci/run", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="STEP", help="see --list; the checks of a commit if none is named")
    parser.add_argument("--all", action="store_true", help="run all checks, also those that are not for each commit")
    parser.add_argument("--list", action="store_true", help="print the steps")
    parser.add_argument("--here", action="store_true", help="use the active environment, and install nothing")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(f"{name:<12} {Step.read(name).description}" for name in ORDER))
        return 0
    if unknown := set(arguments.names) - set(ORDER):
        parser.error(f"unknown step {', '.join(sorted(unknown))}; the steps are {', '.join(ORDER)}")
    begun = time.monotonic()
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < ROOM:
        print(
            f"only {free / 1024**3:.1f} GiB are free in {tempfile.gettempdir()}: steps can fail for want of space",
            flush=True,
        )
    steps = _chosen(arguments.names, complete=arguments.all)
    with tempfile.TemporaryDirectory(prefix="simhash-doc-ci-", ignore_cleanup_errors=True) as work:
        run = Run(steps, Path(work), here=arguments.here, complete=arguments.all)
        results = run.one_by_one() if arguments.names else run.tests_first()
    print("\nRan:", *(line for result in results for line in result.lines()), sep="\n")
    if not arguments.all and (more := _left_out(arguments.names)):
        print("\n.ci/run --all also runs:", *(step.left_out() for step in more), sep="\n")
    failed = [result for result in results if result.status not in (0, SKIPPED)]
    for result in failed:
        print(f"\nThe last lines of {result.step.name}:", *result.output.splitlines()[-LAST_LINES:], sep="\n")
    end = f"FAILED: {', '.join(result.step.name for result in failed)}" if failed else "All steps passed."
    print(f"{end} {time.monotonic() - begun:.0f} seconds.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
