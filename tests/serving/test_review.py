"""The review of findings: decisions that last, a corrected treebank, exceptions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from turbotree.checking import (
    Annotation,
    Doubt,
    Finding,
    exceptions_path,
    read_exceptions,
    write_findings,
)
from turbotree.errors import InputError
from turbotree.serving.review import Review
from turbotree.serving.review.review import Correction
from turbotree.text import Sentence, treebank

BROKEN = b"# broken\r\n1\tno\tcolumns\r\n\r\n"


def finding(sentence: Sentence, word: int, path: Path, head: int, label: str) -> Finding:
    """A doubt about a word's arc."""
    old = sentence.words[word - 1]
    annotation = Annotation(old.upos, old.xpos, old.feats, old.head or 0, old.deprel)
    return Finding(
        str(path),
        sentence.place(word)[1],
        0,
        sentence.sent_id or "1",
        word,
        old.form,
        0.9,
        annotation,
        dataclasses.replace(annotation, head=head, label=label),
        (Doubt("label", old.deprel, 0.1, label, 0.9),),
        heads=tuple(h or 0 for h in sentence.heads),
        labels=sentence.labels,
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A treebank with a broken sentence and odd line ends, and three findings about it."""
    path = tmp_path / "train.conllu"
    texts = [one.to_text().encode() for one in treebank(3, seed=1)]
    path.write_bytes(texts[0].replace(b"\n", b"\r\n") + BROKEN + texts[1] + b"\n" + texts[2])
    found = []
    from turbotree.text import read_conllu

    for sentence in read_conllu(path, on_error="skip"):
        word = next(i for i, head in enumerate(sentence.heads, 1) if head)
        found.append(finding(sentence, word, path, sentence.heads[word - 1] or 0, "dep"))
    findings = tmp_path / "findings.jsonl"
    write_findings(found, findings)
    return path, findings


@pytest.fixture
def review(files: tuple[Path, Path], tmp_path: Path) -> Iterator[Callable[[], Review]]:
    opened: list[Review] = []

    def make() -> Review:
        for one in opened:
            one.close()
        opened[:] = [Review(files[1], tmp_path / "review")]
        return opened[0]

    yield make
    for one in opened:
        one.close()


def correction(shown: dict[str, Any], word: int, label: str, **tags: str) -> Correction:
    labels = list(shown["labels"])
    labels[word - 1] = label
    columns = {n: [one[n] for one in shown["words"]] for n in ("upos", "xpos", "feats")}
    for name, value in tags.items():
        columns[name][word - 1] = value
    return Correction(shown["heads"], labels, **columns)


def test_only_the_corrected_cells_change(
    review: Callable[[], Review], files: tuple[Path, Path], tmp_path: Path
) -> None:
    one, original = review(), files[0].read_bytes()
    shown = one.finding(0)
    word = shown["finding"]["word"]
    one.decide(0, "correct", correction(shown, word, "dep", upos="X"))
    one.close()
    assert files[0].read_bytes() == original  # the treebank itself is never written to
    new = (tmp_path / "review" / "train.conllu").read_bytes()
    pairs = list(zip(original.split(b"\n"), new.split(b"\n"), strict=True))
    (changed,) = [(old, now) for old, now in pairs if old != now]
    old, now = (line.split(b"\t") for line in changed)
    assert [i for i in range(10) if old[i] != now[i]] == [3, 7]
    assert (now[3], now[7]) == (b"X", b"dep")
    assert BROKEN in new


def test_decisions_survive_a_restart_and_can_be_undone(
    review: Callable[[], Review], files: tuple[Path, Path]
) -> None:
    one = review()
    shown = one.finding(1)
    one.decide(0, "accept")
    one.decide(1, "correct", correction(shown, shown["finding"]["word"], "dep"))
    one.decide(2, "acknowledge", reason="quoted\ttext")
    one = review()
    assert one.status()["verdicts"] == {"accept": 1, "correct": 1, "acknowledge": 1}
    assert one.next() is None
    (kept,) = read_exceptions(exceptions_path(files[0]))
    assert (kept.sent_id, kept.reason) == (one.findings[2].sent_id, "quoted text")
    assert one.corrected("train.conllu") != files[0].read_bytes()
    assert [one.undo() for _ in range(4)] == [2, 1, 0, None]
    assert one.corrected("train.conllu") == files[0].read_bytes()
    assert read_exceptions(exceptions_path(files[0])) == []
    assert review().status()["decided"] == 0


def test_exceptions_of_others_stay(review: Callable[[], Review], files: tuple[Path, Path]) -> None:
    path = exceptions_path(files[0])
    path.write_text("# ours\nelse\t1\tx\tX _ _ 0 root\n", "utf-8")
    one = review()
    one.decide(0, "acknowledge")
    one.undo()
    assert path.read_text("utf-8") == "# ours\nelse\t1\tx\tX _ _ 0 root\n"


def test_what_is_no_tree_is_refused(review: Callable[[], Review]) -> None:
    one = review()
    shown = one.finding(0)
    heads = [2, 1, *shown["heads"][2:]]
    bad = dataclasses.replace(correction(shown, 1, "dep"), heads=heads)
    with pytest.raises(InputError, match="cycle"):
        one.decide(0, "correct", bad)
    with pytest.raises(InputError, match="1 heads for"):
        one.decide(0, "correct", dataclasses.replace(bad, heads=[0]))
    with pytest.raises(InputError, match="correction goes with"):
        one.decide(0, "accept", bad)
    with pytest.raises(InputError, match="there is no finding 9"):
        one.decide(9, "skip")
    assert one.status()["decided"] == 0


def test_findings_of_another_version_are_omitted(files: tuple[Path, Path], tmp_path: Path) -> None:
    files[0].write_bytes(b"# one line more\n" + files[0].read_bytes())
    one = Review(files[1], tmp_path / "review")
    assert (one.stale, one.status()["total"]) == (3, 0)
    one.close()


def test_a_second_review_of_the_same_folder_is_refused(
    review: Callable[[], Review], files: tuple[Path, Path], tmp_path: Path
) -> None:
    review()
    with pytest.raises(InputError, match="another server keeps its review here"):
        Review(files[1], tmp_path / "review")


def test_the_api_of_a_review_needs_no_model(
    review: Callable[[], Review], files: tuple[Path, Path]
) -> None:
    testclient = pytest.importorskip("fastapi.testclient")
    from turbotree.serving import create_app

    app = testclient.TestClient(create_app(None, review=review()))
    assert app.get("/").text == app.get("/review").text
    assert app.get("/model").status_code == 404
    shown = app.post("/review/next", json={}).json()
    assert shown["index"] == 0
    assert len(app.get("/review/findings").json()["findings"]) == 3
    status = app.post("/review/decide", json={"index": 0, "verdict": "skip"}).json()
    assert status["verdicts"] == {"skip": 1}
    assert app.post("/review/next", json={"after": 0}).json()["index"] == 1
    assert app.post("/review/next", json={"kind": "upos"}).json()["index"] is None
    assert app.post("/review/undo", json={}).json()["index"] == 0
    text = app.get("/review.conllu", params={"file": "train.conllu"}).content
    assert text == files[0].read_bytes()
    assert app.get("/review.conllu", params={"file": "../x"}).status_code == 422
    assert app.post("/review/decide", json={"index": 0, "verdict": "burn"}).status_code == 422
