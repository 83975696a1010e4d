"""What all data of one training share, wherever they are: templates, vocabularies, shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turbotree.errors import InputError
from turbotree.features import Encoder, attributes_of
from turbotree.features import parse_templates as parse
from turbotree.features._core import MAX_LABELS
from turbotree.parsing.arcs import ARC, Pruner, TreeShape
from turbotree.parsing.labels import (
    NODE,
    LabelDictionary,
    LabelModel,
    label_scorer,
    pair_kind,
)
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.templates import load_templates
from turbotree.parsing.training.options import TrainingOptions, template_sets
from turbotree.parsing.training.treebank import (
    Treebank,
    label_dictionary,
    names_of_labels,
    single_root,
)
from turbotree.scoring import SparseScorer
from turbotree.text import Sentence


@dataclass(frozen=True)
class Blueprint:
    """What a parser will be like, known before anything is learnt.

    Attributes
    ----------
    options
        How to train.
    templates
        The template sets in use, by name.
    encoder
        The vocabularies of the training data.
    names
        Its labels.
    shape
        Which trees are allowed.
    dictionary
        Which labels occur with which tags.
    """

    options: TrainingOptions
    templates: dict[str, list[str]]
    encoder: Encoder
    names: list[str]
    shape: TreeShape
    dictionary: LabelDictionary

    @classmethod
    def of(cls, train: Sequence[Sentence], options: TrainingOptions) -> tuple[Blueprint, Treebank]:
        """Look through all training data; give them as integers, too."""
        given = options.templates or {}
        templates = {
            name: list(given[name]) if name in given else load_templates(name)
            for name in template_sets()
            if name not in FAMILIES or name in options.families()
        }
        if not options.has_features:
            templates = {name: [] for name in templates}
        names = names_of_labels(train)
        if len(names) > MAX_LABELS:
            raise InputError(f"{len(names)} labels; a parser takes up to {MAX_LABELS}")
        kinds = {
            **FAMILIES,
            "pruner": ARC,
            "label": NODE,
            "label_pair": pair_kind(len(names)),
        }
        parsed = [t for name, texts in templates.items() for t in parse(texts, kinds[name])]
        attributes, sets = attributes_of(parsed)
        # The labeller looks its dictionary up by tag, whatever the templates use.
        encoder = Encoder.fit(train, sorted({*attributes, "upos"}), sets)
        data = Treebank.of(train, encoder, names)
        if options.decoder == "automata" and not data.complete:
            raise InputError("decoder 'automata' needs complete trees; some words have no head")
        shape = TreeShape(single_root=single_root(train, options.single_root))
        dictionary = label_dictionary(data, encoder, names)
        return cls(options, templates, encoder, names, shape, dictionary), data

    def treebank(self, sentences: Sequence[Sentence]) -> Treebank:
        """Return other sentences as integers."""
        return Treebank.of(sentences, self.encoder, self.names)

    def pruner_model(self) -> SparseScorer:
        """Return the templates of the pruner, without weights."""
        return SparseScorer({"arc": self.templates["pruner"]}, FAMILIES, self.encoder)

    def pruner(self, model: SparseScorer) -> Pruner:
        """Return a pruner whose model has learnt."""
        return Pruner(model, self.options.pruning(), self.shape)

    def part_model(self) -> SparseScorer:
        """Return the templates of arcs and other parts, without weights."""
        families = {name: self.templates[name] for name in self.options.families()}
        return SparseScorer(families, FAMILIES, self.encoder)

    def label_model(self) -> LabelModel:
        """Return the templates of labels, without weights."""
        scorer = label_scorer(
            self.templates["label"], self.templates["label_pair"], self.dictionary, self.encoder
        )
        return LabelModel(scorer, self.dictionary, self.encoder)
