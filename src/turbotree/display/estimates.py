"""How long several learners take together, when each is only known once it has begun."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass
class _Seen:
    """What is known of a learner: how far it is, what of that was in this run, and the time."""

    done: float = 0.0
    measured: float = 0.0
    seconds: float = 0.0


class Estimate:
    """The time left of learners whose shares of the work are guessed beforehand.

    The guess need only be right within a kind: once a learner of a kind has run for a while, its
    own speed counts for all of that kind, and until then the speed of all others together. The
    kind is what follows the last ``": "`` of a name, so that ``"fold 2 of 5: upos"`` is of the kind
    ``"upos"``.

    Parameters
    ----------
    shares
        How much work each learner is, in any unit, by name and in their order.

    Examples
    --------
    >>> estimate = Estimate({"pruner": 1.0, "arcs": 3.0})
    >>> estimate.left() is None
    True
    >>> estimate.see("pruner", done=1.0, measured=1.0, seconds=20.0)
    >>> estimate.part(), estimate.left()
    (0.25, 60.0)
    """

    def __init__(self, shares: Mapping[str, float]) -> None:
        self._shares = dict(shares)
        self._seen: dict[str, _Seen] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._shares

    def begin(self, name: str) -> None:
        """Note that a learner begins; those before it that nothing was heard of are done.

        A run that is resumed passes over what an earlier one has finished.
        """
        for other in self._shares:
            if other == name:
                break
            self._seen.setdefault(other, _Seen(done=1.0))
        self._seen.setdefault(name, _Seen())

    def see(self, name: str, *, done: float, measured: float, seconds: float) -> None:
        """Note how far a learner is, and what part of it took how many seconds in this run."""
        self._seen[name] = _Seen(done, measured, seconds)

    def part(self) -> float:
        """Return which part of all the work is done, from 0 to 1."""
        done = sum(self._shares[name] * seen.done for name, seen in self._seen.items())
        return done / max(1e-9, sum(self._shares.values()))

    def left(self) -> float | None:
        """Return the seconds that are left; None before anything was measured.

        Learners that run side by side end together with the slowest of them.
        """
        speeds = self._seconds_by_share()
        if not speeds:
            return None
        running, waiting = [0.0], 0.0
        for name, share in self._shares.items():
            seen = self._seen.get(name)
            seconds = share * (1.0 - (seen.done if seen else 0.0))
            seconds *= speeds.get(_kind(name), speeds[""])
            if seen is None:
                waiting += seconds
            else:
                running.append(seconds)
        return max(running) + waiting

    def _seconds_by_share(self) -> dict[str, float]:
        """Seconds for one unit of work, of each kind and (under no name) of all together."""
        times: dict[str, list[float]] = {}
        for name, seen in self._seen.items():
            if seen.measured > 0:
                for kind in (_kind(name), ""):
                    sums = times.setdefault(kind, [0.0, 0.0])
                    sums[0] += seen.seconds
                    sums[1] += seen.measured * self._shares[name]
        return {kind: seconds / work for kind, (seconds, work) in times.items() if work > 0}


def roughly(seconds: float) -> str:
    """Return how long something will take, as far as anybody can know.

    >>> roughly(7.6), roughly(200), roughly(3 * 3600 + 700)
    ('8 s', '3 min', '3 h 12 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _kind(name: str) -> str:
    return name.rpartition(": ")[2]
