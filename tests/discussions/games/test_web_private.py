"""What not everybody could hear: on the page of a game for leads, and for those who rated it once its verdict is in."""

import pytest
from django.urls import reverse

from discussions.models import Game
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead, make_member
from tests.factories.transcripts import upload

pytestmark = pytest.mark.django_db


def message(text, player="Ann", **more):
    return {"roundNumber": 1, "playerName": player, "message": text} | more


CONTENT = {
    "gameId": "g",
    "players": [
        {"name": "Ann", "role": "MAFIA"},
        {"name": "Bea", "role": "SEER"},
        {"name": "Cid"},
    ],
    "messages": [
        message("I trust Bea."),
        message("Cid must go.", "Bea", reasoning="Cid is harmless, which nobody knows."),
        message("Psst, vote for Cid.", audience=["Bea"]),
        message("I am new here.", "Cid"),
    ],
    "votes": [
        {"roundNumber": 1, "voterName": "Bea", "targetName": "Cid", "reasoning": "It is the easy choice."}
    ],
}


def test_a_lead_sees_what_was_said_thought_and_voted(client, project):
    lead = make_lead(project=project)
    upload(project=project, by=lead, games=CONTENT)
    run_waiting_jobs()
    game = Game.objects.get()
    assert (game.message_count, len(game.private_track.to_entries())) == (3, 3)
    client.force_login(lead)
    page = " ".join(client.get(reverse("game", args=["ours", game.number])).content.decode().split())
    assert page.count('class="unsaid"') == page.count("Psst, vote for Cid.") == 1
    opened = page.split('class="unsaid"')[1]
    for words in ("Cid must go.", "Cid is harmless, which nobody knows.", "It is the easy choice."):
        assert words in opened
    assert '<span class="chip"></span>' not in page
    client.force_login(make_member(project=project))
    assert client.get(reverse("game", args=["ours", game.number])).status_code == 404


def test_no_list_search_export_or_notice_holds_a_private_text(client, project):
    lead = make_lead(project=project)
    upload(project=project, by=lead, games=CONTENT)
    run_waiting_jobs()
    client.force_login(lead)
    for address in ("games", "imports", "flags"):
        answer = client.get(reverse(address, args=["ours"]) + ("?q=harmless" if address == "games" else ""))
        assert b"Psst" not in answer.content and b"nobody knows" not in answer.content
    assert b"0 games" in answer.content or b"harmless, which" not in answer.content
