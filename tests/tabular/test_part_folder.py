"""The folder OUTPUT.partial: what this program did not create is neither used nor changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from simhash_doc.tabular.errors import TabularError, TabularUsageError
from simhash_doc.tabular.parts import Parts
from tests.commands import run
from tests.tabular.test_resuming import COLUMNS, small_parts, stopped_before_the_end  # noqa: F401 - a fixture

RUN: dict[str, object] = {"input": "x"}


def foreign_file(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.txt").write_text("precious")


def foreign_file_with_a_used_name(folder: Path) -> None:
    folder.mkdir()
    (folder / "000000.arrow").write_text("precious")


def foreign_lock(folder: Path) -> None:
    folder.mkdir()
    (folder / "lock").write_text("precious")


def folder_below(folder: Path) -> None:
    (folder / "run.json").mkdir(parents=True)


def link_to_a_folder(folder: Path) -> None:
    target = folder.with_name("photos")
    target.mkdir()
    (target / "photo.jpg").write_text("precious")
    folder.symlink_to(target)


def link_to_an_empty_folder(folder: Path) -> None:
    folder.with_name("photos").mkdir()
    folder.symlink_to(folder.with_name("photos"))


def dangling_link(folder: Path) -> None:
    folder.symlink_to(folder.with_name("nothing"))


def file(folder: Path) -> None:
    folder.write_text("precious")


def link_inside_an_own_folder(folder: Path) -> None:
    own_folder(folder)
    folder.with_name("target").write_text("precious")
    (folder / "run.json").unlink()
    (folder / "run.json").symlink_to(folder.with_name("target"))


def foreign_file_in_an_own_folder(folder: Path) -> None:
    own_folder(folder)
    (folder / "thesis.txt").write_text("precious")


def own_folder(folder: Path) -> None:
    Parts(str(folder.with_suffix("")), {**RUN}).close()


FOREIGN = [
    foreign_file, foreign_file_with_a_used_name, foreign_lock, folder_below, link_to_a_folder,
    link_to_an_empty_folder, dangling_link, file, link_inside_an_own_folder, foreign_file_in_an_own_folder,
]  # fmt: skip


def contents(folder: Path) -> dict[str, str]:
    """Return every file below a folder, and every link with its target."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path)] = f"-> {path.readlink()}"
        else:
            found[str(path)] = "folder" if path.is_dir() else path.read_text()
    return found


@pytest.mark.parametrize("create", FOREIGN)
def test_what_this_program_did_not_create_is_rejected_and_kept(create: Callable[[Path], None], tmp_path: Path) -> None:
    folder = tmp_path / "out.jsonl.partial"
    create(folder)
    before = contents(tmp_path)
    with pytest.raises(TabularUsageError, match=r"was not created by simhash-doc"):
        Parts(str(tmp_path / "out.jsonl"), RUN)
    assert contents(tmp_path) == before


def test_command_keeps_a_foreign_folder(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": "a", "text": "one two three"}\n')
    foreign_file(tmp_path / "out.jsonl.partial")
    before = contents(tmp_path)
    result = run("fingerprint", "--column", "text", "--id", "id", str(source), "-o", str(tmp_path / "out.jsonl"))
    assert result.returncode != 0
    assert "thesis.txt" in result.stderr
    assert contents(tmp_path) == before


def empty_folder(folder: Path) -> None:
    folder.mkdir()


def killed_while_it_was_created(folder: Path) -> None:
    folder.mkdir()
    (folder / "lock").touch()


def full_disk_while_it_was_created(folder: Path) -> None:
    folder.mkdir()
    (folder / "lock").write_text("simhash-doc: fini")


def killed_while_it_was_described(folder: Path) -> None:
    own_folder(folder)
    (folder / "run.json").rename(folder / ".run.json.123.0a1b2c3d.part")


@pytest.mark.parametrize(
    "create",
    [empty_folder, killed_while_it_was_created, full_disk_while_it_was_created, killed_while_it_was_described],
)
def test_folder_of_a_killed_run_is_used(create: Callable[[Path], None], tmp_path: Path) -> None:
    folder = tmp_path / "out.jsonl.partial"
    create(folder)
    parts = Parts(str(tmp_path / "out.jsonl"), RUN)
    parts.finish(lambda _: {"rows": 0})
    assert not folder.exists()


@pytest.mark.parametrize("name", ["run.json", "done.json"])
@pytest.mark.parametrize("content", ["", "{", "[]", "1", "[" * 100_000, "{}", '{"run": 1, "summary": 2}'])
def test_damaged_description_is_a_documented_error(name: str, content: str, tmp_path: Path) -> None:
    folder = tmp_path / "out.jsonl.partial"
    own_folder(folder)
    (folder / name).write_text(content)
    with pytest.raises(TabularError, match=r"corrupt|other options"):
        Parts(str(tmp_path / "out.jsonl"), RUN)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("keep", [0, 8, 100, -10])
def test_damaged_part_is_a_documented_error(keep: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows = (json.dumps({"id": f"{n}", "text": f"text number {n} " * 20}) for n in range(200))
    source.write_text("\n".join(rows) + "\n")
    stopped_before_the_end(source, output, 1, monkeypatch)
    for part in (tmp_path / "out.jsonl.partial").glob("*.arrow"):
        part.write_bytes(part.read_bytes()[:keep])
    result = run("fingerprint", *COLUMNS, str(source), "-o", str(output))
    assert result.returncode == 1
    assert "is corrupt; delete the folder" in result.stderr
