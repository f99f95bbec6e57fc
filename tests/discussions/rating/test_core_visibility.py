"""Blind first (spec 1.6): what may be seen when, what is still missing, and in which phase a judgement is made.

The transcript stays closed until the test of who said it is answered and opened, under every setting.
"""

from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from discussions.core import evaluation_states, judgement_kinds
from discussions.core.judgement_kinds import JudgeableSubjects, find_judgement_fault
from discussions.rating.core import visibility as seen
from discussions.rating.core.refusals import why_not_in_test, why_not_yet
from discussions.rating.core.visibility import (
    Progress,
    compute_visibility,
    due_reveals,
    get_phase,
)

GROUND = JudgeableSubjects(
    message_count=12,
    sentences=(2,) * 12,
    is_by_message=False,
    counted=("3.1", "7.2"),
    possible=("9.1",),
    speakers=(1, 2, 3),
    phrases=frozenset({"1|i think that"}),
    question_count=5,
)


SAMPLES = {"strategic_depth": (2, 5), "coherence": (4, 6), "role_consistency": (1, 8)}


@dataclass
class Rater:
    """An evaluation played in memory: judges, and is shown what is due, as the actions do it."""

    reveal: str = "blind_first"
    values: dict = field(default_factory=dict)
    revealed: frozenset = frozenset()
    is_recorded: bool = False

    @property
    def progress(self):
        return Progress(
            self.reveal,
            self.is_recorded,
            GROUND,
            {kind: {s: v for s, v in of.items() if v} for kind, of in self.values.items()},
            self.revealed,
            SAMPLES,
            (4, 8, 11),
            4,
            Fraction(3),
        )

    def judge(self, kind, subject, value):
        phase = get_phase(self.progress, kind, subject)
        self.values.setdefault(kind, {})[subject] = value
        self.revealed |= due_reveals(self.progress)
        return phase

    def reveal_roles(self):
        self.revealed |= {"roles"}

    @property
    def visibility(self):
        return compute_visibility(self.progress)

    def rate(self, rating="3.5"):
        for number in range(1, 6):
            self.judge("question", str(number), "yes")
        self.judge("rating", "", rating)
        return self

    def do_before_roles(self, rating="3.5"):
        self.rate(rating)
        for subject in GROUND.counted:
            self.judge("reference", subject, "accurate")
        for metric in ("strategic_depth", "coherence"):
            for position in SAMPLES[metric]:
                self.judge(metric, str(position), "yes")

    def do_roles(self):
        self.reveal_roles()
        for position in (1, 4, 8, 11):
            self.judge("role_consistency", str(position), "consistent")


def test_at_first_nothing_of_the_machine_is_seen():
    first = Rater().visibility
    assert not (first.checks or first.findings or first.figures)
    assert not (first.roles or first.preview or first.cost or first.facts or first.can_reveal_roles)


def test_the_missing_things_come_in_the_order_of_the_steps():
    steps = [missing.step for missing in Rater().visibility.missing]
    assert steps == ["engagement"] * 6 + ["references"] * 2 + ["depth"] * 2 + ["coherence"] * 2 + ["roles"]
    assert Rater().visibility.missing[0].says == "Question 1 is not answered yet."
    assert Rater().visibility.missing[6].says == "The reference in message 3 has no label yet."


def test_checks_are_seen_once_all_references_are_labelled_and_stay_seen():
    rater = Rater().rate()
    assert rater.judge("reference", "3.1", "accurate") == "blind"
    assert rater.visibility.checks == frozenset()
    assert rater.judge("reference", "3.1", "inaccurate") == "blind"
    assert rater.judge("reference", "7.2", "vague") == "blind"
    assert rater.visibility.checks == {"3.1", "7.2"}
    assert rater.judge("reference", "3.1", "accurate") == "revealed"
    rater.judge("reference", "3.1", "")
    assert rater.visibility.checks == {"3.1", "7.2"}
    assert rater.judge("reference", "9.1", "vague") == "blind"
    assert rater.visibility.checks == {"3.1", "7.2"}, "a reference has no label again"
    rater.judge("reference", "3.1", "accurate")
    assert rater.visibility.checks == {"3.1", "7.2", "9.1"}


