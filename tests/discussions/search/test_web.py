"""The page of a search, for leads and evaluators."""

import pytest
from django.urls import reverse

from discussions.iterations.actions import move_games
from discussions.models import Evaluation, IndexedMessage, UnindexedGame
from discussions.models.slots import REPEAT
from discussions.search import queries
from discussions.search.core import LONGEST_QUERY
from discussions.search.pages import GAMES_A_PAGE, MESSAGES_A_GAME
from tests.factories.iterations import make_iteration, make_stage
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_person
from tests.factories.rating import make_copy, submitted
from tests.factories.search import index_all, talk
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def look(client, person, project, **asked):
    client.force_login(person)
    return client.get(reverse("search", args=[project.slug]), asked)


def found(answer):
    """Number of each game -> positions of the messages that are shown."""
    assert answer.status_code == 200, answer.content
    games = answer.context["page"].games
    return {game.number: [message.position for message in game.messages] for game in games}


@pytest.fixture
def project():
    return make_games_project()


@pytest.fixture
def lead(project):
    return make_lead(project=project)


def test_messages_are_found_by_words_rows_exclusions_and_beginnings(client, project, lead):
    texts = ("You can trust me.", "Me? Trust nobody!", "Trusting is hard", "狼人在这里", "Café")
    game = import_game(project=project, by=lead, **talk(*texts))
    index_all()
    for search, positions in {
        "trust": [1, 2],
        "TRUST ME": [1, 2],
        '"trust me"': [1],
        "trust*": [1, 2, 3],
        "trust -nobody": [1],
        'trust -"trust me"': [2],
        "狼人": [4],
        "人狼": [],
        "cafe": [5],
        "Ann": [],
    }.items():
        assert found(look(client, lead, project, q=search)) == ({game.number: positions} if positions else {})
    page = look(client, lead, project, q='"trust me"').content.decode()
    assert "<mark>trust me</mark>" in page
    assert f"/games/{game.number}/#m1" in page


def test_filters_narrow_what_is_found_and_lead_on(client, project, lead):
    game = import_game(project=project, by=lead, **talk("so", "so", "so", "so"))
    other = import_game(project=project, by=lead, **talk("so"))
    index_all()
    every = {other.number: [1], game.number: [1, 2, 3]}
    for asked, expected in (
        ({}, every),
        ({"agent": "bea"}, {game.number: [2]}),
        ({"role": "VILLAGER"}, {other.number: [1], game.number: [1, 4]}),
        ({"role": "mafia", "round": "1"}, {game.number: [2]}),
        ({"round": "2"}, {game.number: [4]}),
        ({"round": "-3"}, {}),
        ({"iteration": "0"}, every),
        ({"iteration": "7"}, {}),
        ({"model": "x"}, {}),
        ({"game": game.number}, {game.number: [1, 2, 3, 4]}),
    ):
        assert found(look(client, lead, project, q="so", **asked)) == expected, asked
    assert found(look(client, lead, project, agent="Cid")) == {game.number: [3]}
    page = look(client, lead, project, q="so").content.decode()
    assert "5 messages in 2 games, most of them by" in page
    assert f"game={game.number}" in page
    assert len(found(look(client, lead, project, q="so"))[game.number]) == MESSAGES_A_GAME


def test_moved_games_are_found_at_their_new_place(client, project, lead):
    iteration = make_iteration(stage=make_stage(project=project, by=lead))
    game = import_game(project=project, by=lead, **talk("so"))
    index_all()
    move_games(games=[game.number], to=iteration, by=lead, now=NOW)
    assert UnindexedGame.objects.filter(game=game).exists()
    index_all()
    assert found(look(client, lead, project, q="so", iteration="0")) == {}
    assert found(look(client, lead, project, q="so", iteration=str(iteration.number))) == {game.number: [1]}
    assert IndexedMessage.objects.count() == 1


def test_pages_go_on_to_older_games_and_the_games_that_wait_are_named(client, project, lead):
    games = [import_game(project=project, by=lead, **talk("so it is")) for _ in range(GAMES_A_PAGE + 1)]
    assert b"The messages of 11 games are not searched yet" in look(client, lead, project).content
    index_all()
    first = look(client, lead, project, q="so")
    assert list(found(first)) == [game.number for game in reversed(games)][:GAMES_A_PAGE]
    rest = look(client, lead, project, q="so", after=first.context["page"].after)
    assert found(rest) == {games[0].number: [1]}
    assert rest.context["page"].after == 0
    assert first.context["page"].message_count == rest.context["page"].message_count == GAMES_A_PAGE + 1


