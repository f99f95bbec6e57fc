"""One game for its leads: figures, what is behind each, transcript, people; hidden from evaluators."""

import html
import json
import re

import pytest
from django.urls import reverse

from discussions.core.judgement_kinds import STRATEGIC_DEPTH
from discussions.games.core import MESSAGES_A_PAGE
from discussions.games.views.game import GamePage
from discussions.metrics.actions import ask_for_diagnostics
from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import Companions, Game, Measured
from tests.factories.adjudication import HOSTILE, make_differing
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_admin, make_lead, make_member
from tests.factories.public_formats import kaggle_replay
from tests.factories.rating import game_of, make_game, make_rating_project, say, start, submitted
from tests.factories.text_formats import inspect_sample
from tests.factories.tokens import program_of
from tests.factories.transcripts import (
    import_game,
    make_games_project,
    native_game,
    native_message,
    repeated_messages,
    upload,
)
from tests.factories.verdicts import fresh, record, recorded_verdict
from workspace.core.canonical import bytes_hash
from workspace.jobs.actions import cancel_job
from workspace.models import Job

pytestmark = pytest.mark.django_db


def address(game):
    return reverse("game", args=[game.project.slug, game.number])


def shown(client, game):
    client.force_login(make_admin())
    return client.get(address(game)).content.decode()


def test_every_number_opens_into_what_it_was_counted_from():
    game = fresh(submitted(project=make_rating_project(number="1.2"), message_count=24).game)
    measured = Measured.objects.get(game=game)
    ask_for_diagnostics(game=game, measured=measured.pk, by=make_admin(), now=NOW)
    run_waiting_jobs()
    page = GamePage(game=game)
    parts = {part.row.figures.key: part for part in page.metrics}
    depth = parts["strategic_depth"]
    assert len(depth.messages) == 24
    assert depth.row.count == f"{sum(why.counts for why in depth.messages)} of 24 messages strategic"
    coherent = sum(why.counts for why in parts["coherence"].messages)
    assert parts["coherence"].row.count == f"{coherent} of 24 messages coherent"
    fitting = sum(why.counts for why in parts["role_consistency"].messages)
    assert parts["role_consistency"].row.count == f"{fitting} of 24 messages fit the role"
    references = [why for why in parts["memory_accuracy"].references if why.is_counted]
    accurate = sum(why.label == "accurate" for why in references)
    assert parts["memory_accuracy"].row.count == f"{accurate} of {len(references)} references accurate"
    unique = sum(why.is_unique for why in parts["personality_diversity"].players)
    assert parts["personality_diversity"].row.count == f"{unique} of 6 agents unique"
    repeated = sum(why.count for why in parts["anti_repetition"].phrases)
    above, _of, below = parts["anti_repetition"].row.count.split()[:3]
    assert int(below) - int(above) == repeated
    assert parts["engagement"].row.count == f"{parts['engagement'].row.text} of 5, rated by people"
    assert all(part.looks for key, part in parts.items() if key != "engagement")


def test_the_page_shows_what_evaluators_do_not_see(client):
    game = make_game(project=make_rating_project())
    run_waiting_jobs()
    said = shown(client, game)
    for hidden in ("MAFIA", "analytical", "too quiet", "Why it counted"):
        assert hidden in said, hidden
    assert 'id="m12"' in said
    assert "messages fit the role so far; waits for people's answers" in html.unescape(said)
    assert "0 of 0" not in said


def test_leads_alone_read_how_a_game_was_played(client):
    said = {"playedAt": "2026-01-31T20:15:00Z", "modelBuild": "model-a-2025", "seed": 4711, "pair": "pair-9"}
    evaluation = submitted(content=native_game(**said))
    game = fresh(evaluation.game)
    record(game)
    told = ["2026-01-31", "model-a-2025", "4711", "pair-9"]
    path = f"projects/{game.project.slug}/games/{game.number}/"
    for person, seen in ((make_lead(project=game.project), told), (evaluation.evaluator, [None] * 4)):
        answer = program_of(person).get(path).json()
        assert [answer[name] for name in ("played_on", "model_build", "seed", "pair")] == seen
        client.force_login(person)
        page = client.get(address(game)).content.decode()
        assert [word in page for word in told] == [bool(word) for word in seen]


