"""A tree whose saving was acknowledged is there afterwards, whatever happened in between."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.parsing import Parser
from turbotree.serving.annotations import FILE, JOURNAL, Annotations
from turbotree.serving.journal import Journal
from turbotree.text import Sentence, read_conllu, treebank

pytest.importorskip("fastapi")

TREE = Sentence.from_words(["Go", "!"], heads=[0, 1], labels=["root", "punct"])


def named(name: str, label: str = "root", form: str = "Go") -> Sentence:
    return Sentence.from_words([form], heads=[0], labels=[label], comments=[f"sent_id = {name}"])


def kept(folder: Path) -> list[Sentence]:
    return list(read_conllu(folder / FILE))


def test_trees_are_in_the_file_and_the_newest_wins(tmp_path: Path) -> None:
    with Annotations(tmp_path) as annotations:
        assert annotations.save(named("a")) == 1
        assert annotations.save(TREE) == 2
        assert annotations.save(named("a", "other")) == 2
        assert kept(tmp_path) == [named("a", "other"), TREE]
        assert TREE in annotations
        assert named("b") not in annotations
    with Annotations(tmp_path) as annotations:
        assert len(annotations) == 2
        assert annotations.save(named("b")) == 3
        # Pipelines call the first sentence of each text 1.
        assert annotations.save(named("a", form="Stop")) == 4


def test_what_is_no_whole_tree_is_not_kept(tmp_path: Path) -> None:
    with Annotations(tmp_path) as annotations:
        for heads, labels in (([2, 1], ["a", "b"]), ([0, None], ["a", "b"]), ([0, 1], ["a", "_"])):
            with pytest.raises(InputError):
                annotations.save(Sentence.from_words(["Go", "!"], heads=heads, labels=labels))
        assert len(annotations) == 0


def test_only_one_process_has_a_folder(tmp_path: Path) -> None:
    with Annotations(tmp_path), pytest.raises(InputError, match="another server"):
        Annotations(tmp_path)
    Annotations(tmp_path).close()


def test_a_journal_that_was_not_emptied_changes_nothing(tmp_path: Path) -> None:
    with Annotations(tmp_path) as annotations:
        annotations.save(named("a", "old"))
        annotations.save(named("a", "new"))
    # As if the crash had come between the rename of the file and the emptying of the journal.
    journal = Journal(tmp_path / JOURNAL)
    journal.append(named("a", "old").to_text())
    journal.append(named("a", "new").to_text())
    journal.close()
    with Annotations(tmp_path) as annotations:
        assert annotations.recovered == 2
    assert kept(tmp_path) == [named("a", "new")]


@settings(max_examples=30)
@given(
    records=st.lists(st.text(max_size=20), max_size=5),
    cut=st.integers(min_value=0),
    tail=st.binary(max_size=30),
)
def test_a_torn_line_is_dropped_and_all_before_it_stays(
    tmp_path_factory: pytest.TempPathFactory, records: list[str], cut: int, tail: bytes
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal"
    journal = Journal(path)
    ends = [0]
    for record in records:
        journal.append(record)
        ends.append(path.stat().st_size)
    journal.close()
    whole = path.read_bytes()
    cut %= len(whole) + 1
    path.write_bytes(whole[:cut] + tail.replace(b"\n", b""))
    again = Journal(path)
    complete = sum(end <= cut for end in ends[1:])
    # By chance the tail may be what was cut off.
    assert again.recovered[:complete] == records[:complete]
    assert len(again.recovered) <= complete + 1
    again.append("more")
    again.close()
    last = Journal(path)
    assert last.recovered == [*again.recovered, "more"]
    assert not last.damaged
    last.close()


def test_damage_in_the_middle_is_told_and_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    for record in ("one", "two", "three"):
        journal.append(record)
    journal.close()
    damaged = path.read_bytes().replace(b"two", b"too")
    path.write_bytes(damaged)
    again = Journal(path)
    assert again.recovered == ["one", "three"]
    assert again.damaged
    assert (tmp_path / "journal.damaged").read_bytes() == damaged
    again.close()


_SAVER = """
import sys
from turbotree.serving.annotations import Annotations
from turbotree.text import Sentence
first = int(sys.argv[2])
with Annotations(sys.argv[1]) as annotations:
    for n in range(first, first + 100_000):
        name = f"sent_id = {n % 300}"
        annotations.save(Sentence.from_words(["Go"], heads=[0], labels=[f"r{n}"], comments=[name]))
        print(n, flush=True)
"""


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    chance = random.Random(4)
    acknowledged: dict[int, int] = {}
    first = 0
    for _ in range(20):
        process = subprocess.Popen(
            [sys.executable, "-c", _SAVER, str(tmp_path), str(first)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        acknowledged[first % 300] = int(process.stdout.readline())  # it runs
        time.sleep(chance.uniform(0, 0.12))
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        for line in rest.splitlines(keepends=True):
            if line.endswith("\n"):
                acknowledged[int(line) % 300] = int(line)
        with Annotations(tmp_path) as annotations:
            assert not annotations.damaged
            found = {int(s.sent_id or ""): int(s.labels[0][1:]) for s in kept(tmp_path)}
        # What was told is there; a tree may be there that there was no time to tell of.
        assert all(found[name] >= n for name, n in acknowledged.items())
        assert len(found) <= len(acknowledged) + 1
        acknowledged = found
        first = max(found.values()) + 1
    assert first > 20


def test_the_api_saves_and_the_file_can_be_learnt_from(
    client: Callable[..., Any], tmp_path: Path
) -> None:
    sentences = list(treebank(30, seed=9))
    with client(folder=tmp_path) as app:
        assert app.get("/model").json()["annotate"] is True
        for count, sentence in enumerate(sentences, 1):
            answer = app.post("/annotations", json={"conllu": sentence.to_text()})
            assert answer.json()["saved"] == count
        assert app.get("/annotations").json() == {"saved": 30, "file": FILE}
        text = app.get("/annotations.conllu").text
        assert text == "".join(sentence.to_text() for sentence in sentences)
        bad = "1\tGo\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
        assert app.post("/annotations", json={"conllu": bad}).status_code == 422
        assert app.post("/annotations", json={"conllu": "# nothing\n"}).status_code == 422
        two = sentences[0].to_text() + sentences[1].to_text()
        assert app.post("/annotations", json={"conllu": two}).status_code == 422
    assert kept(tmp_path) == sentences
    assert os.path.getsize(tmp_path / JOURNAL) == 0
    Parser.train(tmp_path / FILE, epochs=1, pruner_epochs=1)


def test_without_a_folder_nothing_can_be_saved(client: Callable[..., Any]) -> None:
    assert client().post("/annotations", json={"conllu": TREE.to_text()}).status_code == 404
