"""The external recommender, asked as INCEpTION asks: suggestions, training, mistakes."""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from turbotree.errors import MissingExtraError
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.serving import Engine, Limits
from turbotree.text import Sentence, treebank

pytest.importorskip("cassis")
testclient = pytest.importorskip("fastapi.testclient")
pytest.importorskip("httpx")

from oracles.cas import (  # noqa: E402
    DEPENDENCY,
    LEMMA,
    MORPHOLOGY,
    POS,
    SENTENCE,
    TOKEN,
    cas_of,
    draw,
    predict_request,
    suggested,
    train_request,
    type_system,
)

from turbotree.serving import create_app  # noqa: E402
from turbotree.serving.inception import Recommender  # noqa: E402

TREES = list(treebank(6, seed=5))


@pytest.fixture
def ask(parser: Parser, nlp: Pipeline) -> Iterator[Callable[..., Any]]:
    """Make a client of a server that answers INCEpTION."""
    opened: list[Recommender] = []

    def make(model: Any = nlp, **limits: Any) -> Any:
        engine = Engine(model, "small", Limits(**{"time_limit_seconds": 60.0, **limits}))
        recommender = Recommender(lambda: engine)
        opened.append(recommender)
        return testclient.TestClient(create_app(engine, inception=recommender))

    yield make
    for one in opened:
        one.close()


def words_of(trees: list[Sentence]) -> list[tuple[str, ...]]:
    return [tree.forms for tree in trees]


def document_of(trees: list[Sentence], *, drawn: bool = False) -> Any:
    """A document with the tags of some trees, and their relations if wanted."""
    cas = cas_of(words_of(trees), tags=[tree.upos for tree in trees])
    first = 0
    for tree in trees if drawn else []:
        for word, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True)):
            draw(cas, first + (head - 1 if head else word), first + word, label)
        first += len(tree)
    return cas


def predicted(app: Any, cas: Any, layer: str = DEPENDENCY, feature: str = "", **more: Any) -> Any:
    feature = feature or ("DependencyType" if layer == DEPENDENCY else "value")
    answer = app.post("/inception/predict", json=predict_request(cas, layer, feature, **more))
    assert answer.status_code == 200, answer.text
    assert list(answer.json()) == ["document"]
    return suggested(answer.json()["document"], cas.typesystem, layer)


def best(found: list[Any]) -> dict[int, Any]:
    """The suggestion with the highest score for each word, by where the word begins."""
    chosen: dict[int, Any] = {}
    for one in found:
        known = chosen.get(one.begin)
        if known is None or one.DependencyType_score > known.DependencyType_score:
            chosen[one.begin] = one
    return chosen


def problem_of(answer: Any, status: int = 422) -> str:
    assert answer.status_code == status, answer.text
    message = answer.json()["error"]["message"]
    assert "\n" not in message
    return str(message)


def test_suggested_relations_are_the_best_trees_with_their_probabilities(
    ask: Callable[..., Any], parser: Parser
) -> None:
    cas = document_of(TREES)
    found = predicted(ask(parser), cas)
    expected = parser.parse_batch(
        [Sentence.from_words(tree.forms, upos=tree.upos) for tree in TREES]
    )
    text, begin = cas.sofa_string, 0
    chosen = {(one.begin, one.Governor.begin, one.DependencyType): one for one in found}
    for parse in expected:
        starts = []
        for form in parse.sentence.forms:
            starts.append(text.index(form, begin))
            begin = starts[-1] + len(form)
        rows = zip(parse.heads, parse.labels, parse.head_probabilities, strict=True)
        for word, (head, label, chance) in enumerate(rows):
            governor = starts[head - 1] if head else starts[word]
            one = chosen[starts[word], governor, label]
            share = parse.label_probabilities[word]
            assert one.DependencyType_score == pytest.approx(chance * share, abs=1e-5)
            assert one.end == one.begin + len(parse.sentence.forms[word])
            assert one.DependencyType_score_explanation.startswith("in the best tree")


def test_every_suggestion_is_of_some_use(ask: Callable[..., Any], parser: Parser) -> None:
    found = predicted(ask(parser), document_of(TREES))
    assert all(0 <= one.DependencyType_score <= 1 for one in found)
    keys = [(one.begin, one.Governor.begin, one.DependencyType) for one in found]
    assert len(set(keys)) == len(keys)
    others = [one for one in found if "another" in one.DependencyType_score_explanation]
    for one in others:
        chance = one.DependencyType_score
        assert "head" not in one.DependencyType_score_explanation.split(":")[0] or chance > 0.01


