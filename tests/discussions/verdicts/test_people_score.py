"""A metric that people refuted does not pass: their estimate is the score, and an open one is neither pass nor fail."""

from fractions import Fraction

import numpy as np
import pytest
from django.urls import reverse

from benchmarks.statistics import verdicts
from discussions.core.outcome import PeopleShare
from discussions.models import Evaluation, Iteration, Verdict
from discussions.queue.actions import take_next_game
from discussions.rating.actions import ask_more, reveal_roles, submit_evaluation
from discussions.rating.queries import load_state
from discussions.verdicts.actions import replay_verdict
from discussions.verdicts.core.people_estimate import (
    find_label_budget,
    find_people_flip,
    score_people,
)
from discussions.verdicts.core.rule import decide
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import (
    ANSWERS,
    game_of,
    list_asked,
    make_game,
    make_rating_project,
    say_all,
    say_what_is_missing,
)
from tests.factories.verdict_examples import PASSING, RUBRIC, share
from tests.factories.verdicts import fresh, preview, record
from tests.factories.versions import BY_PEOPLE, publish_with_parameters
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.statistics.means import JudgedStratum

ROLES = "role_consistency"


def stratum(judged, positive, unjudged):
    """A stratum whose judged messages are all of the sample."""
    return JudgedStratum(judged, positive, judged, positive, unjudged)


NOTHING = stratum(0, 0, 0)


@pytest.mark.parametrize(
    ("rule_counts", "choice", "counts", "is_open"),
    [
        # Nobody of ten judged it consistent: 0 of 100, clear.
        (stratum(10, 0, 90), "people", True, False),
        (stratum(10, 0, 90), "people_if_contradicted", True, False),
        (stratum(10, 0, 90), "counted", False, False),
        # Eight of ten: 80 %, with the threshold inside.
        (stratum(10, 8, 90), "people", True, True),
        (stratum(10, 8, 90), "people_if_contradicted", False, False),
        # Nobody was asked.
        (stratum(0, 0, 100), "people", True, True),
        (stratum(0, 0, 100), "people_if_contradicted", False, False),
        # Every message is judged, so nothing is left to ask.
        (stratum(100, 80, 0), "people", True, False),
    ],
)
def test_when_peoples_share_is_the_score(rule_counts, choice, counts, is_open):
    found = score_people([rule_counts, NOTHING], choice, Fraction(90), Fraction(80), judged=10, batch=10)
    assert (found.counts, found.is_open) == (counts, is_open)


def test_the_share_is_judged_messages_and_the_sample_of_each_stratum():
    found = score_people(
        [stratum(10, 6, 80), stratum(5, 1, 5)], "people", Fraction(90), Fraction(80), judged=15
    )
    # 6 of 10 stand for 80 more, 1 of 5 for 5 more: 6 + 48 + 1 + 1 = 56 of 100.
    assert (Fraction(found.numerator, found.denominator), found.share) == (Fraction(56, 100), 56)
    assert (found.judged, found.total, found.is_open) == (15, 100, False)


def test_people_who_clear_what_the_rule_objects_to_turn_a_counted_fail():
    strata = [stratum(10, 10, 20), stratum(20, 20, 50)]
    assert score_people(
        strata, "people_if_contradicted", Fraction(30), Fraction(80), judged=10, batch=10
    ).counts


@pytest.mark.parametrize(
    ("strata", "flip"),
    [
        # 10 of 10 stand for 90 more: each is worth ten, and 79.x is reached after three.
        ([stratum(10, 10, 90), NOTHING], 3),
        ([stratum(10, 8, 90), NOTHING], 1),
        ([stratum(10, 0, 90), NOTHING], 8),
        ([stratum(100, 80, 0), NOTHING], 1),
        ([stratum(100, 75, 0), NOTHING], 5),
        ([stratum(2, 0, 0), stratum(0, 0, 98)], None),
    ],
)
def test_how_many_answers_would_take_it_across(strata, flip):
    assert find_people_flip(strata, Fraction(80)) == flip


