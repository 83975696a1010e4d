"""The parser: sentences in, trees out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.features import Encoder, FiredFeature
from turbotree.naming import check_names, options_of, unknown
from turbotree.parsing.arcs import Pruner, TreeShape
from turbotree.parsing.constrained import check_labels, constrained_candidates, settled
from turbotree.parsing.constraints import Constraints
from turbotree.parsing.decoding import choose_decomposition
from turbotree.parsing.decoding_batches import ARC_DECODERS, DECODERS, GRAPH_DECODERS, best_trees_of
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.long_sentences import affordable, groups, usual_time_limit
from turbotree.parsing.parse import Parse
from turbotree.parsing.parts import PartSet
from turbotree.parsing.profile import Profile
from turbotree.parsing.rules.compiled import ParserRules, RulesLike, compile_rules
from turbotree.parsing.rules.obeying import obey, read_rules
from turbotree.parsing.scored import Scored
from turbotree.parsing.several import OnFailure, SeveralTrees, leaving_out_failures
from turbotree.parsing.storing import contents, fields_of
from turbotree.scoring import Batch, PartScorer, SparseScorer, sparse
from turbotree.stored import Stored, training_facts
from turbotree.streaming import map_batches
from turbotree.text import Sentence, as_sentence, check_many

if TYPE_CHECKING:
    from turbotree.parsing.training.trainer import TrainParserKeywords
    from turbotree.parsing.training.treebank import TrainingSource

_BATCH_SIZE = 128


@dataclass(frozen=True, repr=False)
class Parser(SeveralTrees, Stored):
    """A labelled dependency parser.

    Make one with :meth:`train` or :meth:`load`. A parser never changes, so threads may share it.
    """

    kind: ClassVar[str] = "parser"

    encoder: Encoder
    pruner: Pruner
    parts: PartScorer
    labels: LabelModel
    shape: TreeShape
    arc_temperature: float
    label_temperature: float
    record: dict[str, Any]

    @classmethod
    def train(cls, train: TrainingSource, **options: Unpack[TrainParserKeywords]) -> Parser:
        """Train a parser on a treebank; see :func:`turbotree.parsing.train_parser`.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(100, seed=1), epochs=2)
        >>> parse = parser.parse(next(treebank(1, seed=2)))
        >>> len(parse.heads) == len(parse.sentence)
        True
        """
        from turbotree.parsing.training.trainer import train_parser

        return train_parser(train, **options)

    def parse(
        self,
        sentence: Sentence,
        *,
        require: Iterable[Sequence[Any]] = (),
        forbid: Iterable[Sequence[Any]] = (),
        spans: Iterable[Sequence[int]] = (),
        **options: Any,
    ) -> Parse:
        """Parse one sentence, under constraints if there are some.

        Parameters
        ----------
        sentence
            What to parse.
        require
            Arcs that the tree has to have, as ``(head, modifier)`` or ``(head, modifier, label)``;
            head 0 is the root, and None leaves the head open.
        forbid
            Arcs that it must not have; with a label, the arc may be there under another one.
        spans
            ``(first, last)``: these words form a subtree. Exactly one of them has its head
            outside, and words outside may hang from any of them.
        options
            Those of :meth:`parse_batch`.

        Raises
        ------
        InfeasibleError
            No tree obeys the constraints; the message says which ones clash.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(60, seed=1), epochs=1, pruner_epochs=1)
        >>> sentence = next(treebank(1, seed=2))
        >>> parser.parse(sentence, require=[(0, 1, "root")]).heads[0]
        0
        """
        check_names("parse", options, options_of(Parser.parse, Parser.parse_batch))
        constraints = self._read(sentence, require, forbid, spans)
        return self.parse_batch([sentence], constraints=constraints, **options)[0]

    def parse_batch(
        self,
        sentences: Sequence[Sentence],
        *,
        decoder: str | None = None,
        decomposition: str | None = None,
        projective: bool | None = None,
        single_root: bool | None = None,
        rules: RulesLike | None = None,
        keep_given: bool = False,
        constraints: Sequence[Constraints] | None = None,
        profile: Profile | None = None,
        time_limit_seconds: float | None = None,
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
            name of bundled rules, or what :func:`turbotree.parsing.compile_rules` made of
            them. ``docs/parsing/rules.md`` has the language.
        keep_given
            Keep the heads and labels that sentences have, and find the rest: ``_``.
        constraints
            One for each sentence, instead of `keep_given`.
        profile
            Where to count the time of each stage and the number of parts.
        time_limit_seconds
            Wall-clock time for decoding one sentence. What is then best is the answer, with a
            bound, and the certificate says so. If nothing is given, 60 seconds, and no limit for
            ``"exact"`` and ``"ilp"``; ``math.inf`` is none.
        """
        decoder, shape = self._decoding(decoder, projective, single_root)
        decomposition = choose_decomposition(decoder, decomposition, shape)
        limit = usual_time_limit(time_limit_seconds, decoder)
        obeyed = self._rules(rules, decoder)
        sentences = [as_sentence(sentence) for sentence in check_many(sentences)]
        pieces = list(groups(sentences))
        if len(pieces) > 1:
            return [
                parse
                for piece in pieces
                for parse in self.parse_batch(
                    sentences[piece],
                    decoder=decoder,
                    decomposition=decomposition,
                    projective=projective,
                    single_root=single_root,
                    rules=obeyed,
                    keep_given=keep_given,
                    constraints=None if constraints is None else constraints[piece],
                    profile=profile,
                    time_limit_seconds=time_limit_seconds,
                )
            ]
        scored = self._score(sentences, shape, keep_given, constraints, profile or Profile())
        if scored is None:
            return []
        with scored.counts.stage("decoding"):
            trees = best_trees_of(scored, decoder, decomposition, limit)
        if obeyed is not None:
            return obey(scored, obeyed, decoder, trees, limit)
        return [found[0] for found in scored.label([[tree] for tree in trees])]

    def pipe(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        batch_size: int = _BATCH_SIZE,
        on_failure: OnFailure | None = None,
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
        on_failure
            Called with the error of a sentence that cannot be parsed, because no tree obeys the
            rules or the heads that are given; the sentence is then left out. Without it, the
            error ends the stream.
        options
            As for :meth:`parse_batch`.
        """
        check_names("pipe", options, options_of(Parser.pipe, Parser.parse_batch))
        if options.get("rules") is not None:
            options["rules"] = compile_rules(options["rules"])  # once for all batches
        self.parse_batch([], **options)  # complains now, not when the first parse is asked for
        find = partial(self.parse_batch, **options)
        return map_batches(
            leaving_out_failures(find, on_failure),
            check_many(sentences),
            size=batch_size,
            threads=threads,
        )

    def explain(self, sentence: Sentence, head: int, modifier: int) -> list[FiredFeature]:
        """List the features of one arc with their weights, heaviest first."""
        for name, word, least in (("head", head, 0), ("modifier", modifier, 1)):
            if not least <= word <= len(sentence):
                raise InputError(f"{name} {word} is outside the sentence ({len(sentence)} words)")
        if head == modifier:
            raise InputError(f"word {head} cannot be its own head")
        part = np.array([head, modifier], dtype=np.int32)
        return sparse(self.parts).explain(Batch([sentence]), "arc", part)

    def sparse(self) -> dict[str, SparseScorer]:
        """Return the scorers that have sparse features, by the names of their tables."""
        return {
            "pruner": sparse(self.pruner.scorer),
            "parts": sparse(self.parts),
            "labels": self.labels.sparse,
        }

    def contents(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return what a model file holds of it: arrays, and a header."""
        return contents(self)

    @classmethod
    def from_contents(cls, arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> Parser:
        """Undo :meth:`contents`."""
        return cls(**fields_of(arrays, header))

    def facts(self) -> list[str]:
        """Return what is worth knowing of it at a glance.

        >>> from turbotree.text import treebank
        >>> Parser.train(treebank(60, seed=1), epochs=1, pruner_epochs=1, licence="CC0")
        <Parser: parts arc; ... labels; ... features; trained on 60 sentences, CC0>
        """
        tables = [scorer.weights for scorer in self.sparse().values()]
        return [
            f"parts {', '.join(self.parts.families)}",
            f"{len(self.labels.dictionary.names)} labels",
            f"{sum(len(table or ()) for table in tables):,} features",
            *training_facts(self.record),
        ]

    def templates(self) -> dict[str, list[str]]:
        """Return the template sets by name."""
        scorers = self.sparse()
        return {
            "pruner": scorers["pruner"].templates["arc"],
            **scorers["parts"].templates,
            **scorers["labels"].templates,
        }

    def _decoding(
        self, decoder: str | None, projective: bool | None, single_root: bool | None
    ) -> tuple[str, TreeShape]:
        usual = ARC_DECODERS if self.parts.families == ("arc",) else GRAPH_DECODERS
        decoder = decoder or usual[0]
        if decoder not in DECODERS:
            raise unknown("decoder", decoder, DECODERS)
        if decoder in ARC_DECODERS and usual is GRAPH_DECODERS:
            raise InputError(
                f"decoder {decoder!r} is for arc-factored models; this one also scores "
                f"{', '.join(self.parts.families[1:])}: choose one of {', '.join(usual)}"
            )
        shape = self.shape
        if single_root is not None:
            shape = replace(shape, single_root=single_root)
        return decoder, replace(shape, projective=bool(projective) or decoder == "eisner")

    def _rules(self, rules: RulesLike | None, decoder: str) -> ParserRules | None:
        return read_rules(rules, self, decoder)

    def _read(
        self,
        sentence: Sentence,
        require: Iterable[Sequence[Any]],
        forbid: Iterable[Sequence[Any]],
        spans: Iterable[Sequence[int]],
    ) -> list[Constraints] | None:
        constraints = Constraints.of(as_sentence(sentence), require, forbid, spans)
        check_labels(constraints, self.labels.dictionary)
        return [constraints] if constraints else None

    def _score(
        self,
        sentences: Sequence[Sentence],
        shape: TreeShape,
        keep_given: bool,
        constraints: Sequence[Constraints] | None,
        counts: Profile,
    ) -> Scored | None:
        """Find and score the parts of a batch; None if there is no sentence."""
        sentences = [as_sentence(sentence) for sentence in check_many(sentences)]
        if not sentences:
            return None
        if keep_given and constraints is None:
            constraints = [Constraints.given(sentence) for sentence in sentences]
        if constraints is not None:
            # What is said of arcs comes first; what labels say of them may clash, too.
            for sentence, own in zip(sentences, constraints, strict=True):
                own.check(sentence, shape)
            constraints = settled(sentences, constraints, self.labels.dictionary)
            for sentence, own in zip(sentences, constraints, strict=True):
                own.check(sentence, shape)
        batch = Batch(sentences)
        with counts.stage("encoding"):
            batch.of(self.encoder)
        with counts.stage("pruning"):
            if constraints is None:
                arcs = self.pruner.candidates(batch, shape=shape)
            else:
                arcs = constrained_candidates(self.pruner, batch, sentences, constraints, shape)
        with counts.stage("scoring"):
            families = affordable(self.parts.families, int(batch.lengths.max()))
            parts = PartSet.build(batch.lengths, arcs, families)
            scores = self.parts.score(batch, parts)
        return Scored(self, sentences, batch, parts, scores, shape, constraints, counts)
