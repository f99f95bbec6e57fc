"""The packet for a meeting about the guidelines: what evaluators confuse, and the differences that show it best."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.disagreements import Disagreement
from discussions.adjudication.core.packet import (
    Confusion,
    Differing,
    KindSummary,
    Packet,
    PacketAnswer,
    PacketDifference,
    PacketKind,
    most_telling,
    summarize_kinds,
)
from discussions.adjudication.pages.evidence import EvidenceSource, answer_word, build_subject, get_kind_label
from discussions.adjudication.queries import GameDisagreements, load_disagreements, rated_by_several
from discussions.core.judgement_kinds import ROLE_CONSISTENCY
from discussions.models import Game, GameText, Iteration
from discussions.queries import rubric_record
from workspace.core.text import figure, shorten
from workspace.models import Project

MOST_GAMES, MOST_DIFFERENCES, MOST_CONFUSIONS, LONGEST_SHOWN = 100, 12, 4, 900


class GameToAdjudicate(Struct, frozen=True):
    """One game in which something is open between its evaluators."""

    number: int
    ties: int
    open: int


class IterationChoice(Struct, frozen=True):
    """One iteration that the packet can be made of."""

    number: int
    name: str
    is_chosen: bool


class PacketPage(Struct, frozen=True):
    """The packet with what only its page has: what it can be narrowed to, and the games that wait for a lead."""

    slug: str
    packet: Packet
    iterations: list[IterationChoice]
    games: str
    to_settle: list[GameToAdjudicate]
    query: str


class Scope(Struct, frozen=True):
    """What a packet is made of: the games of one iteration, or those with these numbers, or all of the project."""

    iteration: int | None = None
    games: Sequence[int] = ()


def build_packet(*, project: Project, scope: Scope, now: datetime) -> tuple[Packet, list[GameDisagreements]]:
    """The packet over the newest games in the scope, in a fixed number of queries."""
    games = _games(project, scope)
    count = games.count()
    found = load_disagreements(games[:MOST_GAMES])
    differing = [Differing(one.number, each) for one in found for each in one.disagreements if each.is_split]
    judged: Counter[str] = Counter()
    for one in found:
        judged.update(one.judged)
    told = most_telling(differing, MOST_DIFFERENCES)
    packet = Packet(
        project=project.name,
        scope=_scope_says(project, scope),
        made_at=now,
        games=len(found),
        left_out=max(0, count - MOST_GAMES),
        differing=len(differing),
        judged=judged.total(),
        share=_share(len(differing), judged.total()),
        kinds=[_kind(each) for each in summarize_kinds(differing, judged)],
        differences=_differences(told, found),
    )
    return packet, found


def build_packet_page(*, project: Project, scope: Scope, now: datetime) -> PacketPage:
    """The page of a packet."""
    packet, found = build_packet(project=project, scope=scope, now=now)
    rows = Iteration.objects.filter(project=project).order_by("number").values_list("number", "name")
    return PacketPage(
        slug=project.slug,
        packet=packet,
        iterations=[
            IterationChoice(number, name, is_chosen=number == scope.iteration) for number, name in rows
        ],
        games=", ".join(map(str, scope.games)),
        to_settle=[line for one in found if (line := _game_to_adjudicate(one)).open],
        query=_query(scope),
    )


def _games(project: Project, scope: Scope) -> "QuerySet[Game]":
    games = rated_by_several(project)
    if scope.iteration is not None:
        games = games.filter(iteration__number=scope.iteration)
    return games.filter(number__in=scope.games) if scope.games else games


def _query(scope: Scope) -> str:
    parts = [f"iteration={scope.iteration}"] if scope.iteration is not None else []
    parts += [f"games={','.join(map(str, scope.games))}"] if scope.games else []
    return f"?{'&'.join(parts)}" if parts else ""


def _scope_says(project: Project, scope: Scope) -> str:
    parts = []
    if scope.iteration is not None:
        name = Iteration.objects.filter(project=project, number=scope.iteration).values_list(
            "name", flat=True
        )
        parts.append(_("Iteration: %(name)s") % {"name": name.first() or scope.iteration})
    if scope.games:
        parts.append(_("Games %(numbers)s") % {"numbers": ", ".join(map(str, scope.games))})
    return "; ".join(parts) or _("All games that several evaluators rated")


def _share(part: int, whole: int) -> str:
    return f"{figure(100 * part / whole)} %" if whole else "-"


def _kind(each: KindSummary) -> PacketKind:
    return PacketKind(
        label=get_kind_label(each.kind),
        differing=each.differing,
        judged=each.judged,
        share=_share(each.differing, each.judged),
        ties=each.ties,
        confusions=[_confusion(each.kind, one) for one in each.confusions[:MOST_CONFUSIONS]],
    )


def _confusion(kind: str, one: Confusion) -> tuple[str, int]:
    first, second = (answer_word(kind, answer) for answer in one.answers)
    return _("%(one)s / %(other)s") % {"one": first, "other": second}, one.count


def _differences(told: list[Differing], found: list[GameDisagreements]) -> list[PacketDifference]:
    """What is told, with the texts of its games read at once."""
    by_number = {one.number: one for one in found}
    games = {by_number[one.game].game for one in told}
    texts = {text.game_id: text for text in GameText.objects.filter(game__in=games)}
    shown = []
    for one in told:
        where = by_number[one.game]
        record = texts[where.game].to_record()
        ground = EvidenceSource(record, where.measurements, rubric_record(*where.version))
        shown.append(_difference(where, ground, one.disagreement))
    return shown


def _difference(found: GameDisagreements, ground: EvidenceSource, one: Disagreement) -> PacketDifference:
    thing = build_subject(ground, one.kind, one.subject)
    machine = answer_word(one.kind, one.machine) if one.machine else ""
    text = shorten(thing.text, max([LONGEST_SHOWN, *(end for _start, end in thing.spans)]))
    return PacketDifference(
        game=found.number,
        label=thing.label,
        message=thing.message,
        speaker=thing.name,
        role=thing.role if one.kind == ROLE_CONSISTENCY else "",
        text=text,
        spans=thing.spans,
        machine=": ".join(part for part in (machine, thing.finding) if part),
        evidence=thing.evidence,
        answers=_answers(one),
        settled=answer_word(one.kind, one.settled.value) if one.settled else "",
        settled_reason=one.settled.reason if one.settled else "",
    )


def _answers(one: Disagreement) -> list[PacketAnswer]:
    """The most given answer first; nothing says who gave which."""
    counts = Counter(side.value for side in one.sides)
    return [
        PacketAnswer(
            word=answer_word(one.kind, value),
            count=count,
            reasons=sorted(side.reason for side in one.sides if side.value == value and side.reason),
            before=sorted(
                answer_word(one.kind, side.blind_value)
                for side in one.sides
                if side.value == value and side.is_changed
            ),
        )
        for value, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    ]


def _game_to_adjudicate(found: GameDisagreements) -> GameToAdjudicate:
    waiting = [one for one in found.disagreements if one.can_be_settled and one.settled is None]
    return GameToAdjudicate(found.number, sum(one.is_tie for one in waiting), len(waiting))
