"""``turbotree parse``: formats, streams, bad input."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from turbotree.parsing import Parse, Parser
from turbotree.parsing.decoding import PartMarginals, part_marginals
from turbotree.text import converted, layout_of, read_conllu, read_conllx, write_conllx

SENTENCE = "1\tBirds\tbird\tNOUN\tNNS\t_\t_\t_\t_\t_\n2\tsing\tsing\tVERB\tVBP\t_\t_\t_\t_\t_\n\n"


@pytest.fixture(scope="module")
def parser(files: Any) -> Parser:
    return Parser.load(files.model)


@pytest.fixture(scope="module")
def parses(files: Any, parser: Parser) -> list[Parse]:
    """What the Python face says."""
    return list(parser.pipe(read_conllu(files.test)))


def words(parse: Parse) -> list[tuple[int, str]]:
    return list(zip(parse.heads, parse.labels, strict=True))


def test_only_heads_and_relations_change(
    run: Callable[..., Any], files: Any, parses: list[Parse]
) -> None:
    result = run("parse", files.model, files.test)
    assert result.exit_code == 0
    before = files.test.read_text("utf-8").split("\n")
    after = result.stdout.split("\n")
    predicted = iter([word for parse in parses for word in words(parse)])
    for line, new_line in zip(before, after, strict=True):
        if line and not line.startswith("#"):
            columns = line.split("\t")
            head, label = next(predicted)
            columns[6:8] = [str(head), label]
            line = "\t".join(columns)
        assert new_line == line


def test_stdin_and_stdout_are_the_default(run: Callable[..., Any], files: Any) -> None:
    text = files.test.read_bytes()
    expected = run("parse", files.model, files.test).stdout
    assert run("parse", files.model, input=text).stdout == expected
    assert run("parse", files.model, "-", "-o", "-", input=text).stdout == expected


def test_any_number_of_threads_writes_the_same_file(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    for threads in (1, 2):
        run("parse", files.model, files.test, "-o", tmp_path / f"{threads}", "--threads", threads)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_heads_of_the_input_are_not_looked_at(run: Callable[..., Any], files: Any) -> None:
    odd = SENTENCE.replace("VBP\t_\t_", "VBP\t_\tmoon")
    expected = run("parse", files.model, input=SENTENCE).stdout
    assert run("parse", files.model, input=odd).stdout == expected
    assert expected.startswith("1\tBirds\tbird\tNOUN\tNNS\t_\t")


def test_multiword_tokens_and_empty_nodes_stay(run: Callable[..., Any], files: Any) -> None:
    text = (
        "# a comment\n1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tMine=1\n"
        "1\tdo\tdo\tAUX\tVB\t_\t_\t_\t_\t_\n2\tn't\tnot\tPART\tRB\t_\t_\t_\t_\tA=b\n"
        "2.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_\n\n"
    )
    lines = run("parse", files.model, "--marginals", input=text).stdout.splitlines()
    assert lines[0] == "# a comment"
    assert lines[1].startswith("# tree_probability = ")
    assert lines[2] == "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tMine=1"
    assert lines[4].split("\t")[9].startswith("A=b|HeadProb=")
    assert lines[5] == "2.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_"


def test_probabilities_in_misc_are_those_of_the_parser(
    run: Callable[..., Any], files: Any, parses: list[Parse], tmp_path: Path
) -> None:
    out = tmp_path / "out.conllu"
    run("parse", files.model, files.test, "--marginals", "-o", out)
    for sentence, parse in zip(read_conllu(out), parses, strict=True):
        written = float(sentence.metadata["tree_probability"])
        assert written == pytest.approx(parse.probability, rel=1e-3)
        for misc, head, label in zip(
            sentence.column("misc"),
            parse.head_probabilities,
            parse.label_probabilities,
            strict=True,
        ):
            entries = dict(entry.split("=") for entry in misc.split("|"))
            assert float(entries["HeadProb"]) == pytest.approx(head, abs=1e-4)
            assert float(entries["LabelProb"]) == pytest.approx(label, abs=1e-4)


def test_parsing_twice_gives_new_probabilities_and_not_second_ones(
    run: Callable[..., Any], files: Any
) -> None:
    once = run("parse", files.model, "--marginals", input=SENTENCE).stdout
    twice = run("parse", files.model, "--marginals", input=once).stdout
    assert twice.count("HeadProb=") == 2


def test_json_has_one_object_a_line_with_likely_heads(
    run: Callable[..., Any], files: Any, parses: list[Parse]
) -> None:
    result = run("parse", files.model, files.test, "--format", "json", "--marginals")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    for record, parse in zip(records, parses, strict=True):
        assert record["sent_id"] == parse.sentence.sent_id
        assert [(word["head"], word["deprel"]) for word in record["words"]] == words(parse)
        for number, word in enumerate(record["words"], 1):
            likely = {
                head: chance
                for head, chance in enumerate(parse.arc_probabilities[:, number])
                if chance > 0.01
            }
            assert {row["head"] for row in word["heads"]} == set(likely)
            for row in word["heads"]:
                assert row["probability"] == pytest.approx(likely[row["head"]], rel=1e-3)
            chances = [row["probability"] for row in word["heads"]]
            assert chances == sorted(chances, reverse=True)


@pytest.fixture
def never_converging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every model's probabilities are as if belief propagation had been stopped."""

    def stopped(*arguments: Any, **options: Any) -> PartMarginals:
        return replace(part_marginals(*arguments, **options), converged=False)

    monkeypatch.setattr("turbotree.parsing.parse.part_marginals", stopped)


