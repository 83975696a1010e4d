"""The words of the built-in treebank, and which of them like to stand together.

Every list begins with its most frequent word. ``*`` marks a noun without plural and without
*a*; capital letters mark names.
"""

from __future__ import annotations

from typing import NamedTuple

NOUNS: dict[str, str] = {
    "person": "man woman child teacher doctor student friend girl boy lawyer neighbor farmer "
    "artist soldier scientist manager nurse player driver judge writer baker singer thief guest "
    "king queen sailor tourist tailor",
    "animal": "dog cat horse bird fish cow wolf mouse sheep rabbit elephant whale goose donkey",
    "food": "bread* pizza soup* cake apple sandwich rice* salad egg orange potato steak cookie "
    "pasta* pie",
    "topping": "cheese* mushroom anchovy onion olive pepper garlic* honey* cream*",
    "cutlery": "fork knife spoon chopstick",
    "optic": "telescope camera microscope lens",
    "tool": "hammer key rope stick brush shovel pencil needle ladder axe",
    "document": "book letter report story article paper poem note map review novel essay song",
    "topic": "war history* music* politics* science* economy weather* climate election law art* "
    "trade* religion tax",
    "place": "park garden city village kitchen office school river forest station street market "
    "library mountain beach hotel island valley",
    "building": "house church tower castle barn cottage bridge palace",
    "part": "roof door window chimney balcony wall gate staircase",
    "vehicle": "car train bus boat bicycle truck plane ship wagon",
    "garment": "hat coat dress shirt scarf jacket shoe glove uniform",
    "feature": "beard smile scar tattoo limp accent mustache",
    "object": "table box chair bottle cup lamp clock picture ball ring toy radio phone bag mirror",
    "event": "meeting party game concert trial wedding lesson conference funeral festival",
    "group": "committee company government team council bank university family union army",
    "idea": "plan idea decision question answer rule reason proposal theory promise",
    "money": "price cost value tax profit",
}
MODIFIERS: dict[str, str] = {  # first parts of compounds, by the class of the noun they stand at
    "person": "school army village",
    "food": "apple potato onion cheese",
    "document": "history law music",
    "building": "stone city summer",
    "object": "kitchen coffee silver",
    "group": "city school student",
    "vehicle": "school fire company",
    "garment": "winter silk",
    "event": "family student business",
    "place": "city army summer",
}
ADJECTIVES: dict[str, str] = {
    "person": "old young tall happy famous poor clever tired angry kind rich lonely",
    "animal": "small big wild hungry black old brown",
    "food": "fresh hot cold delicious sweet large stale",
    "topping": "fresh green hot spicy",
    "document": "long new short famous secret interesting important official boring",
    "place": "big quiet beautiful old dark famous distant",
    "building": "old big white ancient empty small",
    "vehicle": "new old fast red expensive slow",
    "garment": "red old black warm expensive",
    "object": "small old heavy broken new round beautiful",
    "event": "long important annual strange big",
    "group": "large new local powerful small",
    "idea": "good new bad strange simple brilliant",
    "money": "high low fair",
    "": "new old small strange big good",
}
FIRST_NAMES = (
    "John Mary Anna Peter Susan Tom Laura David Emma Paul Helen George Alice Frank Rosa Victor "
    "Clara Hugo Irene Oscar"
)
LAST_NAMES = "Smith Jones Miller Brown Clark Walker Young King Baker Hill"
CITIES = "London Paris Boston Lisbon Vienna Madrid Oslo Dublin Cairo Tokyo"
WEEKDAYS = "Monday Friday Sunday Tuesday Saturday Thursday Wednesday"
PERIODS = "week year month summer winter"
SMALL_NUMBERS = "two three four five six ten twelve twenty"

MANNER_ADVERBS = "quickly slowly carefully quietly happily suddenly badly secretly gently"
FREQUENCY_ADVERBS = "often never always rarely usually sometimes"
TIME_NOUNS = "yesterday today tomorrow"
SUBORDINATORS = "because when if while although before after"

# Prepositional phrases that a noun likes: preposition, class of its noun, weight.
NOUN_PHRASES: dict[str, str] = {
    "person": "with:garment:3 with:feature:4 from:CITY:3 in:garment:1 with:optic:1 with:animal:1",
    "animal": "from:place:1 with:feature:1",
    "food": "with:topping:8 from:market:1 without:topping:1",
    "document": "about:topic:4 on:topic:4 about:animal:1 about:person:1 by:NAME:2 from:NAME:1",
    "place": "in:CITY:3 near:building:2 near:place:1 behind:building:1",
    "building": "with:part:4 in:CITY:2 near:place:2 on:place:1",
    "vehicle": "from:CITY:2 to:CITY:2 with:part:1",
    "object": "with:part:1 from:CITY:1 on:object:1 of:person:1",
    "event": "in:CITY:2 about:topic:2 with:person:1 in:place:1 on:WEEKDAY:1",
    "group": "of:person:4 from:CITY:1 in:CITY:2",
    "idea": "about:topic:2 of:group:2 for:group:1 of:NAME:1",
    "money": "of:food:4 of:vehicle:2 of:building:1 of:garment:1",
    "part": "of:building:3 of:vehicle:1",
    "topic": "in:CITY:2",
}


class VerbEntry(NamedTuple):
    """One verb: its forms, its frame, the classes it likes, and the phrases it likes."""

    lemma: str
    past: str
    participle: str
    frame: str
    subjects: str
    objects: str
    phrases: str


