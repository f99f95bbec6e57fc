"""Moving an iteration to a newer rubric version: what is made anew, what stays, what waits, and what is refused."""

import msgspec
import pytest

from discussions.comparison.queries import refuse_decision
from discussions.core.evaluation_states import SUBMITTED
from discussions.games.actions import restore_game, return_evaluation, withdraw_game
from discussions.iterations.actions import open_for_rating
from discussions.iterations.core.history import OPEN, RECORDED
from discussions.models import Evaluation, Game, Measured, Verdict
from discussions.planning.actions import move_to_version
from discussions.planning.queries import list_newer_versions, load_version_preview
from discussions.queue.actions import take_next_game
from discussions.rating.actions import submit_evaluation
from discussions.transcripts.actions import Upload, import_files
from discussions.verdicts.actions import replay_verdict
from discussions.verdicts.queries import complete_games
from rubric.models import RubricVersion
from rubric.versions.actions import publish_version
from tests.factories.adjudication import breaches
from tests.factories.iterations import (
    figures,
    fresh,
    get_lead,
    history,
    make_baseline,
    make_change,
    make_stage,
    preview,
)
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_admin, make_member, moment
from tests.factories.preview import draft_with, parameters, thresholds
from tests.factories.rating import game_of, say_what_is_missing
from tests.factories.transcripts import as_bytes
from tests.factories.verdicts import record, record_next_verdict
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def publish(change):
    """A newer published version of the discussion rubric."""
    admin = make_admin()
    draft = draft_with(change, by=admin)
    publish_version(version=draft, basis=draft.sha256, reason="Better", by=admin, now=moment(50))
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


def make_rated(count=2):
    """A baseline whose games were rated and recorded by one evaluator."""
    iteration = make_baseline(stage=make_stage(), least_games=count)
    games = [
        game_of(12, game_id=f"rated-{number}", justification=f"hunch {number}") for number in range(count)
    ]
    lead = get_lead(iteration.stage)
    files = [Upload("rated.json", as_bytes(games))]
    import_files(project=iteration.project, files=files, by=lead, now=moment(2), iteration=iteration)
    run_waiting_jobs(now=moment(2))
    open_for_rating(iteration=fresh(iteration), by=lead, now=moment(3))
    evaluator = make_member(project=iteration.project)
    for _game in range(count):
        record_next_verdict(project=iteration.project, by=evaluator)
    return fresh(iteration)


def move(iteration, version, *, shown=None, reason="Negations count now.", by=None):
    shown = load_version_preview(fresh(iteration), version).input_sha256 if shown is None else shown
    by = by or get_lead(iteration.stage)
    return move_to_version(
        iteration=iteration, version=version, shown=shown, reason=reason, by=by, now=moment(90)
    )


def get_states(iteration):
    return [game.state for game in history(iteration.stage).find(iteration.pk).games]


def test_measurements_and_verdicts_are_made_anew_beside_the_old_ones():
    iteration = make_rated()
    before = list(Verdict.objects.order_by("game__number"))
    version = publish(thresholds(strategic_depth=99))
    found = load_version_preview(iteration, version)
    assert [game.before for game in found.games] == ["PASS" if row.passes else "FAIL" for row in before]
    numbers = list(Game.objects.order_by("number").values_list("number", flat=True))
    assert move(iteration, version)["recorded"] == numbers
    assert fresh(iteration).rubric_version == version
    assert Measured.objects.filter(rubric_version=version).count() == 2
    assert Measured.objects.count() == 4
    now = list(Verdict.objects.not_superseded().order_by("game__number"))
    assert [row.supersedes_id for row in now] == [row.pk for row in before]
    assert {row.rubric_version_id for row in now} == {version.pk}
    assert [row.passes for row in now] == [game.after == "PASS" for game in found.games]
    assert now[0].reason == f"{version}: Negations count now."
    assert all(replay_verdict(verdict=row).is_equal for row in Verdict.objects.all())
    assert get_states(iteration) == [RECORDED] * 2
    event = Event.objects.get(verb="iteration:moved_to_version")
    assert msgspec.json.decode(event.detail)["recorded"] == numbers
    run_waiting_jobs(now=moment(91))
    assert breaches(moment(95)) == []


