"""The save contract (spec 6.1): what was acknowledged is stored once, and nothing is overwritten unseen."""

import pytest

from discussions.actions.judging import judge
from discussions.models import Evaluation, Judgement, Reveal, Revision
from discussions.models.standings import work_of
from tests.factories import NOW, make_member, moment
from tests.rated import ready_to_submit, say, start, submitted
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.revisions import Act
from workspace.models import Event

pytestmark = pytest.mark.django_db


def stored(evaluation, kind="coherence", subject="5"):
    return Judgement.objects.get(evaluation=evaluation, kind=kind, subject=subject)


def test_an_act_is_a_value_a_revision_and_an_audit_line():
    evaluation = start()
    before = Event.objects.count()
    saved = say(evaluation, "coherence", "5", "yes", took_ms=1200, now=moment(3))
    row = stored(evaluation)
    assert (row.value, row.version, row.blind_value) == ("yes", 1, "yes")
    assert (saved.revision.version, saved.revision.phase, saved.revision.took_ms) == (1, "blind", 1200)
    assert saved.revision.created_at == moment(3)
    assert Event.objects.count() == before + 1
    assert Event.objects.latest("pk").verb == "judgement:made"


def test_the_same_act_again_gives_the_stored_result_and_writes_nothing():
    evaluation = start()
    first = say(evaluation, "coherence", "5", "yes", version=0, key="k")
    events = Event.objects.count()
    again = say(evaluation, "coherence", "5", "yes", version=0, key="k", now=moment(30))
    assert again.is_repeated
    assert again.revision == first.revision
    assert again.revision.created_at == NOW
    assert (Revision.objects.count(), Event.objects.count()) == (1, events)


def test_a_repetition_is_answered_after_the_evaluation_was_handed_in():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", version=0, key="k")
    Evaluation.objects.filter(pk=evaluation.pk).update(state="submitted")
    assert say(evaluation, "coherence", "5", "yes", version=0, key="k").is_repeated


@pytest.mark.parametrize(
    "changed", [{"value": "no"}, {"version": 1}, {"subject": "6"}, {"reason": "because"}]
)
def test_the_same_key_with_another_body_is_refused(changed):
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", version=0, key="k")
    act = {"kind": "coherence", "subject": "5", "value": "yes", "version": 0, "key": "k"} | changed
    with pytest.raises(Unacceptable, match="already saved with another answer"):
        judge(evaluation=evaluation, act=Act(**act), by=evaluation.evaluator, now=NOW)
    assert Revision.objects.count() == 1


def test_a_key_belongs_to_one_person():
    one = start()
    other = start(project=one.game.project)
    say(one, "coherence", "5", "yes", key="k")
    assert not say(other, "coherence", "5", "no", key="k").is_repeated


def test_a_key_longer_than_its_column_still_finds_its_act():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", version=0, key="k" * 500)
    assert say(evaluation, "coherence", "5", "yes", version=0, key="k" * 500).is_repeated
    assert not say(evaluation, "coherence", "6", "yes", version=0, key="k" * 501).is_repeated


def test_a_stale_version_is_a_conflict_that_shows_both_and_overwrites_nothing():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", version=0, now=moment(1))
    with pytest.raises(Conflict) as caught:
        say(evaluation, "coherence", "5", "no", version=0)
    detail = caught.value.detail
    assert (detail["yours"], detail["stored"], detail["version"]) == ("no", "yes", 1)
    assert detail["stored_at"] == moment(1)
    assert (stored(evaluation).value, Revision.objects.count()) == ("yes", 1)


@pytest.mark.parametrize("version", [1, 7])
def test_a_version_that_was_never_there_is_a_conflict(version):
    evaluation = start()
    with pytest.raises(Conflict):
        say(evaluation, "coherence", "5", "no", version=version)
    assert not Judgement.objects.exists()


def test_an_absent_field_stays_and_an_empty_one_clears():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", reason="it names Ann")
    say(evaluation, "coherence", "5", None, reason="it answers Ann")
    assert (stored(evaluation).value, stored(evaluation).reason) == ("yes", "it answers Ann")
    say(evaluation, "coherence", "5", "no")
    assert (stored(evaluation).value, stored(evaluation).reason) == ("no", "it answers Ann")
    say(evaluation, "coherence", "5", "")
    assert (stored(evaluation).value, stored(evaluation).version) == ("", 4)


@pytest.mark.parametrize(
    ("kind", "subject", "value"),
    [
        ("coherence", "999", "yes"),
        ("reference", "1.1", "accurate"),
        ("rating", "", "2.7"),
        ("nothing", "", ""),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_is_written(kind, subject, value):
    evaluation = start()
    with pytest.raises(Unacceptable):
        say(evaluation, kind, subject, value, version=0)
    assert not (Judgement.objects.exists() or Revision.objects.exists())


def test_nobody_judges_in_the_place_of_another():
    evaluation = start()
    stranger = make_member(project=evaluation.game.project)
    act = Act(kind="coherence", subject="5", value="yes", version=0, key="k")
    with pytest.raises(NotAllowed):
        judge(evaluation=evaluation, act=act, by=stranger, now=NOW)


def test_what_was_handed_in_is_not_judged_any_more():
    evaluation = submitted()
    with pytest.raises(NotAllowed, match="was submitted"):
        say(evaluation, "coherence", "5", "no")


def test_judging_for_oneself_reveals_and_keeps_the_blind_answer():
    evaluation = start()
    subject = work_of(evaluation).ground.counted[0]
    saved = say(evaluation, "reference", subject, "accurate")
    assert saved.revealed == {f"reference:{subject}"}
    assert Reveal.objects.get(evaluation=evaluation).what == f"reference:{subject}"
    changed = say(evaluation, "reference", subject, "inaccurate", reason="Bea did")
    row = stored(evaluation, "reference", subject)
    assert (row.value, row.blind_value, changed.revision.phase) == ("inaccurate", "accurate", "revealed")
    assert changed.revealed == frozenset()


def test_every_revision_is_kept_and_the_version_counts_them():
    evaluation = ready_to_submit()
    say(evaluation, "rating", "", "4.0")
    for judgement in evaluation.judgements.all():
        versions = list(judgement.revisions.order_by("version").values_list("version", flat=True))
        assert versions == list(range(1, judgement.version + 1))
    assert Evaluation.objects.get(pk=evaluation.pk).version == Revision.objects.count() + 1  # and the roles