# lemma past participle | frame | subjects | objects (or preposition:class) | phrases it likes
_VERBS = """
see saw seen | object | person animal | person animal building vehicle | with:optic:5 in:place:3
eat ate eaten | object | person animal | food | with:cutlery:5 in:place:2 with:person:1
read - - | object | person | document | in:place:2 on:vehicle:2 with:lens:1
write wrote written | object | person | document | with:pencil:3 in:place:2 to:NAME:1
buy bought bought | object | person group | vehicle food building garment document object | \
in:market:2 from:person:3 for:NAME:2
make made made | object | person | food object idea garment | with:tool:3 for:NAME:2 in:place:1
find found found | object | person animal | object animal document person food | in:place:5 \
with:optic:1 near:building:2
open opened opened | object | person | object building document part | with:tool:6 with:knife:2
watch watched watched | object | person animal | animal person event vehicle | with:optic:5 \
from:building:2 in:place:1
repair repaired repaired | object | person | vehicle object part building | with:tool:6 in:place:1
cut cut cut | object | person | food garment topping | with:knife:6 with:tool:1 in:kitchen:1
paint painted painted | object | person | building part object animal | with:brush:5 for:group:1
meet met met | object | person | person group | in:place:4 at:event:4 on:WEEKDAY:2
visit visited visited | object | person group | place building person CITY | with:person:4 \
on:WEEKDAY:2 in:vehicle:1
discuss discussed discussed | object | person group | idea document topic money | with:person:5 \
at:event:3
build built built | object | person group | building vehicle object | with:tool:3 in:place:4
sell sold sold | object | person group | vehicle food building object | to:person:6 in:market:2
steal stole stolen | object | person animal | object food vehicle money garment | from:person:4 \
from:building:2
love loved loved | object | person | person animal topic food NAME |
hate hated hated | object | person | topic person food event NAME |
break broke broken | object | person animal | object part | with:tool:5 with:stick:2
follow followed followed | object | person animal | person animal rule vehicle | into:place:3
describe described described | object | person document | event person idea building | to:person:3
kick kicked kicked | object | person animal | object animal person | into:place:2
sleep slept slept | none | person animal | | in:place:4 in:building:3 on:object:1
arrive arrived arrived | none | person vehicle group | | in:CITY:4 at:event:3 on:WEEKDAY:2 \
from:CITY:1
laugh laughed laughed | none | person | | with:person:1 at:event:1
leave left left | none | person vehicle | | with:person:2 on:WEEKDAY:2 in:vehicle:2
sing sang sung | none | person bird | | in:place:2 at:event:3 with:person:2
run ran run | none | person animal | | into:place:3 through:place:2 to:building:2
appear appeared appeared | none | person animal document | | in:place:2 on:WEEKDAY:2
die died died | none | person animal | | in:CITY:2 in:war:2
swim swam swum | none | person animal | | in:river:4 to:place:1
talk talked talked | phrase | person | to:person with:person about:topic to:NAME | at:event:2
look looked looked | phrase | person animal | at:animal at:document at:person at:building | \
with:optic:3 from:building:1
wait waited waited | phrase | person | for:vehicle for:person for:NAME | in:place:3 at:station:2
listen listened listened | phrase | person | to:music to:song to:person | in:vehicle:2
work worked worked | phrase | person | for:group on:idea with:NAME | in:CITY:3 in:place:2
depend depended depended | phrase | group idea event | on:money on:weather on:person on:idea |
laugh laughed laughed | phrase | person | at:person at:idea at:animal |
give gave given | two | person group | object document food money animal | on:WEEKDAY:1
send sent sent | two | person group | document object food | from:CITY:2 on:WEEKDAY:1
show showed shown | two | person | document object building animal | in:place:2
tell told told | two | person | story story:2 | in:place:1
offer offered offered | two | person group | food object money idea | at:event:2
pick picked picked | up | person | object document animal food person | with:tool:1 in:place:1
turn turned turned | off | person | radio lamp phone clock | with:tool:1
throw threw thrown | away | person | food document object garment | on:WEEKDAY:1
put put put | on | person | garment | in:place:1
take took taken | off | person | garment |
look looked looked | up | person | rule document topic | in:library:2
write wrote written | down | person | answer idea rule | with:pencil:2
call called called | off | person group | event | on:WEEKDAY:1
say said said | clause | person | | on:WEEKDAY:1
think thought thought | clause | person | |
know knew known | clause | person | |
believe believed believed | clause | person group | |
claim claimed claimed | clause | person group | | at:event:1
hope hoped hoped | clause | person | |
hear heard heard | clause | person | | at:event:1
want wanted wanted | infinitive | person animal | |
try tried tried | infinitive | person animal group | |
decide decided decided | infinitive | person group | | on:WEEKDAY:1
begin began begun | infinitive | person animal group | |
refuse refused refused | infinitive | person group | |
plan planned planned | infinitive | person group | |
ask asked asked | objectinfinitive | person group | person NAME |
force forced forced | objectinfinitive | person group | person group |
help helped helped | objectinfinitive | person | person NAME | 
"""


def _parse(line: str) -> VerbEntry:
    forms, frame, subjects, objects, phrases = (part.strip() for part in line.split("|"))
    lemma, past, participle = forms.split()
    if past == "-":
        past = participle = lemma
    return VerbEntry(lemma, past, participle, frame, subjects, objects, phrases)


VERBS: tuple[VerbEntry, ...] = tuple(
    _parse(line) for line in _VERBS.replace("\\\n", "").strip().split("\n")
)
