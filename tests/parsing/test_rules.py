"""Parsing under rules: against enumeration of all trees, and from end to end."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.part_cases import candidate_trees, cases, of_sentence, shapes
from oracles.tree_rules import FORMS, TAGS, TREE_RULES
from oracles.trees import all_trees

from turbotree import Parser, Sentence
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import Status
from turbotree.parsing import compile_rules, learn_rule_weights, shipped_rules
from turbotree.parsing.arcs import all_arcs
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.rules.groundings import TreeWorld
from turbotree.parsing.rules.label_choices import LabelsOf
from turbotree.parsing.rules.labelling import LabelGraph, search_labels
from turbotree.parsing.rules.lazy_grounding import broken_rules
from turbotree.parsing.rules.searching import search_tree
from turbotree.parsing.rules.words import Words, quotations
from turbotree.scoring import Batch
from turbotree.text import treebank

FAMILIES = ("arc", "sibling", "grandparent")
UNSEEN = list(treebank(25, seed=5))


@pytest.fixture(scope="module", params=["arc", "standard"])
def parser(request):
    return Parser.train(treebank(120, seed=1), epochs=2, pruner_epochs=1, model=request.param)


@pytest.fixture(scope="module")
def generous():
    """A parser that keeps all arcs."""
    options = {"pruning_threshold": 0.0, "max_heads": 100, "pruner_epochs": 1}
    return Parser.train(treebank(60, seed=1), epochs=1, model="standard", **options)


def words_of(count):
    return Words(Sentence.from_words(FORMS[:count], upos=TAGS[:count]))


def obeys(rules, parse):
    world = TreeWorld(Words(parse.sentence), np.array(parse.heads), parse.labels)
    return not broken_rules(compile_rules(rules).rules, world)


@pytest.mark.parametrize(("text", "broken"), TREE_RULES)
def test_the_broken_instances_of_a_rule_are_found(text, broken):
    rules = compile_rules(text).rules
    for heads in all_trees(4):
        found = broken_rules(rules, TreeWorld(words_of(4), np.array(heads)))
        assert sum(bindings.size for bindings in found.values()) == broken(heads)


@settings(max_examples=120, deadline=None)
@given(cases(families=FAMILIES), shapes, st.data())
def test_the_tree_is_the_best_of_those_that_obey(case, shape, data):
    parts, scores = case
    chosen = data.draw(st.lists(st.sampled_from(TREE_RULES), min_size=1, max_size=3, unique=True))
    weights = [data.draw(st.sampled_from([None, None, 0.7, -0.4])) for _ in chosen]
    text = "\n".join(
        f"[{weight}] {rule}" if weight is not None else rule
        for (rule, _), weight in zip(chosen, weights, strict=True)
    )
    own = of_sentence(parts, scores, 0)

    def objective(heads):
        counts = [broken(heads.tolist()) for _, broken in chosen]
        if any(count and weight is None for count, weight in zip(counts, weights, strict=True)):
            return -np.inf
        costs = sum(c * w for c, w in zip(counts, weights, strict=True) if w is not None)
        return ScoredSentence(parts, 0, own).score(heads) - costs

    trees = candidate_trees(parts, 0, shape)
    best = max((objective(heads) for heads in trees), default=-np.inf)
    words = words_of(int(parts.lengths[0]))
    rules = compile_rules(text).rules
    try:
        found = search_tree(
            words, ScoredSentence(parts, 0, own, shape), rules, "<rules>", decoder="exact"
        )
    except InfeasibleError:
        assert best == -np.inf
        return
    assert found.score == pytest.approx(best, abs=1e-5)
    assert objective(found.heads) == pytest.approx(best, abs=1e-5)
    assert found.certificate.status is Status.OPTIMAL
    assert found.certificate.bound == pytest.approx(best, abs=1e-5)


RULES_OF_ALL_KINDS = """
    rule right: forall h, m: arc(h, m) and upos(m) = 'DET' and h != root -> m < h
    rule one_nominal: forall h: at most 1 m: label(h, m, {'nmod*', 'nsubj*', 'obj', 'obl'})
    rule verbs: forall v: upos(v) = 'VERB' -> exists m: arc(v, m)
