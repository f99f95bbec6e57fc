"""Blind answers read from a project's rows: a printed table, what takes part, what never does, and how many queries.

What is read of handed-in evaluations equals what each evaluation's own page reads, in batches of few queries.
"""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from discussions.core import judgement_kinds
from discussions.models import Evaluation, Game, Judgement, Measured, Slot, TeamFigures
from discussions.rating.actions import submit_evaluation
from discussions.rating.queries import load_state
from discussions.reliability import queries as reliability_queries
from discussions.reliability.actions import ask_for_team_figures, compute_team_figures
from discussions.reliability.core.accuracy import TESTED, AccuracyFigures, compute_accuracy
from discussions.reliability.core.agreement import EvaluatorAgreement
from discussions.reliability.queries import (
    KINDS,
    TEAM_STATISTICS,
    accuracy_figures,
    agreement_figures,
    rating_agreement,
    read_evaluated,
)
from tests.factories.adjudication import list_evaluations, make_shared_game, submit_as, submitted_game
from tests.factories.authorship import make_testing_project, submitted_test
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.rating import make_rating_project, ready_to_submit, say, submitted
from tests.factories.reliability import (
    add_game,
    figure_team,
    list_people,
    make_agreeing_project,
    team_figures,
    write_labels,
)
from tests.factories.statistics import of_table
from workspace.core.refusals import NotAllowed
from workspace.jobs.actions import JobLost, take_job
from workspace.models import Event, Job

pytestmark = pytest.mark.django_db


