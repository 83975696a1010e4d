"""Messages of rules, their grammar, and what they become."""

import re

import pytest

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Kind
from turbotree.graphs.rules import Rules, grounding
from turbotree.graphs.rules.reading import read_rules
from turbotree.graphs.rules.syntax import And, Not, Or, Quantified


def graph_of(count=3):
    graph = FactorGraph()
    p = {f"t{i}": x for i, x in enumerate(graph.variables([1.0] * count).tolist())}
    return graph, {"p": p}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forall x p(x)", "r.txt:1:10: expected ',', ':' or 'in', got 'p'"),
        ("rule a: p()\nrule b: q(", "r.txt:2:11: expected "),
        ("forall x: p(x) and or p(x)", "r.txt:1:20: expected a formula, got 'or'"),
        ("forall x: x = 'ann", "r.txt:1:15: expected a term, got a quotation mark"),
        ("  rule a: p()\n  rule b: q() &", "r.txt:2:15: expected "),
        ("rule a: p()\n\n# twice\nrule a: p()", "r.txt:4:1: rule a is there already, in line 1"),
        ("[much] p()", "r.txt:1:2: expected '?' or a number, got 'much'"),
        ("[1e999] p()", "r.txt:1:1: a weight is a finite number"),
        ("forall x: x in file 'nowhere'", "r.txt:1:16: cannot read 'nowhere': No such file"),
        ("forall x: x in {1.5}", "r.txt:1:17: expected a whole number or a text in quotes"),
        ("forall x: x in file 'a\\0'", "r.txt:1:16: cannot read 'a\\x00': embedded null"),
        (f"forall x: x = {'9' * 5000}", "r.txt:1:15: a number of more than 12 digits"),
        (f"at most {'9' * 5000} x: p(x)", "r.txt:1:9: a number of more than 12 digits"),
    ],
)
def test_what_is_no_rule_is_named_by_line_and_column(text, message):
    with pytest.raises(InputError) as error:
        read_rules(text, "r.txt")
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def chain(count, joint):
    return "forall x: " + joint.join(["p(x)"] * count)


DEEP = {
    "parentheses": "forall x: " + "(" * 5000 + "p(x)" + ")" * 5000,
    "not": "forall x: " + "not " * 5000 + "p(x)",
    "and": chain(5000, " and "),
    "or": chain(5000, " or "),
    "implications": chain(5000, " -> "),
    "alternating": "forall x: " + "(p(x) and (p(x) or " * 2500 + "p(x)" + "))" * 2500,
    "quantifiers": "".join(f"exists x{i}: " for i in range(5000)) + "p(x0)",
    "sums": "forall x: x" + " + 1" * 5000 + " > 0",
    "calls": "forall x: " + "size(" * 5000 + "x" + ")" * 5000 + " = 1",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_formulas_that_are_thousands_deep_or_long_are_refused(text):
    with pytest.raises(InputError, match=r"^r\.txt:1:\d+: .*(nested|joined)") as error:
        read_rules(text, "r.txt")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        chain(600, " and "),
        chain(600, " or "),
        chain(99, " -> "),
        "forall x: " + "(" * 99 + "p(x)" + ")" * 99,
        "forall x: " + "not " * 98 + "p(x)",
        "forall x: " + "(p(x) and (p(x) or " * 24 + "p(x)" + "))" * 24,
        "".join(f"exists x{i}: " for i in range(4)) + "p(x0)",
    ],
)
def test_formulas_of_a_reasonable_size_are_grounded(text):
    graph, predicates = graph_of()
    Rules.from_text(text).apply(graph, predicates=predicates)
    # Each of these says that p holds, of all or of one of the three; or, of implications, nothing.
    for name in predicates["p"].values():
        graph.set_scores(-1.0, name)
    expected = {"forall": -3.0, "exists": -1.0}[text.split()[0]] * ("->" not in text)
    assert graph.solve("brute_force").value == expected


def test_sums_of_texts_and_numbers_that_are_too_large_are_refused():
    functions = {"size": {"t0": "small", "t1": 2**39 * 2 - 1, "t2": 3}}
    for text, message in (
        (
            "forall x: size(x) + 1 = 2",
            "line 1, column 11 of the rules: '+' and '-' are",
        ),
        ("p('t1') -> 999999999999 + 999999999999 > 1", "line 1, column 12"),
    ):
        graph, predicates = graph_of()
        with pytest.raises(InputError, match=re.escape(message)):
            Rules.from_text(text).apply(graph, predicates=predicates, functions=functions)
    with pytest.raises(InputError, match=r"up to 2\*\*40, got 1099511627776"):
        Rules.from_text("p('t0')").apply(graph, predicates={"p": {2**40: 0}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forall x: pp(x)", "1:11: unknown predicate 'pp'; did you mean 'p'?"),
        ("forall x: zebra(x)", "1:11: unknown predicate 'zebra'; there are known, p"),
        ("forall x: p(x, x)", "1:11: p takes 1 argument, got 2"),
        ("forall x: p(y)", "1:13: variable 'y' is not bound"),
        ("forall x: exists x: p(x)", "1:18: variable 'x' is bound already"),
        ("forall x: p(x) = 1", "1:11: unknown function 'p'; it is a predicate"),
        ("forall x: size(x)", "1:11: unknown predicate 'size'; it is a function"),
        ("forall x: siez(x) = 1", "1:11: unknown function 'siez'; did you mean 'size'?"),
        ("forall x in people: p(x)", "1:8: unknown domain 'people'"),
        ("forall x: size(x) < 'big'", "1:21: '<' compares numbers, not texts"),
        ("forall x: p({'a'})", "1:13: a set cannot stand here"),
        ("forall x: size({'a'}) = 1", "1:16: size takes no set"),
    ],
)
def test_what_means_nothing_is_named_by_line_and_column(text, message):
    graph, predicates = graph_of()
    functions = {"size": {"t0": 1, "t1": 2, "t2": 3}}
    with pytest.raises(InputError) as error:
        Rules.from_text(text, "r.txt").apply(
            graph, predicates=predicates, observed={"known": ["t0"]}, functions=functions
        )
    assert str(error.value).startswith(f"r.txt:{message}")


