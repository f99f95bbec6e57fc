"""The team page: the open evaluations of a project, the assigned slots, and the rule of the queue."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache

from django.db.models import Count, Exists, OuterRef, Q
from msgspec import Struct

from discussions.core.evaluation_states import LAPSED, OPEN, SKIPPED
from discussions.models import Evaluation, QueueRule, Slot
from discussions.models.evaluations import WORK_COLUMNS
from discussions.models.queue_rules import load_queue_rule
from discussions.models.slots import RATING
from discussions.rating.core.visibility import count_judged
from discussions.rating.queries import load_state
from discussions.slots.core import minutes_left
from workspace.models import Project

MOST_ASIDE, MOST_FREE = 20, 60


class HeldSlot(Struct, frozen=True):
    """An open evaluation with its slot. `minutes` are left of the lease, None while no lease runs."""

    evaluation: Evaluation
    minutes: int | None
    judged: int
    needed: int


class TeamHolds(Struct, frozen=True):
    """The live part of the page. `aside` are the newest skipped and lapsed evaluations, with `judged` and `is_free`;
    `aside_count` counts all of them.
    """

    held: list[HeldSlot]
    kept: Sequence[Slot]
    aside: Sequence[Evaluation]
    aside_count: int


class TeamPage(Struct, frozen=True):
    """The whole page. `free` are the first games with free slots: (number, count); `free_count` counts all of them."""

    holds: TeamHolds
    free: list[tuple[int, int]]
    free_count: int
    rule: QueueRule


def build_team_page(*, project: Project, now: datetime) -> TeamPage:
    """The page, in a fixed number of queries."""
    free = Slot.objects.free().filter(
        project=project, purpose=RATING, assigned_to=None, game__withdrawn_at=None
    )
    games = free.order_by("game__number").values_list("game__number").annotate(Count("pk"))
    listed = list(games[: MOST_FREE + 1])
    is_more = len(listed) > MOST_FREE
    return TeamPage(
        holds=build_team_holds(project=project, now=now),
        free=listed[:MOST_FREE],
        free_count=free.values("game").distinct().count() if is_more else len(listed),
        rule=load_queue_rule(project),
    )


def build_team_holds(*, project: Project, now: datetime) -> TeamHolds:
    """The live part: four queries, and a few more for each evaluation that changed since the last call."""
    columns = (*WORK_COLUMNS, "evaluator__name", "slot__taken_at")
    rows = Evaluation.objects.filter(game__project=project, state__in=OPEN)
    started = rows.select_related("slot", "evaluator", "game__project").only(*columns)
    held = [
        HeldSlot(evaluation, minutes_left(evaluation.slot.lease_until, now), *load_progress(evaluation))
        for evaluation in started.order_by("slot__taken_at", "pk")
    ]
    kept = Slot.objects.free().filter(project=project, purpose=RATING, assigned_to__isnull=False)
    kept = kept.select_related("game", "assigned_to", "assigned_by").order_by("game__number", "number")
    return TeamHolds(held, list(kept), *_aside(project))


def load_progress(evaluation: Evaluation) -> tuple[int, int]:
    """(judged, needed) of an evaluation as its evaluator reads it."""
    return _progress(evaluation.pk, evaluation.version, evaluation.game.content_sha256)


# Called every few seconds for the same evaluations. Each change raises the version, so the others stay cached.
@lru_cache(maxsize=1024)
def _progress(key: int, version: int, content_sha256: str) -> tuple[int, int]:
    # The hash guards against another database.
    state = load_state(Evaluation.objects.with_work().get(pk=key))
    return count_judged(state.progress, state.visibility.missing)


def _aside(project: Project) -> tuple[Sequence[Evaluation], int]:
    """The newest evaluations that are paused, and how many there are."""
    free = Slot.objects.free_for(OuterRef("evaluator"))
    free = free.filter(game=OuterRef("game"), purpose=OuterRef("purpose"))
    rows = Evaluation.objects.filter(game__project=project, state__in=(SKIPPED, LAPSED))
    judged = Count("judgements", filter=~Q(judgements__value=""))
    named = rows.select_related("game", "evaluator").annotate(judged=judged, is_free=Exists(free))
    listed = list(named.order_by("-pk")[: MOST_ASIDE + 1])
    return listed[:MOST_ASIDE], rows.count() if len(listed) > MOST_ASIDE else len(listed)