def test_what_is_drawn_is_kept_and_the_rest_follows(
    ask: Callable[..., Any], parser: Parser
) -> None:
    tree = TREES[0]
    parse = parser.parse(Sentence.from_words(tree.forms, upos=tree.upos))
    word, head = next(
        (word, head)
        for word in range(1, len(tree) + 1)
        for head in range(1, len(tree) + 1)
        if head not in (word, parse.heads[word - 1]) and parse.heads[head - 1] not in (0, word)
    )
    cas = document_of([tree])
    draw(cas, head - 1, word - 1, "obj")
    found = predicted(ask(parser), cas)
    pinned = parser.parse(parse.sentence, require=[(head, word, "obj")])
    starts = [token.begin for token in cas.select(TOKEN)]
    arcs = {(one.begin, one.Governor.begin, one.DependencyType) for one in found}
    for other, (above, label) in enumerate(zip(pinned.heads, pinned.labels, strict=True), 1):
        arc = (starts[other - 1], starts[(above or other) - 1], label)
        assert (arc in arcs) == (other != word)
    assert starts[word - 1] not in {one.begin for one in found}


@pytest.mark.parametrize(
    "arcs",
    [
        [(0, 0, "root"), (1, 1, "root")],  # two roots
        [(1, 0, "root")],  # the label of the root elsewhere
        [(1, 0, "dep"), (0, 1, "dep")],  # a circle
        [(1, 0, "no-such-relation")],
        [(1, 0, None)],  # not labelled yet
    ],
)
def test_relations_that_fit_no_tree_do_no_harm(
    ask: Callable[..., Any], parser: Parser, arcs: list[tuple[int, int, str | None]]
) -> None:
    cas = document_of(TREES)
    for head, word, label in arcs:
        draw(cas, head, word, label)
    begins = {one.begin for one in predicted(ask(parser), cas)}
    assert len(begins) >= sum(map(len, TREES)) - len(arcs)


def test_a_pipeline_needs_no_tags_and_a_parser_says_that_it_does(
    ask: Callable[..., Any], parser: Parser
) -> None:
    cas = cas_of(words_of(TREES))
    assert len({one.begin for one in predicted(ask(), cas)}) == sum(map(len, TREES))
    answer = ask(parser).post("/inception/predict", json=predict_request(cas))
    assert "annotate the POS layer first" in problem_of(answer)


def test_tags_lemmas_and_features_are_suggested(ask: Callable[..., Any], nlp: Pipeline) -> None:
    app, cas = ask(), cas_of(words_of(TREES))
    expected = nlp.tag([Sentence.from_words(tree.forms) for tree in TREES])
    for layer, feature, column in (
        (POS, "PosValue", "upos"),
        (POS, "coarseValue", "upos"),
        (LEMMA, "value", "lemma"),
        (MORPHOLOGY, "value", "feats"),
    ):
        found: dict[int, Any] = {}
        for one in predicted(app, cas, layer, feature):
            found.setdefault(one.begin, one)
            assert 0 < one.get(f"{feature}_score") <= 1
            assert one.get(f"{feature}_score_explanation")
        values = [value for one in expected for value in one.column(column) if value != "_"]
        assert [found[begin].get(feature) for begin in sorted(found)] == values


def test_annotated_words_are_not_suggested_again(ask: Callable[..., Any]) -> None:
    tree = TREES[0]
    tags = [tag if word else "" for word, tag in enumerate(tree.upos)]
    cas = cas_of([tree.forms], tags=[tags])
    found = {one.get_covered_text() for one in predicted(ask(), cas, POS, "PosValue")}
    assert found == {tree.forms[0]}


def test_a_model_without_a_column_says_what_it_has(ask: Callable[..., Any], parser: Parser) -> None:
    cas = document_of(TREES)
    answer = ask(parser).post("/inception/predict", json=predict_request(cas, LEMMA, "value"))
    assert "has no lemma; it has tree" in problem_of(answer)


def test_the_same_document_gives_the_same_answer_and_is_parsed_once(
    ask: Callable[..., Any], parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[int] = []
    original = Parser.parse_batch

    def counted(self: Parser, sentences: Any, **options: Any) -> Any:
        parsed.append(len(sentences))
        return original(self, sentences, **options)

    monkeypatch.setattr(Parser, "parse_batch", counted)
    app, cas = ask(parser), document_of(TREES)
    request = predict_request(cas)
    first = app.post("/inception/predict", json=request).json()
    assert app.post("/inception/predict", json=request).json() == first
    assert sum(parsed) == len(TREES)
    draw(cas, 0, 0, "root")
    predicted(app, cas)
    assert sum(parsed) == len(TREES) + 1


def test_what_is_on_the_screen_comes_first_when_time_is_short(
    ask: Callable[..., Any], parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    from turbotree.serving.inception import recommender as module

    monkeypatch.setattr(module, "_WORDS_AT_ONCE", 1)
    now = [0.0]

    def later() -> float:
        now[0] += 1.0
        return now[0]

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=later))
    app, cas = ask(parser, time_limit_seconds=3.0), document_of(TREES)
    starts = [one.begin for one in cas.select(SENTENCE)]
    place = starts[4]
    found = predicted(app, cas, range={"begin": place, "end": place + 5})
    assert {one.begin >= place for one in found} == {True}


