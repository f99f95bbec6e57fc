"""Undo: the previous revision comes back as a new one, newest act first."""

import pytest

from discussions.actions.judging import undo
from discussions.models import Judgement, Reveal, Revision
from discussions.models.standings import work_of
from tests.factories import NOW, make_member
from tests.rated import say, start, submitted
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def take_back(evaluation, key, **given):
    return undo(evaluation=evaluation, key=key, by=evaluation.evaluator, now=NOW, **given)


def value(evaluation, subject, kind="coherence"):
    return Judgement.objects.get(evaluation=evaluation, kind=kind, subject=subject).value


def test_acts_are_taken_back_newest_first():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", reason="names")
    say(evaluation, "coherence", "5", "no", reason="does not")
    say(evaluation, "coherence", "6", "yes")
    take_back(evaluation, "u1")
    assert (value(evaluation, "5"), value(evaluation, "6")) == ("no", "")
    saved = take_back(evaluation, "u2")
    assert value(evaluation, "5") == "yes"
    assert saved.revision.reason == "names"
    assert saved.revision.undoes == 2
    take_back(evaluation, "u3")
    assert value(evaluation, "5") == ""
    assert Judgement.objects.get(evaluation=evaluation, subject="5").version == 4
    with pytest.raises(Unacceptable, match="nothing left to undo"):
        take_back(evaluation, "u4")
    assert Event.objects.latest("pk").verb == "judgement:undone"


def test_one_thing_can_be_taken_back_alone():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    say(evaluation, "coherence", "6", "yes")
    take_back(evaluation, "u", kind="coherence", subject="5")
    assert (value(evaluation, "5"), value(evaluation, "6")) == ("", "yes")


def test_undoing_twice_under_one_key_is_once():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    say(evaluation, "coherence", "6", "yes")
    first = take_back(evaluation, "u")
    assert take_back(evaluation, "u").revision == first.revision
    assert value(evaluation, "5") == "yes"
    with pytest.raises(Unacceptable):
        take_back(evaluation, "u", kind="coherence", subject="5")


def test_an_act_after_an_undo_can_be_taken_back_too():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    take_back(evaluation, "u1")
    say(evaluation, "coherence", "5", "no")
    take_back(evaluation, "u2")
    assert value(evaluation, "5") == ""
    assert Revision.objects.count() == 4


def test_what_was_shown_stays_shown():
    evaluation = start()
    subject = work_of(evaluation).ground.counted[0]
    say(evaluation, "reference", subject, "accurate")
    take_back(evaluation, "u")
    assert Reveal.objects.filter(evaluation=evaluation, what=f"reference:{subject}").exists()
    assert Revision.objects.latest("pk").phase == "revealed"
    assert Judgement.objects.get(kind="reference").blind_value == "accurate"


def test_a_mark_is_not_taken_back_under_its_label():
    evaluation = start()
    free = next(n for n in range(1, 13) if f"{n}.1" not in work_of(evaluation).ground.counted)
    subject = f"{free}.1"
    say(evaluation, "missed", subject, "yes")
    say(evaluation, "reference", subject, "accurate")
    if subject not in work_of(evaluation).ground.possible:
        with pytest.raises(Unacceptable, match="Clear the label first"):
            take_back(evaluation, "u", kind="missed", subject=subject)
    take_back(evaluation, "u1")
    take_back(evaluation, "u2")
    assert value(evaluation, subject, "missed") == ""


def test_only_ones_own_open_evaluation():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    stranger = make_member(project=evaluation.game.project)
    with pytest.raises(NotAllowed):
        undo(evaluation=evaluation, key="u", by=stranger, now=NOW)
    with pytest.raises(NotAllowed, match="was submitted"):
        take_back(submitted(), "u")
