"""Why this head and not that one? The features that spoke for each, and what they weigh."""

import turbotree as tt

parser = tt.Parser.train(list(tt.text.treebank(400, seed=1)), model="arc", epochs=3)
parses = parser.pipe(tt.text.treebank(100, seed=3))

# A word whose head is wrong.
parse, word = next(
    (parse, word)
    for parse in parses
    for word, gold in enumerate(parse.sentence.heads, 1)
    if parse.heads[word - 1] != gold
)
forms = ("the root", *parse.sentence.forms)
chosen, gold = parse.heads[word - 1], parse.sentence.heads[word - 1]
print(parse.sentence.text)
print(f"{forms[word]} ({word}) got the head {forms[chosen]} ({chosen}),")
print(f"and should have got {forms[gold]} ({gold}).")

for head in (chosen, gold):
    fired = parser.explain(parse.sentence, head, word)
    score = sum(feature.weight for feature in fired)
    print(f"\n{forms[head]} → {forms[word]}: score {score:.3f} from {len(fired)} features")
    for feature in fired[:8]:
        print(f"  {feature.weight:+.3f}  {feature.template}: {' '.join(feature.values)}")
