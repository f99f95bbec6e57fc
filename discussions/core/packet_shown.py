"""The packet for a meeting about the guidelines, as a record that the page and Markdown are made of; no names in it."""

from datetime import datetime

from msgspec import Struct


class KindShown(Struct, frozen=True):
    """One kind of judgement in words: how much evaluators differ on it, and which answers they confuse."""

    label: str
    differing: int
    judged: int
    share: str
    ties: int
    confusions: list[tuple[str, int]]


class AnswerShown(Struct, frozen=True):
    """One answer to a thing: how many evaluators stand by it, their reasons, what some said before the reveal."""

    word: str
    count: int
    reasons: list[str]
    before: list[str]


class DifferenceShown(Struct, frozen=True):
    """One difference to talk about: what it is about, what the machine says, the answers, what a lead settled."""

    game: int
    label: str
    message: int
    speaker: str
    role: str
    text: str
    spans: list[tuple[int, int]]
    machine: str
    evidence: list[str]
    answers: list[AnswerShown]
    settled: str
    settled_reason: str


class Packet(Struct, frozen=True):
    """Everything on the packet. `left_out` counts games beyond the newest ones that were looked at."""

    project: str
    scope: str
    made_at: datetime
    games: int
    left_out: int
    differing: int
    judged: int
    share: str
    kinds: list[KindShown]
    differences: list[DifferenceShown]
