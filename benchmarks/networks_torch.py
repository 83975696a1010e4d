"""The networks of turbotree once more, in PyTorch: the oracle of their tests, and their rival."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

_SLOPE = 0.1
_ENDS = torch.tensor([1, 2, 3, 4, 5, 7, 10, 15, 25])


def distance_buckets(words: int) -> torch.Tensor:
    """Buckets [modifier - 1, head] of all arcs of a sentence."""
    heads, modifiers = torch.arange(words + 1)[None], torch.arange(1, words + 1)[:, None]
    bucket = torch.searchsorted(_ENDS, (heads - modifiers).abs().contiguous())
    return torch.where(heads == 0, 0, 1 + 2 * bucket + (heads < modifiers).long())


class TorchNetwork(nn.Module):
    """The same network with given weights, by the names that they have in turbotree.

    Pretrained vectors are omitted.
    """

    def __init__(self, weights: Mapping[str, Any], *, dropout: float = 0.0) -> None:
        super().__init__()
        given = {name: torch.tensor(np.array(own)) for name, own in weights.items()}
        for name in ("words", "surfaces", "tags", "lemmas"):
            self.register_parameter(name, nn.Parameter(given[name]))
        hidden = given["lstm1.forward.recurrent"].shape[0]
        layers = sum(name.endswith("forward.recurrent") for name in given)
        self.lstm = nn.LSTM(
            given["lstm1.forward.input"].shape[0],
            hidden,
            layers,
            batch_first=True,
            bidirectional=True,
            dropout=dropout if layers > 1 else 0.0,
        ).to(given["words"].dtype)
        with torch.no_grad():
            for name, own in self.lstm_parameters():
                own.copy_(given[name].T if own.ndim == 2 else given[name][0])
            for name, own in self.lstm.named_parameters():
                if name.startswith("bias_hh"):
                    own.zero_().requires_grad_(False)
        self.rest = nn.ParameterDict(
            {
                name.replace(".", "_"): nn.Parameter(own)
                for name, own in given.items()
                if not name.startswith("lstm") and name not in dict(self.named_parameters())
            }
        )
        self.dropout = nn.Dropout(dropout)

    def lstm_parameters(self) -> list[tuple[str, nn.Parameter]]:
        """The parameters of the LSTM with their names in turbotree."""
        kinds = {"weight_ih": "input", "weight_hh": "recurrent", "bias_ih": "bias"}
        found = []
        for name, own in self.lstm.named_parameters():
            kind = "_".join(name.split("_")[:2])
            direction = "backward" if name.endswith("_reverse") else "forward"
            layer = int(name.split("_l")[1].split("_")[0]) + 1
            if kind in kinds:
                found.append((f"lstm{layer}.{direction}.{kinds[kind]}", own))
        return found

    def gradient_of(self, name: str) -> Any:
        """The gradient of a matrix, as turbotree lays it out."""
        lstm = dict(self.lstm_parameters())
        if name in lstm:
            own = lstm[name]
            return (own.grad.T if own.ndim == 2 else own.grad[None]).numpy()
        own = getattr(self, name) if hasattr(self, name) else self.rest[name.replace(".", "_")]
        return None if own.grad is None else own.grad.numpy()

    def embed(self, arrays: Mapping[str, Any], tokens: torch.Tensor) -> torch.Tensor:
        """The inputs of some words."""
        arrays = {name: torch.as_tensor(own).long() for name, own in arrays.items()}
        parts = [self.words[arrays["words"][tokens]]]
        for table, kind, starts in (
            ("surfaces", "forms", "surface_starts"),
            ("tags", "bundles", "tag_starts"),
        ):
            numbers = arrays[kind][tokens]
            begins, ends = arrays[starts][numbers], arrays[starts][numbers + 1]
            sizes = ends - begins
            offsets = torch.cumsum(sizes, 0) - sizes
            at = torch.arange(int(sizes.sum())) + torch.repeat_interleave(begins - offsets, sizes)
            weights = getattr(self, table)
            bags = functional.embedding_bag(arrays[table][at], weights, offsets, mode="sum")
            parts.append(bags / sizes.clamp(min=1).to(weights.dtype).sqrt()[:, None])
        parts.append(self.lemmas[arrays["lemmas"][tokens]])
        return torch.cat(parts, dim=1)

    def activations(
        self, arrays: Mapping[str, Any], sentences: Any
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What comes out of all perceptrons, the words inside of sentences, and their numbers."""
        starts = torch.as_tensor(arrays["starts"]).long()
        lengths = (starts[1:] - starts[:-1])[sentences]
        longest = int(lengths.max())
        inside = torch.arange(longest)[None] < lengths[:, None]
        tokens = (starts[sentences][:, None] + torch.arange(longest)[None])[inside]
        x = torch.zeros(len(lengths), longest, self.lstm.input_size, dtype=self.words.dtype)
        x[inside] = self.dropout(self.embed(arrays, tokens))
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        rest = self.rest
        values = self.dropout(states) @ rest["perceptrons"] + rest["perceptrons_bias"][0]
        return self.dropout(functional.leaky_relu(values, _SLOPE)), inside, tokens

    def column_loss(
        self, arrays: Mapping[str, Any], golds: torch.Tensor, sizes: list[int], sentences: Any
    ) -> torch.Tensor:
        """The mean loss per word of the columns of some sentences, whose labels are all known."""
        values, inside, tokens = self.activations(arrays, sentences)
        own = values[inside][:, -len(self.rest["column"]) :]
        scores = (own @ self.rest["column"] + self.rest["column_bias"][0]).split(sizes, dim=1)
        total = torch.zeros((), dtype=self.words.dtype)
        for column, gold in zip(scores, golds[tokens].long().T, strict=True):
            total = total + functional.cross_entropy(column, gold, reduction="sum")
        return total / len(tokens)

    def loss(
        self, arrays: Mapping[str, Any], heads: torch.Tensor, labels: torch.Tensor, sentences: Any
    ) -> torch.Tensor:
        """The mean loss per word of some sentences whose heads and labels are all known."""
        values, inside, tokens = self.activations(arrays, sentences)
        rest, lengths = self.rest, inside.sum(dim=1)
        longest = inside.shape[1]
        arcs, size = rest["root_arc"].shape[1], rest["root_label"].shape[1]
        arc_heads, modifiers, label_heads, label_modifiers = values.split(
            [arcs, arcs, size, size], dim=2
        )
        count = len(lengths)
        arc_heads = torch.cat([rest["root_arc"].expand(count, 1, -1), arc_heads], dim=1)
        label_heads = torch.cat([rest["root_label"].expand(count, 1, -1), label_heads], dim=1)
        scores = (modifiers @ rest["arc"] + rest["arc_bias"][0]) @ arc_heads.transpose(1, 2)
        scores = scores + rest["distance"][0][distance_buckets(longest)]
        outside = torch.arange(longest + 1)[None] > lengths[:, None]
        itself = torch.arange(1, longest + 1)[:, None] == torch.arange(longest + 1)[None]
        scores = scores.masked_fill(outside[:, None] | itself[None], -torch.inf)
        gold_heads, gold_labels = heads[tokens].long(), labels[tokens].long()
        total = functional.cross_entropy(scores[inside], gold_heads, reduction="sum")
        row = torch.arange(count)[:, None].expand(-1, longest)[inside]
        own_heads, own_modifiers = label_heads[row, gold_heads], label_modifiers[inside]
        labelled = (own_modifiers @ rest["label"]).view(len(tokens), -1, size)
        label_scores = (
            torch.bmm(labelled, own_heads[:, :, None])[:, :, 0]
            + own_modifiers @ rest["label_modifier"]
            + own_heads @ rest["label_head"]
            + rest["label_bias"][0]
        )
        total = total + functional.cross_entropy(label_scores, gold_labels, reduction="sum")
        return total / len(tokens)