def test_a_quantifier_reaches_as_far_as_it_can():
    (rule,) = read_rules("forall x: p(x) -> exists y: q(x, y) and r(y)")
    assert isinstance(rule.formula, Quantified)
    body = rule.formula.formula
    assert isinstance(body, Or)
    assert isinstance(body.formulas[0], Not)
    assert isinstance(body.formulas[1], Quantified)
    assert isinstance(body.formulas[1].formula, And)


def test_and_binds_tighter_than_or_and_or_than_arrows():
    (rule,) = read_rules("p() or q() and not r() -> s()")
    assert isinstance(rule.formula, Or)
    left = rule.formula.formulas[0]
    assert isinstance(left, Not)
    assert isinstance(left.formula, Or)
    assert isinstance(left.formula.formulas[1], And)


def test_a_rule_goes_on_over_indented_lines_and_comments():
    rules = read_rules("# first\nrule a: [2] p()\n# between\n  and q()\n\nr() # last\n")
    assert [(rule.name, rule.weight) for rule in rules] == [("a", 2.0), ("rule2", None)]
    assert isinstance(rules[0].formula, And)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_text_without_rules_has_none(text):
    assert read_rules(text) == []


def test_single_literals_become_evidence_and_clauses_one_factor():
    graph, predicates = graph_of()
    text = "p('t0')\nforall x, y: x != y and x != 't0' and y != 't0' -> p(x) or p(y)"
    Rules.from_text(text).apply(graph, predicates=predicates)
    assert graph.evidence.tolist() == [1, -1, -1]
    assert [(block.kind, len(block)) for block in graph.blocks] == [(Kind.OR, 1)]
    assert len(graph) == 3


def test_exists_unique_is_one_factor():
    graph, predicates = graph_of()
    Rules.from_text("exists unique x: p(x)").apply(graph, predicates=predicates)
    assert [(block.kind, len(block)) for block in graph.blocks] == [(Kind.XOR, 1)]


def test_equal_formulas_inside_rules_share_their_variable():
    graph, predicates = graph_of()
    text = "p('t0') or p('t1') and p('t2')\nnot p('t0') or p('t2') and p('t1')"
    Rules.from_text(text).apply(graph, predicates=predicates)
    assert len(graph) == 4


def test_known_conditions_cut_the_instances_down(monkeypatch):
    graph = FactorGraph()
    things = range(300)
    p = dict(enumerate(graph.variables([0.0] * 300).tolist()))
    monkeypatch.setattr(grounding, "MOST_BINDINGS", 2000)
    applied = Rules.from_text(
        "forall x, y, z: next(x, y) and next(y, z) and p(x) and p(z) -> p(y)"
    ).apply(graph, predicates={"p": p}, observed={"next": [(i, i + 1) for i in things]})
    assert applied.instances == {"rule1": 298}
    with pytest.raises(InputError, match="more than 2000 instances"):
        Rules.from_text("forall x, y, z: p(x) or p(y) or p(z)").apply(graph, predicates={"p": p})


def test_domains_are_told_apart_by_what_stands_in_them():
    graph = FactorGraph()
    eats = {("ann", "bread"): graph.variable(-1.0), ("bob", "bread"): graph.variable(-2.0)}
    domains = {"people": ["ann", "bob"], "food": ["bread"]}
    applied = Rules.from_text("forall f: exists x: eats(x, f)").apply(
        graph, predicates={"eats": eats}, domains=domains
    )
    assert applied.instances == {"rule1": 1}
    assert graph.solve("brute_force").values.tolist() == [True, False]


def test_contrary_rules_are_named():
    graph, predicates = graph_of()
    with pytest.raises(InfeasibleError, match=r"r\.txt:2:1: rule no: two rules say the contrary"):
        Rules.from_text("rule yes: p('t0')\nrule no: not p('t0')", "r.txt").apply(
            graph, predicates=predicates
        )


def test_predicates_that_do_not_fit_the_graph_are_refused():
    graph, _ = graph_of()
    with pytest.raises(InputError, match="has 3 variables, got literal 7"):
        Rules.from_text("p('a')").apply(graph, predicates={"p": {"a": 7}})
    with pytest.raises(InputError, match="rows of 1 and 2 values"):
        Rules.from_text("p('a')").apply(graph, predicates={"p": {"a": 0, ("a", "b"): 1}})


def test_names_come_from_a_file_beside_the_rules(tmp_path):
    (tmp_path / "names.txt").write_text("# nice ones\nt1\n\nt2\n")
    (tmp_path / "a.rules").write_text("forall x: x in file 'names.txt' -> not p(x)")
    graph, predicates = graph_of()
    Rules.from_file(tmp_path / "a.rules").apply(graph, predicates=predicates)
    assert graph.evidence.tolist() == [-1, 0, 0]
    with pytest.raises(InputError, match=r"b\.rules: No such file"):
        Rules.from_file(tmp_path / "b.rules")
