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
from workspace.outbox.actions.queue import announce, mark_done, tell
from workspace.outbox.core import JUDGE_SUSPENDED
from workspace.outbox.queries import leads_of
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
    found = {key: _list_figures(*drift) for key, drift in sorted(drifts.items()) if drift[1].suspended_at}
    now = clock()
    with transaction.atomic():
        if found:
            by, (figures, *_others) = system_person(now=now), found.values()
            reason = " ".join(say_drift(*key, figures) for key, figures in found.items())
            changes = {"suspended_at": now, "suspended_by": by, "suspended_reason": reason}
            only = {"suspended_at": None, "ended_at": None}
            with suppress(Conflict):
                steer(
                    judge=judge,
                    verb="judge:suspended",
                    changes=changes,
                    only=only,
                    by=by,
                    now=now,
                    figures=figures,
                )
        finish(job=job, now=now)


def _list_figures(baseline: Baseline, drift: Drift) -> dict[str, int]:
    """How often the judge agrees with people now and did before, in percent, and of how many answers now."""
    then = 100 * baseline.agreed / max(1, baseline.items)
    return {"now": round(100 * (drift.agreement or 0)), "answers": drift.answers, "then": round(then)}


def say_drift(metric: str, side: str, figures: dict[str, int]) -> str:
    """The sentence about one metric and side."""
    says = _(
        "%(metric)s, %(side)s: it agreed with people in %(now)d %% of %(answers)d, and in %(then)d %% before."
    )
    return says % {"metric": METRIC_LABELS[metric], "side": SIDE_LABELS[side], **figures}


def tell_suspended(event: Event) -> None:
    """Tell leads and programs that a judge drifts. Whoever suspends one by hand says so on its page."""
    if event.by.is_system:
        number, subject = Judge.objects.get(pk=int(event.object_id)).number, f"judge:{event.object_id}"
        figures = {name: event.details[name] for name in ("now", "answers", "then")}
        leads = [lead.pk for lead in leads_of(event.chain.project)]
        tell(event, leads, "judge_suspended", subject, about={"judge": number, **figures}, for_leads=True)
        announce(event, JUDGE_SUSPENDED, {"judge": number})


def close_suspended(event: Event) -> None:
    mark_done(event, f"judge:{event.object_id}")
