"""``turbotree check``."""

from __future__ import annotations

import json

import pytest

from turbotree.checking import AcknowledgedException, acknowledge, read_findings
from turbotree.text import read_conllu, write_conllu


@pytest.fixture
def wrong(files, tmp_path):
    """A treebank with a wrong label, a missing head, an unknown relation and two broken lines."""
    sentences = list(read_conllu(files.test))
    labels = list(sentences[2].labels)
    labels[0] = "aux"
    sentences[2] = sentences[2].replace(deprel=labels)
    sentences[4] = sentences[4].replace(head=[None, *sentences[4].heads[1:]])
    strange = ["strange", *sentences[5].labels[1:]]
    sentences[5] = sentences[5].replace(deprel=strange)
    path = tmp_path / "wrong.conllu"
    write_conllu(sentences, path)
    broken = "1\tGo\tgo\n\n1\tGo\tgo\tVERB\tVB\t_\t9\troot\t_\t_\n\n"
    path.write_text(path.read_text() + broken)
    return path


def test_the_table_names_the_wrong_word(run, files, wrong):
    result = run("check", wrong, "--model", files.model, "--kind", "rule", "--top", 3)
    assert result.exit_code == 0, result.stderr
    header, first, *_ = result.stdout.splitlines()
    assert header.split("\t") == ["wrong", "where", "word", "why"]
    sentence = list(read_conllu(wrong, on_error="skip"))[2]
    assert first.split("\t")[1] == f"{wrong}:{sentence.place(1)[1]}"
    assert "tag_of_aux: An auxiliary is an AUX." in first


def test_what_is_wrong_with_the_file_is_named_once(run, files, wrong):
    result = run("check", wrong, "--model", files.model, "--quiet")
    lines = [line for line in result.stderr.splitlines() if str(wrong) in line]
    assert len(lines) == 4
    for part in (
        "3 columns, expected 10; the sentence is skipped",
        "head 9 is outside the sentence (1 word); the sentence is skipped",
        "'strange' is no relation of Universal Dependencies",
        "head missing; not checked",
    ):
        assert sum(part in line for line in lines) == 1, lines


def test_json_lines_are_findings(run, files, wrong, tmp_path):
    out = tmp_path / "found.jsonl"
    options = ("--model", files.model, "--top", 7, "-q")
    assert run("check", wrong, *options, "-o", out).exit_code == 0
    findings = list(read_findings(out))
    assert len(findings) == 7
    scores = [finding.score for finding in findings]
    assert scores == sorted(scores, reverse=True)
    printed = run("check", wrong, *options, "--json").stdout
    assert [json.loads(line)["word"] for line in printed.splitlines()] == [
        finding.word for finding in findings
    ]


def test_the_threshold_and_kinds_choose(run, files, wrong):
    options = ("--model", files.model, "--json", "-q", "--top", 0)
    everything = run("check", wrong, *options).stdout.splitlines()
    some = run("check", wrong, *options, "--threshold", 0.3, "--kind", "head,rule").stdout
    chosen = [json.loads(line) for line in some.splitlines()]
    assert chosen == [
        one
        for one in map(json.loads, everything)
        if one["score"] >= 0.3 and {"head", "rule"} & set(one["kinds"])
    ]


def test_acknowledged_exceptions_are_not_shown_again(run, files, wrong):
    options = ("--model", files.model, "--top", 2, "-q")
    out = wrong.with_name("found.jsonl")
    run("check", wrong, *options, "-o", out)
    first, second = read_findings(out)
    acknowledge(f"{wrong}.exceptions", [AcknowledgedException.of(first, "as it should be")])
    run("check", wrong, *options, "-o", out)
    assert next(read_findings(out)) == second


def test_conllu_has_comments_and_misc_and_all_else_as_it_was(run, files, wrong, tmp_path):
    out = tmp_path / "marked.conllu"
    assert run("check", wrong, "--model", files.model, "--top", 5, "-o", out, "-q").exit_code == 0
    originals = {sentence.sent_id: sentence for sentence in read_conllu(wrong, on_error="skip")}
    marks = 0
    for sentence in read_conllu(out):
        original = originals[sentence.sent_id]
        kept = [one for one in sentence.comments if not one.startswith("check = ")]
        assert tuple(kept) == original.comments
        assert sentence.replace(misc=original.column("misc")).words == original.words
        marks += sum("CheckScore=" in misc for misc in sentence.column("misc"))
    assert marks == 5


