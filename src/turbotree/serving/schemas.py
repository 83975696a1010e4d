"""The shapes of requests and answers, for checks and for the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from turbotree.errors import MissingExtraError

try:
    from pydantic import BaseModel, ConfigDict, Field
except ImportError as error:
    raise MissingExtraError(
        "turbotree serve needs FastAPI: pip install 'turbotree[serve]'"
    ) from error

_ARC = "An arc as [head, modifier] or [head, modifier, label]; words are 1 to n, head 0 is the root"
Arc = Annotated[list[int | str | None], Field(min_length=2, max_length=3, description=_ARC)]
Cell = Annotated[str, Field(max_length=1000)]
_RULES = (
    "Rules that trees satisfy: their text, or the name of bundled rules; commas between several"
)
Rules = Annotated[
    str, Field(max_length=20_000, description=_RULES, examples=["one-root,one-subject"])
]


_DEPENDENCY = "de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency"


class Strict(BaseModel):
    """A request: unknown names are mistakes."""

    model_config = ConfigDict(extra="forbid")


class TokenInput(Strict):
    """A word with its columns."""

    form: Annotated[str, Field(min_length=1, max_length=1000)]
    lemma: Cell | None = None
    upos: Cell | None = None
    xpos: Cell | None = None
    feats: Cell | None = None


class Document(Strict):
    """Sentences, given in one of four ways."""

    text: str | None = Field(None, description="Raw text; only if the model is a pipeline.")
    conllu: str | None = Field(None, description="Sentences in CoNLL-U; heads are not looked at.")
    tagged: str | None = Field(
        None,
        description="Words with tags, one sentence per line.",
        examples=["Birds/NOUN sing/VERB ./PUNCT"],
    )
    tokens: list[Cell | TokenInput] | None = Field(
        None, description="The words of one sentence: form/UPOS, or objects.", max_length=100_000
    )


class ParseRequest(Document):
    """What to parse, and what to tell of it."""

    require: list[Arc] = Field([], description="Arcs that the tree has to have.", max_length=2000)
    forbid: list[Arc] = Field([], description="Arcs that it must not have.", max_length=2000)
    k: int = Field(1, ge=1, le=100, description="How many trees, best first.")
    rules: Rules | None = None
    marginals: bool = Field(False, description="Probabilities of arcs and labels.")
    trace: bool = Field(False, description="Bound and value of every round of the solver.")

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"tagged": "Birds/NOUN sing/VERB", "marginals": True}]},
    )


class BatchRequest(Strict):
    """Several documents at once."""

    documents: list[Document] = Field(min_length=1, max_length=1000)
    k: int = Field(1, ge=1, le=100)
    rules: Rules | None = None
    marginals: bool = False


class SaveRequest(Strict):
    """A corrected tree."""

    conllu: Annotated[str, Field(min_length=1)]


class Word(BaseModel):
    """A word as the parser saw it."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str


class Certificate(BaseModel):
    """What is known of a tree: status optimal is a proof that none scores higher."""

    status: str
    bound: float | None
    gap: float | None
    rounds: int
    seconds: float
    note: str | None = None


class Tree(BaseModel):
    """A tree of a sentence."""

    rank: int
    heads: list[int]
    labels: list[str]
    score: float
    certificate: Certificate
    conllu: str
    probability: float | None = None
    head_probabilities: list[float] | None = None
    label_probabilities: list[float] | None = None


class LikelyHead(BaseModel):
    """A head that a word may have."""

    head: int
    probability: float


class LikelyLabel(BaseModel):
    """A label that the arc of a word may have."""

    label: str
    probability: float


class Alternatives(BaseModel):
    """What a word's head may be, and its label in the first tree."""

    heads: list[LikelyHead]
    labels: list[LikelyLabel]


class Trace(BaseModel):
    """The rounds of dual decomposition: where bound and value meet, the tree is proven best."""

    status: str
    gap: float | None
    rounds: list[float | None]
    bound: list[float | None]
    value: list[float | None]


class ParsedSentence(BaseModel):
    """A sentence and its trees, best first."""

    text: str
    words: list[Word]
    trees: list[Tree]
    alternatives: list[Alternatives] | None = None
    marginals_converged: bool | None = None
    trace: Trace | None = None


class ParseAnswer(BaseModel):
    """The sentences of a request."""

    sentences: list[ParsedSentence]


class ErrorDetail(BaseModel):
    """What went wrong, in one line; line and column are those of the rules."""

    kind: str
    message: str
    line: int | None = None
    column: int | None = None


class ErrorAnswer(BaseModel):
    """An answer that is none."""

    error: ErrorDetail


class DocumentAnswer(BaseModel):
    """The sentences of one document, or why there are none."""

    sentences: list[ParsedSentence] | None = None
    error: ErrorDetail | None = None


class BatchAnswer(BaseModel):
    """One answer per document, in order."""

    documents: list[DocumentAnswer]


class ModelAnswer(BaseModel):
    """What the model is, and what this server takes."""

    model_config = ConfigDict(extra="allow")

    name: str
    kind: str
    text: bool
    rules: bool
    labels: list[str]
    annotate: bool
    queue: bool
    review: bool
    limits: dict[str, Any]


class HealthAnswer(BaseModel):
    """The server is there."""

    status: str
    version: str


class CountsAnswer(BaseModel):
    """How many sentences are kept: in the file, or in its journal until the file is written."""

    saved: int
    file: str
    in_file: int
    waiting: int
    problem: str | None = Field(description="Why the file could not be written; no tree is lost.")


class SavedAnswer(CountsAnswer):
    """A tree is kept, under this name."""

    sent_id: str


Annotator = Annotated[
    str, Field(max_length=40, description="Who annotates; empty for nobody in particular.")
]


