"""A tree whose saving was acknowledged is there afterwards, whatever happened in between."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.serving.annotations import Annotations, StorageError
from turbotree.serving.annotations.journal import Journal
from turbotree.serving.annotations.store import FILE, JOURNAL, LOCK
from turbotree.text import Sentence, read_conllu, treebank, write_conllu

pytest.importorskip("fastapi")

TREE = Sentence.from_words(["Go", "!"], heads=[0, 1], labels=["root", "punct"])


def named(name: str, label: str = "root", form: str = "Go") -> Sentence:
    return Sentence.from_words([form], heads=[0], labels=[label], comments=[f"sent_id = {name}"])


def kept(folder: Path) -> list[Sentence]:
    return list(read_conllu(folder / FILE))


def test_trees_are_in_the_file_and_the_newest_wins(tmp_path: Path) -> None:
    with Annotations(tmp_path) as annotations:
        assert annotations.save(named("a")).count == 1
        assert annotations.save(named("b")).count == 2
        assert annotations.save(named("a", "other")).count == 2
        assert kept(tmp_path) == [named("a", "other"), named("b")]
        assert named("a") in annotations
        assert named("c") not in annotations
    with Annotations(tmp_path) as annotations:
        assert len(annotations) == 2
        assert annotations.save(named("c")).count == 3


def test_equal_sentences_without_a_name_are_all_kept(tmp_path: Path) -> None:
    for _ in range(2):  # in another session, too
        with Annotations(tmp_path) as annotations:
            for _ in range(3):
                annotations.save(TREE)
    sentences = kept(tmp_path)
    assert [sentence.forms for sentence in sentences] == [TREE.forms] * 6
    assert len({sentence.sent_id for sentence in sentences}) == 6
    with Annotations(tmp_path) as annotations:  # under its name, one is changed
        changed = sentences[2].replace(deprel=["root", "dep"])
        assert annotations.save(changed).count == 6
    assert kept(tmp_path) == [*sentences[:2], changed, *sentences[3:]]


def test_equal_sentences_that_the_file_has_stay(tmp_path: Path) -> None:
    before = [TREE, named("a"), TREE, named("a"), TREE]
    write_conllu(before, tmp_path / FILE)
    with Annotations(tmp_path) as annotations:
        assert len(annotations) == 5
        annotations.save(named("b"))
    assert kept(tmp_path) == [*before, named("b")]


def test_a_name_that_other_words_have_becomes_another(tmp_path: Path) -> None:
    with Annotations(tmp_path) as annotations:
        for form in ("Go", "Stop", "Wait", "Stop"):
            answer = annotations.save(named("a", form=form))
        assert (answer.count, answer.sent_id) == (3, "a~2")
    with Annotations(tmp_path) as annotations:
        annotations.save(named("a", "other", form="Wait"))
    found = [(s.sent_id, *s.forms, *s.labels) for s in kept(tmp_path)]
    assert found == [("a", "Go", "root"), ("a~2", "Stop", "root"), ("a~3", "Wait", "other")]


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


def records(*given: str) -> bytes:
    """A journal with these records, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder, "journal"))
        for record in given:
            journal.append(record)
        journal.close()
        return journal.path.read_bytes()


WHOLE = records("one", "two", "three")


@pytest.mark.parametrize(
    ("content", "recovered"),
    [
        (WHOLE.replace(b"two", b"too"), ["one", "three"]),
        (WHOLE.replace(b"three", b"there"), ["one", "two"]),
        (WHOLE[:-4], ["one", "two"]),
        (WHOLE[:-1], ["one", "two"]),
        (WHOLE + b"x", ["one", "two", "three"]),
        (b"%08x " % zlib.crc32(b"[" * 99_999) + b"[" * 99_999 + b"\n", []),
    ],
    ids=["middle", "last", "torn", "no line end", "one byte more", "too deep"],
)
def test_damage_is_told_and_kept_aside(
    tmp_path: Path, content: bytes, recovered: list[str]
) -> None:
    path = tmp_path / "journal"
    path.write_bytes(content)
    again = Journal(path)
    assert again.recovered == recovered
    assert again.damaged == tmp_path / "journal.damaged"
    assert again.damaged.read_bytes() == content
    again.append("more")
    again.close()
    # What was kept aside at an earlier start stays as it is.
    path.write_bytes(b"other damage")
    other = Journal(path)
    assert other.damaged == tmp_path / "journal.damaged-2"
    assert again.damaged.read_bytes() == content
    other.close()


