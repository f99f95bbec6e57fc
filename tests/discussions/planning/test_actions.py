"""Iterations are planned before their games: a baseline, or one change against the reference."""

import msgspec
import pytest

from discussions.models import Iteration
from discussions.planning.actions import Protocol, edit_iteration, open_baseline, open_change
from rubric.core.records import RESPONSE
from rubric.models import RubricVersion
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
    plan,
    protocol,
)
from tests.factories.people import make_member, moment
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
