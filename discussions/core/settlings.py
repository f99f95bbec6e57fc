"""What leads settled between evaluators, as a report tells it: with what each supersedes."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec import Struct

from discussions.core import kinds
from discussions.core.basis import Basis
from discussions.core.disagreements import Settled
from discussions.core.effective import Key


class Settling(Struct, frozen=True):
    """What a lead settled where evaluators differed: by adopting somebody's answer, or anew (`adopted` is "").

    `earlier` are what it supersedes, the oldest first, in sentences.
    """

    kind: str
    subject: str
    value: str
    adopted: str
    by: str
    at: datetime
    reason: str
    earlier: list[str]

    @property
    def what(self) -> str:
        """The thing settled, for reading."""
        return what_of(self.kind, self.subject)

    @property
    def says(self) -> str:
        """What it was settled on, for reading."""
        return self.value.replace("_", " ") or "no"


def what_of(kind: str, subject: str) -> str:
    """A thing that is judged, for reading: "strategic depth, message 19"."""
    name = kind.replace("_", " ")
    joint = ", message " if kind in kinds.OF_A_MESSAGE else " "
    return f"{name}{joint}{subject}" if subject else name


def settlings_of(basis: Basis, ever: Iterable[Settled], names: Mapping[int, str]) -> list[Settling]:
    """What leads settled of what the basis rests on, as the transcript goes, with what each supersedes.

    `ever` is everything that was settled in the game, the oldest first; `names` are those of evaluations.
    """
    named = {one.id for one in basis.adjudications}
    chains: dict[Key, list[Settled]] = {}
    for one in ever:
        chains.setdefault((one.kind, one.subject), []).append(one)
    found = []
    for chain in chains.values():
        for place, one in enumerate(chain):
            if one.id in named:
                found.append(
                    Settling(
                        kind=one.kind,
                        subject=one.subject,
                        value=one.value,
                        adopted="" if one.adopted is None else names.get(one.adopted, ""),
                        by=one.by_name,
                        at=one.at,
                        reason=one.reason,
                        earlier=[_superseded(before) for before in chain[:place]],
                    )
                )
    return sorted(found, key=lambda one: place_of(one.kind, one.subject))


def _superseded(one: Settled) -> str:
    return f"{one.value.replace('_', ' ') or 'no'}, by {one.by_name} on {one.at:%Y-%m-%d}: {one.reason}"


def place_of(kind: str, subject: str) -> tuple[str, tuple[int, ...], str]:
    """What sorts things of one kind as the transcript goes."""
    numbers = tuple(int(part) for part in re.findall(r"\d{1,9}", subject)[:2])
    return kind, numbers, subject