def test_sentences_that_are_too_long_are_passed_over(
    ask: Callable[..., Any], parser: Parser
) -> None:
    trees = [*TREES[:2], TREES[2].replace()]
    most = max(len(tree) for tree in trees) - 1
    found = predicted(ask(parser, max_words=most), document_of(trees))
    short = [tree for tree in trees if len(tree) <= most]
    assert len({one.begin for one in found}) == sum(map(len, short))


def until_learnt(app: Any) -> list[dict[str, Any]]:
    for _ in range(3000):
        learners: list[dict[str, Any]] = app.get("/inception").json()["learners"]
        if learners and not any(one["waiting"] for one in learners):
            return learners
        time.sleep(0.01)
    raise AssertionError(learners)


def wrong_trees(parser: Parser) -> list[Sentence]:
    """Trees that the parser does not find: every word under the first."""
    return [
        tree.with_tree([0] + [1] * (len(tree) - 1), ["root"] + ["dep"] * (len(tree) - 1))
        for tree in TREES
    ]


def test_training_moves_the_suggestions_of_this_annotator_alone(
    ask: Callable[..., Any], parser: Parser
) -> None:
    app, wrong = ask(parser), wrong_trees(parser)
    cas = document_of(TREES)
    before = predicted(app, cas)
    answer = app.post("/inception/train", json=train_request([document_of(wrong, drawn=True)]))
    assert (answer.status_code, answer.content) == (204, b"")
    (learner,) = until_learnt(app)
    assert learner == {
        "project": "1337",
        "user": "ann",
        "learnt": len(TREES),
        "waiting": False,
        "problem": None,
    }

    def under_first(found: list[Any]) -> int:
        starts = [one.begin for one in cas.select(SENTENCE)]
        return sum(one.Governor.begin in starts for one in best(found).values())

    assert under_first(predicted(app, cas)) > under_first(before)
    other = predict_request(cas)
    other["document"]["userId"] = "bob"
    again = app.post("/inception/predict", json=other).json()["document"]
    assert under_first(suggested(again, cas.typesystem)) == under_first(before)


def test_documents_are_learnt_once_and_corrections_again(
    ask: Callable[..., Any], parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    from turbotree.parsing.training.online import OnlineLearner

    learnt: list[tuple[int | None, ...]] = []
    original = OnlineLearner.learn

    def learn(self: OnlineLearner, sentence: Sentence) -> None:
        learnt.append(sentence.heads)
        original(self, sentence)

    monkeypatch.setattr(OnlineLearner, "learn", learn)
    app = ask(parser)
    wrong = wrong_trees(parser)
    for trees, count in ((TREES, 6), (TREES, 6), ([wrong[0], *TREES[1:]], 7)):
        request = train_request([document_of(trees, drawn=True)])
        assert app.post("/inception/train", json=request).status_code == 204
        until_learnt(app)
        assert len(learnt) == count
    assert learnt[-1] == wrong[0].heads


def test_many_trees_are_learnt_in_passes(ask: Callable[..., Any], parser: Parser) -> None:
    trees = list(treebank(40, seed=8))
    request = train_request(
        [document_of(trees[:20], drawn=True), document_of(trees[20:], drawn=True)]
    )
    app = ask(parser)
    assert app.post("/inception/train", json=request).status_code == 204
    assert until_learnt(app)[0]["learnt"] == len(trees)


def test_unfinished_sentences_are_not_learnt(ask: Callable[..., Any], parser: Parser) -> None:
    app, cas = ask(parser), document_of(TREES)
    draw(cas, 0, 0, "root")
    assert app.post("/inception/train", json=train_request([cas])).status_code == 204
    assert until_learnt(app)[0]["learnt"] == 0
    assert predicted(app, cas)


def test_an_empty_document_and_one_without_tags_teach_nothing(
    ask: Callable[..., Any], parser: Parser
) -> None:
    app = ask(parser)
    bare = cas_of(words_of(TREES[:1]))
    for word, (head, label) in enumerate(zip(TREES[0].heads, TREES[0].labels, strict=True)):
        draw(bare, head - 1 if head else word, word, label)
    request = train_request([cas_of([]), bare])
    assert app.post("/inception/train", json=request).status_code == 204
    assert until_learnt(app)[0]["learnt"] == 0
    assert predicted(app, cas_of([])) == []


def test_only_relations_are_learnt_and_the_answer_says_what_to_do(ask: Callable[..., Any]) -> None:
    request = train_request([document_of(TREES)], POS, "PosValue")
    assert "clear 'Trainable'" in problem_of(ask().post("/inception/train", json=request))


def test_a_model_that_cannot_learn_says_what_to_do(
    ask: Callable[..., Any], parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Parser, "sparse", lambda _: {})
    request = train_request([document_of(TREES, drawn=True)])
    message = problem_of(ask(parser).post("/inception/train", json=request))
    assert "no sparse features" in message
    assert "clear 'Trainable'" in message


def test_the_status_tells_what_there_is(ask: Callable[..., Any], parser: Parser) -> None:
    about = ask().get("/inception").json()
    assert about["columns"] == ["tree", "upos", "xpos", "feats", "lemma"]
    assert (about["status"], about["model"], about["learners"]) == ("ok", "small", [])
    assert ask(parser).get("/inception").json()["columns"] == ["tree"]


def without(request: dict[str, Any], *path: str) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(request))
    at = copy
    for name in path[:-1]:
        at = at[name]
    del at[path[-1]]
    return copy


