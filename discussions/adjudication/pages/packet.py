"""The packet for a meeting about the guidelines: what evaluators confuse, and the disagreements that show it best."""

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
    number: int
    ties: int
    open: int


class IterationChoice(Struct, frozen=True):
    number: int
    name: str
    is_chosen: bool


class PacketPage(Struct, frozen=True):
    slug: str
    packet: Packet
    iterations: list[IterationChoice]
    games: str
    to_adjudicate: list[GameToAdjudicate]
    query: str


class Scope(Struct, frozen=True):
    """The scope of a packet: the games of one iteration, those with these numbers, or all of the project."""

    iteration: int | None = None
    games: Sequence[int] = ()


def build_packet(*, project: Project, scope: Scope, now: datetime) -> tuple[Packet, list[GameDisagreements]]:
    """The packet over the newest games in the scope, in a fixed number of queries."""
    games = _games(project, scope)
    count = games.count()
    found = load_disagreements(games[:MOST_GAMES])
    differing = [
        Differing(game.number, disagreement)
        for game in found
        for disagreement in game.disagreements
        if disagreement.is_split
    ]
    judged: Counter[str] = Counter()
    for game in found:
        judged.update(game.judged)
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
        kinds=[_kind(kind) for kind in summarize_kinds(differing, judged)],
        differences=_differences(told, found),
    )
    return packet, found


def build_packet_page(*, project: Project, scope: Scope, now: datetime) -> PacketPage:
    packet, found = build_packet(project=project, scope=scope, now=now)
    rows = Iteration.objects.filter(project=project).order_by("number").values_list("number", "name")
    return PacketPage(
        slug=project.slug,
        packet=packet,
        iterations=[
            IterationChoice(number, name, is_chosen=number == scope.iteration) for number, name in rows
        ],
        games=", ".join(map(str, scope.games)),
        to_adjudicate=[line for game in found if (line := _game_to_adjudicate(game)).open],
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
    return f"{figure(100 * part / whole)}\u00a0%" if whole else "–"


def _kind(summary: KindSummary) -> PacketKind:
    return PacketKind(
        label=get_kind_label(summary.kind),
        differing=summary.differing,
        judged=summary.judged,
        share=_share(summary.differing, summary.judged),
        ties=summary.ties,
        confusions=[
            _confusion(summary.kind, confusion) for confusion in summary.confusions[:MOST_CONFUSIONS]
        ],
    )


def _confusion(kind: str, confusion: Confusion) -> tuple[str, int]:
    first, second = (answer_word(kind, answer) for answer in confusion.answers)
    return _("%(one)s / %(other)s") % {"one": first, "other": second}, confusion.count


def _differences(told: list[Differing], found: list[GameDisagreements]) -> list[PacketDifference]:
    by_number = {game.number: game for game in found}
    games = {by_number[difference.game].game for difference in told}
    texts = {text.game_id: text for text in GameText.objects.filter(game__in=games)}
    shown = []
    for difference in told:
        where = by_number[difference.game]
        record = texts[where.game].to_record()
        source = EvidenceSource(record, where.measurements, rubric_record(*where.version))
        shown.append(_difference(where, source, difference.disagreement))
    return shown


def _difference(
    found: GameDisagreements, source: EvidenceSource, disagreement: Disagreement
) -> PacketDifference:
    thing = build_subject(source, disagreement.kind, disagreement.subject)
    machine = answer_word(disagreement.kind, disagreement.machine) if disagreement.machine else ""
    text = shorten(thing.text, max([LONGEST_SHOWN, *(end for _start, end in thing.spans)]))
    return PacketDifference(
        game=found.number,
        label=thing.label,
        message=thing.message,
        speaker=thing.name,
        role=thing.role if disagreement.kind == ROLE_CONSISTENCY else "",
        text=text,
        spans=thing.spans,
        machine=": ".join(part for part in (machine, thing.finding) if part),
        evidence=thing.evidence,
        answers=_answers(disagreement),
        resolved=answer_word(disagreement.kind, disagreement.resolved.value) if disagreement.resolved else "",
        resolved_reason=disagreement.resolved.reason if disagreement.resolved else "",
    )


def _answers(disagreement: Disagreement) -> list[PacketAnswer]:
    """The answers, the most frequent first, without saying who gave which."""
    counts = Counter(side.value for side in disagreement.sides)
    return [
        PacketAnswer(
            word=answer_word(disagreement.kind, value),
            count=count,
            reasons=sorted(side.reason for side in disagreement.sides if side.value == value and side.reason),
            before=sorted(
                answer_word(disagreement.kind, side.blind_value)
                for side in disagreement.sides
                if side.value == value and side.is_changed
            ),
        )
        for value, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    ]


def _game_to_adjudicate(found: GameDisagreements) -> GameToAdjudicate:
    waiting = [
        disagreement
        for disagreement in found.disagreements
        if disagreement.can_be_adjudicated and disagreement.resolved is None
    ]
    return GameToAdjudicate(found.number, sum(disagreement.is_tie for disagreement in waiting), len(waiting))