"""


def test_parses_obey_and_say_what_is_proven(parser):
    plain = list(parser.pipe(UNSEEN))
    parses = list(parser.pipe(UNSEEN, rules=RULES_OF_ALL_KINDS))
    assert not all(obeys(RULES_OF_ALL_KINDS, parse) for parse in plain)
    for free, parse in zip(plain, parses, strict=True):
        assert obeys(RULES_OF_ALL_KINDS, parse)
        assert parse.score <= free.certificate.bound + 1e-6
        assert parse.certificate.bound >= parse.score - 1e-6
        if obeys(RULES_OF_ALL_KINDS, free):
            assert (parse.heads, parse.labels) == (free.heads, free.labels)


def test_neither_threads_nor_batches_change_the_answer(parser):
    rules = compile_rules(RULES_OF_ALL_KINDS)
    expected = [(p.heads, p.labels, p.score) for p in parser.pipe(UNSEEN, rules=rules)]
    again = parser.pipe(UNSEEN, rules=rules, threads=2, batch_size=4)
    assert [(p.heads, p.labels, p.score) for p in again] == expected


@pytest.mark.parametrize("name", shipped_rules())
def test_the_rules_that_come_along_are_obeyed(parser, name):
    for parse in parser.pipe(UNSEEN, rules=name):
        assert obeys(name, parse)


def test_search_and_integer_program_agree(generous):
    for sentence in [s for s in UNSEEN if len(s) <= 8][:5]:
        rules = "forall h: at most 2 m: arc(h, m)\nforall a, d: sibling(a, d, d + 1) -> a < d"
        one = generous.parse(sentence, rules=rules, decoder="exact")
        other = generous.parse(sentence, rules=rules, decoder="ilp")
        assert one.score == pytest.approx(other.score)


def label_value(scores, labels):
    """The score of labels, one a word of a single sentence, from the definition of chains."""
    nodes, structure = scores.structure.nodes, scores.structure
    states = []
    for node, word in enumerate(structure.words.tolist()):
        own = nodes.labels[nodes.label_offsets[node] : nodes.label_offsets[node + 1]].tolist()
        states.append(own.index(labels[word]))
    total = 0.0
    for node, state in enumerate(states):
        total += scores.node_scores[nodes.label_offsets[node] + state]
        edges = scores.edge_scores[structure.edge_offsets[node] : structure.edge_offsets[node + 1]]
        if len(edges):
            count = nodes.label_offsets[node + 1] - nodes.label_offsets[node]
            total += edges.reshape(-1, count)[states[node - 1], state]
    return total


@pytest.mark.parametrize("weight", ["", "[0.9]", "[-0.6]"])
def test_labels_are_the_best_that_obey(parser, weight):
    rule = f"{weight} forall h: at most 1 m: label(h, m, {{'*mod*', 'n*', 'o*', 'det'}})"
    names = parser.labels.dictionary.names
    checked = 0
    for sentence in [s for s in UNSEEN if len(s) <= 6]:
        parse = parser.parse(sentence, rules=rule)
        heads = np.array(parse.heads, dtype=np.int32)
        scores = parser.labels.label(Batch([sentence]), heads)
        nodes = scores.structure.nodes
        choices = [[]] * len(sentence)
        for node, word in enumerate(scores.structure.words.tolist()):
            at = slice(nodes.label_offsets[node], nodes.label_offsets[node + 1])
            choices[word] = nodes.labels[at].tolist()
        if np.prod([len(own) for own in choices]) > 3000:
            continue
        checked += 1
        cost = float(weight.strip("[]") or "inf")

        def objective(labels, heads=heads, scores=scores, cost=cost):
            hits = [names[label].startswith(("n", "o", "det", "amod")) for label in labels]
            counts = np.bincount(heads[np.array(hits)], minlength=len(heads) + 1)
            broken = int((counts > 1).sum())
            return label_value(scores, labels) - (cost * broken if broken else 0.0)

        best = max(objective(labels) for labels in product(*choices))
        found = [names.index(label) for label in parse.labels]
        assert objective(found) == pytest.approx(best)
    assert checked > 0


def test_a_tree_that_no_labels_suit_gives_way_to_the_best_that_some_suit(generous):
    rule = "forall v: upos(v) = 'VERB' -> exists m: label(v, m, 'nsubj*')"
    tried = 0
    for sentence in [s for s in UNSEEN if len(s) <= 6 and "VERB" in s.upos]:
        try:
            parse = generous.parse(sentence, rules=rule, decoder="exact")
        except InfeasibleError:
            continue
        assert obeys(rule, parse)
        tried += 1
        # Every better tree leaves some verb without a word that may be its subject.
        batch = Batch([sentence])
        parts = PartSet.build(batch.lengths, all_arcs(batch.lengths), generous.parts.families)
        scores = generous.parts.score(batch, parts)
        labels_of = LabelsOf(generous, batch)
        best = -np.inf
        for heads in all_trees(len(sentence), single_root=generous.shape.single_root):
            suits = all(
                any(
                    head == v and any(label.startswith("nsubj") for label in labels_of(v, m))
                    for m, head in enumerate(heads, 1)
                )
                for v, tag in enumerate(sentence.upos, 1)
                if tag == "VERB"
            )
            if suits:
                best = max(
                    best, ScoredSentence(parts, 0, scores).score(np.array(heads, dtype=np.int32))
                )
        assert parse.score == pytest.approx(best)
    assert tried > 0


def test_another_tree_is_taken_only_if_it_is_better_with_its_labels(parser):
    text = "forall h: at most 1 m: label(h, m, {'*mod*', 'n*', 'o*', 'det'})"
    rules, names = compile_rules(text).rules, parser.labels.dictionary.names
    changed = 0
    for sentence in UNSEEN:
        batch = Batch([sentence])
        free, parse = parser.parse(sentence), parser.parse(sentence, rules=text)
        assert obeys(text, parse)
        totals = []
        for found in (free, parse):
            heads = np.array(found.heads, dtype=np.int32)
            scores = parser.labels.label(batch, heads)
            try:
                labels = search_labels(
                    Words(sentence), heads, found.labels, scores, names, rules, "<rules>"
                )
            except InfeasibleError:  # then there is no choice
                break
            totals.append(found.score + LabelGraph(scores, names).score(labels))
        if len(totals) < 2:
            continue
        assert totals[1] >= totals[0] - 1e-9
        assert parse.certificate.bound >= free.score - 1e-6
        if parse.heads != free.heads:
            changed += 1
            assert totals[1] > totals[0]
            assert parse.certificate.gap == pytest.approx(parse.certificate.bound - parse.score)
    assert changed > 0


def test_arcs_that_the_pruner_dropped_come_back_if_rules_want_them(parser):
    sentence = UNSEEN[0]
    last = len(sentence)
    parse = parser.parse(sentence, rules=f"arc({last}, 1) and arc(1, 2)")
    assert parse.heads[:2] == (last, 1)


def test_rules_that_clash_are_named_and_no_others(parser):
    text = "\n".join(
        (
            "rule fine: forall h, m: arc(h, m) -> h != m",
            "rule left: forall h, m: arc(h, m) and h != root -> h < m",
            "rule right: forall h, m: arc(h, m) and h != root -> m < h",
            "rule one: exists unique m: arc(root, m)",
            "rule also_fine: at most 90 m: arc(root, m)",
        )
    )
    sentence = Sentence.from_words(["Birds", "sing", "."], comments=["sent_id = s1"])
    with pytest.raises(InfeasibleError) as error:
        parser.parse(sentence, rules=text, single_root=False)
    expected = "sentence s1: no tree obeys the rules left (line 2), right (line 3) and one (line 4)"
    assert str(error.value) == f"{expected} at once of <rules>"
    with pytest.raises(InfeasibleError, match=r"no tree obeys the rule rule1 \(line 1\)"):
        parser.parse(sentence, rules="at most 0 m: arc(root, m)")


def test_labels_that_clash_with_a_rule_are_named(parser):
    rule = "rule all: forall h, m: arc(h, m) -> label(h, m, 'zebra*')"
    with pytest.raises(InfeasibleError, match=r"no tree obeys the rule all \(line 1\)"):
        parser.parse(UNSEEN[0], rules=rule)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("forall h, m: ark(h, m)", "<rules>:1:14: unknown predicate 'ark'; did you mean 'arc'?"),
        ("forall h: arc(h)", "<rules>:1:11: arc takes 2 arguments, got 1"),
        ("forall h, m: label(h, m, 'nsub')", "the model has no label 'nsub'; did you mean 'nsubj'"),
        ("forall h, m: label(h, m, h)", "<rules>:1:26: expected a text in quotes here"),
        ("one-rot", "no such file, and no rules of that name; did you mean 'one-root'?"),
        ("one-root,one-root", "two rules have the name 'one_root'"),
        ("one root", "no such file, and no rules of that name; did you mean 'one-root'?"),
        ("one-root, my/own.rules", "rules 'my/own.rules': no such file"),
        ("my own.rules", "rules 'my own.rules': no such file"),
        # What is no name and no path is a rule, and its mistake has a place.
        ("forall h, m: arc h, m", "<rules>:1:18: expected "),
        ("rule late: forall m", "<rules>:1:20: expected ',', ':' or 'in', got the end"),
        ("at most 1 m, arc", "<rules>:1:17: expected ',', ':' or 'in', got the end"),
        ("h < m", "<rules>:1:1: variable 'h' is not bound"),
        ("forall h: upos[h] = 'X'", "<rules>:1:15: expected "),
    ],
)
def test_rules_that_mean_nothing_are_refused(parser, rules, message):
    with pytest.raises(InputError) as error:
        parser.parse(UNSEEN[0], rules=rules)
    assert message in str(error.value)


def test_decoders_by_risk_know_no_rules(parser):
    with pytest.raises(InputError, match="'bp' knows no rules"):
        parser.parse(UNSEEN[0], rules="one-root", decoder="bp")


def test_rules_and_constraints_hold_together(parser):
    rules = "rule left: forall h, m: arc(h, m) and upos(m) = 'NOUN' and h != root -> h < m"
    for sentence in UNSEEN[:8]:
        free = parser.parse(sentence, rules=rules)
        # The last word of the first half is to hang from another word than it would.
        word = max(1, len(sentence) // 2)
        above = next(h for h in range(len(sentence) + 1) if h not in (word, free.heads[word - 1]))
        constraints = {"require": [(above, word)], "spans": [(1, max(1, len(sentence) // 3))]}
        try:
            parse = parser.parse(sentence, rules=rules, **constraints)
        except InfeasibleError:
            # Then HiGHS must not find a tree of all arcs either.
            with pytest.raises(InfeasibleError):
                parser.parse(sentence, rules=rules, decoder="exact", **constraints)
            continue
        assert obeys(rules, parse)
        assert parse.heads[word - 1] == above
        assert parse.score <= free.score + 1e-9


def test_given_heads_and_labels_are_kept_under_rules(parser):
    for sentence in UNSEEN[:8]:
        heads = ["_" if m % 2 else h for m, h in enumerate(sentence.heads)]
        labels = ["_" if m % 2 else x for m, x in enumerate(sentence.labels)]
        partial = sentence.replace(head=heads, deprel=labels)
        parse = parser.parse(partial, rules="one-root", keep_given=True)
        assert obeys("one-root", parse)
        assert parse.heads[::2] == sentence.heads[::2]
        assert parse.labels[::2] == sentence.labels[::2]


def test_rules_that_clash_with_constraints_say_so(parser):
    with pytest.raises(InfeasibleError, match="both the rules of <rules> and the constraints"):
        parser.parse(UNSEEN[0], rules="forall m: not arc(root, m) or m != 1", require=[(0, 1)])


def test_a_sentence_of_one_word_has_its_tree(parser):
    parse = parser.parse(Sentence.from_words(["Go"]), rules="one-root,determiners,quotations")
    assert parse.heads == (0,)


def test_quotation_marks_find_their_fellows():
    assert quotations(['"', "a", '"', "b", '"']) == [(1, 3)]
    assert quotations(["“", "a", "‘", "b", "’", "”"]) == [(1, 6), (3, 5)]
    assert quotations(["``", "a", "''", "''"]) == [(1, 3)]
    assert quotations([]) == []


def test_attributes_of_words_are_seen(parser):
    sentence = Sentence.from_words(
        ["A", "b", "c"],
        lemmas=["a", "b", "c"],
        xpos=["X", "Y", "Z"],
        feats=["Case=Nom|N=1", "_", "_"],
    )
    conditions = (
        "form(x) = 'A' and lemma(x) in {'a', 'z'} and xpos(x) like 'X*' and "
        "feats(x, 'Case') = 'Nom' and feats(x, 'Cas') = '' and form(x + 1) = 'b' and "
        "form(x - 2) = '' and x < 2 and not between(x, 1, 3) and text(x, x + 1) = 'A b'"
    )
    rules = f"exists x: {conditions} and arc(root, x)"
    assert parser.parse(sentence, rules=rules).heads[0] == 0


def test_a_rule_that_the_treebank_obeys_is_learnt_and_one_that_it_breaks_is_not(parser, tmp_path):
    text = """
        rule obeyed: [?] forall h: at most 1 m: label(h, m, 'det')
        rule broken: [?] forall h, m: label(h, m, 'det') -> h < m
        rule right: [?] forall h, m: arc(h, m) and upos(m) = 'DET' -> m < h
        rule wrong: [?] forall h, m: arc(h, m) and upos(m) = 'DET' and h != root -> h < m
    """
    knowing = learn_rule_weights(parser, text, treebank(40, seed=1), epochs=2)
    weights = knowing.record["rules"]
    assert weights["obeyed"] >= 0.0 >= weights["broken"]
    assert weights["right"] >= 0.0 >= weights["wrong"]
    knowing.save(tmp_path / "model")
    loaded = Parser.load(tmp_path / "model")
    assert loaded.record["rules"] == weights
    given = compile_rules(text).with_weights(weights)
    expected = [(p.heads, p.labels) for p in parser.pipe(UNSEEN[:5], rules=given)]
    assert [(p.heads, p.labels) for p in loaded.pipe(UNSEEN[:5], rules=text)] == expected


def test_a_weight_that_was_never_learnt_is_asked_for(parser):
    with pytest.raises(InputError, match=r"<rules>:1:1: the model has no weight for rule rule1"):
        parser.parse(UNSEEN[0], rules="[?] exists m: arc(root, m)")
    with pytest.raises(InputError, match="no rule has the weight"):
        learn_rule_weights(parser, "one-root", treebank(2, seed=1))


def test_terms_inside_of_functions_are_no_tables():
    """A table of spans has a column for each variable, and x + 1 is none."""
    words = words_of(4)
    span = " ".join(FORMS[1:3])
    rules = compile_rules(f"forall x: text(x, x + 1) in {{'{span}'}} -> arc(root, x)").rules
    for heads in all_trees(4):
        found = broken_rules(rules, TreeWorld(words, np.array(heads)))
        assert sum(bindings.size for bindings in found.values()) == (heads[1] != 0)


def test_features_are_asked_for_one_at_a_time():
    with pytest.raises(InputError, match="1:20: feats takes no set"):
        compile_rules("forall x: feats(x, {'A', 'B'}) = '1'")
