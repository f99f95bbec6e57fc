"""The inbox of flags: for leads those of the project, for evaluators their own."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Case, Count, Value, When
from msgspec import Struct

from discussions.flags.queries import query_flags, waits_for_evaluator, waits_for_lead
from discussions.models import Evaluation, FlagReply, GameText, Remark
from discussions.models.slots import RATING, REPEAT
from workspace.access.permissions import may_lead
from workspace.models import Person, Project

LONGEST_QUOTE, FLAGS_A_PAGE = 400, 20


class ReplyLine(Struct, frozen=True):
    """One reply; `name` is "" for the evaluator of a game that several rate: their names are hidden from leads."""

    name: str
    is_lead: bool
    text: str
    at: datetime


class FlagLine(Struct, frozen=True):
    """One flag with its thread. `position` is the flagged message, 0 for the whole game; `quote` begins it.

    `number` is the game's number for the reader. `known_as` is the number under which the evaluator judged it, 0 if
    both are the same. `is_repeat` says that it is a hidden duplicate. Evaluators read no quote: the same quote twice
    would reveal a hidden duplicate. `waits` says whether the reader has to write next.
    """

    key: int
    evaluation: int
    number: int
    known_as: int
    is_repeat: bool
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


def flags_page(
    *, project: Project, person: Person, resolved: bool, start: int = 0, only: int = 0
) -> FlagsPage:
    """Open or resolved flags from index `start`, those that wait for the reader first, then the newest.

    If `only` is set, the page has only that flag, whatever its state.
    """
    is_lead = may_lead(person, project)
    rows = query_flags().filter(evaluation__game__project=project)
    if not is_lead:
        rows = rows.filter(evaluation__evaluator=person)
    open_count, resolved_count = (rows.filter(resolved_at__isnull=not done).count() for done in (False, True))
    waiting = waits_for_lead() if is_lead else waits_for_evaluator()
    chosen = rows.filter(pk=only) if only else rows.filter(resolved_at__isnull=not resolved)
    chosen = chosen.annotate(waits=Case(When(waiting, then=Value(1)), default=Value(0)))
    order = ("-resolved_at", "-pk") if resolved else ("-waits", "-pk")
    chosen = chosen.select_related("evaluation__game__iteration", "evaluation__evaluator").order_by(*order)
    found = list(chosen[start : start + FLAGS_A_PAGE + 1])
    shown = found[:FLAGS_A_PAGE]
    replies: dict[int, list[FlagReply]] = {}
    for reply in FlagReply.objects.filter(flag__in=shown).select_related("created_by").order_by("pk"):
        replies.setdefault(reply.flag_id, []).append(reply)
    quotes = _load_quotes(shown) if is_lead else {}
    shared = _shared_games(shown) if is_lead else set()
    lines = [
        _line(
            flag,
            replies.get(flag.pk, []),
            quotes.get(flag.pk, ""),
            waits=bool(flag.waits),
            is_lead=is_lead,
            is_named=flag.evaluation.game_id not in shared,
        )
        for flag in shown
    ]
    following = start + FLAGS_A_PAGE if len(found) > FLAGS_A_PAGE else 0
    return FlagsPage(lines, is_lead, following, open_count, resolved_count)


def _position(flag: Remark) -> int:
    return int(flag.target.partition(":")[2] or 0)


def _load_quotes(flags: Sequence[Remark]) -> dict[int, str]:
    """By flag: the beginning of the flagged message."""
    games = {flag.evaluation.game_id for flag in flags if _position(flag)}
    texts = {text.game_id: text.to_record().messages for text in GameText.objects.filter(game__in=games)}
    found = {
        flag.pk: texts[flag.evaluation.game_id][_position(flag) - 1].text for flag in flags if _position(flag)
    }
    return {
        key: text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…" for key, text in found.items()
    }


def _shared_games(flags: Sequence[Remark]) -> set[int]:
    """The games that several people rate or rated: for these, leads do not see who wrote."""
    games = {flag.evaluation.game for flag in flags}
    counted = (
        Evaluation.objects.filter(game__in=games, purpose=RATING).values("game").annotate(count=Count("pk"))
    )
    several = {game for game, count in counted.values_list("game", "count") if count > 1}
    return several | {game.pk for game in games if game.evaluator_count > 1}


def _known_as(evaluation: Evaluation, *, is_lead: bool, is_named: bool) -> int:
    """The evaluator's number next to the game's. Leads do not see it if it would reveal who set an unnamed flag."""
    if not is_lead:
        return evaluation.rated_as
    return evaluation.shown_number or 0 if is_named else 0


def _line(
    flag: Remark, replies: list[FlagReply], quote: str, *, waits: bool, is_lead: bool, is_named: bool
) -> FlagLine:
    evaluation = flag.evaluation
    is_repeat = evaluation.purpose == REPEAT
    name = evaluation.evaluator.name if is_named else ""
    number = evaluation.game.number if is_lead else evaluation.game_number
    return FlagLine(
        key=flag.pk,
        evaluation=evaluation.pk,
        number=number,
        known_as=_known_as(evaluation, is_lead=is_lead, is_named=is_named or is_repeat),
        is_repeat=is_lead and is_repeat,
        position=_position(flag),
        quote=quote,
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
