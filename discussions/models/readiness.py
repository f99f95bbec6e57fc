"""Why something cannot be done to an iteration yet: one sentence for the greyed button and for the refusal."""

from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from discussions.core.compare import look_refusal
from discussions.core.compared import KEEP
from discussions.core.game_figures import numbered
from discussions.core.history import History
from discussions.core.iteration_moves import BASELINE, CHANGE, IMPORTING
from discussions.models.decision_bases import DecisionPreview
from discussions.models.games import Game, Transcript
from discussions.models.iterations import Iteration, Stage
from discussions.models.measurements import Measured
from workspace.models.jobs import QUEUED, RUNNING


class Why(NamedTuple):
    """A code for programs, a sentence for people."""

    code: str
    says: str


def why_no_change(history: History) -> Why | None:
    """Why no change can be opened in the stage: there is no baseline, or an earlier change is not decided."""
    for each in history.iterations:
        if each.kind == CHANGE and each.decision is None:
            says = _(
                "Iteration %(number)d is not decided yet. One change at a time: keep it, revert it or call it "
                "inconclusive first."
            )
            return Why("undecided", says % {"number": each.number})
    if history.reference is None:
        return Why("no_baseline", _("A change is compared with a baseline. Open a baseline first."))
    return None


def why_plan_is_final(iteration: Iteration) -> Why | None:
    """Why the plan of an iteration cannot be made anew: it is open for rating, or games are in or on their way."""
    if iteration.state != IMPORTING:
        says = _("Iteration %(number)d is open for rating; its plan is final.")
        return Why("frozen", says % {"number": iteration.number})
    coming = Transcript.objects.filter(iteration=iteration, job__state__in=(QUEUED, RUNNING))
    if Game.objects.filter(iteration=iteration).exists() or coming.exists():
        says = _(
            "Games of iteration %(number)d are in already, and its plan is made before them. Move them out, or go "
            "on with the plan as it is."
        )
        return Why("has_games", says % {"number": iteration.number})
    return None


def why_judged_so(iteration: Iteration) -> Why | None:
    """Why another way of judging cannot be chosen: a change takes over its reference's, or changes rest on it."""
    if iteration.kind != BASELINE:
        says = _("A change is judged like what it is compared with, else the two could not be compared.")
        return Why("change", says)
    resting = Iteration.objects.filter(Q(compared_with=iteration) | Q(baseline=iteration)).order_by("number")
    if number := resting.values_list("number", flat=True).first():
        says = _("Iteration %(other)d is judged like iteration %(number)d, so that way of judging is final.")
        return Why("rests", says % {"other": number, "number": iteration.number})
    return None


def why_rules_are_final(stage: Stage) -> Why | None:
    """Why a stage cannot count its successes in another way: an iteration of it was opened under these rules."""
    opened = Iteration.objects.filter(stage=stage).exclude(opened_at=None).order_by("opened_at")
    number = opened.values_list("number", flat=True).first()
    if number is None:
        return None
    says = _(
        "Iteration %(number)d was opened for rating, and the row of successes is counted in this way. Name and goal "
        "can still be changed; the next stage can be counted in another way."
    )
    return Why("rules_final", says % {"number": number})


def why_unready(iteration: Iteration) -> Why | None:
    """Why an iteration that is open for import cannot be opened for rating: too few games, or not all are measured."""
    if why := why_coming(iteration):
        return why
    games = Game.objects.filter(iteration=iteration, withdrawn_at=None)
    given: dict[str, Any] = {
        "number": iteration.number,
        "there": games.count(),
        "least": iteration.least_games,
    }
    if given["there"] < iteration.least_games:
        says = _(
            "Iteration %(number)d has %(there)d games and needs at least %(least)d. Import the others first."
        )
        return Why("too_few", says % given)
    bare = games.filter(~Exists(measured_for(iteration))).order_by("number")
    if numbers := list(bare.values_list("number", flat=True)):
        says = _("Still being measured: %(games)s. Wait for the figures, then open the iteration for rating.")
        return Why("measuring", says % {"games": numbered(numbers)})
    return None


def why_coming(iteration: Iteration) -> Why | None:
    """Why the list of games cannot be frozen yet: some of them are on their way."""
    coming = Transcript.objects.filter(iteration=iteration, job__state__in=(QUEUED, RUNNING)).count()
    if not coming:
        return None
    says = _("%(count)d uploads are still being read. Wait until their games are in, or cancel them.")
    return Why("reading", says % {"count": coming})


def why_undecidable(preview: DecisionPreview, choice: str = "") -> Why | None:
    """Why a change cannot be decided on: one look too many, or for keeping it figures that are not in.

    What nobody decided on yet can still be taken back without a look, so that the stage goes on.
    """
    if refusal := look_refusal(preview.basis.look):
        return Why("too_many_looks", refusal) if choice == KEEP or preview.decided else None
    pending = preview.basis.pending
    if choice == KEEP and (pending or not preview.has_games):
        says = _("The figures of %(games)s are not in yet, and a change is kept on what all its games show.")
        return Why("pending", says % {"games": numbered(pending) if pending else _("any game")})
    return None


def measured_for(iteration: Iteration) -> "QuerySet[Measured]":
    """The measurements of the outer query's game that count in that iteration."""
    return Measured.objects.filter(game=OuterRef("pk"), rubric_version=iteration.rubric_version_id)
