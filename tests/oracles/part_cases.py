"""Random candidate arcs with the parts they form, and all trees over them."""

import numpy as np
from hypothesis import strategies as st

from oracles.trees import all_trees, arcs_of
from turbotree.features import Parts
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.parts import FAMILIES, PartSet

FULL = tuple(FAMILIES)
shapes = st.builds(TreeShape, st.booleans(), st.booleans())


def part_set(lengths, tables, families=FULL):
    """Candidate arcs of several sentences, sorted by modifier as the pruner gives them."""
    tables = [sorted(table, key=lambda arc: arc[::-1]) for table in tables]
    rows = np.array([arc for table in tables for arc in table], dtype=np.int32).reshape(-1, 2)
    offsets = np.cumsum([0, *map(len, tables)]).astype(np.int32)
    return PartSet.build(np.array(lengths, dtype=np.int32), Parts(rows, offsets), families)


@st.composite
def cases(draw, longest=4, most=1, families=FULL):
    """Random candidates and scores, with at least one tree per sentence."""
    lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    density = draw(st.sampled_from([0.3, 0.8]))
    tables = []
    for words in lengths:
        arcs = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
        tree = all_trees(words, single_root=True, projective=True)[0]
        kept = [arc for arc in arcs if rng.random() < density]
        tables.append(sorted({*kept, *arcs_of(tree)}))
    parts = part_set(lengths, tables, families)
    scale = draw(st.sampled_from([0.3, 1.0, 4.0]))
    scores = {name: scale * rng.normal(size=len(parts[name].rows)) for name in families}
    return parts, scores


def candidate_trees(parts, sentence, shape):
    offsets = parts.arcs.offsets
    arcs = set(map(tuple, parts.arcs.rows[offsets[sentence] : offsets[sentence + 1]].tolist()))
    trees = all_trees(
        int(parts.lengths[sentence]), single_root=shape.single_root, projective=shape.projective
    )
    return [np.array(tree, dtype=np.int32) for tree in trees if set(arcs_of(tree)) <= arcs]


def of_sentence(parts, scores, sentence):
    return {name: scores[name][own.places(sentence)] for name, own in parts.items()}


def assignment(parts, sentence, heads):
    """Give the values of a graph's variables for a tree: its arcs, then what stands for more."""
    arcs = parts.indicators(sentence, heads)["arc"]
    literal = [f for f in parts.families.values() if hasattr(f, "ancestry")]
    if not literal:
        return arcs
    ancestry = literal[0].ancestry
    values = np.append(arcs, np.zeros(int(ancestry.variables[sentence]), dtype=bool))

    def true(x):
        return bool(values[x]) if x >= 0 else not values[~x]

    # Paths grow from their first arc on; what is not a path stands on them.
    for _ in range(len(heads) + 1):
        for out, one, other in ancestry.ands_of(sentence).tolist():
            values[out] = true(one) and true(other)
        for groups in (ancestry.sums, ancestry.ors):
            outputs, inputs, offsets = groups.of(sentence)
            for i, out in enumerate(outputs.tolist()):
                values[out] = any(map(true, inputs[offsets[i] : offsets[i + 1]].tolist()))
    return values
