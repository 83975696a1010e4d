"""Annotation with the parser in the loop: the queue, annotators, learning, retraining, restarts."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from turbotree.errors import InputError
from turbotree.parsing import Parser
from turbotree.serving import Annotations, Engine
from turbotree.serving.workbench import Queue, Workbench, WorkbenchOptions, read_queue
from turbotree.serving.workbench import learning as learning_module
from turbotree.text import Sentence, read_conllu, treebank, write_conllu

GOLD = {one.forms: one for one in treebank(30, seed=3)}


@pytest.fixture
def queue_file(tmp_path: Path) -> Path:
    path = tmp_path / "queue.conllu"
    bare = [one.replace(head=[None] * len(one)) for one in GOLD.values()]
    write_conllu(bare, path)
    return path


@pytest.fixture
def bench(tmp_path: Path, parser: Parser, queue_file: Path) -> Iterator[Callable[..., Workbench]]:
    opened: list[tuple[Workbench, Annotations]] = []

    def close() -> None:
        for workbench, store in opened:
            workbench.close()
            store.close()
        opened.clear()

    def make(*, cold: bool = False, base: Path | None = None, **options: Any) -> Workbench:
        close()
        annotations = Annotations(tmp_path / "saved")
        engine = None if cold else Engine(parser, "small")
        options.setdefault("retrain_share", 0.0)
        workbench = Workbench(
            engine, annotations, queue_file, WorkbenchOptions(**options), base=base
        )
        opened.append((workbench, annotations))
        return workbench

    yield make
    close()


def gold_of(answer: dict[str, Any]) -> Sentence:
    """The tree that an annotator who makes no mistakes gives."""
    (offered,) = read_conllu(io.StringIO(answer["trees"][0]["conllu"]))
    right = GOLD[offered.forms]
    return offered.with_tree([head or 0 for head in right.heads], right.labels)


def annotate(workbench: Workbench, annotator: str, count: int = 1) -> list[str]:
    names = []
    for _ in range(count):
        offer = workbench.next(annotator)
        assert offer is not None
        workbench.save(annotator, offer.name, gold_of(offer.answer))
        names.append(offer.name)
    return names


def until(workbench: Workbench, done: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    for _ in range(3000):
        model: dict[str, Any] = workbench.status("")["model"]
        if done(model):
            return model
        time.sleep(0.01)
    raise AssertionError(model)


def test_what_is_saved_is_learnt_and_changes_the_model(
    bench: Callable[..., Workbench],
) -> None:
    workbench = bench()
    before = workbench.engine
    annotate(workbench, "Ann", 3)
    model = until(workbench, lambda model: model["learnt"] == 3 and not model["waiting"])
    assert model["version"] >= 1
    assert workbench.engine is not before
    assert workbench.engine.parser is not before.parser
    assert model["problem"] is None


def test_the_most_doubtful_sentence_comes_first(bench: Callable[..., Workbench]) -> None:
    workbench = bench()
    values = workbench._queue.values
    for _ in range(3000):
        if len(values) == len(GOLD):
            break
        time.sleep(0.01)
    offer = workbench.next("Ann")
    assert offer is not None
    assert offer.value == max(values.values())
    # The share of arcs to be wrong, by its definition.
    (tree,) = offer.answer["trees"]
    chances = zip(tree["head_probabilities"], tree["label_probabilities"], strict=True)
    right = sum(head * label for head, label in chances)
    assert offer.value == pytest.approx(1 - right / len(tree["heads"]), abs=1e-4)


def test_a_cold_start_learns_from_the_first_tree(bench: Callable[..., Workbench]) -> None:
    workbench = bench(cold=True)
    assert workbench.status("")["model"]["cold"]
    offer = workbench.next("Ann")
    assert offer is not None
    assert offer.value is None
    tree = gold_of(offer.answer)
    workbench.save("Ann", offer.name, tree)
    model = until(workbench, lambda model: model["learnt"] == 1)
    assert not model["cold"]
    found = workbench.engine.parser.parse(tree)
    assert (found.heads, found.labels) == (tree.heads, tree.labels)


def test_a_cold_start_goes_on_from_single_trees_when_there_are_many(
    bench: Callable[..., Workbench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_module, "FRESH_WORDS", 20)
    workbench = bench(cold=True)
    for _ in range(4):
        annotate(workbench, "Ann")
        until(workbench, lambda model: not model["waiting"])
    assert not workbench._learning.cold
    annotate(workbench, "Ann")
    assert until(workbench, lambda model: model["learnt"] == 5)["problem"] is None


def test_two_annotators_never_get_the_same_sentence(bench: Callable[..., Workbench]) -> None:
    workbench = bench()
    names = {who: annotate(workbench, who, 5) for who in ("Ann", "Bob")}
    assert not set(names["Ann"]) & set(names["Bob"])
    one, other = workbench.next("Ann"), workbench.next("Bob")
    assert one is not None
    assert other is not None
    assert one.name != other.name
    again = workbench.next("Ann")
    assert again is not None
    assert again.name == one.name  # theirs until saved or skipped


def test_sentences_for_all_are_learnt_when_two_have_saved_them(
    bench: Callable[..., Workbench],
) -> None:
    workbench = bench(overlap=1.0)
    first = annotate(workbench, "Ann", 3)
    assert workbench.status("")["model"]["learnt"] == 0
    assert set(annotate(workbench, "Bob", 3)) == set(first)
    until(workbench, lambda model: model["learnt"] == 3)
    found = workbench.annotators.agreement()
    assert [pair["annotators"] for pair in found["pairs"]] == [["Ann", "Bob"]]
    assert (found["all"]["sentences"], found["all"]["LAS"], found["all"]["kappa"]) == (3, 100, 1)


def test_disagreement_is_counted(bench: Callable[..., Workbench]) -> None:
    workbench = bench(overlap=1.0)
    (name,) = annotate(workbench, "Ann")
    offer = workbench.next("Bob")
    assert offer is not None
    assert offer.name == name
    tree = gold_of(offer.answer)
    labels = ["root" if head == 0 else "dep" for head in tree.heads]
    workbench.save("Bob", name, tree.with_tree([head or 0 for head in tree.heads], labels))
    figures = workbench.annotators.agreement()["all"]
    same = sum(one == other for one, other in zip(tree.labels, labels, strict=True))
    assert figures["UAS"] == 100
    assert figures["LAS"] == pytest.approx(100 * same / len(tree), abs=0.01)


def test_saved_and_skipped_survive_a_restart(bench: Callable[..., Workbench]) -> None:
    workbench = bench()
    saved = annotate(workbench, "Ann", 2)
    skipped = workbench.next("Ann")
    assert skipped is not None
    workbench.skip("Ann", skipped.name)
    workbench = bench()
    status = workbench.status("Ann")
    assert (status["done"], status["skipped"], status["left"]) == (2, 1, len(GOLD) - 2)
    left = annotate(workbench, "Ann", len(GOLD) - 3)
    assert not {*saved, skipped.name} & set(left)
    assert workbench.next("Ann") is None
    bob = workbench.next("Bob")  # what Ann has skipped is there for others
    assert bob is not None
    assert bob.name == skipped.name


def test_a_retrained_parser_takes_over(bench: Callable[..., Workbench], tmp_path: Path) -> None:
    more = tmp_path / "more.conllu"
    write_conllu(treebank(20, seed=1), more)
    workbench = bench(retrain_share=0.01, retrain_words=10, treebanks=[more])
    annotate(workbench, "Ann", 2)
    until(workbench, lambda model: not model["waiting"])
    for _ in range(6000):
        found = workbench.engine.parser
        if found.record.get("sentences") in (21, 22):  # whether it began before the second save
            break
        time.sleep(0.01)
    assert found.record["sentences"] in (21, 22), workbench.status("")["model"]
    assert workbench.status("")["model"]["problem"] is None
    workbench = bench(treebanks=[more])  # and is there after a restart
    assert workbench.engine.parser.record["sentences"] in (21, 22)


def test_what_was_learnt_on_top_is_learnt_again_in_the_background(
    bench: Callable[..., Workbench], model_file: Path
) -> None:
    workbench = bench(retrain_share=0.01, retrain_words=10, base=model_file)
    annotate(workbench, "Ann", 1)
    until(workbench, lambda model: model["learnt"] == 1)  # trees saved at once are learnt at once
    annotate(workbench, "Ann", 1)
    # Each tree makes a version; only retraining makes another.
    model = until(workbench, lambda model: model["version"] >= 3)
    assert model["problem"] is None


def test_a_retraining_that_fails_is_reported_and_disturbs_nobody(
    bench: Callable[..., Workbench], tmp_path: Path
) -> None:
    workbench = bench(retrain_share=0.01, retrain_words=10, base=tmp_path / "none.safetensors")
    annotate(workbench, "Ann", 1)
    model = until(workbench, lambda model: model["problem"] is not None)
    assert "none.safetensors" in model["problem"]
    annotate(workbench, "Ann", 1)
    until(workbench, lambda model: model["learnt"] == 2)


def test_mistakes_are_refused(bench: Callable[..., Workbench]) -> None:
    workbench = bench()
    offer = workbench.next("Ann")
    assert offer is not None
    tree = gold_of(offer.answer)
    with pytest.raises(InputError, match="no sentence 'x'"):
        workbench.save("Ann", "x", tree)
    with pytest.raises(InputError, match="expected the words of sentence"):
        workbench.save("Ann", offer.name, Sentence.from_words(["Go"], heads=[0], labels=["root"]))
    with pytest.raises(InputError, match=r"annotator '\.\./Ann'"):
        workbench.next("../Ann")
    with pytest.raises(InputError, match="measure is 'best'"):
        WorkbenchOptions(measure="best")
    assert workbench.status("Ann")["done"] == 0


def test_the_api_of_a_workbench(bench: Callable[..., Workbench]) -> None:
    testclient = pytest.importorskip("fastapi.testclient")
    from turbotree.serving import create_app

    workbench = bench()
    app = testclient.TestClient(create_app(workbench.engine, workbench=workbench))
    assert app.get("/model").json()["queue"]
    offer = app.post("/queue/next", json={"annotator": "Ann"}).json()
    tree = gold_of(offer["sentence"])
    body = {"annotator": "Ann", "name": offer["name"], "conllu": tree.to_text()}
    saved = app.post("/queue/save", json=body).json()
    assert (saved["saved"], saved["sent_id"]) == (1, offer["name"])
    until(workbench, lambda model: model["learnt"] == 1)
    status = app.get("/queue", params={"annotator": "Ann"}).json()
    assert (status["done"], status["left"], status["total"]) == (1, len(GOLD) - 1, len(GOLD))
    other = app.post("/queue/next", json={"annotator": "Ann"}).json()
    skipped = app.post("/queue/skip", json={"annotator": "Ann", "name": other["name"]})
    assert skipped.json()["skipped"] == 1
    assert app.get("/agreement").json() == {"pairs": [], "all": None}
    text = app.get("/queue.conllu", params={"annotator": "Ann"}).text
    assert [one.heads for one in read_conllu(io.StringIO(text))] == [tree.heads]
    refused = app.post("/queue/save", json={**body, "name": "x"})
    assert refused.status_code == 422
    assert app.get("/annotate").status_code == 200


def test_a_queue_of_text_needs_a_pipeline_or_a_cold_start(
    tmp_path: Path, parser: Parser, nlp: Any
) -> None:
    path = tmp_path / "text.txt"
    path.write_text("The dog barks. The cat sleeps.\n\nBirds sing!\n", "utf-8")
    cold = read_queue(path, None)
    assert [one.forms[-1] for one in cold] == [".", "!"]
    assert [one.sent_id for one in cold] == ["text-1", "text-2"]
    assert cold[0].text == "The dog barks. The cat sleeps."
    with pytest.raises(InputError, match="serve a pipeline"):
        read_queue(path, parser)
    if nlp.tokenizer is not None:
        assert read_queue(path, nlp)


def test_sentences_of_one_name_get_others(tmp_path: Path) -> None:
    path = tmp_path / "twice.conllu"
    same = Sentence.from_words(["Go"], comments=["sent_id = a"])
    write_conllu([same, same, Sentence.from_words(["Go"])], path)
    assert [one.sent_id for one in read_queue(path, None)] == ["a", "twice-2", "twice-3"]


def test_a_share_of_the_sentences_is_for_all(tmp_path: Path) -> None:
    words = [Sentence.from_words(["Go"], comments=[f"sent_id = {i}"]) for i in range(2000)]
    queue = Queue(words, tmp_path / "journal", overlap=0.1)
    shared = sum(queue.is_shared(name) for name in queue.sentences)
    queue.close()
    assert 140 < shared < 260
    with pytest.raises(InputError, match="overlap is 2"):
        Queue(words, tmp_path / "journal", overlap=2)