def test_diagnostics_are_computed_when_a_game_is_first_opened(client):
    game = make_game(project=make_rating_project())
    run_waiting_jobs()
    said = shown(client, game)
    assert "The diagnostics of this game are not computed yet." in said
    assert "<h3>Diagnostics</h3>" not in said
    assert not Job.objects.filter(kind="companions").exists()  # by GET nothing is written
    computing, ask = "The diagnostics are being computed", f"{address(game)}diagnostics/"
    htmx = {"HX-Request": "true"}
    assert f'hx-post="{ask}"' in said and 'hx-trigger="load"' in said
    part = client.post(ask, headers=htmx).content.decode()
    assert computing in part and computing in shown(client, game)
    assert f'hx-get="{ask}"' in part
    assert client.get(ask, headers=htmx).status_code == 204
    job = Job.objects.get(kind="companions")
    assert (job.state, job.subject) == ("queued", f"measured:{Measured.objects.get(game=game).pk}")
    run_waiting_jobs()
    part = client.get(ask, headers=htmx).content.decode()
    assert computing not in part and "hx-get" not in part and "hx-post" not in part
    assert part.count("<h3>Diagnostics</h3>") == part.count('hx-swap-oob="true"') == 6
    assert "<h3>Diagnostics</h3>" in shown(client, game)
    assert Job.objects.filter(kind="companions").count() == 1


def test_diagnostics_keep_the_list_and_the_part_of_the_transcript_that_their_page_shows(client):
    game = make_game(project=make_rating_project(), message_count=2 * MESSAGES_A_PAGE)
    run_waiting_jobs()
    client.force_login(make_admin())
    query = f"from={MESSAGES_A_PAGE + 1}&in=sort%3Doldest"
    page = client.get(f"{address(game)}?{query}").content.decode()
    assert f"diagnostics/?{html.escape(query)}" in page
    answer = client.post(f"{address(game)}diagnostics/?{query}")
    assert (answer.status_code, answer["Location"]) == (303, f"{address(game)}?{query}#game-why")
    answer = client.get(f"{address(game)}diagnostics/")
    assert (answer.status_code, answer["Location"]) == (302, f"{address(game)}#game-why")


def test_diagnostics_whose_job_was_cancelled_are_asked_for_again(client):
    game = make_game(project=make_rating_project())
    run_waiting_jobs()
    client.force_login(make_admin())
    client.post(f"{address(game)}diagnostics/")
    job = Job.objects.get(kind="companions")
    cancel_job(job=job, by=job.created_by, now=NOW)
    said = shown(client, game)
    assert "not computed yet" in said
    assert 'hx-trigger="load' not in said  # a page that is open does not ask for ever
    client.post(f"{address(game)}diagnostics/")
    run_waiting_jobs()
    assert Companions.objects.filter(measured__game=game).count() == 1


def test_what_looks_odd_is_said_also_of_a_game_that_came_in_before(client):
    lead = make_lead(project=make_rating_project())
    messages = [native_message(1, name, text) for name, text in (("Ann", "Hi"), ("Bea", "Yo"), ("Ann", "Hi"))]
    game = import_game(project=lead.memberships.get().project, by=lead, messages=messages)
    Game.objects.filter(pk=game.pk).update(warnings="[]", warning_count=0)
    client.force_login(lead)
    page = client.get(address(game)).content.decode()
    assert "Oddities" in page
    assert 'href="#m3"' in page
    assert "came with the import" not in page
    usual = import_game(project=game.project, by=lead)
    assert "Looks odd" not in client.get(address(usual)).content.decode()


def test_a_lead_drops_repeated_messages_on_the_page_of_the_game(client):
    lead = make_lead(project=make_rating_project())
    game = import_game(project=lead.memberships.get().project, by=lead, messages=repeated_messages())
    client.force_login(lead)
    assert "Drop the repeated messages" in client.get(address(game)).content.decode()
    answer = client.post(reverse("drop_repeats", args=[game.project.slug, game.number]))
    made = Game.objects.order_by("-pk")[0]
    assert (answer.status_code, answer["Location"], made.message_count) == (303, address(made), 6)
    page = client.get(address(made)).content.decode()
    assert "repeated messages dropped" in page
    assert f"A lead dropped repeated messages of game {game.number}: 3" in page
    assert "Drop the repeated messages" not in page
    first = client.get(address(game)).content.decode()
    assert "withdrawn" in first and f"game {made.number} replaces it" in first
    assert "Drop the repeated messages" not in first


def test_a_person_s_word_stands_beside_the_machine_s(client):
    game = submitted().game
    evaluation = game.evaluations.get()
    game = fresh(game)
    part = next(part for part in GamePage(game=game).metrics if part.row.figures.key == "strategic_depth")
    judged = {row.subject: row.value for row in evaluation.judgements.filter(kind="strategic_depth")}
    counted = {str(why.message): why.counts for why in part.messages if str(why.message) in judged}
    assert counted == {subject: value == "yes" for subject, value in judged.items()} != {}


