"""An index file as a directory of segments: the same content and answers, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from simhash_doc.lookup import Corpus, CorruptIndexError, LookupParameterError, SegmentedCorpus, Shards, convert_file
from simhash_doc.lookup.segmented.verification import find_problems
from tests.commands import run
from tests.lookup.distributions import seeded
from tests.lookup.test_segmented_commands import rows


@pytest.mark.parametrize("scheme", ["sd64", "sd256"])
def test_a_converted_index_continues_as_one_that_was_built(scheme: str, tmp_path: Path) -> None:
    values = [value << (10 if scheme != "sd64" else 0) for value in seeded("clustered", 120).tolist()]
    file, built, converted = (str(tmp_path / name) for name in ("i", "b", "c"))
    run("index", "build", "--distance", "3", file, stdin=rows(values[:60], scheme))
    run("index", "build", "--distance", "3", "--segmented", built, stdin=rows(values[:60], scheme))
    before = Path(file).read_bytes()
    done = run("index", "convert", file, converted)
    assert (done.returncode, done.stderr) == (0, f"{converted}: {len(set(values[:60]))} fingerprints\n")
    said = []
    for index in (built, converted):
        changed = [
            run("index", "add", index, stdin=rows(values[40:], scheme, 40)),
            run("index", "remove", index, stdin=rows(values[20:50], scheme, 20)),
            run("index", "merge", index),
            run("index", "query", index, stdin=rows(values[:30], scheme)),
            run("index", "verify", index),
        ]
        info = json.loads(run("index", "info", "--format", "json", index).stdout)
        texts = [(one.returncode, (one.stdout + one.stderr).replace(index, "INDEX")) for one in changed]
        said.append((texts, info["fingerprints"], info["provenance"]))
    assert said[0] == said[1]
    assert Path(file).read_bytes() == before


def test_an_empty_index_can_be_converted(tmp_path: Path) -> None:
    Corpus().save(tmp_path / "i")
    corpus = convert_file(tmp_path / "i", tmp_path / "d")
    assert (len(corpus), corpus.insert_bulk([5, 6]), corpus.find_all(5)) == (0, 2, [5, 6])
    assert not find_problems(tmp_path / "d")


def test_an_existing_index_is_kept_unless_forced(tmp_path: Path) -> None:
    corpus = Corpus()
    corpus.insert_bulk([1, 2])
    corpus.save(tmp_path / "i")
    SegmentedCorpus.build(tmp_path / "d", [7])
    with pytest.raises(FileExistsError, match="has an index"):
        convert_file(tmp_path / "i", tmp_path / "d")
    refused = run("index", "convert", tmp_path / "i", tmp_path / "d")
    assert refused.returncode == 2
    assert "exists; add to it" in refused.stderr
    assert SegmentedCorpus.open(tmp_path / "d").values().tolist() == [7]
    assert run("index", "convert", "--force", tmp_path / "i", tmp_path / "d").returncode == 0
    assert SegmentedCorpus.open(tmp_path / "d").values().tolist() == [1, 2]


def test_what_is_not_a_complete_index_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    shards = Shards(1)
    shards.insert_bulk([1, 2])
    shards.save(tmp_path / "shards")
    (shard, *_) = sorted((tmp_path / "shards").iterdir())
    with pytest.raises(LookupParameterError, match=r"is shard \d of 2, not a complete index"):
        convert_file(shard, tmp_path / "d")
    corpus = Corpus()
    corpus.insert_bulk(seeded("random", 50))
    corpus.save(tmp_path / "i")
    content = bytearray((tmp_path / "i").read_bytes())
    content[-1] ^= 1
    (tmp_path / "i").write_bytes(content)
    with pytest.raises(CorruptIndexError, match="i: "):
        convert_file(tmp_path / "i", tmp_path / "d")
    failed = run("index", "convert", tmp_path / "i", tmp_path / "d")
    assert failed.returncode == 1
    assert f"{tmp_path / 'i'}: " in failed.stderr
    for wrong, message in ((tmp_path / "missing", "cannot be read"), (tmp_path, "is a directory; name an index file")):
        assert message in run("index", "convert", wrong, tmp_path / "d").stderr
    assert sorted(os.listdir(tmp_path)) == ["i", "shards"]