def test_a_server_tells_of_damage_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(records(named("a").to_text(), named("b").to_text())[:-2])
    with Annotations(tmp_path) as annotations:
        assert annotations.recovered == 1
        assert annotations.damaged == tmp_path / f"{JOURNAL}.damaged"
    assert kept(tmp_path) == [named("a")]
    with Annotations(tmp_path) as annotations:
        assert annotations.damaged is None


def full(*_: object) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def torn(descriptor: int, data: bytes) -> int:
    return WRITE(descriptor, data[:10])


WRITE, TRUNCATE = os.write, os.ftruncate


@pytest.mark.parametrize(("call", "failing"), [("write", full), ("write", torn), ("fsync", full)])
@pytest.mark.parametrize("stuck", [False, True], ids=["", "and cannot be cut back"])
def test_a_tree_that_the_journal_does_not_take_is_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, failing: Any, stuck: bool
) -> None:
    with Annotations(tmp_path) as annotations:
        annotations.save(named("a"))
        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing)
            if stuck:
                patch.setattr(os, "ftruncate", full)
            with pytest.raises(StorageError, match=r"annotations.journal: not saved: "):
                annotations.save(named("b"))
        assert len(annotations) == 1
        assert annotations.save(named("c")).count == 2
    assert kept(tmp_path) == [named("a"), named("c")]
    with Annotations(tmp_path) as annotations:
        assert annotations.recovered == 0
        assert annotations.damaged is None