def test_messages_are_counted_up_to_a_limit(client, project, lead, monkeypatch):
    monkeypatch.setattr(queries, "MOST_FOUND", 3)
    games = [import_game(project=project, by=lead, **talk("so", "so", "so")) for _ in range(2)]
    index_all()
    answer = look(client, lead, project, q="so")
    assert b"At least 3 messages" in answer.content
    assert found(answer) == {games[1].number: [1, 2, 3]}
    assert found(look(client, lead, project, q="so", after=games[1].pk)) == {games[0].number: [1, 2, 3]}


def test_the_games_that_match_by_name_stand_on_the_same_page(client, project, lead):
    game = import_game(project=project, by=lead, gameId="Spring-07", **talk("so"))
    index_all()
    answer = look(client, lead, project, q="spring")
    assert [row.number for row in answer.context["matches"]] == [game.number]
    assert found(answer) == {}


@pytest.mark.parametrize(
    ("asked", "status", "says"),
    [
        ({"q": "' OR 1=1 --"}, 200, "No messages found"),
        ({"q": "a\0b"}, 200, "No messages found"),
        ({"q": '"'}, 200, "has no word to look for"),
        ({"q": "* ( ) & | ! : <-> \\"}, 200, "has no word to look for"),
        ({"q": "NEAR(a b) OR words:a ^a {x}"}, 200, "No messages found"),
        ({"q": "\u202e\u0301\u0301"}, 200, "has no word to look for"),
        ({"q": "-zebra"}, 200, "No messages found"),
        ({"q": '"" -"" - * -* a:*b <-> !!x "'}, 200, "No messages found"),
        ({"q": "\u202e\u05d0\u05d1\u2066 \U0001f600"}, 200, "No messages found"),
        ({"q": "the and of"}, 200, "No messages found"),
        ({"q": "x" * 10_000}, 422, f"Shorten it to {LONGEST_QUERY:,}"),
        ({"q": "a " * 499}, 200, "No messages found"),
        ({"agent": "\0'\"¶", "role": "\ud7ff" * 300}, 200, "No messages found"),
        ({"judged": "people-coherence-perhaps"}, 400, "Choose from its menus"),
        ({"round": "one"}, 400, "Open the page again"),
        ({"iteration": "9" * 16}, 400, "Open the page again"),
        ({"after": str(2**49)}, 200, "Search in messages"),
        ({"q": "a", "after": "999999999999999"}, 200, "No messages found"),
        ({"where": "x"}, 400, "Open the page again"),
    ],
)
def test_odd_searches_get_an_answer_in_words(client, project, lead, asked, status, says):
    answer = look(client, lead, project, **asked)
    assert (answer.status_code, says in answer.content.decode()) == (status, True), answer.content.decode()


def test_messages_are_found_by_how_they_were_judged(client):
    evaluation = submitted()
    project, game = evaluation.game.project, evaluation.game
    lead = make_lead(project=project)
    index_all()
    judgements = evaluation.judgements.filter(kind="coherence").exclude(value="")
    told = {
        value: set(judgements.filter(value=value).values_list("subject", flat=True))
        for value in ("yes", "no")
    }
    assert told["yes"] | told["no"]
    for value, subjects in told.items():
        answer = look(client, lead, project, judged=f"people-coherence-{value}", game=game.number)
        positions = found(answer).get(game.number, [])
        assert {str(position) for position in positions} == subjects
    by_rule = [
        found(look(client, lead, project, judged=f"rule-coherence-{value}", game=game.number)).get(
            game.number, []
        )
        for value in ("yes", "no")
    ]
    assert sorted(by_rule[0] + by_rule[1]) == list(range(1, game.message_count + 1))


def test_evaluators_find_what_they_rated_and_nothing_that_unblinds(client):
    evaluation = submitted()
    project, person = evaluation.game.project, evaluation.evaluator
    others = import_game(project=project, by=make_lead(project=project), **talk("zebra"))
    index_all()
    word = evaluation.game.text.to_record().messages[0].text.split()[0]
    answer = look(client, person, project, q=word)
    assert list(found(answer)) == [evaluation.game.number]
    page = answer.content.decode()
    assert f"/rate/{evaluation.pk}/?at=" in page
    assert set(answer.context["choices"]) == {"agent", "round"}
    shown = answer.context["page"].games[0]
    assert (shown.passes, shown.iteration, {message.role for message in shown.messages}) == (None, "", {""})
    assert answer.context["page"].main_role == "" and answer.context["page"].shares == []
    assert answer.context["matches"] == []
    assert found(look(client, person, project, q="zebra")) == {}
    assert found(look(client, person, project, q="zebra", game=others.number)) == {}
    for asked in ({"role": "mafia"}, {"model": "x"}, {"iteration": "1"}, {"judged": "people-coherence-yes"}):
        refused = look(client, person, project, q=word, **asked)
        assert (refused.status_code, "Only team leads search by role" in refused.content.decode()) == (
            403,
            True,
        )


