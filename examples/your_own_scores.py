"""Trees from scores of your own: any matrix of arc scores will do, a neural network's too.

``scores[h, m]`` says how good word h is as the head of word m; 0 is the root.
"""

import numpy as np

import turbotree as tt

words = ["I", "saw", "her", "duck"]
scores = np.array(
    [
        # root I    saw  her  duck   as the modifier
        [0.0, 0.5, 4.0, 0.2, 2.0],  # root as the head
        [0.0, 0.0, 1.0, 0.1, 0.3],  # I
        [0.0, 3.0, 0.0, 2.2, 2.5],  # saw
        [0.0, 0.2, 0.4, 0.0, 1.0],  # her
        [0.0, 0.5, 1.5, 2.4, 0.0],  # duck
    ]
)
trees = tt.trees.Trees(scores)

heads = trees.best()
print("the best tree")
print(tt.text.draw_text(words, list(heads), ["_"] * len(words)))

print("\nthe probability of each arc (rows are heads, the root first)")
print(trees.marginals()[:, 1:].round(3))

print("\nthe best three trees")
for tree in trees.k_best(3):
    print(f"  {tree.score:5.2f}  heads {list(map(int, tree.heads))}")

print("\nthe best tree in which 'her' is the object of 'saw'")
print(" ", list(map(int, tt.trees.Trees(scores, require=[(2, 3)]).best())))

print("\nfive trees, drawn by their probability")
for sampled in trees.sample(5, seed=2):
    print(" ", list(map(int, sampled)))
print(f"\nentropy {trees.entropy():.3f} nats")

# Many sentences at once: a padded batch, shared among threads.
batch = np.random.default_rng(1).normal(size=(1000, 21, 21))
lengths = np.random.default_rng(2).integers(5, 21, size=1000)
found = tt.trees.Trees(batch, lengths=lengths, threads=2).best()
print(f"\na batch of {len(found)} trees; the first: {list(map(int, found[0][: lengths[0]]))}")