def test_mistakes_in_a_request_are_one_line_each(ask: Callable[..., Any], parser: Parser) -> None:
    app = ask(parser)
    right = predict_request(document_of(TREES))

    def refused(request: dict[str, Any]) -> str:
        return problem_of(app.post("/inception/predict", json=request))

    assert refused(without(right, "typeSystem")) == "typeSystem: Field required"
    assert refused(without(right, "document", "xmi")) == "document.xmi: Field required"
    assert refused(without(right, "metadata", "layer")) == "metadata.layer: Field required"
    assert "type system is not XML" in refused({**right, "typeSystem": ""})
    broken = {**right["document"], "xmi": right["document"]["xmi"][:400]}
    assert "no CAS in XMI" in refused({**right, "document": broken})
    unknown = {**right["metadata"], "layer": "a.B"}
    assert refused({**right, "metadata": unknown}) == "the type system has no layer 'a.B'"
    plain = document_of(TREES)
    request = predict_request(plain) | {"typeSystem": type_system(predicted=False).to_xml()}
    assert "inception_internal_predicted" in refused(request)
    training = train_request([document_of(TREES)])
    answer = app.post("/inception/train", json={**training, "documents": []})
    assert problem_of(answer) == "documents: there are none"
    # What the protocol may say one day is no mistake.
    more = {**right, "metadata": {**right["metadata"], "tagset": "UD"}, "version": 3}
    assert app.post("/inception/predict", json=more).status_code == 200


def test_documents_may_be_larger_than_other_requests(
    ask: Callable[..., Any], parser: Parser
) -> None:
    app = ask(parser, max_body_bytes=1000, max_document_bytes=200_000)
    request = predict_request(document_of(TREES))
    assert 1000 < len(json.dumps(request)) < 200_000
    assert app.post("/inception/predict", json=request).status_code == 200
    assert app.post("/parse", json={"tagged": "a/X " * 1000}).status_code == 413
    request["typeSystem"] += " " * 200_000
    answer = app.post("/inception/predict", json=request)
    assert "larger than 200,000 bytes" in problem_of(answer, 413)


def test_without_a_recommender_there_are_no_such_routes(client: Callable[..., Any]) -> None:
    app = client()
    assert app.get("/inception").status_code == 404
    assert "/inception" not in app.get("/openapi.json").json()["paths"]


@pytest.mark.parametrize(
    "words",
    [
        ["😀", "dogs", "👩‍👩‍👧", "sleep", "."],
        ["ראיתי", "את", "האיש", "🙂"],
        ["New York", "𐍈", "sleeps"],
    ],
)
def test_suggestions_stand_on_their_words_in_any_script(
    ask: Callable[..., Any], words: list[str]
) -> None:
    cas = cas_of([words, words])
    app = ask()
    for layer, feature in ((DEPENDENCY, "DependencyType"), (POS, "PosValue"), (LEMMA, "value")):
        found = sorted(predicted(app, cas, layer, feature), key=lambda one: one.begin)
        covered = {(one.begin, one.get_covered_text()) for one in found}
        assert [text for _, text in sorted(covered)] == words + words


def test_without_dkpro_cassis_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cassis", None)
    monkeypatch.delitem(sys.modules, "turbotree.integrations.cassis")
    with pytest.raises(MissingExtraError, match=r"pip install 'turbotree\[inception\]'"):
        importlib.import_module("turbotree.integrations.cassis")