def test_the_work_of_people_is_listed_with_its_state(client):
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", reason="replies in spirit")
    client.force_login(make_admin())
    client.post(f"{address(evaluation.game)}diagnostics/")
    run_waiting_jobs()
    said = shown(client, evaluation.game)
    assert "draft" in said
    assert "replies in spirit" in said
    # The mafia side may be 100 % by the rules where people call it inconsistent.
    assert "Figures of the automatic findings: what people judged is not in them." in said
    assert "Still pending:" in said


def test_the_game_opens_to_whoever_judged_it_once_the_verdict_is_recorded(client):
    game = submitted().game
    evaluator = game.evaluations.get().evaluator
    for person in (evaluator, make_member(project=game.project)):
        client.force_login(person)
        assert client.get(address(game)).status_code == 404
    record(game)
    client.force_login(evaluator)
    assert client.get(address(game)).status_code == 200
    verdict = client.get(reverse("verdict", args=[game.project.slug, game.number]))
    assert f'href="{address(game)}"' in verdict.content.decode()
    client.force_login(make_member(project=game.project))
    assert client.get(address(game)).status_code == 404


def test_the_main_act_is_the_next_one_that_is_possible(client):
    def main(game):
        return re.findall(r'class="button primary"\s*href="([^"]+)"', shown(client, game))

    project = make_rating_project()
    new = make_game(project=project)
    assert main(new) == [f"{reverse('assign_selected', args=[project.slug])}?games={new.number}"]
    begun = start(project=project)
    assert main(begun.game) == []
    assert main(make_differing())[0].endswith("/resolve/")
    rated = submitted(project=make_rating_project()).game
    assert main(rated) == [reverse("verdict", args=[rated.project.slug, rated.number])]


def test_a_game_of_another_project_is_not_there(client):
    game = make_game(project=make_rating_project())
    client.force_login(make_lead(project=make_rating_project()))
    assert client.get(address(game)).status_code == 404


def test_hostile_text_is_text_everywhere(client):
    content = game_of(12, justification="<script>alert(1)</script>", personality="<img src=x>")
    content["messages"][0]["message"] = "<b>bold</b> [link](http://x) \u202eevil"
    said = shown(client, make_game(project=make_rating_project(), content=content))
    assert "<b>bold" not in said
    assert "<script>alert" not in said
    assert "<img src=x" not in said
    assert "⟨U+202E⟩" in said


def test_a_long_transcript_is_shown_in_parts(client):
    game = make_game(project=make_rating_project(), message_count=MESSAGES_A_PAGE + 20)
    page = GamePage(game=fresh(game))
    assert (len(page.messages), page.earlier, page.later) == (MESSAGES_A_PAGE, 0, MESSAGES_A_PAGE + 1)
    rest = GamePage(game=fresh(game), start=page.later)
    assert (len(rest.messages), rest.earlier, rest.later) == (20, 1, 0)
    assert next(part for part in page.metrics if part.row.figures.key == "coherence").left_out == 20
    client.force_login(make_admin())
    assert client.get(address(game), {"from": "501"}).status_code == 200
    assert client.get(address(game), {"from": "99999"}).status_code == 200
    assert client.get(address(game), {"from": "x"}).status_code == 400


def test_an_unmeasured_game_says_so(client):
    first = make_game(project=make_rating_project())
    bare = Game.objects.get(pk=first.pk)
    bare.pk, bare.number, bare.source_id, bare.content_sha256 = (
        None,
        first.number + 500,
        "bare",
        bytes_hash(b""),
    )
    bare.save()
    first.text.__class__.objects.create(game=bare, body=first.text.body)
    said = shown(client, bare)
    assert "Being measured" in said
    assert CODE_VERSION not in said


def test_queries_are_the_same_for_a_small_and_a_large_game(client, django_assert_num_queries):
    small, large = submitted(message_count=12).game, submitted(message_count=60).game
    client.force_login(make_admin())
    for game in (small, large):
        client.post(f"{address(game)}diagnostics/")
        run_waiting_jobs()
        with django_assert_num_queries(14):
            assert client.get(address(game)).status_code == 200


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
    places = [page.index(f'id="{anchor}"') for anchor in anchors]
    assert places == sorted(places) and len(places) > 9
    assert {"game-facts", "game-votes"} <= set(anchors) and places[-1] < page.index('id="game-withdrawal"')
    assert 'href="#m3"' in page


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
