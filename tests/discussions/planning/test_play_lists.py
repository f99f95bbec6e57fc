"""The games of a change and its reference in the order to play them: in pairs, drawn once, and the same everywhere."""

import csv
import io
from collections import Counter

import pytest
from django.urls import reverse

from discussions.planning.actions import replay_reference
from discussions.planning.queries import list_plays
from tests.factories.iterations import figures, fresh, get_lead, make_baseline, make_change, make_stage
from tests.factories.people import moment
from tests.factories.tokens import program_of
from workspace.core.refusals import NotAllowed

pytestmark = pytest.mark.django_db


@pytest.fixture
def change():
    stage = make_stage()
    make_baseline(stage=stage, games=[figures()] * 3)
    return make_change(stage=stage)


def test_a_pair_has_one_seed_and_a_game_under_each_prompt_in_a_drawn_order(change):
    plays = list_plays(change, 60)
    assert [order for order, *_rest in plays] == list(range(1, 121))
    pairs = {plays[at][1]: plays[at : at + 2] for at in range(0, 120, 2)}
    assert len(pairs) == len({one[3] for one, _two in pairs.values()}) == 60
    for name, (one, two) in pairs.items():
        assert one[1] == two[1] == name
        assert one[3] == two[3] < 2**31
        assert {one[2]: one[4], two[2]: two[4]} == {
            "reference": change.compared_with.number,
            "change": change.number,
        }
    # Of 60 fair coins, fewer than 15 heads come up once in 30,000 times.
    assert 15 < Counter(one[2] for one, _two in pairs.values())["change"] < 45


def test_the_list_stays_as_it_is_and_a_longer_one_begins_with_it(change):
    assert list_plays(fresh(change), 9)[:6] == list_plays(change, 3)


def test_games_of_the_reference_go_into_its_replay_that_takes_games(change):
    replay = replay_reference(iteration=change.compared_with, by=get_lead(change.stage), now=moment(9))
    takes = {prompt: number for _order, _pair, prompt, _seed, number in list_plays(change, 2)}
    assert takes == {"reference": replay.number, "change": change.number}


def test_page_file_and_program_have_the_same_list(client, change):
    lead = get_lead(change.stage)
    client.force_login(lead)
    names = [change.project.slug, change.number]
    table, listed = reverse("play_list", args=names), reverse("play_list_json", args=names)
    page = client.get(reverse("iteration", args=names)).content.decode()
    assert table in page and listed in page
    assert table in client.get(reverse("edit_iteration", args=names)).content.decode()
    rows = [play._asdict() for play in list_plays(change, change.least_games)]
    assert len(rows) == 6
    assert client.get(listed).json() == rows
    answer = client.get(table)
    assert f"-iteration-{change.number}-play-list.csv" in answer["Content-Disposition"]
    read = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert read == [{name: str(value) for name, value in row.items()} for row in rows]
    assert len(client.get(listed, {"games": "9"}).json()) == 18
    path = f"projects/{names[0]}/iterations/{change.number}/play-list/"
    assert program_of(lead).get(path).json()["items"] == rows
    assert len(program_of(lead).get(path, games=9).json()["items"]) == 18


def test_a_baseline_has_no_play_list(client, change):
    with pytest.raises(NotAllowed, match="is no change"):
        list_plays(change.compared_with, 3)
    client.force_login(get_lead(change.stage))
    names = [change.project.slug, change.compared_with.number]
    assert client.get(reverse("play_list", args=names)).status_code == 403
    assert "play-list" not in client.get(reverse("iteration", args=names)).content.decode()