def automatic(visibility):
    """What of the automatic values is seen."""
    return visibility.checks | visibility.findings | visibility.figures


@pytest.mark.parametrize("last", ["1", "3", "5", ""])
def test_nothing_automatic_is_seen_before_the_questions_and_the_rating(last):
    rater = Rater()
    judged = [("reference", subject, "accurate") for subject in GROUND.counted]
    for metric in ("strategic_depth", "coherence"):
        judged += [(metric, str(position), "yes") for position in SAMPLES[metric]]
    judged += [("identify", player, "yes") for player in "123"]
    judged += [("question", number, "yes") for number in "12345" if number != last]
    judged += [("rating", "", "4.0")] if last else []
    for act in judged:
        assert rater.judge(*act) == "blind"
        assert not automatic(rater.visibility)
        assert not rater.visibility.rated
    assert rater.judge("question" if last else "rating", last, "yes" if last else "4.0") == "blind"
    assert rater.visibility.rated
    assert rater.visibility.checks == {"3.1", "7.2"}
    assert rater.visibility.findings == {"strategic_depth", "coherence"}
    assert rater.visibility.figures == set(seen.METRICS) - {"role_consistency"}


def test_a_rating_that_does_not_fit_the_answers_opens_nothing():
    rater = Rater().rate("2.5")
    for position in ("4", "6"):
        rater.judge("coherence", position, "yes")
    assert not automatic(rater.visibility)
    rater.judge("rating", "", "3.0")
    assert rater.visibility.findings == {"coherence"}


def test_a_rating_or_answer_is_no_longer_blind_once_something_automatic_was_seen():
    rater = Rater().rate()
    assert rater.judge("rating", "", "4.0") == "blind"
    for position in ("4", "6"):
        rater.judge("coherence", position, "yes")
    assert rater.judge("rating", "", "4.5") == "revealed"
    assert rater.judge("question", "2", "no") == "revealed"
    rater.judge("rating", "", "")
    assert rater.judge("strategic_depth", "2", "yes") == "blind"
    assert rater.judge("strategic_depth", "5", "yes") == "blind"
    assert rater.visibility.findings == {"coherence"}, "there is no rating now"
    assert rater.judge("rating", "", "4.0") == "revealed"
    assert rater.visibility.findings == {"coherence", "strategic_depth"}


def test_findings_of_a_metric_are_seen_after_its_sample():
    rater = Rater().rate()
    assert rater.judge("coherence", "4", "yes") == "blind"
    assert rater.visibility.findings == frozenset()
    assert rater.judge("coherence", "6", "no") == "blind"
    assert rater.visibility.findings == {"coherence"}
    assert rater.visibility.figures == {"coherence", "engagement"}
    assert rater.judge("coherence", "9", "no") == "revealed"
    assert rater.judge("strategic_depth", "9", "no") == "blind"


def test_roles_wait_for_everything_before_them():
    rater = Rater()
    assert why_not_yet(rater.progress, "role_consistency", "4", "consistent")
    rater.do_before_roles()
    assert rater.visibility.can_reveal_roles
    assert rater.visibility.figures == set(seen.METRICS) - {"role_consistency"}
    rater.reveal_roles()
    assert rater.visibility.roles
    assert [missing.subject for missing in rater.visibility.missing] == ["1", "4", "8", "11"]
    assert rater.judge("rating", "", "4.0") == "revealed"


def test_labels_of_role_consistency_are_blind_until_all_of_them_are_in():
    rater = Rater()
    rater.do_before_roles()
    rater.reveal_roles()
    for position in ("1", "4", "8"):
        assert rater.judge("role_consistency", position, "consistent") == "blind"
        assert "role_consistency" not in rater.visibility.findings
    rater.judge("role_consistency", "11", "inconsistent")
    assert "role_consistency" in rater.visibility.findings
    assert rater.visibility.preview
    assert "scores" in rater.revealed
    assert rater.judge("role_consistency", "4", "inconsistent") == "revealed"


