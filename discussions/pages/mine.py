"""One's own evaluations: where each stands, what comes next, and which of those set aside can still go on."""

from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet
from msgspec import Struct

from discussions.core.moves import LAPSED, SKIPPED, SUBMITTED
from discussions.models import Evaluation, Judgement, Verdict
from discussions.models.slots import RATING
from discussions.pages.handed_in import in_count
from discussions.pages.queue import set_aside
from workspace.core.limits import PAGE_SIZE
from workspace.models import Membership, Person
from workspace.models.projects import EVALUATOR


class Row(Struct, frozen=True):
    """One evaluation in the person's own history; with several evaluators `in_count` of `needed` are handed in.

    `is_aside` if it was skipped, or not finished in time, `is_free` if it can then be taken up again.
    """

    evaluation: int
    project: str
    slug: str
    game_number: int
    state: str
    begun_at: datetime
    submitted_at: datetime | None
    rating: str
    is_aside: bool
    is_free: bool
    has_verdict: bool
    purpose: str
    in_count: int
    needed: int


class MinePage(Struct, frozen=True):
    """One's own evaluations, newest first; `older` is the number to go on from, 0 at the end."""

    rows: list[Row]
    older: int


def mine_page(*, person: Person, before: int = 0) -> MinePage:
    """One's own evaluations, fifty to a page; `before` continues behind the evaluation with that number."""
    own = Evaluation.objects.visible_to(person).order_by("-pk")
    if before:
        own = own.filter(pk__lt=before)
    verdict = Verdict.objects.filter(game=OuterRef("game"))
    told = own.select_related("game__project", "game__iteration").annotate(
        has_verdict=Exists(verdict), in_count=in_count(), is_free=Exists(_going_on(person))
    )
    found = list(told[: PAGE_SIZE + 1])
    ratings = _ratings(own.filter(pk__in=[one.pk for one in found]))
    rows = [
        Row(
            evaluation=one.pk,
            project=one.game.project.name,
            slug=one.game.project.slug,
            game_number=one.game_number,
            purpose=one.purpose,
            state=one.state,
            begun_at=one.created_at,
            submitted_at=one.submitted_at,
            rating=ratings.get(one.pk, ""),
            is_aside=one.state in (SKIPPED, LAPSED),
            is_free=one.is_free,
            has_verdict=one.state == SUBMITTED and one.purpose == RATING and one.has_verdict,
            in_count=one.in_count if one.state == SUBMITTED and one.purpose == RATING else 0,
            needed=one.game.evaluator_count,
        )
        for one in found[:PAGE_SIZE]
    ]
    return MinePage(rows, older=rows[-1].evaluation if len(found) > PAGE_SIZE else 0)


def _going_on(person: Person) -> "QuerySet[Evaluation]":
    """The outer query's evaluation, if it was set aside and there is a place in which it could go on."""
    rated = Membership.objects.filter(person=person, role=EVALUATOR, ended_at=None).values("project")
    return set_aside(person, rated).filter(pk=OuterRef("pk"))


def _ratings(own: "QuerySet[Evaluation]") -> dict[int, str]:
    rated = Judgement.objects.filter(evaluation__in=own.values("pk"), kind="rating", subject="")
    return dict(rated.values_list("evaluation", "value"))
