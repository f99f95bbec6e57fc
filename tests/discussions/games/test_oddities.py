"""Each oddity of a file comes in with its game: on the page of the game, in the list of odd games, and for programs."""

import json

import pytest

from discussions.models import Game
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead
from tests.factories.public_formats import kaggle_replay
from tests.factories.text_formats import inspect_sample
from tests.factories.tokens import program_of
from tests.factories.transcripts import make_games_project, native_game, native_message, upload

pytestmark = pytest.mark.django_db
NAMES = ("Ann", "Bea", "Cid")


def game(*texts, rounds=(1, 2), votes=(), **changes):
    """A native game of three who speak in turn; votes are pairs of names in round 1."""
    said = texts or ("Bea, hello.", "Ann, hello.", "Cid?", "Bea!")
    messages = [
        native_message(turn, NAMES[turn % 3], text, roundNumber=rounds[turn * len(rounds) // len(said) - 1])
        for turn, text in enumerate(said, 1)
    ]
    cast = [{"voterName": voter, "targetName": target, "roundNumber": 1} for voter, target in votes]
    players = [{"name": name, "role": "SEER"} for name in NAMES]
    return native_game(players=players, messages=messages, votes=cast) | changes


def rows(*lines):
    return "\n".join(("round,player,role,vote,text", *lines)).encode()


FILES = {
    "odd_many_votes": game(votes=[(one, two) for one in NAMES for two in NAMES if one != two]),
    "vote_repeated": rows("1,Ann,,Bea,Hello Bea.", "1,Ann,,Bea,Hello Cid.", "1,Bea,,Ann,Hello Ann."),
    "role_differs": rows("1,Ann,SEER,,Hello Bea.", "1,Ann,MAFIA,,Hello Cid.", "1,Bea,SEER,,Hello Ann."),
    "odd_one_round": [game(gameId=f"g{number}") for number in range(3)] + [game(gameId="g3", rounds=(1,))],
    "odd_names_nobody": game(*["I have nothing to say."] * 10),
    "odd_stranger": game("I vote for Zelda.", "Ann, why?", "Bea?"),
    "odd_for_one": game("Only you know this, Bea.", "Ann, why?", "Cid?"),
    "odd_loop": game("0 " * 30, "Ann, why?", "Cid?"),
    "odd_thinks": game("I must not reveal my role, Bea.", "Ann, why?", "Cid?"),
    "game_stopped": kaggle_replay(
        GAME_END=kaggle_replay()["info"]["GAME_END"] | {"terminated_with_agent_error": True}
    ),
    "sample_error": inspect_sample() | {"error": {"message": "x"}},
    "odd_denied": game("Ann?", "Cid?", "I did not vote for Bea.", votes=[("Ann", "Bea")]),
}


@pytest.mark.parametrize("code", FILES)
def test_what_is_odd_in_a_file_is_shown_and_found(client, code):
    project = make_games_project()
    lead = make_lead(project=project)
    data = FILES[code] if isinstance(FILES[code], bytes) else json.dumps(FILES[code]).encode()
    upload(project=project, by=lead, games=data)
    run_waiting_jobs()
    newest = Game.objects.latest("pk")
    address = f"projects/{project.slug}/games/"
    program = program_of(lead)
    (said,) = [
        one for one in program.get(f"{address}{newest.number}/").json()["warnings"] if one["code"] == code
    ]
    assert [one["number"] for one in program.get(f"{address}?odd=yes").json()["items"]] == [newest.number]
    client.force_login(lead)
    page = client.get(f"/{address}{newest.number}/").content.decode()
    listed = page.partition('id="game-odd"')[2].partition("</ul>")[0]
    assert said["message"].split('"')[0][:60] in listed