def test_the_page_shows_both_trees_and_escapes_words(run, files, wrong, tmp_path):
    text = wrong.read_text().replace("\tthe\t", "\t<b>the\t")
    wrong.write_text(text)
    out = tmp_path / "found.html"
    assert run("check", wrong, "--model", files.model, "--top", 4, "-o", out, "-q").exit_code == 0
    page = out.read_text()
    assert page.count("<article") == 4
    assert page.count("<svg") == 8
    assert page.count('class="marked') == 8
    assert "<b>the" not in page


def test_own_rules_are_checked(run, files, wrong, tmp_path):
    rules = tmp_path / "own.rules"
    rules.write_text("# Nothing is a root.\nrule none: forall m: not arc(root, m)\n")
    options = ("--model", files.model, "--no-ud", "--rules", rules, "--kind", "rule", "--json")
    found = [json.loads(line) for line in run("check", wrong, *options, "-q").stdout.splitlines()]
    assert {rule["message"] for one in found for rule in one["rules"]} == {"Nothing is a root."}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kind", "labels"), "unknown kind 'labels'; did you mean 'label'?"),
        (("--model", "nowhere"), "nowhere"),
        (("--exceptions", "nowhere.txt"), "nowhere.txt: no such file"),
        (("--rules", "nowhere.rules"), "nowhere.rules: No such file or directory"),
        (("--json", "--format", "html"), "--json and --format: give only one of them"),
        (("--folds", "1"), "--folds: input should be greater than or equal to 2"),
    ],
)
def test_a_wrong_option_is_one_line(fails, files, options, message):
    assert message in fails("check", files.test, *options)


def test_the_output_may_not_be_the_treebank(fails, files):
    message = fails("check", files.test, "--model", files.model, "-o", files.test)
    assert "the output would take the place of the input" in message


def test_a_file_without_sentences_is_refused(fails, files, tmp_path):
    path = tmp_path / "empty.conllu"
    path.write_text("1\tGo\tgo\tVERB\tVB\t_\t7\troot\t_\t_\n\n")
    message = fails("check", path, "--model", files.model)
    assert "no sentences that can be checked; the first problem: " in message


def test_a_file_without_sentences_beside_others_is_named_and_they_are_checked(run, files, tmp_path):
    path = tmp_path / "empty.conllu"
    path.write_text("")
    result = run("check", path, files.test, "--model", files.model, "--top", 3, "--json", "-q")
    assert result.exit_code == 0
    assert f"{path}:1: no sentences that can be checked" in result.stderr
    assert len(result.stdout.splitlines()) == 3


def test_every_kind_of_damage_is_named_once_and_the_rest_is_checked(run, files, tmp_path):
    path = tmp_path / "damaged.conllu"
    word = "{}\tGo\tgo\t{}\tVB\t_\t{}\t{}\t_\t_\n"
    sentences = [
        word.format(1, "VERB", 0, "root"),
        "1\tGo\tgo\n",
        word.format(1, "VERB", 7, "root"),
        word.format("x", "VERB", 0, "root"),
        word.format(1, "VERB", 0, "rot"),
        word.format(1, "VERB", 0, "rot"),
        word.format(1, "VRB", 0, "root"),
        word.format(1, "VERB", "_", "_"),
        word.format(1, "VERB", 0, "_"),
        "1\t\t_\tVERB\tVB\t_\t0\troot\t_\t_\n",
        "no columns at all\n",
    ]
    path.write_text("\n".join(sentences))
    result = run("check", path, "--model", files.model, "--top", 0, "--json", "-q")
    assert result.exit_code == 0
    said = [line.partition(f"{path}:")[2] for line in result.stderr.splitlines()]
    assert [line for line in said if line] == [
        "3: 3 columns, expected 10; the sentence is skipped",
        "5: head 7 is outside the sentence (1 word); the sentence is skipped",
        "7: id 'x' is not a word number, expected 1; the sentence is skipped",
        "21: 1 column, expected 10; the sentence is skipped",
        "9: 'rot' is no relation of Universal Dependencies (2 times; the first here)",
        "13: 'VRB' is no tag of Universal Dependencies",
        "15: head missing; not checked",
        "17: relation missing; not checked",
        "19: the word has no form",
    ]
    checked = {json.loads(line)["line"] for line in result.stdout.splitlines()}
    assert {9, 11, 13} <= checked


def test_one_sentence_has_no_folds(fails, tmp_path):
    path = tmp_path / "one.conllu"
    path.write_text("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n")
    assert "1 sentence cannot be split into 5 folds" in fails("check", path)


def test_marks_for_other_programs_need_conllu(fails, files):
    message = fails("check", files.test, "--model", files.model, "--misc", "udapi")
    assert "--misc is for CoNLL-U" in message
