"""The tags and relations of Universal Dependencies, version 2."""

_RELATIONS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse
    dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis
    punct reparandum root vocative xcomp
"""
_TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
#: The relations, without subtypes.
RELATIONS = tuple(_RELATIONS.split())
#: The parts of speech.
TAGS = tuple(_TAGS.split())
