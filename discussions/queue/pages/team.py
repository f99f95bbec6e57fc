"""Who holds which game of a project since when, which games are kept for whom, and how the queue deals them."""

import math
from datetime import datetime
from functools import lru_cache

from django.db.models import Count, Exists, OuterRef, Q
from msgspec import Struct

from discussions.core.evaluation_states import LAPSED, OPEN, RETURNED, SKIPPED
from discussions.models import Evaluation, QueueRule, Slot
from discussions.models.evaluations import WORK_COLUMNS
from discussions.models.queue_rules import load_queue_rule
from discussions.models.slots import RATING
from discussions.rating.core.visibility import asked_count
from discussions.rating.queries import load_state
from workspace.models import Project

MOST_ASIDE, MOST_FREE = 20, 60


WORKING, SENT_BACK = "working", "sent_back"


class HeldSlot(Struct, frozen=True):
    """One place that somebody holds. `minutes` are left of the lease, None while none runs; `purpose` "" for rating."""

    evaluation: int
    game_number: int
    person: str
    purpose: str
    state: str
    since: datetime | None
    minutes: int | None
    judged: int
    needed: int
    comment: str


class WorkSetAside(Struct, frozen=True):
    """Work that was begun and is set aside: skipped, or its lease ended, or released by a lead."""

    evaluation: int
    game_number: int
    person: str
    purpose: str
    is_skipped: bool
    why: str
    judged: int
    is_free: bool


class KeptSlot(Struct, frozen=True):
    """A place that is kept for somebody who has not begun."""

    slot: int
    game_number: int
    person: str
    since: datetime | None
    by: str


class FreeGame(Struct, frozen=True):
    """A game with places that anybody could take."""

    number: int
    free: int


class TeamHolds(Struct, frozen=True):
    """What the live part of the page shows. `aside_count` counts all that are set aside, listed or not."""

    slug: str
    held: list[HeldSlot]
    kept: list[KeptSlot]
    aside: list[WorkSetAside]
    aside_count: int


class TeamPage(Struct, frozen=True):
    """The whole page. `free_count` counts all games with a free place, listed or not."""

    slug: str
    holds: TeamHolds
    free: list[FreeGame]
    free_count: int
    rule: QueueRule


class ReleasePage(Struct, frozen=True):
    """One place that is to be released: whose, and how far they are."""

    slug: str
    evaluation: int
    game_number: int
    person: str
    judged: int
    needed: int


def build_team_page(*, project: Project, now: datetime) -> TeamPage:
    """The page, in a fixed number of queries."""
    free = Slot.objects.filter(
        project=project,
        purpose=RATING,
        evaluator=None,
        assigned_to=None,
        is_closed=False,
        game__withdrawn_at=None,
    )
    games = free.order_by("game__number").values_list("game__number").annotate(free=Count("pk"))
    listed = [FreeGame(*row) for row in games[: MOST_FREE + 1]]
    is_more = len(listed) > MOST_FREE
    return TeamPage(
        slug=project.slug,
        holds=build_team_holds(project=project, now=now),
        free=listed[:MOST_FREE],
        free_count=free.values("game").distinct().count() if is_more else len(listed),
        rule=load_queue_rule(project),
    )


def build_team_holds(*, project: Project, now: datetime) -> TeamHolds:
    """The live part: four queries, and a few more for each evaluation that went on since it was last looked at."""
    columns = (*WORK_COLUMNS, "evaluator__name", "slot__taken_at")
    rows = Evaluation.objects.filter(game__project=project, state__in=OPEN)
    held = rows.select_related("slot", "evaluator", "game__project").only(*columns)
    places = [_held(evaluation, now) for evaluation in held.order_by("slot__taken_at", "pk")]
    aside, aside_count = _aside(project)
    return TeamHolds(project.slug, places, _kept(project), aside, aside_count)


def build_release_page(*, evaluation: Evaluation) -> ReleasePage:
    """What is asked before a place is released."""
    judged, needed = _load_progress(evaluation)
    game = evaluation.game
    return ReleasePage(
        game.project.slug, evaluation.pk, game.number, evaluation.evaluator.name, judged, needed
    )


def _held(evaluation: Evaluation, now: datetime) -> HeldSlot:
    until = evaluation.slot.lease_until
    judged, needed = _load_progress(evaluation)
    is_back = evaluation.state == RETURNED
    return HeldSlot(
        evaluation=evaluation.pk,
        game_number=evaluation.game.number,
        person=evaluation.evaluator.name,
        purpose=_said(evaluation.purpose),
        state=SENT_BACK if is_back else WORKING,
        since=evaluation.slot.taken_at,
        minutes=None if until is None else max(0, math.ceil((until - now).total_seconds() / 60)),
        judged=judged,
        needed=needed,
        comment=evaluation.returned_comment if is_back else "",
    )


def _said(purpose: str) -> str:
    return "" if purpose == RATING else purpose


def _load_progress(evaluation: Evaluation) -> tuple[int, int]:
    return _progress(evaluation.pk, evaluation.version, evaluation.game.content_sha256)


# Asked every few seconds of the same evaluations: each change of one raises its version, so the rest is remembered.
@lru_cache(maxsize=1024)
def _progress(key: int, version: int, content_sha256: str) -> tuple[int, int]:
    """(judged, needed) of an evaluation as its evaluator reads it; the hash guards against another database."""
    work = load_state(Evaluation.objects.with_work().get(pk=key))
    needed = asked_count(work.standing)
    asked = {(missing.kind, missing.subject) for missing in work.sight.missing}
    return max(needed - len(asked), 0), needed


def _kept(project: Project) -> list[KeptSlot]:
    rows = Slot.objects.filter(
        project=project, purpose=RATING, assigned_to__isnull=False, evaluator=None, is_closed=False
    )
    columns = ("pk", "game__number", "assigned_to__name", "assigned_at", "assigned_by__name")
    return [KeptSlot(*row) for row in rows.order_by("game__number", "number").values_list(*columns)]


def _aside(project: Project) -> tuple[list[WorkSetAside], int]:
    """The newest that are set aside, and how many there are."""
    free = Slot.objects.filter(
        Q(assigned_to=None) | Q(assigned_to=OuterRef("evaluator")),
        game=OuterRef("game"),
        purpose=OuterRef("purpose"),
        evaluator=None,
        is_closed=False,
    )
    rows = Evaluation.objects.filter(game__project=project, state__in=(SKIPPED, LAPSED))
    judged = Count("judgements", filter=~Q(judgements__value=""))
    named = rows.select_related("game", "evaluator").annotate(judged=judged, is_free=Exists(free))
    listed = list(named.order_by("-pk")[: MOST_ASIDE + 1])
    count = rows.count() if len(listed) > MOST_ASIDE else len(listed)
    return [_set_aside(evaluation) for evaluation in listed[:MOST_ASIDE]], count


def _set_aside(evaluation: Evaluation) -> WorkSetAside:
    is_skipped = evaluation.state == SKIPPED
    return WorkSetAside(
        evaluation=evaluation.pk,
        game_number=evaluation.game.number,
        person=evaluation.evaluator.name,
        purpose=_said(evaluation.purpose),
        is_skipped=is_skipped,
        why=evaluation.skipped_reason if is_skipped else evaluation.released_reason,
        judged=evaluation.judged,  # type: ignore[attr-defined]
        is_free=evaluation.is_free,  # type: ignore[attr-defined]
    )
