"""Judges that agree with people less than in their trial are suspended, after each evaluation that tells so."""

from contextlib import suppress
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.judges.actions.runs import steer
from discussions.judges.core.drift import Baseline, Drift
from discussions.judges.labels import METRIC_LABELS, SIDE_LABELS
from discussions.judges.queries import load_drifts
from discussions.models import Evaluation, Judge, JudgePrompt
from workspace.core.refusals import Conflict
from workspace.jobs.actions import Clock, enqueue, finish
from workspace.models import Event, Job
from workspace.people.actions.people import system_person

WATCH = "watch_judge"


def ask_to_watch(event: Event) -> None:
    """Queue a look at each judge that was asked about the game, by who added it: evaluators hear nothing of the job."""
    game = Evaluation.objects.filter(pk=int(event.object_id)).values("game")
    asked = JudgePrompt.objects.filter(game__in=game).values("judge")
    watched = Judge.objects.filter(pk__in=asked, suspended_at=None, ended_at=None)
    for judge in watched.select_related("project", "created_by"):
        about, by = f"judge:{judge.pk}", judge.created_by
        enqueue(project=judge.project, kind=WATCH, subject=about, input_hash="", by=by, now=event.at)


def watch_judge(*, job: Job, clock: Clock, **_given: Any) -> None:
    """Suspend the job's judge if it drifts, in the name of the system, with the figures as the reason."""
    judge = Judge.objects.select_related("project").get(pk=int(job.subject.partition(":")[2]))
    drifts = load_drifts(judge) if judge.is_active else {}
    reasons = [say_drift(key, *found) for key, found in sorted(drifts.items()) if found[1].suspended_at]
    now = clock()
    with transaction.atomic():
        if reasons:
            by = system_person(now=now)
            changes = {"suspended_at": now, "suspended_by": by, "suspended_reason": " ".join(reasons)}
            with suppress(Conflict):
                only = {"suspended_at": None, "ended_at": None}
                steer(judge=judge, verb="judge:suspended", changes=changes, only=only, by=by, now=now)
        finish(job=job, now=now)


def say_drift(key: tuple[str, str], baseline: Baseline, drift: Drift) -> str:
    """The sentence about one metric and side."""
    metric, side = key
    return _(
        "%(metric)s, %(side)s: it agreed with people in %(now)d %% of %(answers)d, and in %(then)d %% before."
    ) % {
        "metric": METRIC_LABELS[metric],
        "side": SIDE_LABELS[side],
        "now": round(100 * (drift.agreement or 0)),
        "answers": drift.answers,
        "then": round(100 * baseline.agreed / max(1, baseline.items)),
    }
