"""The transcript stays closed until the test of who said it is answered and opened, under every setting."""

import pytest
from msgspec.structs import replace

from discussions.core import sight as seen
from discussions.core.kinds import fault_of
from discussions.core.order import why_not_in_test, why_not_yet
from discussions.core.sight import phase_of, sight
from tests.core.test_sight import GROUND, Rater

TESTED = replace(GROUND, agents=(1, 3), unseen_count=2)


class InTest(Rater):
    """A rater whose evaluation begins with the test."""

    @property
    def standing(self):
        return replace(super().standing, ground=TESTED)


def answered(**given):
    rater = InTest(**given)
    for number in "12":
        rater.judge("attribution", number, "3")
    return rater


@pytest.mark.parametrize("setting", ["blind_first", "alongside", "never"])
def test_the_transcript_is_closed_and_nothing_else_can_be_judged(setting):
    rater = InTest(reveal=setting)
    assert not rater.sight.transcript
    assert [missing.says for missing in rater.sight.missing[:3]] == [
        "Message 1 of the test is given to nobody yet.",
        "Message 2 of the test is given to nobody yet.",
        "The transcript is still closed; open it after the test.",
    ]
    for kind in ("reference", "coherence", "question", "identify", "identify_decides", "phrase", "comment"):
        assert "still closed" in why_not_in_test(rater.standing, kind)
    assert why_not_in_test(rater.standing, "attribution") == ""
    assert not rater.sight.can_reveal_roles


def test_it_opens_when_the_evaluator_opens_it_and_the_answers_stand():
    rater = answered()
    assert not rater.sight.transcript
    assert rater.sight.missing[0].subject == "transcript"
    rater.revealed |= {"transcript"}
    assert rater.sight.transcript
    assert rater.sight.missing[0].kind == "reference"
    assert "stand as they are" in why_not_in_test(rater.standing, "attribution")
    assert why_not_in_test(rater.standing, "reference") == ""


def test_answers_are_blind_whatever_the_iteration_shows():
    assert phase_of(InTest(reveal="alongside").standing, "attribution", "1") == "blind"


def test_the_test_may_decide_without_answers_to_the_question():
    rater = answered()
    rater.revealed |= {"transcript"}
    assert why_not_yet(rater.standing, "identify_decides", "", "yes") == ""
    rater.judge("identify_decides", "", "yes")
    assert "identify" not in [missing.kind for missing in rater.sight.missing]


def test_progress_counts_the_test_and_opening_the_transcript():
    assert seen.asked_count(InTest().standing) == seen.asked_count(Rater().standing) + 3
    assert sight(Rater().standing).transcript


@pytest.mark.parametrize(
    ("kind", "subject", "value"),
    [
        ("attribution", "3", "1"),
        ("attribution", "0", "1"),
        ("attribution", "01", "1"),
        ("attribution", "1", "2"),
        ("attribution", "1", "yes"),
        ("identify", "1", "yes"),
    ],
)
def test_what_the_test_does_not_ask_cannot_be_judged(kind, subject, value):
    assert fault_of(kind, subject, value, TESTED)


def test_what_the_test_asks_can_be_judged_and_there_is_none_where_the_question_is_asked():
    for value in ("1", "3", "cannot_tell", ""):
        assert fault_of("attribution", "2", value, TESTED) == ""
    assert fault_of("attribution", "1", "1", GROUND)
