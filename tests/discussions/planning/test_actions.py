"""Iterations are planned before their games, as a baseline or one change, and move to a newer rubric version."""

import msgspec
import pytest

from discussions.comparison.queries import refuse_decision
from discussions.core.evaluation_states import SUBMITTED
from discussions.games.actions import restore_game, return_evaluation, withdraw_game
from discussions.iterations.actions import open_for_rating
from discussions.iterations.core.history import OPEN, RECORDED
from discussions.models import Evaluation, Game, Iteration, Measured, Verdict
from discussions.planning.actions import Protocol, edit_iteration, move_to_version, open_baseline, open_change
from discussions.planning.queries import list_newer_versions, load_version_preview
from discussions.queue.actions import take_next_game
from discussions.rating.actions import submit_evaluation
from discussions.transcripts.actions import Upload, import_files
from discussions.verdicts.actions import replay_verdict
from discussions.verdicts.queries import complete_games
from rubric.core.records import RESPONSE
from rubric.models import RubricVersion
from rubric.versions.actions import publish_version
from tests.factories.adjudication import breaches
from tests.factories.iterations import (
    PROMPT,
    decide_on,
    figures,
    fresh,
    get_lead,
    history,
    import_games,
    make_baseline,
    make_change,
    make_iteration,
    make_stage,
    plan,
    preview,
    protocol,
)
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_admin, make_member, moment
from tests.factories.preview import draft_with, parameters, thresholds
from tests.factories.rating import game_of, say_what_is_missing
from tests.factories.replays import replayed
from tests.factories.transcripts import as_bytes
from tests.factories.verdicts import record, record_next_verdict
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def open_it(stage, planned, compared_with=None):
    reference = compared_with or history(stage).reference.id
    return open_change(stage=stage, plan=planned, compared_with=reference, by=get_lead(stage), now=moment(5))


def test_a_baseline_is_open_for_import_and_becomes_the_reference(stage):
    made = make_baseline(stage=stage, evaluator_count=2)
    assert (made.number, made.kind, made.state, made.evaluator_count) == (1, "baseline", "importing", 2)
    assert made.prompt == PROMPT
    assert len(made.prompt_sha256) == 64
    assert history(stage).reference.id == made.pk
    event = Event.objects.get(verb="iteration:opened")
    assert made.prompt_sha256 in event.detail
    assert "Speak your mind" not in event.detail


def test_a_change_names_target_and_differences_and_takes_over_how_games_are_judged(stage):
    first = make_baseline(stage=stage, evaluator_count=3)
    made = open_it(stage, plan(target="coherence", material={"coherence": 8}))
    assert (made.compared_with, made.baseline, made.evaluator_count) == (first, first, 3)
    assert (made.target, made.hunk_count, made.hunks_answer) == ("coherence", 1, "")
    material = msgspec.json.decode(made.material)
    assert len(material) == 7
    assert (material["coherence"], material["strategic_depth"], material["engagement"]) == (8, 5, 0.3)


def test_the_ends_of_lines_and_blanks_are_tidied(stage):
    make_baseline(stage=stage)
    made = open_it(stage, plan(name="  Be \n shorter ", prompt=PROMPT.replace("\n", "\r\n") + "Smile.\r\n"))
    assert made.name == "Be shorter"
    assert made.prompt == PROMPT + "Smile.\n"


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"prompt": " \n "}, "prompt"),
        ({"prompt": PROMPT}, "prompt"),
        ({"prompt": "x" * 200_001}, "prompt"),
        ({"change_note": "  "}, "change_note"),
        ({"target": "loudness"}, "target"),
        ({"material": {"loudness": 5}}, "material"),
        ({"material": {"coherence": 0}}, "material"),
        ({"material": {"engagement": 4.5}}, "material"),
        ({"least_games": 0}, "least_games"),
        (
            {"prompt": PROMPT.replace("Play", "Lose").replace("You", "We").replace("Vote", "Shout")},
            "hunks_answer",
        ),
    ],
)
def test_a_plan_that_cannot_be_is_refused_and_stores_nothing(stage, given, field):
    make_baseline(stage=stage)
    with pytest.raises(Unacceptable) as refusal:
        open_it(stage, plan(**given))
    assert refusal.value.field == field
    assert Iteration.objects.filter(stage=stage).count() == 1


def test_two_changes_at_once_need_the_lead_to_answer(stage):
    make_baseline(stage=stage)
    prompt = PROMPT.replace("You play", "We play").replace("Vote once", "Vote twice")
    with pytest.raises(Unacceptable, match="2 places of the prompt differ"):
        open_it(stage, plan(prompt=prompt))
    made = open_it(stage, plan(prompt=prompt, hunks_answer="One thought, said at both ends."))
    assert (made.hunk_count, made.hunks_answer) == (2, "One thought, said at both ends.")


def test_a_rubric_that_allows_two_changes_asks_for_no_answer(stage):
    version = RubricVersion.objects.newest("discussion")
    body = msgspec.json.decode(version.body)
    body["parameters"]["changes_per_iteration"] = 2
    data = canonical_bytes(body)
    version.pk, version.number, version.body, version.sha256 = None, "1.9", data.decode(), bytes_hash(data)
    version.save(force_insert=True)
    made = protocol(rubric_version=version)
    open_baseline(stage=stage, plan=plan(prompt=PROMPT), protocol=made, by=get_lead(stage), now=moment(1))
    change = open_it(
        stage, plan(prompt=PROMPT.replace("You play", "We play").replace("Vote once", "Vote twice"))
    )
    assert (change.hunk_count, change.hunks_answer) == (2, "")


