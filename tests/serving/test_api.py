"""The HTTP API answers what the parser says, and refuses the rest in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.serving.reading import conllu_sentences, tagged_sentences, token_sentence
from turbotree.text import treebank

BIRDS = "Birds/NOUN sing/VERB loudly/ADV ./PUNCT"
SVG_NAMESPACE = "http://www.w3.org/2000/svg"
JSON = {"content-type": "application/json"}


def the_sentence(response: Any) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    (sentence,) = response.json()["sentences"]
    return sentence


def refused(response: Any, status: int) -> str:
    assert response.status_code == status, response.text
    message: str = response.json()["error"]["message"]
    assert "\n" not in message
    return message


def test_a_tree_is_the_parsers(client: Callable[..., Any], parser: Parser) -> None:
    sentence = next(treebank(1, seed=5))
    answer = the_sentence(client().post("/parse", json={"conllu": sentence.to_text()}))
    expected = parser.parse(sentence)
    assert answer["trees"][0]["heads"] == list(expected.heads)
    assert answer["trees"][0]["labels"] == list(expected.labels)
    assert answer["trees"][0]["certificate"]["status"] == "optimal"
    assert conllu_sentences(answer["trees"][0]["conllu"]) == [expected.to_sentence()]
    assert "alternatives" not in answer


def test_tagged_words_tokens_and_conllu_are_the_same_sentence(client: Callable[..., Any]) -> None:
    app = client()
    tokens = [dict(zip(("form", "upos"), w.split("/"), strict=True)) for w in BIRDS.split()]
    (sentence,) = tagged_sentences(BIRDS, need_tags=True)
    answers = [
        the_sentence(app.post("/parse", json=request))
        for request in (
            {"tagged": BIRDS},
            {"tokens": BIRDS.split()},
            {"tokens": tokens},
            {"conllu": sentence.to_text()},
        )
    ]
    assert all(
        answer["words"] == answers[0]["words"]
        and answer["trees"][0]["heads"] == answers[0]["trees"][0]["heads"]
        for answer in answers
    )
    assert [word["upos"] for word in answers[0]["words"]] == ["NOUN", "VERB", "ADV", "PUNCT"]


def test_probabilities_are_the_parsers(client: Callable[..., Any], parser: Parser) -> None:
    request = {"tagged": BIRDS, "marginals": True}
    answer = the_sentence(client().post("/parse", json=request))
    (sentence,) = tagged_sentences(BIRDS, need_tags=True)
    parse = parser.parse(sentence)
    tree = answer["trees"][0]
    assert tree["head_probabilities"] == pytest.approx(parse.head_probabilities, abs=1e-6)
    assert tree["probability"] == pytest.approx(parse.probability, abs=1e-6)
    for word, own in enumerate(answer["alternatives"], 1):
        for likely in own["heads"]:
            expected = parse.arc_probabilities[likely["head"], word]
            assert likely["probability"] == pytest.approx(expected, abs=1e-6)
        chances = [likely["probability"] for likely in own["heads"]]
        assert chances == sorted(chances, reverse=True)


@pytest.mark.parametrize("word", [1, 2, 3, 4])
def test_required_arcs_are_there_and_forbidden_ones_are_not(
    client: Callable[..., Any], word: int
) -> None:
    app = client()
    plain = the_sentence(app.post("/parse", json={"tagged": BIRDS}))["trees"][0]["heads"]
    head = plain[word - 1]
    other = next(h for h in range(1, 5) if h not in (word, head))
    asked = {"tagged": BIRDS, "require": [[other, word]]}
    assert the_sentence(app.post("/parse", json=asked))["trees"][0]["heads"][word - 1] == other
    asked = {"tagged": BIRDS, "forbid": [[head, word]]}
    assert the_sentence(app.post("/parse", json=asked))["trees"][0]["heads"][word - 1] != head


def test_the_best_trees_come_in_order(client: Callable[..., Any], parser: Parser) -> None:
    answer = the_sentence(client().post("/parse", json={"tagged": BIRDS, "k": 4}))
    (sentence,) = tagged_sentences(BIRDS, need_tags=True)
    expected = [list(parse.heads) for parse in parser.k_best(sentence, 4)]
    assert [tree["heads"] for tree in answer["trees"]] == expected
    assert [tree["rank"] for tree in answer["trees"]] == [1, 2, 3, 4]


def test_a_trace_ends_where_bound_and_value_are(client: Callable[..., Any]) -> None:
    asked = {"tagged": BIRDS, "trace": True, "require": [[0, 1]]}
    answer = the_sentence(client().post("/parse", json=asked))
    trace, tree = answer["trace"], answer["trees"][0]
    assert len(trace["rounds"]) == len(trace["bound"]) == len(trace["value"])
    assert tree["heads"][0] == 0
    # No bound is below the best tree's score; one that is constrained has the same constraint.
    assert min(trace["bound"]) >= tree["score"] - 1e-4
    assert trace["value"][-1] == pytest.approx(tree["score"], abs=1e-4)


def test_clashing_constraints_are_told(client: Callable[..., Any]) -> None:
    asked = {"tagged": BIRDS, "require": [[1, 2], [2, 1]]}
    response = client().post("/parse", json=asked)
    assert "cycle" in refused(response, 422)
    assert response.json()["error"]["kind"] == "infeasible"


def test_a_batch_tells_mistakes_in_their_place(client: Callable[..., Any]) -> None:
    documents = [{"tagged": BIRDS}, {"tagged": "Birds"}, {"tagged": f"{BIRDS}\n{BIRDS}"}]
    response = client().post("/batch", json={"documents": documents})
    first, second, third = response.json()["documents"]
    assert len(first["sentences"]) == 1
    assert "no tag" in second["error"]["message"]
    assert len(third["sentences"]) == 2


def test_a_parser_says_that_it_needs_tags(client: Callable[..., Any]) -> None:
    assert "needs words with tags" in refused(client().post("/parse", json={"text": "Go!"}), 422)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tagged": BIRDS, "conllu": ""},
        {"tagged": "  \n "},
        {"tokens": []},
        {"tagged": BIRDS, "k": 0},
        {"tagged": BIRDS, "require": [[1]]},
        {"tagged": BIRDS, "require": [[9, 1]]},
        {"tagged": BIRDS, "require": [[2, 1, "no-such-label", 4]]},
        {"tagged": BIRDS, "require": [["a", "b"]]},
        {"tagged": BIRDS, "require": [[10**30, 1]]},
        {"tagged": f"{BIRDS}\n{BIRDS}", "require": [[2, 1]]},
        {"tagged": BIRDS, "unknown": 1},
        {"conllu": "1\tGo"},
        {"conllu": "garbage"},
        {"tokens": [{"form": "a\tb", "upos": "X"}]},
        {"tokens": [{"form": "", "upos": "X"}]},
        {"tagged": 5},
        [],
        "text",
    ],
)
def test_mistakes_are_one_line(client: Callable[..., Any], body: Any) -> None:
    refused(client().post("/parse", json=body), 422)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b'{"tagged": "\xff/X"}',
        b"[" * 100_000,
        b'{"k": ' + b"9" * 10_000 + b"}",
        b'{"tagged": "a/X", "k": NaN}',
        b'{"tagged": "a/X", "k": 1e999}',
        b'{"tagged": "\\ud800/X"}',
        b'{"tokens": [{"form": "\\ud800", "upos": "X"}]}',
        b'{"conllu": "\\u0000"}',
        b"\x00" * 1000,
    ],
)
def test_garbage_is_refused_and_the_server_lives(
    client: Callable[..., Any], content: bytes
) -> None:
    app = client()
    response = app.post("/parse", content=content, headers=JSON)
    assert 400 <= response.status_code < 500
    assert response.json()["error"]["message"]
    assert app.get("/health").json()["status"] == "ok"


def test_large_bodies_are_refused(client: Callable[..., Any]) -> None:
    app = client()
    for size in (1_000_001, 10_000_000):
        response = app.post("/parse", content=b" " * size, headers=JSON)
        assert "larger than 1,000,000 bytes" in refused(response, 413)
    app = client(max_body_bytes=100)
    refused(app.post("/parse", content=b" " * 100_000, headers=JSON), 413)


def test_long_sentences_and_many_are_refused(client: Callable[..., Any]) -> None:
    app = client(max_sentences=3)
    thousand = " ".join(["dog/NOUN"] * 1000)
    assert "1,000 words" in refused(app.post("/parse", json={"tagged": thousand}), 413)
    refused(app.post("/parse", json={"tagged": "\n".join([BIRDS] * 4)}), 413)
    refused(app.post("/batch", json={"documents": [{"tagged": BIRDS}] * 4}), 413)
    refused(app.post("/parse", json={"tagged": BIRDS, "k": 50}), 413)


def test_what_is_no_json_or_for_another_host_is_refused(client: Callable[..., Any]) -> None:
    app = client(hosts=["testserver"])
    assert app.post("/parse", content=b"{}").status_code == 415
    assert (
        app.post("/parse", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415
    )
    assert app.get("/health").status_code == 200
    assert "name" in refused(app.get("/health", headers={"host": "evil.example"}), 400)


def test_the_page_asks_no_other_host(client: Callable[..., Any]) -> None:
    app = client()
    for path in ("/", "/docs", "/static/main.js", "/static/style.css"):
        response = app.get(path)
        assert response.status_code == 200
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert set(re.findall(r"https?://[^\s\"')]+", response.text)) <= {SVG_NAMESPACE}
        again = app.get(path, headers={"if-none-match": response.headers["etag"]})
        assert again.status_code == 304
    refused(app.get("/static/nothing.js"), 404)
    refused(app.get("/static/../app.py"), 404)


def test_metrics_count_requests_errors_words_and_time(client: Callable[..., Any]) -> None:
    app = client()
    for _ in range(3):
        app.post("/parse", json={"tagged": BIRDS})
    app.post("/parse", json={})
    app.get("/nothing")
    text = app.get("/metrics").text
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    values = {name: float(value) for name, value in lines}
    assert values['turbotree_requests_total{path="/parse",status="200"}'] == 3
    assert values['turbotree_requests_total{path="/parse",status="422"}'] == 1
    assert values['turbotree_requests_total{path="other",status="404"}'] == 1
    assert values["turbotree_words_total"] == 12
    assert values["turbotree_sentences_total"] == 3
    assert values['turbotree_errors_total{kind="input"}'] == 2
    assert values['turbotree_request_seconds_bucket{le="+Inf",path="/parse"}'] == 4
    assert values['turbotree_request_seconds_count{path="/parse"}'] == 4
    assert values["turbotree_requests_in_flight"] == 1  # this one


def test_the_model_is_told(client: Callable[..., Any], parser: Parser) -> None:
    about = client(max_words=77).get("/model").json()
    assert about["labels"] == sorted(parser.labels.dictionary.names)
    assert (about["kind"], about["text"], about["annotate"]) == ("parser", False, False)
    assert about["limits"]["max_words"] == 77


def test_a_pipeline_takes_text_and_keeps_tags_that_are_given(
    client: Callable[..., Any], nlp: Pipeline
) -> None:
    app = client(model=nlp)
    assert app.get("/model").json()["text"] is True
    text = "The dogs slept. A girl sang."
    expected = nlp(text)
    sentences = app.post("/parse", json={"text": text}).json()["sentences"]
    assert [one["trees"][0]["conllu"] for one in sentences] == [
        parse.to_sentence().to_text() for parse in expected
    ]
    # The page asks again with what it was given, and arcs pinned.
    pinned = {"conllu": sentences[0]["trees"][0]["conllu"], "require": [[1, 2]]}
    answer = the_sentence(app.post("/parse", json=pinned))
    assert answer["words"] == sentences[0]["words"]
    assert answer["trees"][0]["heads"][1] == 1
    kept = the_sentence(app.post("/parse", json={"tagged": BIRDS}))
    assert [word["upos"] for word in kept["words"]] == ["NOUN", "VERB", "ADV", "PUNCT"]
    bare = the_sentence(app.post("/parse", json={"tokens": ["Birds", "sing"]}))
    assert "_" not in [word["upos"] for word in bare["words"]]
    refused(app.post("/parse", json={"text": "  "}), 422)
    marked = app.post("/parse", json={"text": "\ufeff" + text}).json()["sentences"]
    assert [one["words"] for one in marked] == [one["words"] for one in sentences]
    tagged = the_sentence(app.post("/parse", json={"tagged": "\ufeff" + BIRDS}))
    assert tagged["words"][0]["form"] == "Birds"


RIGHT = "forall h, m: arc(h, m) and h != root -> h > m"
ATOM = "arc(x, y)"


@pytest.mark.parametrize(
    "formula",
    [
        "(" * 5000 + ATOM + ")" * 5000,
        "not " * 4900 + ATOM,
        " and ".join([ATOM] * 1300),
        " -> ".join([ATOM] * 1400),
        " and ".join([ATOM] * 5000),
    ],
    ids=["parentheses", "not", "and", "implications", "too long"],
)
def test_rules_that_are_too_deep_are_mistakes(client: Callable[..., Any], formula: str) -> None:
    question = {"tagged": BIRDS, "rules": f"forall x, y: {formula}"}
    refused(client().post("/parse", json=question), 422)


def test_rules_of_some_hundred_parts_are_obeyed(client: Callable[..., Any]) -> None:
    rules = "forall h, m: " + " and ".join(["arc(h, m)"] * 300) + " and h != root -> h > m"
    answer = the_sentence(client().post("/parse", json={"tagged": BIRDS, "rules": rules}))
    heads = answer["trees"][0]["heads"]
    assert all(head == 0 or head > word for word, head in enumerate(heads, 1))


def test_rules_hold_and_their_errors_have_a_place(client: Callable[..., Any]) -> None:
    app = client()
    assert app.get("/model").json()["rules"] is True
    answer = the_sentence(app.post("/parse", json={"tagged": BIRDS, "rules": RIGHT}))
    heads = answer["trees"][0]["heads"]
    assert all(head == 0 or head > word for word, head in enumerate(heads, 1))
    several = the_sentence(app.post("/parse", json={"tagged": BIRDS, "rules": RIGHT, "k": 3}))
    assert several["trees"][0]["heads"] == heads
    assert len(several["trees"]) == 3
    for tree in several["trees"]:
        assert all(head == 0 or head > word for word, head in enumerate(tree["heads"], 1))
    bad = {"tagged": BIRDS, "rules": "# one\nforall h, m: ark(h, m) -> h < m"}
    problem = app.post("/parse", json=bad).json()["error"]
    assert (problem["line"], problem["column"]) == (2, 14)
    assert problem["message"].startswith("unknown predicate 'ark'")


def test_arcs_are_pinned_and_forbidden_beside_rules(client: Callable[..., Any]) -> None:
    app = client()
    asked = {"tagged": BIRDS, "rules": RIGHT, "require": [[3, 1]], "forbid": [[3, 2]]}
    heads = the_sentence(app.post("/parse", json=asked))["trees"][0]["heads"]
    assert heads == [3, 4, 4, 0]  # nothing else is left
    asked = {"tagged": BIRDS, "rules": RIGHT, "marginals": True}
    answer = the_sentence(app.post("/parse", json=asked))
    second = answer["alternatives"][0]["labels"][1]["label"]
    asked["require"] = [[answer["trees"][0]["heads"][0], 1, second]]
    tree = the_sentence(app.post("/parse", json=asked))["trees"][0]
    assert (tree["heads"], tree["labels"][0]) == (answer["trees"][0]["heads"], second)
    clash = {"tagged": BIRDS, "rules": RIGHT, "require": [[1, 2]]}
    assert app.post("/parse", json=clash).json()["error"]["kind"] == "infeasible"
    refused(app.post("/parse", json={**clash, "require": [[9, 2]]}), 422)


def test_rules_read_no_files_of_the_server(client: Callable[..., Any], tmp_path: Path) -> None:
    app = client()
    secret = tmp_path / "secret.rules"
    secret.write_text("forall h, m: secret(h, m)")
    response = app.post("/parse", json={"tagged": BIRDS, "rules": str(secret)})
    assert "secret(" not in refused(response, 422)
    rules = f"# names\nforall m: form(m) in   file '{secret}' -> arc(root, m)"
    response = app.post("/parse", json={"tagged": BIRDS, "rules": rules})
    assert "not for servers" in refused(response, 422)
    assert response.json()["error"]["line"] == 2
    off = client(rules_allowed=False)
    assert off.get("/model").json()["rules"] is False
    refused(off.post("/parse", json={"tagged": BIRDS, "rules": RIGHT}), 422)


def test_rules_that_come_along_can_be_sent_as_they_are(client: Callable[..., Any]) -> None:
    app = client()
    examples = app.get("/model").json()["rule_examples"]
    assert {"one-root", "one-subject"} <= set(examples)
    for text in examples.values():
        response = app.post("/parse", json={"tagged": BIRDS, "rules": text})
        # A small model may lack a label that a rule names; that is told, and nothing else.
        assert response.status_code == 200 or "has no label" in refused(response, 422)


def test_bundled_rules_are_known_by_name(client: Callable[..., Any], parser: Any) -> None:
    app = client()
    sentence = token_sentence(BIRDS.split(), need_tags=True)
    for names in ("one-root", "one-root, determiners\n"):
        expected = parser.parse(sentence, rules=names.strip())
        answer = the_sentence(app.post("/parse", json={"tagged": BIRDS, "rules": names}))
        assert answer["trees"][0]["heads"] == list(expected.heads)
    response = app.post("/parse", json={"tagged": BIRDS, "rules": "one-rot"})
    assert refused(response, 422) == "unknown rules 'one-rot'; did you mean 'one-root'?"
    batch = {"documents": [{"tagged": BIRDS}], "rules": "one-root"}
    assert "error" not in app.post("/batch", json=batch).json()["documents"][0]
    described = app.get("/openapi.json").json()["components"]["schemas"]["ParseRequest"]
    assert "name of bundled rules" in str(described["properties"]["rules"])


def test_a_file_beside_the_server_does_not_take_the_name_of_bundled_rules(
    client: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one-root").write_text("forall h, m: secret(h, m)")
    assert client().post("/parse", json={"tagged": BIRDS, "rules": "one-root"}).status_code == 200


def test_answers_are_ascii_json(client: Callable[..., Any]) -> None:
    response = client().post("/parse", json={"tagged": "Vögel/NOUN singen/VERB 🐦/SYM"})
    assert response.content.isascii()
    assert json.loads(response.content)["sentences"][0]["words"][2]["form"] == "🐦"