def test_a_withdrawn_game_comes_back_with_a_verdict_under_the_newer_version():
    """It would come back with a verdict under the old version: "ready to record", which no button could do."""
    iteration = make_rated()
    lead, game = get_lead(iteration.stage), Game.objects.order_by("number").first()
    withdraw_game(game=game, reason="Wrong model.", by=lead, now=moment(60))
    version = publish(thresholds(strategic_depth=99))
    assert game.number in move(iteration, version)["recorded"]
    restore_game(game=game, reason="Right model.", by=lead, now=moment(92))
    assert get_states(iteration) == [RECORDED] * 2
    assert breaches(moment(95)) == []


def test_games_that_lack_labels_wait_until_their_evaluations_are_completed():
    iteration = make_rated(1)
    version = publish(parameters(reference_unit="message"))
    found = load_version_preview(iteration, version)
    assert [game.after for game in found.games] == ["pending"]
    moved = move(iteration, version)
    game = Game.objects.get()
    assert moved == {"recorded": [], "waiting": [game.number]}
    assert get_states(iteration) == [OPEN], "the verdict under the older version stands, and counts no longer"
    assert [row["game__number"] for row in complete_games(iteration.project)] == [game.number]
    lead, evaluation = get_lead(iteration.stage), Evaluation.objects.get()
    return_evaluation(evaluation=evaluation, comment="Label what is new.", by=lead, now=moment(100))
    evaluation = Evaluation.objects.with_work().get(pk=evaluation.pk)
    assert evaluation.measured.rubric_version == version
    say_what_is_missing(evaluation)
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=moment(110))
    assert Evaluation.objects.get().state == SUBMITTED
    record(game, by=lead, reason="Judged anew.", minutes=120)
    assert get_states(iteration) == [RECORDED]
    assert not complete_games(iteration.project)
    run_waiting_jobs(now=moment(121))
    assert breaches(moment(125)) == []


def test_a_move_is_refused_without_a_newer_version_a_reason_or_what_was_shown():
    iteration = make_rated(1)
    older = iteration.rubric_version
    assert list(list_newer_versions(iteration)) == []
    with pytest.raises(NotAllowed, match="newer than"):
        move(iteration, older)
    version = publish(thresholds(coherence=75))
    assert list(list_newer_versions(iteration)) == [version]
    with pytest.raises(Unacceptable, match="Say why"):
        move(iteration, version, reason=" ")
    with pytest.raises(Conflict, match="check the preview again"):
        move(iteration, version, shown="0" * 64)
    with pytest.raises(NotAllowed, match="Only team leads"):
        move(iteration, version, by=make_member(project=iteration.project))
    assert fresh(iteration).rubric_version == older
    assert Verdict.objects.count() == 1


def test_a_move_waits_for_those_who_rate():
    iteration = make_baseline(stage=make_stage(), games=[figures(), figures(), None])
    version = publish(thresholds(coherence=75))
    take_next_game(project=iteration.project, by=make_member(project=iteration.project), now=moment(5))
    with pytest.raises(NotAllowed, match="games that are not submitted yet: 1"):
        move(iteration, version)


def test_two_iterations_under_two_versions_are_not_compared_or_decided_on():
    stage = make_stage()
    baseline = make_baseline(stage=stage, games=[figures()] * 3)
    change = make_change(stage=stage, games=[figures(coherence=85)] * 3)
    refuse_decision(preview(change))
    move(baseline, publish(thresholds(coherence=75)))
    found = preview(change)
    assert found.compared is None
    with pytest.raises(NotAllowed) as refused:
        refuse_decision(found)
    assert refused.value.code == "two_versions"


def test_games_that_are_not_measured_under_the_version_of_their_iteration_are_open():
    iteration = make_rated()
    version = publish(thresholds(engagement=4))
    type(iteration).objects.filter(pk=iteration.pk).update(rubric_version=version)
    assert get_states(fresh(iteration)) == [OPEN, OPEN]