@pytest.mark.usefixtures("never_converging")
def test_probabilities_that_have_not_converged_are_marked_in_every_format(
    run: Callable[..., Any], files: Any
) -> None:
    note = "# marginals = approximate, not converged"
    lines = run("parse", files.model, "--marginals", input=SENTENCE).stdout.splitlines()
    assert lines[1] == note
    assert note not in run("parse", files.model, input=SENTENCE).stdout
    text = run("parse", files.model, "--marginals", "-f", "json", input=SENTENCE).stdout
    assert json.loads(text)["marginals_converged"] is False
    for format in ("text", "html"):
        shown = run("parse", files.model, "-f", format, input=SENTENCE).stdout
        assert "(approximate, not converged)" in shown


def test_probabilities_that_have_converged_are_not_marked(
    run: Callable[..., Any], files: Any
) -> None:
    assert "# marginals" not in run("parse", files.model, "--marginals", input=SENTENCE).stdout
    text = run("parse", files.model, "--marginals", "-f", "json", input=SENTENCE).stdout
    assert json.loads(text)["marginals_converged"] is True
    marked = f"# marginals = approximate, not converged\n{SENTENCE}"
    again = run("parse", files.model, "--marginals", input=marked).stdout
    (sentence,) = read_conllu(io.BytesIO(again.encode()))
    assert sentence.metadata["marginals"] == "converged"


def test_json_without_marginals_has_none(run: Callable[..., Any], files: Any) -> None:
    record = json.loads(run("parse", files.model, "-f", "json", input=SENTENCE).stdout)
    assert set(record) == {"sent_id", "text", "score", "words"}
    assert set(record["words"][0]) == {"id", "form", "lemma", "upos", "head", "deprel"}


def test_text_draws_one_line_per_word(run: Callable[..., Any], files: Any) -> None:
    lines = run("parse", files.model, "--format", "text", input=SENTENCE).stdout.splitlines()
    assert lines[0] == "# Birds sing"
    assert "1 Birds" in lines[1]
    assert "2 sing" in lines[2]
    assert lines[1].endswith("%")
    assert lines[3].startswith("probability of the tree ")


