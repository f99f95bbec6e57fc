"""Projects as games need them: with the iteration in which games wait until somebody sorts them, and its rules."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.actions.fitting import fit_places
from discussions.models import Game, Iteration
from discussions.models.iterations import IDENTIFICATIONS
from discussions.models.needed import with_verdict, without_verdict
from discussions.permissions import check_change_iteration
from rubric.actions.publishing import publish_first_versions
from rubric.core.records import DISCUSSION
from rubric.models import RubricVersion
from workspace.actions.accounts import system_person
from workspace.actions.events import record_event
from workspace.actions.projects import create_project
from workspace.core.refusals import Unacceptable
from workspace.models import Person, Project

UNSORTED_NAME = "Unsorted"
COUNTS = range(1, 11)


def open_project(*, slug: str, name: str, by: Person, now: datetime) -> Project:
    """Create a project together with its unsorted iteration under the newest discussion version.

    A database without any version gets the shipped ones first. Raises what `create_project` raises.
    """
    with transaction.atomic():
        project = create_project(slug=slug, name=name, by=by, now=now)
        Iteration.objects.create(
            project=project,
            number=1,
            name=UNSORTED_NAME,
            rubric_version=_newest_version(now),
            created_at=now,
            created_by=by,
        )
    return project


def change_iteration(
    *,
    iteration: Iteration,
    identification: str,
    by: Person,
    now: datetime,
    evaluator_count: int | None = None,
) -> None:
    """Say how the unsorted games are judged: how they ask who said it, and by how many evaluators each; None stays.

    The form holds for places taken from now on: whoever has begun keeps the form they began with, so that no transcript
    closes again. The number holds for games that come in, and for those without a verdict: further places open, free
    ones that nobody needs close, work that was begun goes on. Games with a verdict keep the number it was recorded
    under. The same values change nothing. Raises NotAllowed, and Unacceptable for a value there is not.
    """
    check_change_iteration(by, iteration.project)
    if identification not in dict(IDENTIFICATIONS):
        raise Unacceptable(_("Choose the question or the test."), field="identification")
    if evaluator_count is not None and evaluator_count not in COUNTS:
        raise Unacceptable(_("A game is rated by 1 to 10 evaluators."), field="evaluator_count")
    with transaction.atomic():
        rows = Iteration.objects.select_related("project").filter(stage=None)
        locked = rows.select_for_update(of=("self",), no_key=True).get(pk=iteration.pk)
        detail: dict[str, object] = {}
        if locked.identification != identification:
            detail["identification"] = locked.identification = identification
        if evaluator_count is not None and locked.evaluator_count != evaluator_count:
            detail |= _ask_for(locked, evaluator_count, by, now)
        if not detail:
            return
        locked.save(update_fields=["identification", "evaluator_count"])
        record_event(
            by=by,
            now=now,
            project=iteration.project,
            verb="iteration:changed",
            object_kind="iteration",
            object_id=iteration.pk,
            detail=detail,
        )


def _ask_for(iteration: Iteration, count: int, by: Person, now: datetime) -> dict[str, object]:
    """Change the number, the games' own ones and their places; what the audit line tells of that."""
    before, iteration.evaluator_count = iteration.evaluator_count, count
    # Whoever measures one of these games, takes or gives back a place waits until its places fit.
    games = Game.objects.filter(iteration=iteration).order_by("pk")
    list(games.select_for_update(no_key=True).values_list("pk", flat=True))
    recorded = with_verdict(iteration).filter(needed_count=None)
    kept = sorted(recorded.values_list("number", flat=True))
    says = _("Its verdict was recorded when %(count)d were asked for.") % {"count": before}
    recorded.update(needed_count=before, needed_at=now, needed_by=by, needed_reason=says)
    # What a lead said is enough for one game, and is no fewer now, needs no saying any more.
    nothing = {"needed_count": None, "needed_at": None, "needed_by": None, "needed_reason": ""}
    without_verdict(iteration).filter(needed_count__gte=count).update(**nothing)
    Iteration.objects.filter(pk=iteration.pk).update(evaluator_count=count)
    fitted = fit_places(games=without_verdict(iteration).values_list("pk", flat=True))
    told = {"from": before, "evaluator_count": count, "kept": kept}
    return told | {"opened": fitted.opened, "closed": fitted.closed}


def _newest_version(now: datetime) -> RubricVersion:
    newest = RubricVersion.objects.newest(DISCUSSION)
    if newest is None:
        publish_first_versions(by=system_person(now=now), now=now)
        newest = RubricVersion.objects.newest(DISCUSSION)
    assert newest is not None
    return newest
