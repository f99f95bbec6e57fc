"""`verify` finds what should not be in the rows of evaluations, and nothing in what the actions leave."""

import pytest

from discussions.checks.evaluations import EVALUATION_CHECKS
from discussions.models import Evaluation, Judgement, Slot
from discussions.rating.actions import skip_game, undo
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_game, make_rating_project, say, start
from tests.factories.tampering import without_triggers
from tests.factories.verdicts import recorded_verdict
from workspace.models import Event

pytestmark = pytest.mark.django_db


def breaches():
    """Code -> sentences of every check that found something."""
    found = {check.code: list(check.find(NOW)) for check in EVALUATION_CHECKS}
    return {code: sentences for code, sentences in found.items() if sentences}


def test_nothing_is_wrong_with_what_the_actions_leave():
    recorded_verdict()
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    undo(evaluation=evaluation, key="u", by=evaluation.evaluator, now=NOW)
    other = start(project=evaluation.game.project)
    skip_game(evaluation=other, reason="later", by=other.evaluator, now=NOW)
    make_game(project=other.game.project)
    assert breaches() == {}


def judged():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    return evaluation


@pytest.mark.parametrize("change", [{"version": 2}, {"value": "no"}, {"reason": "because"}])
def test_a_judgement_that_is_not_its_newest_revision(change):
    judged()
    Judgement.objects.update(**change)
    assert "I2" in breaches()


def test_a_judgement_without_revisions():
    evaluation = judged()
    Judgement.objects.create(evaluation=evaluation, kind="coherence", subject="6", value="yes", version=1)
    assert "with 0 revisions" in breaches()["I2"][0]


def test_an_act_that_the_log_does_not_tell_of():
    judged()
    event = Event.objects.get(verb="judgement:made")
    Event.objects.create(
        chain=event.chain, seq=10**6, at=NOW, by=event.by, role="", verb="judgement:made",
        object_kind="judgement", object_id="999", mac="0" * 64,
    )  # fmt: skip
    assert breaches() == {"I7e": ["The audit log tells of judgement 999, which is not there."]}


def test_places_that_do_not_fit():
    evaluation = judged()
    Slot.objects.update(evaluator=None, taken_at=None, lease_until=None)
    assert "is not its evaluator's" in breaches()["I9"][0]
    Slot.objects.update(evaluator=make_member(project=evaluation.game.project), taken_at=NOW)
    assert "nobody works in it" in breaches()["I9"][0]
    Slot.objects.update(evaluator=evaluation.evaluator)
    assert breaches() == {}
    Slot.objects.create(game=evaluation.game, project=evaluation.game.project, number=7, shuffle=1)
    assert "has 2 places, 1 of them free, where 1 evaluators are asked for" in breaches()["I9"][0]


def test_a_lapsed_evaluation_that_holds_its_place_or_that_nobody_told_of():
    evaluation = judged()
    Evaluation.objects.update(state="lapsed")
    found = breaches()
    assert "is lapsed, but its evaluator still holds place" in found["I9"][0]
    assert found["I9e"] == [f"Evaluation {evaluation.pk} lapsed, and the audit log does not tell why."]


def test_an_open_evaluation_in_a_closed_place():
    judged()
    Slot.objects.update(is_closed=True, lease_until=None)
    assert "but its place" in breaches()["I9"][0]


def test_a_place_kept_for_somebody_who_has_another_on_the_game():
    project = make_rating_project(evaluator_count=2)
    evaluation = start(project=project)
    given = {
        "assigned_to": evaluation.evaluator,
        "assigned_at": NOW,
        "assigned_by": make_lead(project=project),
    }
    Slot.objects.filter(evaluator=None).update(**given)
    assert "is reserved for somebody who has another slot" in breaches()["I9"][0]


def test_a_place_of_another_project_or_purpose():
    judged()
    with without_triggers():
        Slot.objects.update(project=make_rating_project())
    assert "names another project than its game" in breaches()["I11e"][0]
    with without_triggers():
        Slot.objects.update(purpose="calibration")
    assert "is for something else (rating) than its place" in breaches()["I11e"][0]


def test_a_submission_that_does_not_hold_together():
    judged()
    Evaluation.objects.update(state="submitted")
    found = breaches()
    assert {"I9", "I10"} <= found.keys()


def test_rows_of_another_game():
    evaluation = judged()
    other = start()
    Evaluation.objects.filter(pk=evaluation.pk).update(slot=other.slot_id)
    assert "I11e" in breaches()
