"""Template sets of the pipeline's own components."""

from __future__ import annotations

#: Of a lemma's edit script: the word and its tags, nothing around it.
LEMMA = (
    "w.upos",
    "w.upos w.lower",
    "w.lower",
    "w.form w.upos",
    "w.xpos",
    "w.upos w.feats",
    "w.upos w.case",
    "w.xpos w.case",
    "w.upos w.shape",
    "w.upos w.prefix1",
    "w.upos w.prefix3",
    *(
        f"{tag} w.suffix{n}"
        for tag in ("w.upos", "w.xpos", "w.upos w.feats", "w.upos w.case")
        for n in range(1, 6)
    ),
)

#: Of what follows an atom: see :class:`turbotree.pipeline.atoms.Atom` for what the columns mean.
BOUNDARY = (
    # within a stretch without spaces
    "w.upos",
    "w.form w.upos",
    "w.lower w.upos",
    "w.xpos w.upos",
    "w.form w+1.form w.upos",
    "w.lower w+1.lower w.upos",
    "w.lemma w.form",
    "w.lemma w.form w-1.form",
    "w.feats w.form",
    "w.feats w.xpos w.upos",
    "w.feats w-1.xpos w.xpos w+1.xpos",
    "w.xpos w+1.xpos w.upos",
    "w-1.xpos w.xpos w+1.xpos w.upos",
    "w-2.xpos w-1.xpos w.xpos w+1.xpos w.upos",
    "w-1.xpos w.xpos w+1.xpos w+2.xpos w.upos",
    "w-1.form w.form w+1.form",
    "w.form w+1.xpos w.upos",
    "w.xpos w+1.form w.upos",
    "w-1.form w.form w.upos",
    "w-1.lower w.form w.upos w-1.upos",
    "w-2.lower w-1.form w.lower w.upos",
    "w-1.upos w.form w.upos w+1.upos",
    "w-1.upos w.xpos w.upos w+1.xpos",
    "w.suffix2 w.upos w+1.form",
    "w.suffix3 w.upos",
    "w-1.form w.suffix2 w.upos",
    # between sentences
    "w.form w.upos w+1.case",
    "w.form w.upos w+1.case w+1.upos",
    "w.form w.upos w+1.case w-1.case",
    "w.form w.upos w+1.lower",
    "w.upos w+1.form",
    "w.upos w+1.form w+2.form",
    "w.upos w+1.case w+2.case w.case",
    "w.lemma w.upos w+1.case",
    "w.lemma w.upos w+1.lower",
    "w-1.lower w.form w.upos w+1.case",
    "w-1.lemma w.lemma w.upos w+1.case",
    "w-1.case w.form w.upos w+1.form",
    "w.feats w.upos w+1.feats",
    "w.feats w.form w.upos w+1.case",
    "w.form w.upos w+1.xpos w+2.upos",
    "w-1.xpos w.form w.upos w+1.xpos",
    "w.form w.upos w+1.form w+2.case",
    "prev",
    "prev w.form w.upos",
    "prev w.xpos w+1.xpos w.upos",
    "prev w.upos w+1.case",
)
