"""The packet for a meeting about the guidelines, as a record that the page and Markdown are made of; no names in it."""

from datetime import datetime

from msgspec import Struct

from discussions.core.report import fenced, plain, said


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


def markdown_of(packet: Packet) -> str:
    """The packet as Markdown."""
    parts = [
        f"# {plain(packet.project)}: what evaluators differ on",
        "",
        f"{plain(packet.scope)}. As of {packet.made_at:%Y-%m-%d %H:%M} UTC.",
        "",
        f"They differ on {packet.differing} of {packet.judged} things judged ({packet.share}) in {packet.games} games.",
        "",
        "| Kind | Differ | Of | Share | Without majority | Confused |",
        "| --- | --- | --- | --- | --- | --- |",
        *[_kind(each) for each in packet.kinds],
        "",
        *[
            line
            for place, each in enumerate(packet.differences, start=1)
            for line in _difference(place, each)
        ],
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def _kind(each: KindShown) -> str:
    confused = "; ".join(f"{said(pair)} ({count})" for pair, count in each.confusions)
    row = (each.label, each.differing, each.judged, each.share, each.ties, confused)
    return f"| {' | '.join(str(cell) for cell in row)} |"


def _difference(place: int, each: DifferenceShown) -> list[str]:
    where = f", message {each.message}" if each.message else ""
    speaker = f", {plain(each.speaker)}" if each.speaker else ""
    found = [f"## {place}. {said(each.label)}: game {each.game}{where}{speaker}", ""]
    found += [fenced(each.text), ""] if each.text else []
    found += [f"Machine: {said(each.machine)}", ""] if each.machine else []
    found += [*[f"- {plain(line)}" for line in each.evidence], ""] if each.evidence else []
    for answer in each.answers:
        before = f" (before the reveal: {said(', '.join(answer.before))})" if answer.before else ""
        reasons = "".join(f" - {plain(reason)}" for reason in answer.reasons)
        found.append(f"- **{said(answer.word)}**, {answer.count} of them{before}{reasons}")
    settled = f"{said(each.settled)}: {plain(each.settled_reason)}" if each.settled else "________________"
    return [*found, "", f"Decision: {settled}", ""]
