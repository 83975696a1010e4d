"""The options that more than one command takes. Each is a function that declares it as a field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from turbotree.cli.options import completion
from turbotree.cli.options.declaring import INPUT, OUTPUT, SCALE, argument, option

TreeFormat = Literal["conllu", "conllx"]
InputFormat = Literal[TreeFormat, "text", "lines", "words"]
ErrorPolicy = Literal["raise", "skip"]
Engine = Literal["processes", "ray"]


def _shared(declare: Callable[..., Any], **usual: Any) -> Callable[..., Any]:
    """Make a function that declares an option again, with what a command has otherwise."""
    return lambda **changes: declare(**{**usual, **changes})


model = _shared(
    argument,
    help="A model file, or the name of a model: en is bundled, turbotree models lists all.",
    metavar="MODEL",
    complete=completion.models,
)
sentences = _shared(
    argument,
    help="A file of sentences, CoNLL-U or CoNLL-X.",
    metavar="INPUT",
    complete=completion.treebanks,
)
output = _shared(
    option,
    default=None,
    help="The file to write. Without it, standard output.",
    names="--output -o",
    metavar="FILE",
)
sentence = _shared(
    option, default=1, help="Which sentence of INPUT, counted from 1.", metavar="K", least=1
)
input_format = _shared(
    option, default=None, help="Format of INPUT. Without it, what the file looks like.", panel=INPUT
)
columns = _shared(
    option,
    default=None,
    help="Names of the columns of a column file, such as form,upos,chunk.",
    metavar="A,B,...",
    panel=INPUT,
)
encoding = _shared(
    option,
    default=None,
    help="Encoding of a column file that is not UTF-8, such as latin-1.",
    metavar="NAME",
    panel=INPUT,
)
on_error = _shared(
    option,
    default="raise",
    help="What to do about a malformed sentence: stop, or skip it and count it.",
    panel=INPUT,
)
as_json = _shared(
    option, default=False, help="Print JSON, for programs.", names="--json", panel=OUTPUT
)
quiet = _shared(
    option, default=False, help="Show nothing but errors.", names="--quiet -q", panel=OUTPUT
)
threads = _shared(
    option,
    default=1,
    help="Threads to use. The result is the same for any number.",
    metavar="N",
    least=1,
    panel=SCALE,
)
engine = _shared(option, default=None, panel=SCALE)
workers = _shared(
    option,
    default=None,
    help="Number of workers; 2 without it.",
    metavar="N",
    least=1,
    needs="engine",
    panel=SCALE,
)
address = _shared(
    option,
    default=None,
    help="Address of a Ray cluster. Without it, Ray starts on this machine.",
    metavar="ADDRESS",
    needs="engine=ray",
    panel=SCALE,
)
