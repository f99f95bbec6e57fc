"""A lead's program that assigns games."""

import pytest

from tests.factories.people import make_lead, make_member
from tests.factories.rating import make_game, make_rating_project
from tests.factories.tokens import program_of

pytestmark = pytest.mark.django_db
TEAM = "projects/here/team/"


def test_games_are_assigned_to_evaluators_started_by_them_and_given_back(django_assert_max_num_queries):
    project = make_rating_project(slug="here")
    games = [make_game(project=project).number for _game in range(2)]
    person, lead = make_member(project=project), make_lead(project=project)
    program = program_of(lead)
    assert program.get(TEAM).json()["evaluators"] == [{"id": person.pk, "name": person.name}]
    wrong = program.post("projects/here/assignments/", {"person": lead.pk, "games": games})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "person")
    assigned = program.post("projects/here/assignments/", {"person": person.pk, "games": games}).json()
    assert [(row["game"], row["person"]) for row in assigned["assigned"]] == [
        (number, person.pk) for number in games
    ]
    taken = program_of(person).post("projects/here/next/").json()["evaluation"]
    with django_assert_max_num_queries(16):
        team = program.get(TEAM).json()
    assert [(row["game"], row["judged"]) for row in team["held"]] == [(taken["game"], 0)]
    left = program.post(f"projects/here/assignments/{team['assigned'][0]['id']}/end/").json()
    assert (left["assigned"], left["free_count"]) == ([], 1)
