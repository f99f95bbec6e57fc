"""The inbox of flags: for leads those of the project, for evaluators their own."""

from datetime import datetime

from django.db.models import Case, Value, When
from msgspec import Struct

from discussions.flags.queries import query_flags, waits_for_evaluator, waits_for_lead
from discussions.models import FlagReply, Remark
from discussions.queries import game_record
from workspace.access.permissions import role_in
from workspace.core.limits import PAGE_SIZE
from workspace.models import Person, Project

LONGEST_QUOTE = 400


class ReplyLine(Struct, frozen=True):
    """One reply; `name` is "" for the evaluator of a game that several rate: their names are hidden from leads."""

    name: str
    is_lead: bool
    text: str
    at: datetime


class FlagLine(Struct, frozen=True):
    """One flag with its thread. `position` is the flagged message, 0 for the game as a whole; `quote` begins it.

    `number` is the game as the reader knows it. `waits` says whether the reader is the one to write next.
    """

    key: int
    evaluation: int
    number: int
    position: int
    quote: str
    name: str
    text: str
    at: datetime
    replies: list[ReplyLine]
    waits: bool
    resolved_at: datetime | None


class FlagsPage(Struct, frozen=True):
    """A page of flags; `following` is where the next page starts, 0 on the last."""

    flags: list[FlagLine]
    is_lead: bool
    following: int
    open_count: int
    resolved_count: int


def flags_page(*, project: Project, person: Person, resolved: bool, start: int) -> FlagsPage:
    """Open or resolved flags from place `start`, those that wait for the reader first, then the newest."""
    is_lead = role_in(person, project) in ("admin", "lead")
    rows = query_flags().filter(evaluation__game__project=project)
    if not is_lead:
        rows = rows.filter(evaluation__evaluator=person)
    open_count, resolved_count = (rows.filter(resolved_at__isnull=not done).count() for done in (False, True))
    waiting = waits_for_lead() if is_lead else waits_for_evaluator()
    chosen = rows.filter(resolved_at__isnull=not resolved).annotate(
        waits=Case(When(waiting, then=Value(1)), default=Value(0))
    )
    order = ("-resolved_at", "-pk") if resolved else ("-waits", "-pk")
    chosen = chosen.select_related("evaluation__game", "evaluation__evaluator").order_by(*order)
    shown = list(chosen[start : start + PAGE_SIZE + 1])
    replies: dict[int, list[FlagReply]] = {}
    for reply in FlagReply.objects.filter(flag__in=shown).select_related("created_by").order_by("pk"):
        replies.setdefault(reply.flag_id, []).append(reply)
    lines = [
        _line(flag, replies.get(flag.pk, []), waits=bool(flag.waits), is_lead=is_lead)
        for flag in shown[:PAGE_SIZE]
    ]
    following = start + PAGE_SIZE if len(shown) > PAGE_SIZE else 0
    return FlagsPage(lines, is_lead, following, open_count, resolved_count)


def _line(flag: Remark, replies: list[FlagReply], *, waits: bool, is_lead: bool) -> FlagLine:
    evaluation = flag.evaluation
    game = evaluation.game
    position = int(flag.target.partition(":")[2] or 0)
    text = game_record(game.pk, game.content_sha256).messages[position - 1].text if position else ""
    name = "" if is_lead and game.evaluator_count > 1 else evaluation.evaluator.name
    return FlagLine(
        key=flag.pk,
        evaluation=evaluation.pk,
        number=game.number if is_lead else evaluation.game_number,
        position=position,
        quote=text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…",
        name=name,
        text=flag.text,
        at=flag.created_at,
        replies=[
            ReplyLine(
                name if reply.created_by_id == evaluation.evaluator_id else reply.created_by.name,
                reply.created_by_id != evaluation.evaluator_id,
                reply.text,
                reply.created_at,
            )
            for reply in replies
        ],
        waits=waits,
        resolved_at=flag.resolved_at,
    )