def test_four_yes_put_the_rating_at_three_or_more():
    rater = Rater()
    rater.do_before_roles(rating="2.5")
    rater.judge("question", "5", "no")
    assert [missing.says for missing in rater.visibility.missing[:-1]] == [
        "4 of 5 answers are yes: the rubric puts the rating at 3 or more. Change the rating or an answer."
    ]
    rater.judge("question", "4", "no")
    assert rater.visibility.can_reveal_roles


def test_few_yes_with_a_high_rating_are_no_contradiction():
    rater = Rater()
    rater.do_before_roles(rating="5.0")
    for number in range(1, 6):
        rater.judge("question", str(number), "no")
    assert rater.visibility.can_reveal_roles


def test_a_marked_sentence_needs_a_label_and_keeps_its_mark_while_it_has_one():
    rater = Rater().rate()
    assert "Mark it first" in why_not_yet(rater.progress, "reference", "5.1", "accurate")
    assert "already in the list" in why_not_yet(rater.progress, "missed", "3.1", "yes")
    rater.judge("missed", "5.1", "yes")
    assert [missing.subject for missing in rater.visibility.missing[:3]] == ["3.1", "5.1", "7.2"]
    rater.judge("reference", "5.1", "accurate")
    assert "Clear the label first" in why_not_yet(rater.progress, "missed", "5.1", "")
    rater.judge("reference", "5.1", "")
    assert why_not_yet(rater.progress, "missed", "5.1", "") == ""


def test_a_possible_reference_can_be_labelled_and_is_never_asked_for():
    rater = Rater()
    assert why_not_yet(rater.progress, "reference", "9.1", "accurate") == ""
    assert "9.1" not in [missing.subject for missing in rater.visibility.missing]


def test_a_deliberate_lie_is_an_inaccurate_reference_seen_with_the_roles():
    rater = Rater()
    rater.judge("reference", "3.1", "inaccurate")
    assert "after" in why_not_yet(rater.progress, "deliberate", "3.1", "yes")
    rater.reveal_roles()
    assert why_not_yet(rater.progress, "deliberate", "3.1", "yes") == ""
    assert "inaccurate" in why_not_yet(rater.progress, "deliberate", "7.2", "yes")


def test_the_manual_check_decides_only_when_every_agent_has_an_answer():
    rater = Rater()
    assert "Agent 1 has no answer" in why_not_yet(rater.progress, "identify_decides", "", "yes")
    for player in "123":
        rater.judge("identify", player, "yes")
    assert why_not_yet(rater.progress, "identify_decides", "", "yes") == ""
    rater.judge("identify_decides", "", "yes")
    rater.judge("identify", "2", "")
    assert (
        "Agent 2 of the manual check" in [m.says for m in rater.visibility.missing if m.kind == "identify"][0]
    )


def test_alongside_shows_everything_from_the_start_and_calls_nothing_blind():
    rater = Rater(reveal="alongside")
    assert rater.visibility.checks == {"3.1", "7.2", "9.1"}
    assert rater.visibility.figures == set(seen.METRICS)
    assert rater.visibility.roles
    assert rater.judge("coherence", "4", "yes") == "revealed"
    assert "reveal" not in [missing.kind for missing in rater.visibility.missing]


def test_never_shows_nothing_of_the_machine_until_the_verdict():
    rater = Rater(reveal="never")
    rater.do_before_roles()
    rater.do_roles()
    assert not rater.visibility.missing
    assert not (
        rater.visibility.checks
        or rater.visibility.findings
        or rater.visibility.figures
        or rater.visibility.preview
    )
    assert rater.visibility.cost
    rater.is_recorded = True
    assert rater.visibility.checks
    assert rater.visibility.facts


def test_progress_counts_no_violations_before_the_roles_are_seen():
    rater = Rater()
    without_rules = 2 + 4 + 5 + 1 + 2
    assert seen.count_judged(rater.progress, rater.visibility.missing) == (0, without_rules)
    rater.do_before_roles()
    assert seen.count_judged(rater.progress, rater.visibility.missing) == (12, without_rules)
    rater.reveal_roles()
    assert seen.count_judged(rater.progress, rater.visibility.missing) == (12, without_rules + 2)
    rater.do_roles()
    assert seen.count_judged(rater.progress, rater.visibility.missing) == (16, 16)
    assert sum(len(values) for values in rater.values.values()) == 16, "a reveal is no judgement"