@pytest.mark.parametrize(
    ("strata", "budget"),
    [
        ([stratum(10, 10, 90), NOTHING], None),
        ([stratum(100, 80, 0), NOTHING], None),
        # At the threshold most of what is left has to be asked; ten are left, and they are one batch.
        ([stratum(20, 16, 10), NOTHING], (10, 10)),
        ([stratum(20, 16, 80), NOTHING], (70, 80)),
    ],
)
def test_how_many_more_answers_decide_an_open_metric(strata, budget):
    assert find_label_budget(tuple(strata), 80.0, 10) == budget


def test_the_chance_of_a_label_budget_is_kept():
    """Of games with a share between 50 and 100 % that are open after 20 answers, four in five are clear by then."""
    assert 0.8 <= np.mean([verdicts.try_budget(count, 100) for count in verdicts.SIZES]) <= 0.92


def test_the_share_is_not_drawn_by_who_is_asked_for_more():
    """The rows of docs/metrics.md with fewer runs: bias, and how often the 95 % interval holds the truth."""
    found = [verdicts.try_estimate(count, share, 150) for count, share in verdicts.ROWS]
    assert len(found) == 5
    assert max(abs(bias) for bias, _held, _judged in found) < 3
    assert abs(np.mean([bias for bias, _held, _judged in found])) < 1.2
    assert min(held for _bias, held, _judged in found) > 0.88


@pytest.mark.parametrize("count", verdicts.SIZES)
def test_a_decision_far_from_the_threshold_is_right_with_half_of_the_labels(count):
    far = verdicts.try_decisions(count, 120)[verdicts.DISTANCES[0]]
    right, judged = np.mean(far, axis=0)
    assert (len(far) > 30, right >= 0.95, judged <= 0.5) == (True, True, True), (right, judged)


def people(percent, *, is_open=False):
    return PeopleShare(percent, 100, 0.0, 100.0, 10, 100, 90.0, counts=True, is_open=is_open, flip=1)


def outcome_with(failing, percent, *, is_open):
    """An outcome in which so many metrics besides role consistency fail, and people call so many percent consistent."""
    keys = ("strategic_depth", "coherence", "anti_repetition")[:failing]
    scores = PASSING | {key: share(key, 0) for key in keys}
    return decide(scores, Fraction(4), None, RUBRIC, people={ROLES: people(percent, is_open=is_open)})


def test_people_decide_a_metric_that_the_rule_would_pass():
    found = outcome_with(2, 41, is_open=False)
    line = found.line(ROLES)
    assert (line.score, line.passes, line.interval) == (41.0, False, (0.0, 100.0))
    assert (found.passes, found.open, found.passed_count) == (False, [], 4)


@pytest.mark.parametrize(
    ("failing", "opened"),
    [(1, []), (2, [ROLES]), (3, [])],
    ids=["passes either way", "hangs on it", "fails either way"],
)
def test_an_outcome_is_open_only_where_it_hangs_on_the_open_metric(failing, opened):
    found = outcome_with(failing, 85, is_open=True)
    assert found.line(ROLES).is_open
    assert found.open == opened
    assert ("open" in found.headline) == bool(opened)


def make_project(people_count=1, pass_count=5):
    project = make_rating_project(evaluator_count=people_count)
    version = publish_with_parameters(**BY_PEOPLE, pass_count=pass_count)
    Iteration.objects.filter(project=project).update(rubric_version=version)
    return project


def started(project):
    by = make_member(project=project)
    evaluation = Evaluation.objects.with_work().get(pk=take_next_game(project=project, by=by, now=NOW).pk)
    say_what_is_missing(evaluation)
    reveal_roles(evaluation=evaluation, by=by, now=NOW)
    return evaluation


