"""Generate `conformance/MUTATION.md`: how many systematic mutants of the specification the vectors kill.

python conformance/make_mutation_score.py              judge mutants that the cache lacks, and write it; of the tables,
                                                       a random sample
python conformance/make_mutation_score.py --all        the same with every mutant of the tables; takes hours
python conformance/make_mutation_score.py --classes    write only the table of classes, in seconds
python conformance/make_mutation_score.py --check      exit 1 if the table of classes is outdated
python conformance/make_mutation_score.py --sample     exit 1 if the vectors no longer kill a mutant of the sample
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mutation.report import render, with_classes
from mutation.run import all_mutants, chosen_mutants, judge_all, sample, sample_survivors, show_progress

PAGE = Path(__file__).parent / "MUTATION.md"
SAMPLE = Path(__file__).parent / "mutation/sample.txt"
CACHE = Path(__file__).parents[1] / "build/mutation.jsonl"
TABLES = 1_000  # mutants of the Unicode tables that are judged
COMMAND = "python conformance/make_mutation_score.py"


def check_classes() -> int:
    """Return 1 if the table of classes on the page is outdated."""
    page = PAGE.read_text(encoding="utf-8")
    current = page == with_classes(page)
    print(f"the classes of {PAGE.name} are {'current' if current else f'out of date; run {COMMAND} --classes'}")
    return 0 if current else 1


def check_sample() -> int:
    """Return 1 if the vectors no longer kill a mutant of the sample, or if most of the sample no longer exists."""
    names = SAMPLE.read_text(encoding="utf-8").splitlines()
    survivors, missing = sample_survivors(names)
    for name in survivors:
        print(f"no vector kills {name}")
    if missing > len(names) // 2:
        print(f"{missing} mutants of {SAMPLE.name} do not exist any more; run {COMMAND}")
    print(f"{len(names) - missing - len(survivors)} of {len(names) - missing} sampled mutants killed")
    return 1 if survivors or missing > len(names) // 2 else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="judge every mutant of the tables, not a sample")
    parser.add_argument("--classes", action="store_true", help="write only the table of classes")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the table of classes is old")
    parser.add_argument("--sample", action="store_true", help="exit 1 if a mutant of the sample is not killed any more")
    options = parser.parse_args()
    if options.check:
        return check_classes()
    if options.classes:
        PAGE.write_text(with_classes(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    if options.sample:
        return check_sample()
    every = all_mutants()
    mutants = every if options.all else chosen_mutants(TABLES)
    results = judge_all(mutants, CACHE, show_progress(len(mutants)))
    PAGE.write_text(render(mutants, results, COMMAND, len(every)), encoding="utf-8")
    SAMPLE.write_text("".join(f"{name}\n" for name in sample(results)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