def test_one_sentence_becomes_an_svg_picture(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    picture = tmp_path / "tree.svg"
    assert run("parse", files.model, "-o", picture, input=SENTENCE).exit_code == 0
    root = ElementTree.fromstring(picture.read_text("utf-8"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_several_sentences_are_no_svg_picture(
    fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    message = fails("parse", files.model, "-o", tmp_path / "tree.svg", input=SENTENCE * 2)
    assert "--format html" in message
    assert list(tmp_path.iterdir()) == []


def test_a_page_holds_all_pictures(
    run: Callable[..., Any], files: Any, parses: list[Parse], tmp_path: Path
) -> None:
    page = tmp_path / "trees.html"
    run("parse", files.model, files.test, "-o", page)
    text = page.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("<svg") == text.count("<figure ") == len(parses)
    assert text.endswith("</html>\n")


def test_conllx_comes_back_as_conllx_or_conllu(
    run: Callable[..., Any], files: Any, parses: list[Parse], tmp_path: Path
) -> None:
    path, out = tmp_path / "test.conllx", tmp_path / "out"
    conllx = layout_of("conllx")
    write_conllx((converted(parse.sentence, conllx) for parse in parses), path)
    assert run("parse", files.model, path, "-o", out).exit_code == 0
    found = [list(zip(s.heads, s.labels, strict=True)) for s in read_conllx(out)]
    assert found == [words(parse) for parse in parses]
    assert run("parse", files.model, path, "-o", out, "-f", "conllu", "--marginals").exit_code == 0
    assert all("HeadProb=" in s.column("misc")[0] for s in read_conllu(out))


def test_conllx_has_no_place_for_probabilities(fails: Callable[..., str], files: Any) -> None:
    message = fails("parse", files.model, "--input-format", "conllx", "--marginals", input="")
    assert "CoNLL-X has no column for probabilities" in message


def test_packed_files_are_read_and_written(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    packed, out = tmp_path / "in.conllu.gz", tmp_path / "out.conllu.gz"
    packed.write_bytes(gzip.compress(files.test.read_bytes()))
    run("parse", files.model, packed, "-o", out)
    expected = run("parse", files.model, files.test).stdout
    assert gzip.decompress(out.read_bytes()).decode() == expected


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (["--decoder", "eisner"], {"decoder": "eisner"}),
        (["--decoder", "mbr"], {"decoder": "mbr"}),
        (["--decoder", "lp-single"], {"decoder": "lp-single"}),
        (
            ["--decoder", "admm", "--decomposition", "logic"],
            {"decoder": "admm", "decomposition": "logic"},
        ),
        (["--preset", "admm2011"], {"decoder": "admm2011", "decomposition": "logic"}),
        (["--projective"], {"projective": True}),
        (["--multi-root"], {"single_root": False}),
        (["--decoder", "mbr", "--projective"], {"decoder": "mbr", "projective": True}),
    ],
)
def test_options_reach_the_parser(
    run: Callable[..., Any], files: Any, parser: Parser, flags: list[str], options: dict[str, Any]
) -> None:
    expected = parser.pipe(read_conllu(files.test), **options)
    assert run("parse", files.model, files.test, *flags).stdout == "".join(
        parse.to_sentence().to_text() for parse in expected
    )


def test_an_unknown_preset_is_named_beside_the_known_ones(
    fails: Callable[..., str], files: Any
) -> None:
    said = fails("parse", files.model, files.test, "--preset", "koo2011")
    assert said == "unknown preset for parsing 'koo2011'; did you mean 'koo2010'?"
    said = fails("parse", files.model, files.test, "--preset", "koo2010", "--decoder", "mst")
    assert said == "--preset and --decoder: give only one of them"


def test_nothing_in_gives_nothing_out(run: Callable[..., Any], files: Any) -> None:
    result = run("parse", files.model, input="")
    assert (result.exit_code, result.output) == (0, "")


def test_a_malformed_sentence_stops_or_is_skipped(
    run: Callable[..., Any], fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    path, out = tmp_path / "some.conllu", tmp_path / "out.conllu"
    path.write_text(SENTENCE + "1\ttoo\tfew\n\n" + SENTENCE)
    assert fails("parse", files.model, path, "-o", out) == f"{path}:4: 3 columns, expected 10"
    assert not out.exists()
    result = run("parse", files.model, path, "-o", out, "--on-error", "skip")
    assert result.exit_code == 0
    assert result.stderr == f"turbotree: skipped 1 sentence: {path}:4: 3 columns, expected 10\n"
    assert len(list(read_conllu(out))) == 2


def test_a_damaged_model_is_one_line(fails: Callable[..., str], files: Any, tmp_path: Path) -> None:
    content = bytearray(files.model.read_bytes())
    damaged, short = tmp_path / "damaged.safetensors", tmp_path / "short.safetensors"
    short.write_bytes(content[: len(content) // 2])
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    assert "checksum" in fails("parse", damaged, files.test)
    assert fails("parse", short, files.test).startswith(f"{short}: ")
    assert "not a turbotree model" in fails("parse", files.test, files.test)


def test_missing_files_are_named(fails: Callable[..., str], files: Any, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    assert fails("parse", missing, files.test).startswith(f"{missing}: ")
    assert fails("parse", files.model, missing).startswith(f"{missing}: ")
    assert fails("parse", files.model, tmp_path).startswith(f"{tmp_path}: ")
    message = fails("parse", files.model, files.test, "-o", missing / "out")
    assert f"there is no folder {missing}" in message


def test_no_control_character_of_the_input_reaches_a_terminal(
    run: Callable[..., Any], fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    sly = tmp_path / "sly.conllu"
    sly.write_text(
        f"# sent_id = a\x1b[2J\n# text = b\x1b[2J\n{SENTENCE}".replace("sing", "\x1b[2J")
    )
    assert "\x1b" not in run("parse", files.model, sly, "--format", "text").stdout
    assert "\x1b" not in run("explain", files.model, sly, "--arc", "2,1").stdout
    cycle = [("_\t_\t_\t_\t_\n2", "_\t2\tx\t_\t_\n2"), ("_\t_\t_\t_\t_\n\n", "_\t1\tx\t_\t_\n\n")]
    text = SENTENCE.replace("Birds", "\x1b[2J")
    for old, new in cycle:
        text = text.replace(old, new)
    sly.write_text(text)
    assert "cycle" in (complaint := fails("train", sly, "-o", tmp_path / "model"))
    assert "\x1b" not in complaint


def test_rules_reach_the_parser(
    run: Callable[..., Any], files: Any, parser: Parser, tmp_path: Path
) -> None:
    path = tmp_path / "few.rules"
    path.write_text("rule few: forall h: at most 2 m: arc(h, m)\n")
    expected = parser.pipe(read_conllu(files.test), rules=[str(path), "one-subject"])
    result = run("parse", files.model, files.test, "--rules", path, "--rules", "one-subject")
    assert result.stdout == "".join(parse.to_sentence().to_text() for parse in expected)
    assert result.stdout != run("parse", files.model, files.test).stdout


def test_bad_rules_are_one_line_with_line_and_column(
    fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    path = tmp_path / "bad.rules"
    for text, message in (
        ("# one\nforall h, m arc(h, m)\n", f"{path}:2:13: expected ',', ':' or 'in', got 'arc'"),
        ("forall h: acr(h, h)\n", f"{path}:1:11: unknown predicate 'acr'; did you mean 'arc'?"),
        ("rule no: arc(root, 1) and not arc(root, 1)\n", f"rule no (line 1) of {path}"),
        ("not " * 5000 + "arc(root, 1)\n", f"{path}:1:401: a formula is nested more than 100 deep"),
        (" and ".join(["arc(root, 1)"] * 5000), f"{path}:1:1: more than 1000 parts are joined"),
    ):
        path.write_text(text)
        assert message in fails("parse", files.model, files.test, "--rules", path)
    assert "there are determiners, names" in fails(
        "parse", files.model, files.test, "--rules", "zzz"
    )
