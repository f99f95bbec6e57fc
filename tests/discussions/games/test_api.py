"""Games for programs: the list by its filters and parts, one game, its transcript, and what is counted there."""

import pytest

from discussions.adjudication.queries import handle_of
from discussions.models import Game
from tests.factories.people import make_lead
from tests.factories.rating import make_copies, make_game, make_rating_project, submitted
from tests.factories.tokens import program_of
from tests.factories.verdicts import record
from workspace.models import Project

pytestmark = pytest.mark.django_db


def lead_of(project: Project):
    return program_of(make_lead(project=project))


def numbers(answer):
    return [game["number"] for game in answer.json()["items"]]


def test_the_parts_of_a_list_hold_every_game_once():
    evaluation = submitted()
    make_copies(evaluation, 6)
    project = evaluation.game.project
    program = lead_of(project)
    found, path = [], f"projects/{project.slug}/games/?limit=3&sort=oldest"
    while path:
        answer = program.get(path)
        found += numbers(answer)
        path = (answer.json()["next"] or "").removeprefix("/api/v1/")
    assert found == list(Game.objects.order_by("number").values_list("number", flat=True))
    assert len(found) == 7


def test_the_list_has_the_figures_of_a_verdict_and_is_filtered_by_it():
    evaluation = submitted()
    game = evaluation.game
    program = lead_of(game.project)
    path = f"projects/{game.project.slug}/games/"
    before = program.get(path).json()["items"][0]
    assert (before["state"], before["verdict"]) == ("submitted", None)
    verdict = record(game)
    after = program.get(path, state="verdict").json()["items"][0]
    assert before["scores"] == after["scores"]
    assert after["verdict"]["passes"] is verdict.passes
    assert after["verdict"]["composite"] == verdict.composite
    assert [score["passes"] is not None for score in after["scores"].values()] == [True] * 7
    assert numbers(program.get(path, state="waiting")) == []
    assert numbers(program.get(path, iteration=0)) == [game.number]
    assert numbers(program.get(path, iteration=7)) == []


def test_a_transcript_comes_in_parts_and_references_with_what_counts():
    project = make_rating_project(slug="here")
    make_game(project=project)
    program = lead_of(project)
    positions, path = [], "projects/here/games/1/transcript/?limit=5"
    while path:
        part = program.get(path).json()
        positions += [message["position"] for message in part["messages"]]
        path = (part["next"] or "").removeprefix("/api/v1/")
    assert positions == list(range(1, 13))
    assert part["players"][1]["role"] == "MAFIA"
    references = program.get("projects/here/games/1/references/").json()["items"]
    assert references[0]["is_counted"]
    found = program.get("projects/here/games/1/measurements/").json()["measurements"]
    memory = next(row for row in found if row["metric"] == "memory_accuracy")
    assert memory["denominator"] == sum(reference["is_counted"] for reference in references)


def test_a_game_is_withdrawn_comes_back_and_gets_figures_by_hand():
    project = make_rating_project(slug="here")
    game = make_game(project=project)
    program, path = lead_of(project), f"projects/here/games/{game.number}/"
    out = program.post(f"{path}withdrawal/", {"is_withdrawn": True, "reason": "Cut short"})
    assert out.json()["is_withdrawn"]
    again = program.post(f"{path}withdrawal/", {"is_withdrawn": True, "reason": "Cut short"})
    assert again.status_code == 409
    assert program.post(f"{path}withdrawal/", {"is_withdrawn": False, "reason": ""}).status_code == 422
    assert not program.post(f"{path}withdrawal/", {"is_withdrawn": False, "reason": "Whole"}).json()[
        "is_withdrawn"
    ]
    cost = program.post(f"{path}figures/", {"kind": "cost", "value": "1.35", "reason": "The invoice"})
    assert cost.json()["cost_usd"] == 1.35
    rate = program.post(f"{path}figures/", {"kind": "cache", "value": "72.5", "reason": "The log"})
    assert rate.status_code == 422
    assert program.post(f"{path}rounds/", {"offset": 3}).status_code == 422


def test_an_evaluation_is_returned_with_a_comment_and_not_once_a_verdict_rests_on_it():
    evaluation = submitted()
    game = evaluation.game
    program, path = lead_of(game.project), f"projects/{game.project.slug}/games/{game.number}/"
    back = f"{path}evaluations/{handle_of(evaluation.pk)}/return/"
    assert program.post(back, {"comment": " "}).json()["field"] == "comment"
    assert program.post(back, {"comment": "Look at 5 again"}).json()["number"] == game.number
    (row,) = program.get(f"{path}evaluations/").json()["items"]
    assert (row["id"], row["state"], row["letter"]) == (handle_of(evaluation.pk), "returned", "")
    own = program_of(evaluation.evaluator)
    assert own.get(f"evaluations/{evaluation.pk}/").json()["returned_comment"] == "Look at 5 again"
    assert (
        own.post(f"evaluations/{evaluation.pk}/submit/", {"unchanged": True}).json()["state"] == "submitted"
    )
    record(game)
    late = program.post(back, {"comment": "Once more"})
    assert (late.status_code, game.evaluations.get().state) == (403, "submitted")
    elsewhere = submitted()
    assert (
        program.post(f"{path}evaluations/{handle_of(elsewhere.pk)}/return/", {"comment": "x"}).status_code
        == 404
    )