def test_a_tree_in_the_journal_is_saved_whatever_becomes_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    annotations = Annotations(tmp_path)
    annotations.save(named("a"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        answer = annotations.save(named("b"))
        assert (answer.count, answer.in_file, answer.waiting) == (2, 1, 1)
        assert "No space left on device; 1 tree waits in annotations.journal" in answer.problem
        with pytest.raises(StorageError, match="1 tree waits"):
            annotations.close()
        assert kept(tmp_path) == [named("a")]
        # Closed all the same: nothing is taken any more, and the folder is free.
        with pytest.raises(StorageError, match="closed"):
            annotations.save(named("c"))
        annotations.close()
        late = Annotations(tmp_path)
        assert late.problem is not None
        assert late.counts.in_file == 1
    assert late.save(named("c")).problem is None
    late.close()
    assert kept(tmp_path) == [named("a"), named("b"), named("c")]


def test_the_lock_is_let_go_though_closing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    annotations = Annotations(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(annotations, "_write_file", full)
        patch.setattr(annotations, "_waiting", 1)
        with pytest.raises(OSError, match="No space"):
            annotations.close()
    Annotations(tmp_path).close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True
    )
    if made.returncode:
        pytest.skip("only root can make a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_disk_that_fills_up_loses_nothing_that_was_acknowledged(small_disk: Path) -> None:
    told: list[str] = []
    refused = problems = 0
    annotations = Annotations(small_disk)
    for number in range(2000):
        try:
            answer = annotations.save(named(str(number), form="word" * 20))
        except StorageError:
            refused += 1
            if refused == 3:
                break
        else:
            told.append(answer.sent_id)
            problems += answer.problem is not None
            assert answer.count == len(told)
            assert answer.in_file == len(kept(small_disk))
    assert refused == 3
    assert problems
    with pytest.raises(StorageError):
        annotations.close()
    with contextlib.suppress(StorageError), Annotations(small_disk) as again:
        assert [s.sent_id for s in read_conllu(io.StringIO(again.to_text()))] == told
        assert again.damaged is None


@pytest.mark.parametrize("name", [FILE, JOURNAL, LOCK, f"{JOURNAL}.damaged"])
@pytest.mark.parametrize("kind", ["a symbolic link", "a pipe", "a folder"])
def test_what_is_no_plain_file_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.write_text("mine")
    if name.endswith("damaged"):
        (folder / JOURNAL).write_text("damaged")
    make: dict[str, Callable[[Path], Any]] = {
        "a symbolic link": lambda path: path.symlink_to(elsewhere),
        "a pipe": os.mkfifo,
        "a folder": os.mkdir,
    }
    make[kind](folder / name)
    with pytest.raises(InputError, match=f"{re.escape(name)}: is {kind}, expected a plain file"):
        Annotations(folder)
    assert elsewhere.read_text() == "mine"
    path = folder / name
    path.rmdir() if kind == "a folder" else path.unlink()
    Annotations(folder).close()


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: is not a folder"):
        Annotations(tmp_path / "file")


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
            told = answer.json()
            assert told["saved"] == count
            assert told["sent_id"] == sentence.sent_id
            assert told["in_file"] == len(kept(tmp_path))
        counts = {"saved": 30, "file": FILE, "in_file": 30, "waiting": 0, "problem": None}
        assert app.get("/annotations").json() == counts
        text = app.get("/annotations.conllu").text
        assert text == "".join(sentence.to_text() for sentence in sentences)
        bad = "1\tGo\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
        assert app.post("/annotations", json={"conllu": bad}).status_code == 422
        assert app.post("/annotations", json={"conllu": "# nothing\n"}).status_code == 422
        two = sentences[0].to_text() + sentences[1].to_text()
        assert app.post("/annotations", json={"conllu": two}).status_code == 422
    assert kept(tmp_path) == sentences
    assert os.path.getsize(tmp_path / JOURNAL) == 0
    Parser.train(tmp_path / FILE, model="arc", epochs=1, pruner_epochs=1)


def test_the_api_tells_a_full_disk_before_the_journal_from_one_after_it(
    client: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with client(folder=tmp_path) as app:
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", full)
            answer = app.post("/annotations", json={"conllu": named("a").to_text()})
            assert answer.status_code == 200
            assert "No space left" in answer.json()["problem"]
            assert app.get("/annotations").json()["waiting"] == 1
            patch.setattr(os, "write", full)
            answer = app.post("/annotations", json={"conllu": named("b").to_text()})
            assert answer.status_code == 507
            error = answer.json()["error"]
            assert error["kind"] == "storage"
            assert "not saved: No space left" in error["message"]
        answer = app.post("/annotations", json={"conllu": named("c").to_text()})
        assert answer.json()["problem"] is None
    assert kept(tmp_path) == [named("a"), named("c")]


def test_a_save_that_is_slow_is_not_called_a_failure(
    client: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush = os.fsync

    def slowly(descriptor: int) -> None:
        time.sleep(0.3)
        flush(descriptor)

    with client(folder=tmp_path, time_limit_seconds=0.1) as app:
        monkeypatch.setattr(os, "fsync", slowly)
        answer = app.post("/annotations", json={"conllu": named("a").to_text()})
        monkeypatch.undo()
        assert answer.status_code == 200
    assert kept(tmp_path) == [named("a")]


def test_sentences_of_raw_text_have_names_of_their_own(
    client: Callable[..., Any], tmp_path: Path, nlp: Pipeline
) -> None:
    app = client(model=nlp)
    for _ in range(2):  # sessions
        with Annotations(tmp_path) as annotations:
            for text in ("The dogs slept. The dogs slept.", "The dogs slept."):
                for sentence in app.post("/parse", json={"text": text}).json()["sentences"]:
                    annotations.save(Sentence(sentence["trees"][0]["conllu"]))
    sentences = kept(tmp_path)
    assert [sentence.text for sentence in sentences] == ["The dogs slept."] * 6
    assert len({sentence.sent_id for sentence in sentences}) == 6


def test_without_a_folder_nothing_can_be_saved(client: Callable[..., Any]) -> None:
    assert client().post("/annotations", json={"conllu": TREE.to_text()}).status_code == 404
