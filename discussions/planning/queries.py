"""Why an action on an iteration is not possible yet: a sentence for the disabled button and for the refusal."""

from django.db.models import Q
from django.utils.translation import gettext as _

from discussions.core.iteration_states import BASELINE, CHANGE, IMPORTING
from discussions.iterations.core.history import History
from discussions.iterations.queries import Obstacle
from discussions.models import Game, Iteration, Transcript
from workspace.models.jobs import QUEUED, RUNNING


def why_no_change(history: History) -> Obstacle | None:
    """The reason why the stage can open no change: it has no baseline, or an earlier change is not decided."""
    for iteration in history.iterations:
        if iteration.kind == CHANGE and iteration.decision is None:
            says = _(
                "Iteration %(number)d is not decided yet. One change at a time: keep it, revert it or call it "
                "inconclusive before you create a change."
            )
            return Obstacle("undecided", says % {"number": iteration.number})
    if history.reference is None:
        return Obstacle("no_baseline", _("A change is compared with a baseline. Create a baseline first."))
    return None


def why_plan_is_final(iteration: Iteration) -> Obstacle | None:
    """Why the plan of an iteration cannot change: it is open for rating, or has games imported or being imported."""
    if iteration.state != IMPORTING:
        says = _("Iteration %(number)d is open for rating; its plan is final.")
        return Obstacle("frozen", says % {"number": iteration.number})
    if iteration.replay_of_id is not None:
        says = _(
            "Iteration %(number)d plays another one again. So its prompt and its way of judging cannot be changed."
        )
        return Obstacle("replay", says % {"number": iteration.number})
    coming = Transcript.objects.filter(iteration=iteration, job__state__in=(QUEUED, RUNNING))
    if Game.objects.filter(iteration=iteration).exists() or coming.exists():
        says = _(
            "Iteration %(number)d has games already, and its plan must be made before them. Move them "
            "out, or continue with the plan as it is."
        )
        return Obstacle("has_games", says % {"number": iteration.number})
    return None


def why_judged_so(iteration: Iteration) -> Obstacle | None:
    """Why the way of judging cannot change: a change is judged like its reference, and changes depend on a baseline."""
    if iteration.kind != BASELINE:
        says = _("A change is judged like what it is compared with, else the two could not be compared.")
        return Obstacle("change", says)
    resting = Iteration.objects.filter(Q(compared_with=iteration) | Q(baseline=iteration)).order_by("number")
    if number := resting.values_list("number", flat=True).first():
        says = _("Iteration %(other)d is judged like iteration %(number)d, so that way of judging is final.")
        return Obstacle("rests", says % {"other": number, "number": iteration.number})
    return None
