"""Findings as JSON lines, and the exceptions that silence them."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.checking import (
    AcknowledgedException,
    Annotation,
    BrokenRule,
    Doubt,
    Finding,
    Variation,
    acknowledge,
    read_exceptions,
    read_findings,
    without_exceptions,
    write_findings,
)
from turbotree.errors import InputError

TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=5)
COUNTS = st.integers(0, 9)
CHANCES = st.floats(0, 1)
ANNOTATIONS = st.builds(Annotation, TEXTS, TEXTS, TEXTS, COUNTS, TEXTS)
FINDINGS = st.builds(
    Finding,
    *(TEXTS, COUNTS, COUNTS, TEXTS, COUNTS, TEXTS, CHANCES, ANNOTATIONS, ANNOTATIONS),
    st.lists(
        st.builds(Doubt, st.sampled_from(["head", "upos"]), TEXTS, CHANCES, TEXTS, CHANCES),
        max_size=2,
    ).map(tuple),
    st.lists(st.builds(BrokenRule, TEXTS, TEXTS, TEXTS), max_size=2).map(tuple),
    st.lists(
        st.builds(
            Variation,
            *(TEXTS, st.tuples(TEXTS, TEXTS), TEXTS, TEXTS, COUNTS, COUNTS, st.tuples(TEXTS)),
        ),
        max_size=2,
    ).map(tuple),
    st.lists(COUNTS, max_size=3).map(tuple),
    st.lists(TEXTS, max_size=3).map(tuple),
)


@pytest.fixture
def finding() -> Finding:
    noun = Annotation("NOUN", "NN", "Number=Sing", 2, "nsubj")
    return Finding("a.conllu", 7, 0, "s1", 1, "Birds", 0.5, noun, noun)


@given(st.lists(FINDINGS, max_size=3))
def test_findings_come_back_from_json_lines(findings: list[Finding]) -> None:
    stream = io.BytesIO()
    write_findings(findings, stream)
    lines = stream.getvalue().decode().split("\n")
    assert lines.pop() == ""
    assert [Finding.from_dict(json.loads(line)) for line in lines] == findings


def test_kinds_are_those_of_the_reasons(finding: Finding) -> None:
    reasons = dataclasses.replace(
        finding,
        doubts=(Doubt("upos", "NOUN", 0.1, "VERB", 0.9), Doubt("head", "2", 0.1, "3", 0.9)),
        rules=(BrokenRule("leaf-aux", "aux with children"),),
    )
    assert reasons.kinds == ("head", "upos", "rule")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "f.jsonl:2: not a line of JSON"),
        ("[]", "f.jsonl:2: not a finding: expected a JSON object"),
        ('{"path": "a"}', "f.jsonl:2: not a finding: 'line' is missing"),
    ],
)
def test_a_wrong_line_is_named(
    finding: Finding, tmp_path: Path, line: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_findings([finding], "f.jsonl")
    with open("f.jsonl", "a") as file:
        file.write(f"{line}\n")
    found = read_findings("f.jsonl")
    assert next(found) == finding
    with pytest.raises(InputError) as caught:
        next(found)
    assert str(caught.value) == message


def test_an_exception_holds_until_the_annotation_changes(finding: Finding, tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.exceptions"
    acknowledge(path, [AcknowledgedException.of(finding, "a title,\tas it stands")])
    path.write_text(f"# looked at by hand\n\n{path.read_text()}")
    known = read_exceptions(path)
    assert [one.reason for one in known] == ["a title, as it stands"]
    changed = dataclasses.replace(
        finding, annotation=dataclasses.replace(finding.annotation, label="obj")
    )
    assert without_exceptions([finding, changed], known) == [changed]


def test_a_wrong_line_of_exceptions_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.exceptions"
    assert read_exceptions(path) == []
    path.write_text("s1\tone\tBirds\tx\n")
    with pytest.raises(InputError, match="exceptions:1: expected sentence, number of the word"):
        read_exceptions(path)