def test_the_count_is_the_same_after_the_reveal_where_no_rule_is_violated():
    rater = Rater()
    rater.do_before_roles()
    for progress in (rater.progress, replace(rater.progress, revealed=frozenset({"roles"}))):
        assert seen.asked_count(replace(progress, inconsistent=())) == 14


ACTS = st.lists(
    st.one_of(
        st.tuples(
            st.just("reference"), st.sampled_from(("3.1", "7.2", "9.1")), st.sampled_from(("accurate", ""))
        ),
        st.tuples(
            st.just("coherence"), st.sampled_from(("4", "6", "10")), st.sampled_from(("yes", "no", ""))
        ),
        st.tuples(
            st.just("strategic_depth"), st.sampled_from(("2", "5")), st.sampled_from(("yes", "no", ""))
        ),
        st.tuples(st.just("question"), st.sampled_from("12345"), st.sampled_from(("yes", "no", ""))),
        st.tuples(st.just("rating"), st.just(""), st.sampled_from((*judgement_kinds.RATINGS, ""))),
    ),
    max_size=40,
)


@given(ACTS)
def test_what_was_seen_is_never_hidden_again(acts):
    rater = Rater()
    for act in acts:
        before = rater.visibility
        rater.judge(*act)
        assert before.checks <= rater.visibility.checks
        assert before.findings <= rater.visibility.findings
        if not rater.visibility.rated:
            now = rater.visibility
            assert (now.checks, now.findings, now.figures) == (before.checks, before.findings, frozenset())
        assert not rater.visibility.roles


@given(ACTS, st.sampled_from(("blind_first", "never")))
def test_the_first_judgement_of_a_thing_is_blind_before_the_roles(acts, setting):
    rater = Rater(reveal=setting)
    met = set()
    for kind, subject, value in acts:
        is_asked = kind != "coherence" or int(subject) in SAMPLES["coherence"]
        if (kind, subject) not in met and is_asked:
            assert rater.judge(kind, subject, value or "yes") == "blind"
        else:
            rater.judge(kind, subject, value)
        met.add((kind, subject))


@pytest.mark.parametrize(
    ("kind", "subject", "value"),
    [
        ("coherence", "999", "yes"),
        ("coherence", "0", "yes"),
        ("coherence", "07", "yes"),
        ("coherence", "١", "yes"),
        ("coherence", "1", "maybe"),
        ("reference", "3.9", "accurate"),
        ("reference", "3", "accurate"),
        ("reference", "3.1.1", "accurate"),
        ("reference", "13.1", "accurate"),
        ("missed", "3.0", "yes"),
        ("phrase", "2|i think that", "acceptable"),
        ("identify", "4", "yes"),
        ("question", "6", "yes"),
        ("rating", "", "3.7"),
        ("rating", "", "6.0"),
        ("rating", "1", "3.0"),
        ("verdict", "", "yes"),
    ],
)
def test_what_does_not_exist_cannot_be_judged(kind, subject, value):
    assert find_judgement_fault(kind, subject, value, GROUND)


def test_every_move_leads_to_a_known_state_and_only_open_evaluations_are_judged():
    states = {
        evaluation_states.DRAFT,
        evaluation_states.SUBMITTED,
        evaluation_states.RETURNED,
        evaluation_states.SKIPPED,
        evaluation_states.LAPSED,
    }
    assert set(evaluation_states.MOVES.values()) <= states
    assert {state for state in states if not evaluation_states.why_closed(state)} == set(
        evaluation_states.OPEN
    )
    assert evaluation_states.state_after("submitted", "submit") is None
    assert evaluation_states.state_after("draft", "submit") == "submitted"
    assert evaluation_states.state_after("returned", "skip") == "skipped"


def test_why_a_lapsed_evaluation_is_closed_tells_time_from_a_lead():
    assert "Your time on this game ended" in evaluation_states.why_closed(evaluation_states.LAPSED)
    assert "A team lead released your slot" in evaluation_states.why_closed(
        evaluation_states.LAPSED, is_released=True
    )
    assert evaluation_states.why_closed(evaluation_states.DRAFT, is_released=True) == ""