def test_a_baseline_has_no_target_and_no_differences(stage):
    made = make_baseline(stage=stage, target="coherence", material={"coherence": 8})
    assert (made.target, made.material) == ("", "{}")


def test_a_change_needs_a_baseline_and_the_last_change_decided(stage):
    with pytest.raises(NotAllowed, match="Create a baseline first"):
        open_it(stage, plan(), compared_with=1)
    make_iteration(stage=stage, games=[figures()] * 3)
    change = make_iteration(stage=stage, games=[figures()] * 3)
    with pytest.raises(NotAllowed, match="Iteration 2 is not decided yet"):
        open_it(stage, plan())
    decide_on(iteration=change, choice="revert")
    assert open_it(stage, plan()).number == 3


def test_who_looked_at_another_reference_is_told(stage):
    make_iteration(stage=stage, games=[figures()] * 3)
    kept = make_iteration(stage=stage, games=[figures()] * 3, decision="keep")
    with pytest.raises(Conflict, match="The reference is iteration 2 by now"):
        open_it(stage, plan(), compared_with=kept.compared_with_id)
    assert open_it(stage, plan()).compared_with == kept


def test_revert_links_the_next_change_to_the_previous_reference(stage):
    first = make_iteration(stage=stage, games=[figures()] * 3)
    kept = make_iteration(stage=stage, games=[figures()] * 3, decision="keep", minutes=10)
    made = [
        make_iteration(stage=stage, games=[figures()] * 3, decision=choice, minutes=minutes)
        for choice, minutes in (("revert", 20), ("inconclusive", 30), ("keep", 40), ("revert", 50))
    ]
    assert [iteration.compared_with for iteration in made] == [kept, kept, kept, made[2]]
    assert {iteration.baseline for iteration in made} == {first}
    control = make_baseline(stage=stage, minutes=60)
    assert make_change(stage=stage, minutes=70).compared_with == control


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"evaluator_count": 0}, "evaluator_count"),
        ({"evaluator_count": 11}, "evaluator_count"),
        ({"reveal": "sometimes"}, "reveal"),
        ({"identification": "guess"}, "identification"),
        ({"rubric_version": "response"}, "rubric_version"),
    ],
)
def test_a_protocol_that_cannot_be_is_refused(stage, given, field):
    if "rubric_version" in given:
        made = Protocol(rubric_version=RubricVersion.objects.newest(RESPONSE))
    else:
        made = protocol(**given)
    with pytest.raises(Unacceptable) as refusal:
        open_baseline(stage=stage, plan=plan(), protocol=made, by=get_lead(stage), now=moment(1))
    assert refusal.value.field == field


def test_a_plan_is_made_anew_until_a_game_is_there(stage):
    make_baseline(stage=stage)
    change = make_change(stage=stage)
    again = plan(target="coherence", change_note="Longer.", prompt=PROMPT.replace("Be brief.", "Talk."))
    edit_iteration(iteration=change, plan=again, by=get_lead(stage), now=moment(5))
    change = fresh(change)
    assert (change.target, change.change_note, change.hunk_count) == ("coherence", "Longer.", 1)
    assert Event.objects.filter(verb="iteration:replanned").count() == 1
    import_games(iteration=change, games=[figures()])
    with pytest.raises(NotAllowed, match="Iteration 2 has games already"):
        edit_iteration(iteration=change, plan=plan(), by=get_lead(stage), now=moment(6))
    assert fresh(change).target == "coherence"


def test_plans_are_final_once_rated_and_the_unsorted_iteration_has_none(stage):
    rated = make_iteration(stage=stage, games=[figures()] * 3)
    with pytest.raises(NotAllowed, match="its plan is final"):
        edit_iteration(iteration=rated, plan=plan(), by=get_lead(stage), now=moment(5))
    unsorted = fresh(Iteration.objects.get(project=stage.project, stage=None))
    with pytest.raises(NotAllowed, match="has no plan"):
        edit_iteration(iteration=unsorted, plan=plan(), by=get_lead(stage), now=moment(5))


def test_only_leads_plan(stage):
    make_baseline(stage=stage)
    other = make_member(project=stage.project)
    with pytest.raises(NotAllowed, match="Only team leads"):
        open_baseline(stage=stage, plan=plan(), protocol=protocol(), by=other, now=moment(5))
    with pytest.raises(NotAllowed, match="Only team leads"):
        open_change(stage=stage, plan=plan(), compared_with=1, by=other, now=moment(5))
    change = make_change(stage=stage)
    with pytest.raises(NotAllowed, match="Only team leads"):
        edit_iteration(iteration=change, plan=plan(), by=other, now=moment(5))


def publish(change):
    """A newer published version of the discussion rubric."""
    admin = make_admin()
    draft = draft_with(change, by=admin)
    publish_version(version=draft, basis=draft.sha256, reason="Better", by=admin, now=moment(50))
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


@replayed
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
