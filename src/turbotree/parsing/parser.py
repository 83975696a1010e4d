"""The parser: sentences in, trees out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from turbotree.errors import InputError
from turbotree.features import Encoder, FiredFeature, explain
from turbotree.graphs import Status
from turbotree.parsing.arcs import (
    FloatArray,
    IntArray,
    Pruner,
    TreeShape,
    arc_marginals,
    best_trees,
)
from turbotree.parsing.decoding import SOLVERS, Certificate, choose_decomposition, decode
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.model import PartModel, PartScores
from turbotree.parsing.parse import Parse, ParsedBatch
from turbotree.parsing.parts import PartSet
from turbotree.parsing.profile import Profile
from turbotree.parsing.rules.compiled import RulesLike, compile_rules
from turbotree.parsing.rules.obeying import Obeying, read_rules
from turbotree.parsing.storing import load_fields, store
from turbotree.streaming import in_batches, map_in_order
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.parsing.treebank import TrainingSource

#: Decoders of arc-factored models; the first is what they use if nothing is said.
ARC_DECODERS = ("mst", "eisner", "mbr")
#: Decoders of all models; the first is what models with parts of higher order use.
GRAPH_DECODERS = (*SOLVERS, "bp")
DECODERS = (*ARC_DECODERS, *GRAPH_DECODERS)
_BATCH_SIZE = 32


@dataclass(frozen=True)
class Parser:
    """A labelled dependency parser.

    Make one with :meth:`train` or :meth:`load`. A parser never changes, so threads may share it.
    """

    encoder: Encoder
    pruner: Pruner
    parts: PartModel
    labels: LabelModel
    shape: TreeShape
    arc_temperature: float
    label_temperature: float
    record: dict[str, Any]

    @classmethod
    def train(cls, train: TrainingSource, **options: Any) -> Parser:
        """Train a parser on a treebank; see :func:`turbotree.parsing.training.train_parser`.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(100, seed=1), epochs=2)
        >>> parse = parser.parse(next(treebank(1, seed=2)))
        >>> len(parse.heads) == len(parse.sentence)
        True
        """
        from turbotree.parsing.training import train_parser

        return train_parser(train, **options)

    def parse(self, sentence: Sentence, **options: Any) -> Parse:
        """Parse one sentence; the options are those of :meth:`parse_batch`."""
        return self.parse_batch([sentence], **options)[0]

    def parse_batch(
        self,
        sentences: Sequence[Sentence],
        *,
        decoder: str | None = None,
        decomposition: str | None = None,
        projective: bool | None = None,
        single_root: bool | None = None,
        rules: RulesLike | None = None,
        profile: Profile | None = None,
    ) -> list[Parse]:
        """Parse some sentences at once; heads and labels they already have are not looked at.

        Parameters
        ----------
        sentences
            What to parse.
        decoder
            For arc-factored models, ``"mst"``: the best tree. ``"eisner"``: the best projective
            tree. ``"mbr"``: the tree with most right arcs in expectation (minimum Bayes risk).
            For all models, ``"auto"``: the best tree by dual decomposition, and a short search
            where that leaves a gap; nearly always with a proof. ``"exact"``: search as long as it
            takes, always with a proof. ``"admm"``: dual decomposition alone.
            ``"subgradient"``: dual decomposition with subgradients. ``"lp"``, ``"ilp"``: the
            linear program with flows of several commodities, relaxed or exact, by HiGHS;
            ``"lp-single"``: with a single commodity, which is looser. ``"bp"``: minimum Bayes
            risk by belief propagation.
        decomposition
            How decoders of all models write a sentence: ``"structured"``, with trees and automata
            as factors, or ``"logic"``, with flows and simple factors (not for projective trees).
            By default linear programs are written by logic, everything else is structured.
        projective
            Allow no crossing arcs, whatever the decoder.
        single_root
            Allow only one word under the root; by default as in the training data.
        rules
            What trees and labels have to obey: the text of rules, the path of a rule file, the
            name of rules that come along, or what :func:`turbotree.parsing.compile_rules` made of
            them. ``docs/parsing/rules.md`` has the language.
        profile
            Where to count the time of each stage and the number of parts.
        """
        decoder, shape = self._decoding(decoder, projective, single_root)
        decomposition = choose_decomposition(decoder, decomposition, shape)
        obeyed = read_rules(rules, self, decoder)
        for sentence in sentences:
            if not isinstance(sentence, Sentence):
                raise InputError(
                    f"expected a Sentence, got {type(sentence).__name__}; "
                    "turbotree.text.read_conllu or Sentence.from_words make them"
                )
        if not sentences:
            return []
        counts = profile or Profile()
        with counts.stage("encoding"):
            encoded = self.encoder.encode(sentences)
        with counts.stage("pruning"):
            arcs = self.pruner.candidates(encoded, shape=shape)
        with counts.stage("scoring"):
            parts = PartSet.build(encoded.lengths, arcs, self.parts.families)
            scores = self.parts.score(self.parts.prepare(encoded), parts)
        with counts.stage("decoding"):
            heads, values, certificates = self._decode(parts, scores, shape, decoder, decomposition)
            if obeyed is not None:
                batch_rules = Obeying(
                    self, obeyed, sentences, encoded, parts, scores, shape, decoder
                )
                heads, values, certificates = batch_rules.trees(heads, values, certificates)
        with counts.stage("labelling"):
            label_scores = self.labels.label(encoded, heads)
            labels, _ = label_scores.best()
            if obeyed is not None:
                heads, label_scores, labels = batch_rules.labels(
                    heads, values, certificates, label_scores, labels
                )
        counts.count(parts, sum(c.status is Status.OPTIMAL for c in certificates))
        batch = ParsedBatch(
            parts,
            scores,
            shape,
            self.arc_temperature,
            label_scores,
            self.label_temperature,
            self.labels.dictionary.names,
        )
        names, bounds = batch.label_names, batch.first_words.tolist()
        head_list = heads.tolist()
        label_list = [names[label] for label in labels.tolist()]
        return [
            Parse(
                sentence,
                tuple(head_list[bounds[i] : bounds[i + 1]]),
                tuple(label_list[bounds[i] : bounds[i + 1]]),
                values[i],
                certificates[i],
                batch,
                i,
            )
            for i, sentence in enumerate(sentences)
        ]

    def pipe(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        batch_size: int = _BATCH_SIZE,
        **options: Any,
    ) -> Iterator[Parse]:
        """Parse a stream of sentences, in order, holding only a few batches in memory.

        Parameters
        ----------
        sentences
            Any iterable; it is read as parsing goes on.
        threads
            Threads to use; the result is the same for any number.
        batch_size
            Sentences that are parsed at once.
        options
            As for :meth:`parse_batch`.
        """
        if threads < 1:
            raise InputError(f"threads is {threads}; expected at least 1")
        if batch_size < 1:
            raise InputError(f"batch size is {batch_size}; expected at least 1")
        if options.get("rules") is not None:
            options["rules"] = compile_rules(options["rules"])  # once for all batches
        self.parse_batch([], **options)  # complains now, not when the first parse is asked for
        batches = in_batches(sentences, batch_size)
        parses = map_in_order(partial(self.parse_batch, **options), batches, threads=threads)
        return (parse for batch in parses for parse in batch)

    def explain(self, sentence: Sentence, head: int, modifier: int) -> list[FiredFeature]:
        """List the features of one arc with their weights, heaviest first."""
        for name, word, least in (("head", head, 0), ("modifier", modifier, 1)):
            if not least <= word <= len(sentence):
                raise InputError(f"{name} {word} is outside the sentence ({len(sentence)} words)")
        if head == modifier:
            raise InputError(f"word {head} cannot be its own head")
        part = np.array([head, modifier], dtype=np.int32)
        encoded = self.encoder.encode([sentence])
        assert self.parts.weights is not None
        return explain(self.parts.scorers["arc"], encoded, part, self.parts.weights)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the parser to one file, whole or not at all."""
        store(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Parser:
        """Map a parser's file into memory."""
        return cls(**load_fields(path))

    def templates(self) -> dict[str, list[str]]:
        """Return the template sets by name."""
        scorers = {
            "pruner": self.pruner.model.scorer,
            **self.parts.scorers,
            "label": self.labels.node_scorer,
            "label_pair": self.labels.pair_scorer,
        }
        return {name: [t.text for t in scorer.templates] for name, scorer in scorers.items()}

    def _decoding(
        self, decoder: str | None, projective: bool | None, single_root: bool | None
    ) -> tuple[str, TreeShape]:
        usual = ARC_DECODERS if self.parts.families == ("arc",) else GRAPH_DECODERS
        decoder = decoder or usual[0]
        if decoder not in DECODERS:
            raise InputError(f"unknown decoder {decoder!r}; expected one of {', '.join(DECODERS)}")
        if decoder in ARC_DECODERS and usual is GRAPH_DECODERS:
            raise InputError(
                f"decoder {decoder!r} is for arc-factored models; this one also scores "
                f"{', '.join(self.parts.families[1:])}: choose one of {', '.join(usual)}"
            )
        shape = self.shape
        if single_root is not None:
            shape = replace(shape, single_root=single_root)
        return decoder, replace(shape, projective=bool(projective) or decoder == "eisner")

    def _decode(
        self,
        parts: PartSet,
        scores: PartScores,
        shape: TreeShape,
        decoder: str,
        decomposition: str,
    ) -> tuple[IntArray, list[float], list[Certificate]]:
        """Return the heads of all words of a batch, and for each sentence score and proof."""
        if decoder in ARC_DECODERS:
            return self._decode_arcs(parts, scores["arc"], shape, decoder)
        temperature = self.arc_temperature if decoder == "bp" else 1.0
        found = []
        for sentence in range(len(parts.lengths)):
            at = parts.sentence_slices(sentence)
            own = {name: scores[name][where] / temperature for name, where in at.items()}
            heads, score, certificate = decode(
                parts, sentence, own, shape, decoder, decomposition=decomposition
            )
            found.append((heads, score * temperature, certificate))
        return (
            np.concatenate([heads for heads, _, _ in found]),
            [score for _, score, _ in found],
            [certificate for _, _, certificate in found],
        )

    def _decode_arcs(
        self, parts: PartSet, scores: FloatArray, shape: TreeShape, decoder: str
    ) -> tuple[IntArray, list[float], list[Certificate]]:
        arcs, lengths = parts.arcs, parts.lengths
        decoded = scores
        if decoder == "mbr":
            decoded, _ = arc_marginals(lengths, arcs, scores / self.arc_temperature, shape)
        heads = best_trees(lengths, arcs, decoded, shape)
        # An arc is in the tree if its modifier's head is its own.
        sentence_of = np.repeat(np.arange(len(lengths)), np.diff(arcs.offsets))
        first_words = np.concatenate([[0], np.cumsum(lengths)])
        chosen = heads[first_words[sentence_of] + arcs.rows[:, 1] - 1] == arcs.rows[:, 0]
        values: list[float] = np.bincount(
            sentence_of[chosen], weights=scores[chosen], minlength=len(lengths)
        ).tolist()
        if decoder == "mbr":  # the tree is the best of another kind
            return heads, values, [Certificate(Status.LIMIT, np.inf, np.inf, 0, 0.0)] * len(values)
        return heads, values, [Certificate(Status.OPTIMAL, value, 0.0, 1, 0.0) for value in values]
