"""What is read of handed-in evaluations equals what each evaluation's own page reads, in batches of few queries."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from discussions.actions.finishing import submit_evaluation
from discussions.core import kinds
from discussions.core.sampled_accuracy import TESTED, accuracy_of
from discussions.models import Evaluation, Judgement, sampled
from discussions.models.sampled import accuracy_figures, read_evaluated
from discussions.models.standings import work_of
from tests.factories import NOW
from tests.rated import make_rating_project, ready_to_submit, say, submitted
from tests.team import evaluations_of, make_shared_game, submit_as
from tests.tested import make_testing_project, submitted_test

pytestmark = pytest.mark.django_db


def test_an_evaluation_is_read_as_its_own_page_reads_it():
    project = make_rating_project()
    evaluation = submitted(project=project, message_count=30)
    (one,) = read_evaluated(project)
    work = work_of(Evaluation.objects.with_work().get(pk=evaluation.pk))
    assert (one.game, one.evaluator, one.evaluation) == (1, evaluation.evaluator_id, evaluation.pk)
    assert one.rubric_version == evaluation.measured.rubric_version_id
    assert one.code_version == evaluation.measured.code_version
    assert one.message_count == len(work.game.messages) == 30
    assert one.samples == {metric: frozenset(sample) for metric, sample in work.samples.items()}
    assert {key: one.found.values[key] for key in one.found.values} == {
        key: value for key, value in work.machine.items() if key[0] in kinds.OF_A_MESSAGE
    }
    assert {subject for subject, (is_counted, _check) in one.found.references.items() if is_counted} == set(
        work.ground.counted
    )
    assert set(one.found.phrases) >= work.ground.phrases
    assert one.revealed == work.revealed
    assert {(each.kind, each.subject): each.blind_value for each in one.said} == {
        (row.kind, row.subject): row.blind_value
        for row in Judgement.objects.filter(evaluation=evaluation, kind__in=sampled.JUDGED)
    }
    assert one.identified is None


def test_blind_answers_of_the_sample_are_the_table():
    """Who says no to the first sampled message before the reveal, and yes to it after, has said no."""
    project = make_rating_project()
    evaluation = ready_to_submit(project=project, message_count=12)
    position = work_of(evaluation).samples[kinds.STRATEGIC_DEPTH][0]
    say(evaluation, kinds.STRATEGIC_DEPTH, str(position), "no")
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    (version,) = accuracy_figures(project).versions
    table = version.table(kinds.STRATEGIC_DEPTH)
    assert table.total == 5
    assert {cell.column for cell in table.cells} == {"yes"}
    (depth,) = [each for each in version.anchoring if each.metric == kinds.STRATEGIC_DEPTH]
    assert depth.table.total == 5
    machine = work_of(evaluation).machine[kinds.STRATEGIC_DEPTH, str(position)]
    moved = ("together", "away") if machine == "yes" else ("apart", "to_machine")
    assert depth.table.count(*moved) == 1


def test_the_manual_check_is_read_from_questions_and_from_tests():
    asked = make_rating_project()
    evaluation = ready_to_submit(project=asked)
    assert next(iter(read_evaluated(asked)), None) is None
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    assert [one.identified for one in read_evaluated(asked)] == [None]
    tested = make_testing_project()
    submitted_test(project=tested, hits=12)
    submitted_test(project=tested, hits=0)
    assert [one.identified for one in read_evaluated(tested)] == [(True, False), (True, True)]
    (version,) = accuracy_figures(tested).versions
    assert version.table(TESTED).total == 2


def test_nothing_blind_counts_where_the_machine_is_seen_from_the_start():
    project = make_rating_project(reveal="alongside")
    submitted(project=project)
    (version,) = accuracy_figures(project).versions
    assert (version.evaluations, version.blind_evaluations) == (1, 0)
    assert all(not table.total for table in version.tables)


def test_several_evaluators_of_one_game():
    game = make_shared_game(k=3)
    for evaluation in evaluations_of(game):
        submit_as(evaluation)
    (version,) = accuracy_figures(game.project).versions
    assert (version.games, version.evaluators, version.evaluations) == (1, 3, 3)
    table = version.table(kinds.COHERENCE)
    assert (table.total, table.games, table.evaluators) == (15, 1, 3)


def test_batches_are_whole_games_and_cost_the_same(monkeypatch):
    project = make_rating_project()
    for _time in range(4):
        submitted(project=project)
    counts = []
    for most in (4, 2):
        monkeypatch.setattr(sampled, "MOST_GAMES", most)
        with CaptureQueriesContext(connection) as queries:
            found = list(read_evaluated(project))
        counts.append(len(queries))
        assert [one.game for one in found] == [4, 3, 2, 1]
        assert accuracy_of(found) == accuracy_figures(project)
    assert counts == [4, 7]
    monkeypatch.setattr(sampled, "MOST_MESSAGES", 12)
    assert [one.game for one in read_evaluated(project)] == [4, 3, 2, 1]
