"""Invariants of judges: part of `manage.py verify`."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Exists, F, OuterRef, Q

from discussions.core.judgement_kinds import VALUES
from discussions.judges.actions.prompts import read_reply
from discussions.judges.actions.runs import compute_identity
from discussions.judges.core.prompts import READER
from discussions.models import Admission, Judge, JudgeAnswer, JudgePrompt, JudgeReply
from discussions.models.judges import ANSWERED
from workspace.checks.actions import missing_events
from workspace.checks.core import Checks
from workspace.models import Event

JUDGE_CHECKS = Checks()


@JUDGE_CHECKS.add("I10j", "Every judge is the model, parameters and prompt that its hash says")
def _judges_are_who_they_are(_now: datetime) -> Iterator[str]:
    for judge in Judge.objects.order_by("pk"):
        if compute_identity(judge.model, judge.parameters, judge.prompt) != judge.identity:
            yield f"Judge {judge.pk} is not the one that it was added as."
    yield from missing_events(("judge", "judge:added", Judge.objects.all()))
    for prompt in JudgePrompt.objects.exclude(game__project=F("judge__project")).order_by("pk"):
        yield f"Prompt {prompt.pk} asks a judge about a game of another project."


@JUDGE_CHECKS.add("I10a", "Every answer of a judge is what its reader read, and none is extra")
def _answers_are_as_read(_now: datetime) -> Iterator[str]:
    replies = JudgeReply.objects.filter(prompt=OuterRef("pk"), error_code="")
    lost = JudgePrompt.objects.filter(
        Q(state=ANSWERED) & ~Exists(replies) | ~Q(state=ANSWERED) & Q(answers__gt=0)
    )
    for prompt in lost.order_by("pk").distinct():
        yield f"Prompt {prompt.pk} is {prompt.state}, which its answers do not say."
    for kind, values in VALUES.items():
        for answer in (
            JudgeAnswer.objects.filter(prompt__kind=kind).exclude(value__in=("", *values)).order_by("pk")
        ):
            yield f"Answer {answer.pk} of a judge is {answer.value!r}, which is no answer to {kind}."
    rows = JudgeReply.objects.filter(error_code="", reader=READER).select_related("prompt").order_by("pk")
    for reply in rows.iterator(chunk_size=200):
        read, _flags = read_reply(reply.prompt, reply.text, reply.finish_reason)
        found = {reply.prompt.subjects[item - 1]: value for item, value in read.items()}
        if found != dict(reply.prompt.answers.values_list("subject", "value")):
            yield f"Prompt {reply.prompt_id} holds other answers than its reader reads."


@JUDGE_CHECKS.add(
    "I10s", "Of each metric and side one judge is admitted, none that is stopped, and each by a lead"
)
def _admissions_hold(_now: datetime) -> Iterator[str]:
    open_rows = Admission.objects.filter(ended_at=None)
    for row in open_rows.exclude(judge__suspended_at=None, judge__ended_at=None).order_by("pk"):
        yield f"Judge {row.judge_id} is admitted for {row.metric}, although it is suspended or ended."
    places = (
        open_rows.values("judge__project", "metric", "side").annotate(many=Count("pk")).filter(many__gt=1)
    )
    for place in places.order_by("judge__project", "metric", "side"):
        yield f"Project {place['judge__project']} has {place['many']} judges admitted for {place['metric']}."
    for row in Admission.objects.order_by("pk"):
        if row.figures.get("use") != row.use:
            yield f"Admission {row.pk} lets a judge do what its contract did not say."
    for judge in Judge.objects.annotate(many=Count("admissions")).order_by("pk"):
        told = Event.objects.filter(verb="judge:admitted", object_id=str(judge.pk)).count()
        if told != judge.many:
            yield f"The audit log tells of {told} admissions of judge {judge.pk}; there are {judge.many}."
