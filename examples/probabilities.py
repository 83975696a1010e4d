"""How sure is the parser? The probability of every arc, and the words in doubt."""

import turbotree as tt

train, dev = list(tt.text.treebank(400, seed=1)), list(tt.text.treebank(50, seed=2))
# The development set makes the probabilities honest: it sets their temperature.
parser = tt.Parser.train(train, dev=dev, model="arc", epochs=3)

parses = list(parser.pipe(tt.text.treebank(100, seed=3)))
parse = next(parse for parse in parses if 0.5 < min(parse.head_probabilities) < 0.7)
forms = ("the root", *parse.sentence.forms)
print(parse.sentence.text)
print(f"probability of the whole tree: {parse.probability:.3f}\n")

for word, chance in enumerate(parse.head_probabilities, 1):
    if chance > 0.9:
        continue
    print(f"{forms[word]} ({word}) is in doubt; its head may be")
    heads = parse.arc_probabilities[:, word]  # a column sums to 1
    for head in heads.argsort()[::-1]:
        if heads[head] > 0.01:
            chosen = "  chosen" if head == parse.heads[word - 1] else ""
            print(f"  {heads[head]:6.1%}  {forms[head]}{chosen}")

# Are the probabilities honest? Of the arcs that get 80 %, about 80 % should be right.
chances = [chance for parse in parses for chance in parse.head_probabilities]
right = [
    head == gold
    for parse in parses
    for head, gold in zip(parse.heads, parse.sentence.heads, strict=True)
]
print(f"\n{tt.evaluation.calibration(chances, right)}")