class AnnotatorRequest(Strict):
    """Somebody who annotates."""

    annotator: Annotator = ""


class QueueSaveRequest(AnnotatorRequest):
    """The tree of a sentence of the queue."""

    name: Annotated[str, Field(min_length=1, max_length=1000)]
    conllu: Annotated[str, Field(min_length=1)]


class QueueSkipRequest(AnnotatorRequest):
    """A sentence of the queue that somebody does not want."""

    name: Annotated[str, Field(min_length=1, max_length=1000)]


class LearningAnswer(BaseModel):
    """What has become of the model."""

    name: str
    cold: bool = Field(description="Whether it has learnt nothing so far.")
    retraining: bool
    learnt: int
    waiting: int
    version: int
    last_seconds: float | None
    problem: str | None


class QueueAnswer(BaseModel):
    """Where the annotation of a queue stands."""

    annotator: str
    annotators: list[str]
    total: int
    left: int = Field(description="Sentences that nobody has annotated.")
    done: int = Field(description="Those that this annotator has.")
    skipped: int
    overlap: float
    labels: list[str]
    model: LearningAnswer


class OfferAnswer(BaseModel):
    """The next sentence with the parser's tree, or nothing when all are done."""

    name: str | None
    value: float | None = Field(None, description="What it is worth, if that is known.")
    shared: bool = False
    sentence: ParsedSentence | None = None


class AgreementFigures(BaseModel):
    """Agreement of annotators: shares of words in per cent, and Cohen's kappa of relations."""

    sentences: int
    words: int
    UAS: float
    LAS: float
    label_agreement: float
    kappa: float


class PairAgreement(AgreementFigures):
    """Agreement of two annotators."""

    annotators: list[str]


class AgreementAnswer(BaseModel):
    """Agreement of every two annotators, and of all pairs together."""

    pairs: list[PairAgreement]
    all: AgreementFigures | None


class KindCounts(BaseModel):
    """How many findings of a kind there are."""

    total: int
    open: int


class ReviewAnswer(BaseModel):
    """How far a review is."""

    total: int
    decided: int
    verdicts: dict[str, int]
    kinds: dict[str, KindCounts]
    files: list[str]
    stale: int = Field(description="Findings whose words the treebank does not have.")
    can_undo: bool
    problem: str | None


class ListedFinding(BaseModel):
    """A finding in a few words."""

    index: int
    form: str
    sent_id: str
    kinds: list[str]
    score: float


class FindingsAnswer(BaseModel):
    """Open findings, the most suspicious first."""

    findings: list[ListedFinding]


class FindingAnswer(BaseModel):
    """A finding with its sentence as it is now; index null: there is none left."""

    index: int | None
    finding: dict[str, Any] | None = Field(None, description="As turbotree check wrote it.")
    text: str | None = None
    words: list[Word] | None = None
    heads: list[int | None] | None = None
    labels: list[str] | None = None
    verdict: str | None = None


class NextFindingRequest(Strict):
    """Which finding comes next."""

    after: int = -1
    kind: Annotated[str, Field(max_length=40)] | None = None


class ShowFindingRequest(Strict):
    """Which finding to show."""

    index: int


class UndoRequest(Strict):
    """Nothing is needed to take back the last decision."""


class CorrectionInput(Strict):
    """The annotation of a whole sentence, one value per word."""

    heads: list[int] = Field(max_length=2000)
    labels: list[Cell] = Field(max_length=2000)
    upos: list[Cell] = Field(max_length=2000)
    xpos: list[Cell] = Field(max_length=2000)
    feats: list[Cell] = Field(max_length=2000)


class DecisionRequest(Strict):
    """What was decided about a finding."""

    index: int
    verdict: Literal["accept", "acknowledge", "correct", "skip"]
    correction: CorrectionInput | None = Field(None, description="With the verdict correct.")
    reason: Annotated[str, Field(max_length=500)] = ""


class InceptionRange(BaseModel):
    """First and last character, in units of UTF-16."""

    begin: int
    end: int


class InceptionMetadata(BaseModel):
    """What INCEpTION wants suggestions for."""

    layer: Annotated[str, Field(examples=[_DEPENDENCY])]
    feature: Annotated[str, Field(examples=["DependencyType"])]
    projectId: int | str  # noqa: N815 (the protocol calls it so)
    anchoringMode: str | None = None  # noqa: N815
    crossSentence: bool | None = None  # noqa: N815
    range: InceptionRange | None = None


class InceptionDocument(BaseModel):
    """A document of INCEpTION."""

    xmi: str = Field(description="The CAS, as XMI.")
    documentId: int | str = ""  # noqa: N815
    userId: str = ""  # noqa: N815


class InceptionPredictRequest(BaseModel):
    """A document to suggest annotation for; other names are ignored, as the protocol grows."""

    metadata: InceptionMetadata
    document: InceptionDocument
    typeSystem: str = Field(description="The types of the CAS, as XML.")  # noqa: N815


class InceptionTrainRequest(BaseModel):
    """Documents to learn from."""

    metadata: InceptionMetadata
    documents: list[InceptionDocument]
    typeSystem: str = Field(description="The types of the CASes, as XML.")  # noqa: N815


class InceptionPredictAnswer(BaseModel):
    """The document with suggestions."""

    document: str


class InceptionLearner(BaseModel):
    """What an annotator has taught."""

    project: str
    user: str
    learnt: int = Field(description="Sentences that were learnt.")
    waiting: bool = Field(description="Whether there are more to be learnt.")
    problem: str | None


class InceptionAnswer(BaseModel):
    """What the recommender can suggest, and what it was taught."""

    status: str
    model: str
    columns: list[str]
    layers: list[str]
    learners: list[InceptionLearner]
