"""How much work the learners of a pipeline are, guessed before the first one begins."""

from __future__ import annotations

from collections.abc import Sequence

from turbotree.labeling import TaggerOptions
from turbotree.labeling.data import choose_columns
from turbotree.networks import NetworkOptions
from turbotree.parsing import TrainingOptions
from turbotree.pipeline.options import PipelineOptions
from turbotree.text import Sentence
from turbotree.text.surface import surface_tokens

# Time of a sentence in an epoch, in tenths of that of UPOS, as measured on English EWT. Once a
# learner has run its own speed counts, so that this need only be right within a factor of two.
_TOKENS, _FIRST, _GIVEN, _LEMMAS = 2.5, 10.0, 4.0, 1.5
_PRUNER, _LABELS, _ARCS, _EACH_FAMILY, _NETWORK = 11.0, 9.0, 25.0, 25.0, 25.0


#: What the learners of the tagger begin their names with.
TAGGER = "tagger"


def fold_name(fold: int, folds: int) -> str:
    """Return what the learners of a fold begin their names with.

    >>> fold_name(0, 5)
    'fold 1 of 5'
    """
    return f"fold {fold + 1} of {folds}"


def tells_spaces(sentences: Sequence[Sentence]) -> bool:
    """Return whether sentences say where tokens touch one another: ``SpaceAfter=No``."""
    return not all(token.space_after for s in sentences for token in surface_tokens(s))


def expected_work(train: Sequence[Sentence], options: PipelineOptions) -> dict[str, float]:
    """Guess how long each learner takes compared with the others, by name and in their order.

    >>> from turbotree.text import treebank
    >>> work = expected_work(list(treebank(20, seed=1)), PipelineOptions(folds=2))
    >>> list(work)[:5], list(work)[-4:]
    (['tokens', 'tagger: upos', 'tagger: xpos', 'tagger: feats', 'tagger: network'],
     ['pruner', 'parts', 'labels', 'network'])
    """
    count = len(train)
    tagger = TaggerOptions(**options.tagger_options())
    quick = TaggerOptions(**options.fold_options())
    first, *given = choose_columns(train, "tag", tagger.label_columns())
    lemmas = any(set(sentence.lemmas) != {"_"} for sentence in train)
    work: dict[str, float] = {}

    def add_tags(prefix: str, size: float, how: TaggerOptions) -> None:
        work[prefix + first] = _FIRST * size * how.learner().epochs
        for column in given:
            work[prefix + column] = _GIVEN * size * how.learner(given=True).epochs

    def add_lemmas(prefix: str, size: float) -> None:
        if lemmas:
            work[f"{prefix}lemmas"] = _LEMMAS * size * options.lemma_epochs

    def add_network(prefix: str, network: NetworkOptions | None) -> None:
        if network is not None:
            epochs = network.epochs(sum(map(len, train)))
            work[f"{prefix}network"] = _NETWORK * count * epochs

    if tells_spaces(train):
        work["tokens"] = _TOKENS * count * options.token_epochs
    joint = options.joint_network()
    add_network("", joint)
    add_tags(f"{TAGGER}: ", count, tagger)
    add_network(f"{TAGGER}: ", tagger.network_options())
    for fold in range(options.folds):
        others = count * (options.folds - 1) / options.folds
        prefix = f"{fold_name(fold, options.folds)}: "
        add_tags(prefix, others, quick)
        add_lemmas(prefix, others)
    add_lemmas("", count)
    parser = TrainingOptions(**options.parser_options())
    if parser.has_features:
        work["pruner"] = _PRUNER * count * parser.pruner_epochs
        parts = _ARCS + _EACH_FAMILY * (len(parser.families()) - 1)
        work["parts"] = parts * count * parser.epochs
        work["labels"] = _LABELS * count * parser.epochs
    if joint is None:
        add_network("", parser.network_options())
    return work
