"""What must hold of places, evaluations and judgements: the part of `manage.py verify` about human work."""

from collections.abc import Iterator
from datetime import datetime

import msgspec
from django.db.models import Count, Exists, F, Max, OuterRef, Q, Subquery

from discussions.actions.verifying_places import endings_are_told, places_hold
from discussions.core.basis import Basis
from discussions.core.moves import SUBMITTED
from discussions.models import Evaluation, Judgement, Revision, Slot, Verdict
from workspace.actions.verifying import untold
from workspace.core.verification import Check
from workspace.models import Event


def _versions_count(_now: datetime) -> Iterator[str]:
    newest = Revision.objects.filter(judgement=OuterRef("pk")).order_by("-version")
    rows = Judgement.objects.annotate(
        count=Count("revisions"),
        top=Max("revisions__version"),
        said=Subquery(newest.values("value")[:1]),
        because=Subquery(newest.values("reason")[:1]),
    )
    wrong_count = ~Q(version=F("count")) | ~Q(version=F("top")) | Q(top=None)
    for row in rows.filter(wrong_count).order_by("pk"):
        yield f"{_name(row)} is at version {row.version}, with {row.count} revisions up to version {row.top}."
    wrong_value = ~Q(value=F("said")) | ~Q(reason=F("because"))
    for row in rows.filter(wrong_value).order_by("pk"):
        yield f"{_name(row)} holds another value than its newest revision."


def _once_each(_now: datetime) -> Iterator[str]:
    twice = Judgement.objects.values("evaluation", "kind", "subject").annotate(n=Count("pk")).filter(n__gt=1)
    for same in twice.order_by("evaluation", "kind", "subject"):
        yield f"Evaluation {same['evaluation']} holds {same['n']} judgements of one {same['kind']}."
    people = Evaluation.objects.values("game", "evaluator", "purpose").annotate(n=Count("pk")).filter(n__gt=1)
    for row in people.order_by("game", "evaluator"):
        yield f"Person {row['evaluator']} has {row['n']} evaluations of the game in row {row['game']}."


def _acts_are_told(_now: datetime) -> Iterator[str]:
    verbs = ("judgement:made", "judgement:undone")
    told = dict(
        Event.objects.filter(verb__in=verbs).values_list("object_id").annotate(n=Count("pk")).order_by()
    )
    rows = Judgement.objects.annotate(count=Count("revisions")).order_by("pk")
    for row in rows.iterator(chunk_size=2000):
        if told.pop(str(row.pk), 0) != row.count:
            yield f"{_name(row)} does not have one audit line for each of its {row.count} revisions."
    for key in sorted(told):
        yield f"The audit log tells of judgement {key}, which is not there."
    everything = {str(key) for key in Evaluation.objects.values_list("pk", flat=True)}
    yield from untold("evaluation", ("game:taken",), everything)
    # A returned evaluation is submitted more than once.
    submitted = set(Event.objects.filter(verb="evaluation:submitted").values_list("object_id", flat=True))
    for one in Evaluation.objects.exclude(submitted_at=None).order_by("pk"):
        if str(one.pk) not in submitted:
            yield f"Evaluation {one.pk} was submitted, and the audit log does not tell of it."


def _drafts_do_not_count(_now: datetime) -> Iterator[str]:
    submitted = set(Evaluation.objects.exclude(submitted_at=None).values_list("pk", flat=True))
    for verdict in Verdict.objects.order_by("pk").only("pk", "basis").iterator(chunk_size=200):
        named = [one.id for one in msgspec.json.decode(verdict.basis, type=Basis).evaluations]
        for evaluation in named:
            if evaluation not in submitted:
                yield f"The verdict in row {verdict.pk} rests on evaluation {evaluation}, which was never submitted."
    late = Revision.objects.filter(
        judgement__evaluation=OuterRef("pk"), created_at__gt=OuterRef("submitted_at")
    )
    for one in Evaluation.objects.filter(Exists(late), state=SUBMITTED).order_by("pk"):
        yield f"Evaluation {one.pk} holds a revision that is newer than its submission."
    for one in Evaluation.objects.filter(state=SUBMITTED, submitted_at=None).order_by("pk"):
        yield f"Evaluation {one.pk} is submitted, but it does not say when."


def _belong_together(_now: datetime) -> Iterator[str]:
    rows = Evaluation.objects.filter(~Q(slot__game=F("game")) | ~Q(measured__game=F("game")))
    for one in rows.order_by("pk"):
        yield f"Evaluation {one.pk} names a place, or measurements, of another game."
    for one in Evaluation.objects.exclude(purpose=F("slot__purpose")).order_by("pk"):
        yield f"Evaluation {one.pk} is for something else ({one.purpose}) than its place (row {one.slot_id})."
    for slot in Slot.objects.exclude(project=F("game__project")).order_by("pk"):
        yield f"Place {slot.number} (row {slot.pk}) names another project than its game."
    others = Revision.objects.exclude(created_by=F("judgement__evaluation__evaluator"))
    for revision in others.order_by("pk"):
        yield f"Revision {revision.pk} was made by somebody other than the evaluator."


def _name(judgement: Judgement) -> str:
    return f"Judgement {judgement.pk} ({judgement.kind}) of evaluation {judgement.evaluation_id}"


EVALUATION_CHECKS: tuple[Check, ...] = (
    Check("I2", "Every judgement is the newest of all its revisions", _versions_count),
    Check("I3", "Nobody judges one thing twice, or one game twice", _once_each),
    Check("I7e", "Every act of an evaluator has its audit line, and none is extra", _acts_are_told),
    Check("I9", "Places are as many as asked for, one person in each, nobody twice on a game", places_hold),
    Check("I9e", "Every place that was given back has its audit line", endings_are_told),
    Check("I10", "Drafts count nowhere, and nothing is judged after submitting", _drafts_do_not_count),
    Check("I11e", "Evaluations, places, measurements and judgements belong to one game", _belong_together),
)
