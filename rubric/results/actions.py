"""The survey on whether a result is clear: an arm assigned at random before anything is shown, and two questions."""

import secrets
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from rubric.models import Comparison, Survey
from rubric.results.permissions import check_survey
from rubric.results.queries import is_asked_enough, load_survey, separated_in
from workspace.audit.actions import record_event
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.text import check_length
from workspace.models import Person

ARMS = ("with", "without")
CANNOT_TELL = "cannot"


def begin_survey(*, comparison: Comparison, by: Person, now: datetime) -> Survey:
    """Draw once whether this person sees the scores by criterion while answering; later calls return the same survey.

    Raises NotAllowed, Unacceptable if no response ranks above another.
    """
    check_survey(by, comparison.set)
    with transaction.atomic():
        survey, is_new = _drawn(comparison, by, now)
        if is_new:
            _note(survey, "survey:begun", by=by, now=now)
    return survey


def pass_survey_over(*, comparison: Comparison, by: Person, now: datetime) -> None:
    """Skip the survey and see the result at once; it is not asked again. Raises NotAllowed, Conflict if answered."""
    check_survey(by, comparison.set)
    with transaction.atomic():
        survey, _is_new = _drawn(comparison, by, now)
        _end(survey, {}, "survey:passed_over", by=by, now=now)


def answer_survey(
    *, comparison: Comparison, understood: int, named: str, text: str = "", by: Person, now: datetime
) -> None:
    """Store both answers. `named` is a criterion's key, or "cannot" ("I cannot tell"), which counts as wrong.

    Raises NotAllowed, Unacceptable, Conflict when it was not started or is answered already.
    """
    check_survey(by, comparison.set)
    if understood not in range(1, 6):
        raise Unacceptable(_("Say from 1 to 5 how well you understand it."), field="understood")
    keys = [criterion.key for criterion in comparison.set.rubric_version.to_record().criteria]
    if named not in (*keys, CANNOT_TELL):
        raise Unacceptable(_("Choose a criterion, or that you can't tell."), field="named")
    check_length(text, field="text")
    survey, found = load_survey(comparison, by), separated_in(comparison)
    if survey is None or found is None:
        raise Conflict(_("Begin the survey first."), code="survey_not_started")
    answers = {
        "understood": understood,
        "named": "" if named == CANNOT_TELL else named,
        "is_right": named in found.most,
        "text": text.strip(),
    }
    with transaction.atomic():
        _end(survey, answers, "survey:answered", by=by, now=now)


def _drawn(comparison: Comparison, person: Person, now: datetime) -> tuple[Survey, bool]:
    """The person's survey and whether it is new; a new one only for a person who has not seen the result yet."""
    survey = load_survey(comparison, person)
    if survey is not None:
        return survey, False
    if is_asked_enough(comparison, person):
        raise NotAllowed(_("You were asked enough in this set. Its results are open to you."))
    found = separated_in(comparison)
    if found is None:
        raise Unacceptable(_("No response ranks above another here, so there is nothing to ask."))
    pair = [int(found.first), int(found.second)]
    drawn = {"arm": secrets.choice(ARMS), "pair": pair, "created_at": now}
    return Survey.objects.get_or_create(comparison=comparison, person=person, defaults=drawn)


def _end(survey: Survey, answers: Mapping[str, object], verb: str, *, by: Person, now: datetime) -> None:
    """End the survey with these answers; the caller has a transaction."""
    rows = Survey.objects.filter(pk=survey.pk, answered_at=None)
    if not rows.update(answered_at=now, **answers):
        raise Conflict(_("You answered this survey already."), code="already_answered")
    _note(survey, verb, by=by, now=now)


def _note(survey: Survey, verb: str, *, by: Person, now: datetime) -> None:
    detail = {"comparison": survey.comparison.number, "arm": survey.arm}
    record_event(verb, survey, by=by, now=now, project=survey.comparison.set.project, detail=detail)