TESTED = replace(GROUND, agents=(1, 3), unseen_count=2)


class InTest(Rater):
    """A rater whose evaluation begins with the test."""

    @property
    def progress(self):
        return replace(super().progress, judgeable=TESTED)


def answered(**given):
    rater = InTest(**given)
    for number in "12":
        rater.judge("attribution", number, "3")
    return rater


@pytest.mark.parametrize("setting", ["blind_first", "alongside", "never"])
def test_the_transcript_is_closed_and_nothing_else_can_be_judged(setting):
    rater = InTest(reveal=setting)
    assert not rater.visibility.transcript
    assert [missing.says for missing in rater.visibility.missing[:3]] == [
        "Message 1 of the test is assigned to nobody yet.",
        "Message 2 of the test is assigned to nobody yet.",
        "The transcript is still closed; open it after the test.",
    ]
    for kind in ("reference", "coherence", "question", "identify", "identify_decides", "phrase", "comment"):
        assert "still closed" in why_not_in_test(rater.progress, kind)
    assert why_not_in_test(rater.progress, "attribution") == ""
    assert not rater.visibility.can_reveal_roles


def test_it_opens_when_the_evaluator_opens_it_and_the_answers_stand():
    rater = answered()
    assert not rater.visibility.transcript
    assert rater.visibility.missing[0].subject == "transcript"
    rater.revealed |= {"transcript"}
    assert rater.visibility.transcript
    assert rater.visibility.missing[0].kind == "question"
    assert "are final" in why_not_in_test(rater.progress, "attribution")
    assert why_not_in_test(rater.progress, "reference") == ""


def test_answers_are_blind_whatever_the_iteration_shows():
    assert get_phase(InTest(reveal="alongside").progress, "attribution", "1") == "blind"


def test_the_test_may_decide_without_answers_to_the_question():
    rater = answered()
    rater.revealed |= {"transcript"}
    assert why_not_yet(rater.progress, "identify_decides", "", "yes") == ""
    rater.judge("identify_decides", "", "yes")
    assert "identify" not in [missing.kind for missing in rater.visibility.missing]


def test_progress_counts_the_answers_of_the_test():
    assert seen.asked_count(InTest().progress) == seen.asked_count(Rater().progress) + 2
    assert compute_visibility(Rater().progress).transcript


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
    assert find_judgement_fault(kind, subject, value, TESTED)


def test_what_the_test_asks_can_be_judged_and_there_is_none_where_the_question_is_asked():
    for value in ("1", "3", "cannot_tell", ""):
        assert find_judgement_fault("attribution", "2", value, TESTED) == ""
    assert find_judgement_fault("attribution", "1", "1", GROUND)


def test_suggested_references_are_open_until_they_are_marked_or_dismissed():
    rater = Rater()
    assert seen.open_suggestions(rater.progress) == ["9.1"]
    marked = Rater(values={"missed": {"9.1": "yes"}})
    assert seen.open_suggestions(marked.progress) == []
    before = rater.visibility
    rater.revealed |= {seen.SUGGESTIONS}
    assert seen.open_suggestions(rater.progress) == []
    assert rater.visibility == before, "dismissing them shows nothing"


def test_suggestions_are_dismissed_from_one_to_another():
    many = replace(GROUND, possible=("2.1", "9.1", "9.12", "10.2", "40.1"))
    dismissed = frozenset({seen.make_dismissal(["9.1", "9.12", "10.2"])})
    progress = replace(Rater().progress, judgeable=many, revealed=dismissed)
    assert seen.open_suggestions(progress) == ["2.1", "40.1"]
    for what in ("suggestions", "suggestions:2.1-40.1", "suggestions:9.12-9.12"):
        assert seen.is_possible_dismissal(progress, what)
    for what in ("suggestions:", "suggestions:40.1-2.1", "suggestions:2.1-3.1", "suggestions:2.1", "roles"):
        assert not seen.is_possible_dismissal(progress, what)
