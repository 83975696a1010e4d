"""Train a parser, save it, load it, parse with it, score it.

The built-in treebank stands for your data: put paths of CoNLL-U files in place of the lists.
"""

import turbotree as tt

train = list(tt.text.treebank(400, seed=1))
dev = list(tt.text.treebank(50, seed=2))
test = list(tt.text.treebank(100, seed=3))

parser = tt.Parser.train(train, dev=dev, loss="svm", model="arc", epochs=3, seed=1, threads=2)
parser.save("small.safetensors")

parser = tt.Parser.load("small.safetensors")
parses = list(parser.pipe(test, threads=2))

first = parses[0]
print(tt.text.draw_text(first.sentence.forms, first.heads, first.labels))

predicted = [parse.to_sentence() for parse in parses]
scores = tt.evaluation.attachment_scores(test, predicted)
print(f"\nUAS {scores.uas:.2f}, LAS {scores.las:.2f} on {scores.words} words")

tt.text.write_conllu(predicted, "parsed.conllu")