def answer_roles(evaluation, inconsistent):
    """Answer what is asked about roles; inconsistent are those at these places of what is asked, from 1."""
    while asked := list_asked(state := load_state(evaluation)):
        say_all(
            evaluation,
            state,
            [
                (ROLES, item.subject, "inconsistent" if place in inconsistent else "consistent")
                for place, item in enumerate(asked, start=1)
            ],
        )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("people_count", "size"), [(1, 30), (1, 60), (1, 100), (1, 200), (2, 100), (2, 200), (3, 200)]
)
def test_a_metric_that_everybody_refuted_fails_in_every_size_of_game(people_count, size):
    project = make_rating_project(evaluator_count=people_count)
    make_game(project=project, content=game_of(size))
    for _person in range(people_count):
        evaluation = started(project)
        say_what_is_missing(evaluation, answers=ANSWERS | {ROLES: "inconsistent"})
        submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    line = preview(evaluation.game).outcome.line(ROLES)
    assert (line.passes, line.score, line.is_open) == (False, 0.0, False)
    assert line.people.counted > line.people.high


def judge_open(pass_count=5):
    """A game of 100 messages under this rule, submitted with one answer in five against the rule: open."""
    project = make_project(pass_count=pass_count)
    make_game(project=project, content=game_of(100))
    evaluation = started(project)
    answer_roles(evaluation, {5, 10})
    return evaluation


@pytest.mark.django_db
def test_an_open_verdict_waits_for_answers_or_for_a_lead_with_a_reason(client):
    evaluation = judge_open(pass_count=6)
    assert len(load_state(evaluation).samples[ROLES]) == 20, (
        "a further batch is asked of everybody who is open"
    )
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    found = preview(evaluation.game)
    assert found.outcome.open == [ROLES], found.outcome.headline
    assert found.basis.format == 4 and found.basis.evaluations[0].seed == evaluation.seed
    with pytest.raises(NotAllowed, match="More judged messages decide it"):
        record(fresh(evaluation.game))
    lead = make_lead(project=evaluation.game.project)
    with pytest.raises(Unacceptable, match="Say why it is recorded"):
        record(fresh(evaluation.game), by=lead)
    verdict = record(fresh(evaluation.game), by=lead, reason="The release cannot wait")
    assert verdict.reason == "The release cannot wait"
    assert verdict.passes is bool(found.outcome.passes)
    assert replay_verdict(verdict=Verdict.objects.get(pk=verdict.pk)).differences == []
    client.force_login(lead)
    project, number = verdict.game.project.slug, verdict.game.number
    for page in ("games", "game", "verdict", "report"):
        named = [project] if page == "games" else [project, number]
        assert "open" in client.get(reverse(page, args=named)).content.decode(), page


@pytest.mark.django_db
def test_the_evaluator_judges_more_messages_until_it_is_clear(client):
    evaluation = judge_open()
    client.force_login(evaluation.evaluator)
    page = client.get(reverse("rate", args=[evaluation.pk]) + "?step=review").content.decode()
    assert "Judge more messages" in page
    for batch in (1, 2):
        what = ask_more(evaluation=evaluation, metric=ROLES, by=evaluation.evaluator, now=NOW)
        assert what == f"more:{ROLES}:{batch}"
        assert len(list_asked(load_state(evaluation))) == 10
        with pytest.raises(Unacceptable):
            ask_more(evaluation=evaluation, metric=ROLES, by=evaluation.evaluator, now=NOW)
        answer_roles(evaluation, set())
        if not load_state(evaluation).own_outcome.line(ROLES).is_open:
            break
    assert len(load_state(evaluation).samples[ROLES]) == 20 + 10 * batch
    with pytest.raises(Unacceptable, match="the result is clear"):
        ask_more(evaluation=evaluation, metric=ROLES, by=evaluation.evaluator, now=NOW)
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    found = preview(evaluation.game)
    assert (found.outcome.open, found.outcome.line(ROLES).passes) == ([], True)
    assert found.basis.evaluations[0].more == {ROLES: batch}
    verdict = record(fresh(evaluation.game))
    assert replay_verdict(verdict=Verdict.objects.get(pk=verdict.pk)).differences == []
