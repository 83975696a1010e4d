"""Findings in CoNLL-U as udapi and ArboratorGrew read them, by their own libraries."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from turbotree.checking.findings import Annotation, BrokenRule, Doubt, Finding
from turbotree.checking.marking import marked_sentences
from turbotree.text import Sentence, read_conllu

NAMES = ["birds", "birds", None, "dogs"]


def treebank() -> list[Sentence]:
    """Sentences as they come: names twice or not at all, entries in MISC, an annotator, tags."""
    rows = []
    for number, name in enumerate(NAMES):
        comments = [] if name is None else [f"sent_id = {name}"]
        comments += ["user_id = ann", "timestamp = 1700000000000"] if number == 3 else []
        comments += ["tags = DONE, new"] if number == 3 else []
        rows.append(
            Sentence.from_words(
                ["Birds", "sing", "."],
                upos=["NOUN", "VERB", "PUNCT"],
                heads=[2, 0, 2],
                labels=["nsubj", "root", "punct"],
                misc=["Gloss=a|Gloss=b" if number == 3 else "_", "SpaceAfter=No", "ToDo=look"],
                comments=[*comments, "text = Birds sing."],
            ).to_text()
        )
    return list(read_conllu(io.StringIO("".join(rows))))


def findings(sentences: list[Sentence]) -> list[Finding]:
    noun = Annotation("NOUN", "_", "_", 2, "nsubj")
    doubts = (Doubt("label", "nsubj", 0.1, "obj", 0.9), Doubt("feats", "_", 0.1, "A=B|C=D", 0.8))
    rules = (BrokenRule("leaf", "No leaf.", "https://x.org"), BrokenRule("order", "No order."))
    found = []
    for place, sentence in enumerate(sentences):
        for word in (1, 2, 3):
            path, line = sentence.place(word)
            found.append(
                Finding(
                    path,
                    line,
                    place,
                    sentence.sent_id or str(place + 1),
                    word,
                    sentence.forms[word - 1],
                    0.75,
                    noun,
                    noun,
                    doubts if word != 2 else (),
                    rules if word != 1 else (),
                )
            )
    return found


def written(style: Any, tmp_path: Path) -> Path:
    sentences = treebank()
    path = tmp_path / "marked.conllu"
    path.write_text(
        "".join(one.to_text() for one in marked_sentences(sentences, findings(sentences), style))
    )
    return path


def udapi_document(path: Path) -> Any:
    core = pytest.importorskip("udapi.core.document")
    document = core.Document()
    document.from_conllu_string(path.read_text())
    return document


def test_udapi_finds_bugs_and_things_to_do(tmp_path: Path) -> None:
    document = udapi_document(written("udapi", tmp_path))
    for tree in document.trees:
        birds, sing, stop = tree.descendants
        assert (birds.misc["ToDo"], birds.misc["Bug"]) == ("label,feats", "")
        assert (sing.misc["ToDo"], sing.misc["Bug"]) == ("", "leaf,order")
        assert (stop.misc["ToDo"], stop.misc["Bug"]) == ("look,label,feats", "leaf,order")
        assert sing.misc["SpaceAfter"] == "No"
        assert birds.misc["CheckFeats"] == "A=B,C=D"
        assert float(birds.misc["CheckScore"]) == 0.75
        assert "check = 1 Birds: label nsubj (0.100), better obj (0.900)" in tree.comment
    names = [tree.sent_id for tree in document.trees]
    assert names == ["birds", "birds~2", "3", "dogs"]


def test_udapi_highlights_and_filters_what_is_marked(tmp_path: Path) -> None:
    document = udapi_document(written("udapi", tmp_path))
    text_trees = pytest.importorskip("udapi.block.write.textmodetrees").TextModeTrees
    shown = tmp_path / "trees.txt"
    text_trees(color=0, marked_only=1, files=str(shown)).apply_on_document(document)
    assert shown.read_text().count("**") == 2 * 3 * len(NAMES)
    # The example of its documentation.
    keep = pytest.importorskip("udapi.block.util.filter").Filter
    keep(keep_tree_if_node='re.match("ToDo|Bug", str(node.misc))').apply_on_document(document)
    assert len(list(document.trees)) == len(NAMES)
    mark_bugs = pytest.importorskip("udapi.block.ud.markbugs").MarkBugs
    mark_bugs().apply_on_document(document)
    sing = next(iter(document.trees)).descendants[1]
    assert sing.misc["Bug"].startswith("leaf,order,")


def test_udapi_gives_back_what_it_read(tmp_path: Path) -> None:
    path = written("udapi", tmp_path)
    before = list(read_conllu(path))
    after = list(read_conllu(io.StringIO(udapi_document(path).to_conllu_string())))
    assert [one.words for one in after] == [one.words for one in before]
    for old, new in zip(before, after, strict=True):
        assert set(new.comments) >= set(old.comments)


def imported(path: Path) -> list[dict[str, Any]]:
    """Read a file as ArboratorGrew does when it imports one."""
    conllup = pytest.importorskip("conllup.conllup")
    found: list[dict[str, Any]] = conllup.readConlluFile(str(path), keepEmptyTrees=True)
    return found


def test_arborator_imports_a_file_with_all_findings(tmp_path: Path) -> None:
    path = written("arborator", tmp_path)
    sentences = imported(path)
    names = Counter(one["metaJson"]["sent_id"] for one in sentences)
    assert sorted(names) == ["3", "birds", "birds~2", "dogs"]  # each once, or it is refused
    assert not any("user_id" in one["metaJson"] for one in sentences)  # or it is refused
    assert sentences[3]["metaJson"]["timestamp"] == "1700000000000"
    for one in sentences:
        told = one["metaJson"]["check"]
        assert [f"{word} " in told for word in ("1 Birds:", "2 sing:", "3 .:")] == [True] * 3
        nodes = one["treeJson"]["nodesJson"]
        assert nodes["1"]["MISC"]["CheckLabel"] == "obj"
        assert nodes["2"]["MISC"]["CheckRule"] == "leaf,order"
    assert sentences[0]["metaJson"]["tags"] == "TODO"
    assert sentences[3]["metaJson"]["tags"].split(", ") == ["DONE", "new", "TODO"]


def test_arborator_gives_back_what_it_imported(tmp_path: Path) -> None:
    conllup = pytest.importorskip("conllup.conllup")
    path = written("arborator", tmp_path)
    before = list(read_conllu(path))
    for old, data in zip(before, imported(path), strict=True):
        (new,) = read_conllu(io.StringIO(conllup.sentenceJsonToConll(data) + "\n"))
        assert new.metadata == old.metadata
        for own, other in zip(new.words, old.words, strict=True):
            assert own._replace(misc="") == other._replace(misc="")
            assert sorted(own.misc.split("|")) == sorted(other.misc.split("|"))


def test_without_a_style_findings_are_written_as_ever(tmp_path: Path) -> None:
    found = list(read_conllu(written("check", tmp_path)))
    assert [one.sent_id for one in found] == NAMES
    assert found[3].metadata["user_id"] == "ann"
    assert found[0].column("misc")[0] == "CheckScore=0.7500|CheckLabel=obj|CheckFeats=A=B,C=D"
