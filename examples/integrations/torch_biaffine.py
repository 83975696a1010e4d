"""A small biaffine scorer, trained on the built-in treebank with a layer of turbotree."""

from __future__ import annotations

import torch

import turbotree as tt
from turbotree.integrations.torch import log_partition
from turbotree.text import Sentence, treebank

_NOTHING, _UNKNOWN = 0, 2
_FARTHEST = 10


class Biaffine(torch.nn.Module):
    """Words and tags to arc scores, by a bidirectional LSTM and a bilinear form (Dozat 2017)."""

    def __init__(self, words: int, tags: int, size: int = 64) -> None:
        super().__init__()
        self.words = torch.nn.Embedding(words, size // 2)
        self.tags = torch.nn.Embedding(tags, size // 2)
        self.context = torch.nn.LSTM(size, size, bidirectional=True, batch_first=True)
        self.head = torch.nn.Linear(2 * size, size)
        self.modifier = torch.nn.Linear(2 * size, size)
        self.pair = torch.nn.Parameter(torch.zeros(size + 1, size))
        self.distance = torch.nn.Parameter(torch.zeros(2 * _FARTHEST + 1))

    def forward(self, words: torch.Tensor, tags: torch.Tensor) -> torch.Tensor:
        """Score every arc of a padded batch: (b, n + 1, n + 1)."""
        context, _ = self.context(torch.cat([self.words(words), self.tags(tags)], dim=-1))
        head = torch.relu(self.head(context))
        modifier = torch.relu(self.modifier(context))
        bias = torch.ones(*modifier.shape[:2], 1)
        scores = head @ (torch.cat([modifier, bias], dim=-1) @ self.pair).transpose(1, 2)
        place = torch.arange(words.shape[1])
        apart = (place[:, None] - place).clamp(-_FARTHEST, _FARTHEST) + _FARTHEST
        return scores + self.distance[apart]


def ids(
    sentences: list[Sentence], vocabulary: dict[str, int], column: str, hidden: float = 0.0
) -> torch.Tensor:
    """Number the words of a batch; 1 is the root, 2 what is unknown, or hidden by chance."""
    longest = max(map(len, sentences))
    rows = [
        [1, *(vocabulary.get(value, 2) for value in sentence.column(column))]
        for sentence in sentences
    ]
    found = torch.tensor([row + [_NOTHING] * (longest + 1 - len(row)) for row in rows])
    return torch.where((torch.rand(found.shape) < hidden) & (found > _UNKNOWN), _UNKNOWN, found)


def vocabulary(sentences: list[Sentence], column: str) -> dict[str, int]:
    """Number what occurs."""
    values = sorted({value for sentence in sentences for value in sentence.column(column)})
    return {value: number for number, value in enumerate(values, 3)}


def train(*, sentences: int = 1000, epochs: int = 6, seed: int = 1) -> float:
    """Train with the loss of a CRF over trees; give the UAS on unseen sentences."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # matrices are small
    data = list(treebank(sentences, seed=seed))
    unseen = list(treebank(100, seed=seed + 1))
    words, tags = vocabulary(data, "form"), vocabulary(data, "upos")
    model = Biaffine(len(words) + 3, len(tags) + 3)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    slower = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.6)
    for _ in range(epochs):
        order = torch.randperm(len(data)).tolist()
        for start in range(0, len(order), 16):
            batch = [data[i] for i in order[start : start + 16]]
            lengths = [len(sentence) for sentence in batch]
            scores = model(ids(batch, words, "form", 0.2), ids(batch, tags, "upos"))
            right = sum(
                scores[i, list(sentence.heads), range(1, len(sentence) + 1)].sum()
                for i, sentence in enumerate(batch)
            )
            loss = (log_partition(scores, lengths, single_root=True).sum() - right) / sum(lengths)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        slower.step()
    with torch.no_grad():
        scores = model(ids(unseen, words, "form"), ids(unseen, tags, "upos"))
    lengths = [len(sentence) for sentence in unseen]
    heads = tt.decode(scores, lengths=lengths, single_root=True).heads
    right_heads = sum(
        int((heads[i, : len(sentence)] == sentence.heads).sum())
        for i, sentence in enumerate(unseen)
    )
    return 100 * right_heads / sum(lengths)


if __name__ == "__main__":
    print(f"UAS on unseen sentences: {train():.2f}")
