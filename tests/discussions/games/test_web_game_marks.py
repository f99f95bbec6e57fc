"""The page of a game: its parts, what people said at the messages, and the games beside it in the list."""

import re

import pytest
from django.urls import reverse

from discussions.core.judgement_kinds import STRATEGIC_DEPTH
from tests.factories.adjudication import HOSTILE, make_differing
from tests.factories.people import make_lead
from tests.factories.rating import make_game, make_rating_project
from tests.factories.verdicts import recorded_verdict

pytestmark = pytest.mark.django_db


def get_game(client, game, **asked):
    address = reverse("game", args=[game.project.slug, game.number])
    return " ".join(client.get(address, asked).content.decode().split())


def read_message(page, position):
    return page.split(f'id="m{position}"')[1].split("</li> <li id=")[0].split('id="game-votes"')[0]


def test_judgements_and_flags_stand_at_their_messages(client):
    game = make_differing()
    client.force_login(make_lead(project=game.project))
    message = read_message(get_game(client, game), 4)
    assert re.search(r"Strategic depth: strategic \([AB]\)", message)
    assert re.search(r"Strategic depth: not strategic \([AB]\)", message)
    flagged = read_message(get_game(client, game), 5)
    assert "open flag" in flagged and reverse("flags", args=[game.project.slug]) in flagged
    assert HOSTILE not in flagged and "&lt;b&gt;answers" in flagged
    assert "Too vague to be a reply." in flagged
    names = [evaluation.evaluator.name for evaluation in game.evaluations.select_related("evaluator")]
    assert not any(name in get_game(client, game) for name in names)


def test_an_evaluator_sees_neither_marks_nor_the_games_beside(client):
    verdict = recorded_verdict()
    make_game(project=verdict.game.project)
    client.force_login(verdict.created_by)
    page = get_game(client, verdict.game)
    assert "Transcript" in page
    assert 'rel="next"' not in page and 'rel="prev"' not in page and 'class="chips marks"' not in page
    client.force_login(make_lead(project=verdict.game.project))
    page = get_game(client, verdict.game)
    assert 'rel="prev"' in page and 'class="chips marks"' in page
    assert verdict.game.evaluations.get().judgements.filter(kind=STRATEGIC_DEPTH).exists()


def test_games_beside_are_those_of_the_list_that_one_came_from(client):
    project = make_rating_project()
    first, second, third = (make_game(project=project) for _at in range(3))
    client.force_login(make_lead(project=project))
    page = get_game(client, second, **{"in": "state=waiting&sort=oldest"})
    kept = "in=state%3Dwaiting%26sort%3Doldest"
    for way, game in (("prev", first), ("next", third)):
        address = reverse("game", args=[project.slug, game.number])
        assert re.search(rf'rel="{way}"[^>]*href="{re.escape(address)}\?{re.escape(kept)}"', page), way
    assert "?state=waiting&amp;sort=oldest" in page, "the crumb leads back to the list"
    by_default = get_game(client, second)
    assert re.search(
        rf'rel="prev"[^>]*href="{re.escape(reverse("game", args=[project.slug, third.number]))}"', by_default
    )
    assert client.get(reverse("game", args=[project.slug, 2]), {"in": "sort=x"}).status_code == 400


def test_the_page_links_to_its_parts_and_every_link_has_its_place(client):
    game = recorded_verdict().game
    client.force_login(make_lead(project=game.project))
    page = get_game(client, game)
    navigation = page.split('class="sections"')[1].split("</nav>")[0]
    anchors = re.findall(r'href="#([^"]+)"', navigation)
    assert {"game-outcome", "game-people", "game-transcript", "memory_accuracy"} <= set(anchors)
    assert all(f'id="{anchor}"' in page for anchor in anchors)
    assert 'href="#m3"' in page
