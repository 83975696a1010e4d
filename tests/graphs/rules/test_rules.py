"""Messages of rules, their grammar, and what they become."""

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
    ],
)
def test_what_is_no_rule_is_named_by_line_and_column(text, message):
    with pytest.raises(InputError) as error:
        read_rules(text, "r.txt")
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


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