def test_a_game_that_is_to_be_judged_again_is_not_found(client):
    evaluation = submitted()
    project, person = evaluation.game.project, evaluation.evaluator
    index_all()
    asked = {"agent": evaluation.game.text.to_record().players[0].name}
    assert found(look(client, person, project, **asked))
    Evaluation.objects.filter(pk=evaluation.pk).update(state="returned")
    assert found(look(client, person, project, **asked)) == {}
    assert found(look(client, make_member(project=project), project, **asked)) == {}


def test_a_search_is_closed_while_a_game_may_be_a_hidden_duplicate(client):
    evaluation = submitted()
    project, person = evaluation.game.project, evaluation.evaluator
    index_all()
    asked = {"agent": evaluation.game.text.to_record().players[0].name}
    assert found(look(client, person, project, **asked))
    again = {"purpose": REPEAT, "state": "skipped", "shown_number": 90, "submitted_at": None}
    make_copy(Evaluation.objects.get(pk=evaluation.pk), **again).save()
    answer = look(client, person, project, **asked)
    assert (found(answer), b"When it is submitted" in answer.content) == ({}, True)


def test_programs_search_with_the_same_words_and_rights(client, project, lead):
    game = import_game(project=project, by=lead, **talk("You can trust me.", "no"))
    index_all()
    address = f"projects/{project.slug}/messages/"
    answer = program_of(lead).get(f"{address}?q=trust").json()
    assert (answer["message_count"], answer["game_count"], answer["is_more"], answer["next"]) == (
        1,
        1,
        False,
        None,
    )
    (item,) = answer["items"]
    assert (item["number"], item["count"]) == (game.number, 1)
    assert item["messages"] == [
        {
            "position": 1,
            "round": 1,
            "name": "Ann",
            "role": "VILLAGER",
            "text": "You can trust me.",
            "marked": [[8, 13]],
        }
    ]
    evaluator = program_of(make_member(project=project))
    assert evaluator.get(f"{address}?q=trust").json()["items"] == []
    assert evaluator.get(f"{address}?role=MAFIA").status_code == 403
    assert program_of(lead).get(f"{address}?q={'x' * 10_000}").status_code == 422


def test_several_projects_are_searched_at_once_each_with_the_rights_that_one_has_there(client):
    """The person leads one project, rated a game of another, and is in no third."""
    evaluation = submitted()
    rated, person = evaluation.game.project, evaluation.evaluator
    text = evaluation.game.text.to_record().messages[0].text
    word = text.split()[0]
    led = make_games_project(slug="led")
    make_member(project=led, person=person, role="lead")
    mine = import_game(project=led, by=person, **talk(text, text))
    for project in (rated, make_games_project()):
        import_game(project=project, by=make_lead(project=project), **talk(text))
    index_all()
    client.force_login(person)
    page, api = reverse("search_everywhere"), program_of(person)

    def look_everywhere(**asked):
        answer = client.get(page, {"q": word, **asked})
        return answer, [(game.project, game.number) for game in answer.context["page"].games]

    answer, games = look_everywhere()
    assert games == [(led, mine.number), (rated, evaluation.game.number)]
    shown = answer.context["page"].games
    assert [{bool(message.role) for message in game.messages} for game in shown] == [{True}, {False}]
    assert [bool(game.iteration) for game in shown] == [True, False]
    assert (answer.context["page"].main_role, answer.context["page"].shares) == ("", [])
    assert set(answer.context["choices"]["project"][1]) == {led.slug, rated.slug}
    said = answer.content.decode()
    assert "games are searched that you rated" in said and f"/rate/{evaluation.pk}/?at=" in said
    assert f"/projects/led/games/{mine.number}/#m1" in said
    assert look_everywhere(project=rated.slug)[1] == [(rated, evaluation.game.number)]
    assert look_everywhere(role="VILLAGER")[1] == [(led, mine.number)]
    assert client.get(page, {"q": word, "project": "nowhere"}).status_code == 422
    assert client.get(page, {"q": word, "iteration": "1"}).status_code == 400
    assert client.get(page, {"q": word, "project": rated.slug, "role": "VILLAGER"}).status_code == 403
    found_by_api = api.get(f"messages/?q={word}").json()["items"]
    assert [(item["project"], item["number"]) for item in found_by_api] == [
        (project.slug, number) for project, number in games
    ]
    assert [item["project"] for item in api.get(f"messages/?q={word}&project=led").json()["items"]] == ["led"]
    assert api.get("messages/?q=a&project=nowhere").status_code == 422
    assert program_of(make_person()).get(f"messages/?q={word}").json()["items"] == []
    assert len(program_of(make_admin()).get(f"messages/?q={word}").json()["items"]) == 4
    assert f"{page}?q={word}" in look(client, person, led, q=word).content.decode()