def test_a_printed_table_comes_out_of_a_projects_rows():
    """Gwet's table of two raters and three categories as labels of 100 messages: alpha .797, AC1 .849, kappa .796."""
    game = submitted_game(2, message_count=100)
    values = judgement_kinds.VALUES[judgement_kinds.ROLE_CONSISTENCY]
    table = [
        [values[int(cell) - 1] for cell in row] for row in of_table([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
    ]
    write_labels(game, judgement_kinds.ROLE_CONSISTENCY, table)
    figure_team(game.project)
    line = team_figures(game.project, "agreement", EvaluatorAgreement).agreement.find("role_consistency")
    assert (line.items, line.games, line.pairs) == (100, 1, 100)
    assert [round(agreement.value, 3) for agreement in (line.alpha, line.gwet)] == [0.797, 0.849]
    assert round(line.people[0].kappa, 3) == 0.796


def test_what_was_said_by_several_is_compared():
    project = make_agreeing_project()
    found = agreement_figures(project)
    assert (found.games, found.submitted, len(found.questions)) == (3, 6, 5)
    rating = found.agreement.find("rating")
    assert (rating.items, rating.pairs, rating.games) == (3, 3, 3)
    assert {(cell.row, cell.column): cell.count for cell in rating.cells} == {
        ("3.0", "3.0"): 1,
        ("3.5", "4.0"): 1,
        ("4.5", "5.0"): 1,
    }
    assert dict(found.agreement.find("question-1").shares) == {"yes": 3, "no": 3}
    assert found.own == []


def test_silence_later_answers_single_games_and_other_purposes_change_nothing():
    project = make_agreeing_project()
    before = agreement_figures(project)
    game = Game.objects.filter(project=project).first()
    evaluation = list_evaluations(game)[0]
    # What was said after the reveal: the value moves, the blind one stays; and a new one that was never blind.
    Judgement.objects.filter(evaluation=evaluation, kind="reference").update(value="not_a_reference")
    judged = evaluation.judgements.filter(kind="coherence").values_list("subject", flat=True)
    free = next(str(message) for message in range(1, 13) if str(message) not in judged)
    Judgement.objects.create(
        evaluation=evaluation, kind="coherence", subject=free, value="no", blind_value="", version=1
    )
    open_game = make_shared_game(k=2, project=project)
    submit_as(list_evaluations(open_game)[0])
    assert agreement_figures(project) == before
    other = list_evaluations(open_game)[1]
    say(other, "rating", "", "1.0")
    assert agreement_figures(project) == before
    submit_as(other)
    assert agreement_figures(project).games == before.games + 1
    Game.objects.filter(pk=open_game.pk).update(
        withdrawn_at=NOW, withdrawn_by=other.evaluator, withdrawn_reason="A test game."
    )
    assert agreement_figures(project) == before


def test_games_shown_alongside_have_no_blind_answers():
    project = make_agreeing_project(reveal="alongside", games=1)
    found = agreement_figures(project)
    assert (found.games, found.submitted, found.agreement.evaluations) == (1, 2, 0)
    assert found.agreement.find("rating").alpha.reason.startswith("Nobody has answered this blind")
    assert rating_agreement(project)[0].value is None


def make_repeat(evaluation: Evaluation) -> Evaluation:
    """The same game, answered by the same person again as before, but for the rating."""
    slot = Slot.objects.create(
        project=evaluation.game.project, game=evaluation.game, purpose="repeat", number=9, shuffle=1
    )
    again = Evaluation.objects.create(
        game=evaluation.game,
        slot=slot,
        evaluator=evaluation.evaluator,
        purpose="repeat",
        measured=evaluation.measured,
        state="submitted",
        seed="again",
        created_at=NOW,
        submitted_at=NOW,
        shown_number=900,
    )
    for row in evaluation.judgements.all():
        value = "1.0" if row.kind == "rating" else row.blind_value
        Judgement.objects.create(
            evaluation=again, kind=row.kind, subject=row.subject, value=value, blind_value=value, version=1
        )
    return again


def test_repeats_compare_people_with_themselves_and_with_nobody_else():
    project = make_agreeing_project(games=2)
    before = agreement_figures(project)
    figure_team(project)
    person = list_people(project)[0]
    first = list(Evaluation.objects.with_work().filter(evaluator=person))
    again = [make_repeat(evaluation) for evaluation in first]
    after = agreement_figures(project)
    assert after.agreement == before.agreement
    own = {line.key: line for line in after.own}
    assert own["question-1"].share.value == 1.0
    assert (own["rating"].share.value, own["rating"].items) == (0.0, 2)
    assert [person.evaluator for person in own["rating"].people] == [person.pk]
    # A repeat makes the stored figures old; one that is still open does not take part.
    figure_team(project)
    assert team_figures(project, "agreement", EvaluatorAgreement).own == after.own
    Evaluation.objects.filter(pk__in=[evaluation.pk for evaluation in again]).update(
        state="draft", submitted_at=None
    )
    assert agreement_figures(project) == before


def test_two_people_are_one_pair_over_all_their_games():
    project = make_agreeing_project()
    (pair,) = agreement_figures(project).agreement.find("rating").people
    assert ([pair.first, pair.second], pair.items) == ([person.pk for person in list_people(project)], 3)


def test_queries_do_not_grow_with_games(django_assert_num_queries):
    project = make_agreeing_project(games=1)
    agreement_figures(project)
    for _more in range(2):
        with django_assert_num_queries(4):
            agreement_figures(project)
        with django_assert_num_queries(1):
            rating_agreement(project)
        add_game(project, list_people(project), {("rating", ""): ("4.0", "3.0")})


def test_an_evaluation_is_read_as_its_own_page_reads_it():
    project = make_rating_project(number="1.2")
    evaluation = submitted(project=project, message_count=30)
    (other_evaluation,) = read_evaluated(project)
    work = load_state(Evaluation.objects.with_work().get(pk=evaluation.pk))
    assert (other_evaluation.game, other_evaluation.evaluator, other_evaluation.evaluation) == (
        1,
        evaluation.evaluator_id,
        evaluation.pk,
    )
    assert other_evaluation.rubric_version == evaluation.measured.rubric_version_id
    assert other_evaluation.code_version == evaluation.measured.code_version
    assert len(work.game.messages) == 30
    assert other_evaluation.drawn_from == {"strategic_depth": 30, "coherence": 29, "role_consistency": 30}
    assert other_evaluation.samples == {metric: frozenset(sample) for metric, sample in work.samples.items()}
    assert {key: other_evaluation.automatic.values[key] for key in other_evaluation.automatic.values} == {
        key: value for key, value in work.machine.items() if key[0] in judgement_kinds.MESSAGE_KINDS
    }
    assert {
        subject
        for subject, (is_counted, _check) in other_evaluation.automatic.references.items()
        if is_counted
    } == set(work.judgeable.counted)
    assert set(other_evaluation.automatic.phrases) >= work.judgeable.phrases
    assert other_evaluation.revealed == work.revealed
    assert {(answer.kind, answer.subject): answer.blind_value for answer in other_evaluation.answers} == {
        (row.kind, row.subject): row.blind_value
        for row in Judgement.objects.filter(evaluation=evaluation, kind__in=reliability_queries.JUDGED)
    }
    assert other_evaluation.identified is None


def test_blind_answers_of_the_sample_are_the_table():
    """Who says no to the first sampled message before the reveal, and yes to it after, has said no."""
    project = make_rating_project(number="1.2")
    evaluation = ready_to_submit(project=project, message_count=12)
    position = load_state(evaluation).samples[judgement_kinds.STRATEGIC_DEPTH][0]
    say(evaluation, judgement_kinds.STRATEGIC_DEPTH, str(position), "no")
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    (version,) = accuracy_figures(project).versions
    table = version.table(judgement_kinds.STRATEGIC_DEPTH)
    assert table.total == 5
    assert {cell.column for cell in table.cells} == {"yes"}
    (depth,) = [
        anchoring for anchoring in version.anchoring if anchoring.metric == judgement_kinds.STRATEGIC_DEPTH
    ]
    assert depth.table.total == 5
    machine = load_state(evaluation).machine[judgement_kinds.STRATEGIC_DEPTH, str(position)]
    moved = ("together", "away") if machine == "yes" else ("apart", "to_machine")
    assert depth.table.count(*moved) == 1


def test_the_manual_check_is_read_from_questions_and_from_tests():
    asked = make_rating_project()
    evaluation = ready_to_submit(project=asked)
    assert next(iter(read_evaluated(asked)), None) is None
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    assert [evaluation.identified for evaluation in read_evaluated(asked)] == [None]
    tested = make_testing_project()
    submitted_test(project=tested, hits=12)
    submitted_test(project=tested, hits=0)
    assert [evaluation.identified for evaluation in read_evaluated(tested)] == [(True, False), (True, True)]
    (version,) = accuracy_figures(tested).versions
    assert version.table(TESTED).total == 2


def test_nothing_blind_counts_where_the_machine_is_seen_from_the_start():
    project = make_rating_project(reveal="alongside")
    submitted(project=project)
    (version,) = accuracy_figures(project).versions
    assert (version.evaluations, version.blind_evaluations) == (1, 0)
    assert version.tables and all(not table.total for table in version.tables)


def test_several_evaluators_of_one_game():
    game = make_shared_game(k=3)
    for evaluation in list_evaluations(game):
        submit_as(evaluation)
    (version,) = accuracy_figures(game.project).versions
    assert (version.games, version.evaluators, version.evaluations) == (1, 3, 3)
    table = version.table(judgement_kinds.COHERENCE)
    assert (table.total, table.games, table.evaluators) == (15, 1, 3)


def test_batches_are_whole_games_and_cost_the_same(monkeypatch):
    project = make_rating_project()
    for _time in range(4):
        submitted(project=project)
    counts = []
    for most in (4, 2):
        monkeypatch.setattr(reliability_queries, "MOST_GAMES", most)
        with CaptureQueriesContext(connection) as queries:
            found = list(read_evaluated(project))
        counts.append(len(queries))
        assert [evaluation.game for evaluation in found] == [4, 3, 2, 1]
        assert compute_accuracy(found) == accuracy_figures(project)
    assert counts == [4, 7]
    monkeypatch.setattr(reliability_queries, "MOST_MESSAGES", 12)
    assert [evaluation.game for evaluation in read_evaluated(project)] == [4, 3, 2, 1]


@pytest.fixture
def project():
    made = make_rating_project()
    submitted(project=made)
    return made


def test_all_kinds_are_computed_for_the_present_input(project):
    lead, events = make_lead(project=project), Event.objects.count()
    figure_team(project, by=lead)
    assert set(TEAM_STATISTICS.present(project).rows) == set(KINDS)
    job = Job.objects.get(kind="figure_team")
    assert (job.state, job.done_count, job.total_count, job.project) == (
        "done",
        len(KINDS),
        len(KINDS),
        project,
    )
    row = TeamFigures.objects.get(kind="accuracy")
    assert (row.created_at, row.evaluation_count, row.job) == (NOW, 1, job)
    assert team_figures(project, "accuracy", AccuracyFigures).evaluations == 1
    assert Event.objects.count() == events


def test_asking_again_does_nothing_until_an_evaluation_comes_in(project):
    lead = make_lead(project=project)
    figure_team(project, by=lead)
    assert ask_for_team_figures(project=project, by=lead, now=moment(1)) is None
    ready_to_submit(project=project)
    assert set(TEAM_STATISTICS.present(project).rows) == set(KINDS)
    submitted(project=project)
    assert TEAM_STATISTICS.present(project).rows == {}
    assert ask_for_team_figures(project=project, by=lead, now=moment(2)).state == "queued"
    run_waiting_jobs(now=moment(3))
    assert set(TEAM_STATISTICS.present(project).rows) == set(KINDS)
    assert TeamFigures.objects.filter(project=project).count() == 2 * len(KINDS)


def test_a_withdrawn_game_and_other_purposes_take_no_part(project):
    before = TEAM_STATISTICS.present(project)
    evaluation = submitted(project=project)
    assert TEAM_STATISTICS.present(project).count == 2
    Game.objects.filter(pk=evaluation.game_id).update(
        withdrawn_at=NOW, withdrawn_by=evaluation.evaluator, withdrawn_reason="A test game."
    )
    assert TEAM_STATISTICS.present(project) == before
    slot = Slot.objects.create(
        project=project, game_id=evaluation.game_id, purpose="calibration", number=1, shuffle=1
    )
    Evaluation.objects.create(
        game=Game.objects.get(project=project, number=1),
        slot=slot,
        evaluator=evaluation.evaluator,
        purpose="calibration",
        measured=Measured.objects.get(game__project=project, game__number=1),
        state="submitted",
        seed="x",
        created_at=NOW,
    )
    assert TEAM_STATISTICS.present(project) == before


def test_doing_it_twice_leaves_what_once_leaves(project):
    figure_team(project)
    job = Job.objects.get(kind="figure_team")
    Job.objects.filter(pk=job.pk).update(state="queued")
    rows = list(TeamFigures.objects.values_list("pk", "body"))
    run_waiting_jobs(now=moment(9))
    assert list(TeamFigures.objects.values_list("pk", "body")) == rows


def test_a_worker_that_lost_the_job_writes_nothing(project):
    asked = ask_for_team_figures(project=project, by=make_lead(project=project), now=NOW)
    held = take_job(job=asked.pk, now=NOW)
    Job.objects.filter(pk=asked.pk).update(fence=held.fence + 1)
    with pytest.raises(JobLost):
        compute_team_figures(job=held, clock=lambda: NOW)
    assert not TeamFigures.objects.exists()


def test_without_evaluations_there_is_nothing_to_compute():
    project = make_rating_project()
    assert ask_for_team_figures(project=project, by=make_lead(project=project), now=NOW) is None
    assert not Job.objects.filter(kind="figure_team").exists()


def test_who_does_not_lead_may_not_ask(project):
    with pytest.raises(NotAllowed, match="Only team leads"):
        ask_for_team_figures(project=project, by=make_member(project=project), now=NOW)
    assert not Job.objects.filter(kind="figure_team").exists()
