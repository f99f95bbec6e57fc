"""The list of games as a lead uses it: search, filters, sortable headings, columns, and all of it in the address."""

import html
import re
from datetime import date
from decimal import Decimal

import pytest
from django.urls import reverse

from discussions.games.actions import enter_figure
from discussions.games.queries import list_query
from discussions.games.queries.list_filters import DIFFER, NOT_APPLICABLE, RESOLVED, UNRESOLVED
from discussions.games.queries.list_query import FIELDS, ListQuery, load_neighbours
from discussions.games.views import game_list
from discussions.games.views.game_list import GamesPage
from discussions.models import Game
from discussions.models.manual_figures import COST
from discussions.queue.actions import assign_game
from discussions.rating.actions import remark
from tests.factories.adjudication import TIE, make_differing, resolve_difference
from tests.factories.iterations import figures, make_iteration, make_stage
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import game_of, make_game, make_rating_project, start, submitted
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project, repeated_messages
from tests.factories.verdicts import record

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def listed(project, **asked):
    page = GamesPage(project=project, wanted=ListQuery(**asked))
    return [int(line.number) for line in page.lines]


def make_named(project, *names):
    return [make_game(project=project, content=game_of(12, game_id=name)) for name in names]


def test_a_search_finds_number_id_file_and_player():
    project = make_rating_project()
    spring, summer = make_named(project, "Spring-07", "Summer-08")
    assert listed(project, q="SPRING") == [spring.number]
    assert listed(project, q="summer 08") == [summer.number]
    assert listed(project, q="spring summer") == []
    assert listed(project, q=f"#{summer.number}") == [summer.number]
    assert listed(project, q=spring.transcript.name) != []
    assert listed(project, q="dora") == [summer.number, spring.number]
    for wildcard in ("%", "_", "\\", "' OR 1=1 --"):
        assert listed(project, q=wildcard) == [], wildcard


def test_games_are_filtered_by_verdict_by_person_and_by_day():
    evaluation = submitted()
    game, project = evaluation.game, evaluation.game.project
    assigned, left = make_named(project, "a", "b")
    person = make_member(project=project)
    assign_game(game=assigned, person=person, by=make_lead(project=project), now=NOW)
    verdict = record(game)
    assert listed(project, verdict="pass" if verdict.passes else "fail") == [game.number]
    assert listed(project, verdict="fail" if verdict.passes else "pass") == []
    assert listed(project, evaluator=evaluation.evaluator_id) == [game.number]
    assert listed(project, evaluator=person.pk) == [assigned.number]
    day = Game.objects.get(pk=left.pk).created_at.date()
    assert len(listed(project, since=day, until=day)) == 3
    assert listed(project, until=date(2001, 1, 1)) == listed(project, since=date(2998, 1, 1)) == []


def test_games_are_filtered_by_open_flags_and_counted_in_their_column(client):
    evaluation = start()
    project = evaluation.game.project
    make_named(project, "without")
    given = {"kind": "flag", "target": "game", "text": "Cut short?", "key": "flag-1"}
    remark(evaluation=evaluation, by=evaluation.evaluator, now=NOW, **given)
    assert listed(project, flag="yes") == [evaluation.game.number]
    page = GamesPage(project=project, wanted=ListQuery(sort="oldest"), chosen=frozenset(["flags"]))
    assert [line.flags for line in page.lines] == ["1", ""]


def test_games_are_filtered_by_what_looks_odd():
    project = make_rating_project()
    content = game_of(12)
    content["messages"] = repeated_messages()
    odd = make_game(project=project, content=content)
    make_named(project, "plain")
    assert listed(project, odd="yes") == [odd.number]


def test_not_applicable_is_told_from_few_references():
    stage = make_stage(project=make_games_project())
    make_iteration(stage=stage, games=[figures(memory_accuracy=None), figures(), figures()])
    assert len(listed(stage.project, weak=NOT_APPLICABLE)) == len(listed(stage.project, weak="any")) == 1


def test_games_on_which_evaluators_differ_are_found_until_they_are_resolved():
    game = make_differing()
    project = game.project
    make_named(project, "other")
    for agreement in (DIFFER, UNRESOLVED):
        assert listed(project, agreement=agreement) == [game.number], agreement
    assert listed(project, agreement=RESOLVED) == []
    resolve_difference(game, TIE, "yes", by=make_lead(project=project))
    assert listed(project, agreement=RESOLVED) == [game.number]


@pytest.mark.services(is_long=True)
def test_filters_are_links_that_keep_the_others_and_the_order(client):
    project = make_rating_project()
    spring, _summer = make_named(project, "spring <b>", "summer")
    client.force_login(make_lead(project=project))
    asked = {"q": "spring <b>", "state": "waiting", "since": "2001-01-01", "sort": "oldest"}
    page = client.get(reverse("games", args=[project.slug]), asked).content.decode()
    assert "1 of 2 games" in " ".join(page.split())
    finder = page.partition('class="finder"')[2].partition('class="picks"')[0]
    links = [html.unescape(link) for link in re.findall(r'href="\?([^"]+)"', finder)]
    assert len(links) > 10 and all("sort=oldest" in link and "q=spring" in link for link in links)
    kept = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', finder.partition("</form>")[0]))
    assert kept == {"state": "waiting", "since": "2001-01-01", "sort": "oldest"}
    wider = client.get(reverse("games", args=[project.slug]), kept).content.decode()
    assert wider.count('name="game"') == 2
    recorded = next(link for link in links if "state=verdict" in link)
    none = client.get(f"{reverse('games', args=[project.slug])}?{recorded}").content.decode()
    assert "0 of 2 games" in " ".join(none.split()) and "Show all 2" in " ".join(none.split())
    assert f'href="{spring.number}/?in=' in page
    assert "<b>" not in page.split("games-title")[1]


@pytest.mark.services(is_long=True)
def test_headings_sort_and_say_how_the_list_is_sorted(client):
    project = make_rating_project()
    make_named(project, "b", "a", "c")
    client.force_login(make_lead(project=project))
    address = reverse("games", args=[project.slug])
    page = client.get(address, {"sort": "a_to_z", "q": "ann"}).content.decode()
    sorted_by = re.findall(r'aria-sort="(\w+)"\s*>\s*<a href="\?([^"]+)"', page)
    assert sorted_by == [("ascending", "q=ann&amp;sort=z_to_a")]
    assert [Game.objects.get(number=number).source_id for number in listed(project, sort="a_to_z")] == list(
        "abc"
    )


def test_the_status_sorts_by_the_metrics_that_passed_and_the_iteration_by_its_number(client):
    stage = make_stage(project=make_games_project())
    make_iteration(stage=stage, games=[figures(coherence=10), figures(), figures(coherence=10)])
    project = stage.project
    assert listed(project, sort="most_passed") == [2, 3, 1]
    assert listed(project, sort="fewest_passed") == [1, 3, 2]
    make_iteration(stage=stage, games=[figures()])
    assert listed(project, sort="last_iteration") == [4, 3, 2, 1]
    assert listed(project, sort="first_iteration") == [1, 2, 3, 4]
    client.force_login(make_lead(project=project))
    page = client.get(reverse("games", args=[project.slug]), {"sort": "most_passed"}).content.decode()
    sorted_by = re.findall(r'aria-sort="(\w+)"\s*>\s*<a href="\?([^"]+)"\s*>\s*Status', page)
    assert sorted_by == [("descending", "sort=fewest_passed")]


def test_a_metric_sorts_recorded_and_automatic_scores_alike_and_those_without_one_last(client):
    stage = make_stage(project=make_games_project())
    make_iteration(stage=stage, games=[figures(coherence=75), figures(coherence=10), figures()])
    project = stage.project
    import_game(project=project, by=stage.created_by, gameId="unrated")
    scores = [(line.number, line.cells) for line in GamesPage(project=project, wanted=ListQuery()).lines]
    assert len(scores) == 4
    low = GamesPage(project=project, wanted=ListQuery(sort="lowest_coherence"))
    at = low.metrics.index("coherence")
    shown = [float(line.cells[at].text) for line in low.lines if line.cells[at].text]
    assert shown == sorted(shown) and len(shown) >= 3 and shown[0] == 10
    high = listed(project, sort="highest_coherence")
    assert high[: len(shown)] == [int(line.number) for line in low.lines][: len(shown)][::-1]
    rated = listed(project, sort="lowest_engagement")
    assert rated[-1] == 4, "nobody rated it"
    assert listed(project, sort="lowest_coherence", verdict="fail") == [
        number
        for number in listed(project, sort="lowest_coherence")
        if number in listed(project, verdict="fail")
    ]


def test_a_metric_is_sorted_among_the_newest_games_and_the_page_says_so(monkeypatch):
    stage = make_stage(project=make_games_project())
    make_iteration(stage=stage, games=[figures(coherence=10), figures(coherence=80), figures(coherence=75)])
    monkeypatch.setattr(list_query, "MOST_SORTED", 2)
    assert listed(stage.project, sort="lowest_coherence") == [3, 2]
    monkeypatch.setattr(game_list, "MOST_SORTED", 2)
    monkeypatch.setattr(game_list, "MOST_CHOSEN", 1)
    stage.project.refresh_from_db()
    page = GamesPage(project=stage.project, wanted=ListQuery(sort="lowest_coherence", most=1))
    assert page.says[-1] == "Only the newest 2 that match are sorted by it."
    assert "newest" not in " ".join(GamesPage(project=stage.project, wanted=ListQuery(most=1)).says)


@pytest.mark.services(is_long=True)
def test_the_list_says_what_fails_most_often_what_is_needed_and_what_waits(client):
    stage = make_stage(project=make_games_project())
    make_iteration(
        stage=stage, games=[figures(coherence=10), figures(coherence=20, memory_accuracy=5), figures()]
    )
    page = GamesPage(project=stage.project, wanted=ListQuery())
    assert page.says == ["Coherence fails most often: in 2 of the 3 shown."]
    assert (page.headings["coherence"].needed, page.headings["engagement"].needed) == ("70\xa0%", "3.0")
    client.force_login(make_lead(project=stage.project))
    said = client.get(reverse("games", args=[stage.project.slug])).content.decode()
    assert len(re.findall(r'class="n fail miss\s', said)) == 3
    waiting = submitted().game.project
    assert "1 waits for its verdict." in GamesPage(project=waiting, wanted=ListQuery()).says


def test_before_a_game_that_left_the_list_comes_its_end_in_order():
    project = make_games_project()
    lead = make_lead(project=project)
    for name in ("a", "b", "c"):
        import_game(project=project, by=lead, gameId=name)
    gone = Game.objects.order_by("-pk").values_list("pk", flat=True)[0] + 100
    assert listed(project, before=gone, most=2) == [2, 1]
    assert listed(project, after=gone, most=2) == [3, 2]


def test_costs_sort_as_they_count_by_hand_and_unreported_ones_are_left_out(client):
    project = make_games_project()
    lead = make_lead(project=project)
    for name, cost in (("a", 3), ("b", 1), ("c", 2)):
        import_game(project=project, by=lead, gameId=name, metadata={"cost": {"totalUsd": cost}})
    import_game(project=project, by=lead, gameId="d", metadata={})
    assert listed(project, sort="costliest") == [1, 3, 2]
    for number, cost in ((2, "5"), (4, "0.5"), (4, "2.5")):
        game = Game.objects.get(project=project, number=number)
        enter_figure(game=game, kind=COST, value=Decimal(cost), reason="An invoice", by=lead, now=NOW)
    assert listed(project, sort="costliest") == [2, 1, 4, 3]
    assert listed(project, sort="cheapest") == [3, 4, 1, 2]
    client.force_login(lead)
    client.cookies["games_columns"] = "cost"
    page = client.get(reverse("games", args=[project.slug]), {"sort": "cheapest"}).content.decode()
    sorted_by = re.findall(r'aria-sort="(\w+)"\s*>\s*<a href="\?([^"]+)">Cost', page)
    assert sorted_by == [("ascending", "sort=costliest")]


def test_every_order_can_be_paged_and_walked_game_by_game():
    stage = make_stage(project=make_games_project())
    make_iteration(stage=stage, games=[figures(), figures(memory_accuracy=50), figures(coherence=10)])
    project, games = stage.project, {game.number: game for game in Game.objects.all()}
    assert len(FIELDS) > 20 and len(games) == 3
    for sort in FIELDS:
        whole = listed(project, sort=sort)
        first = GamesPage(project=project, wanted=ListQuery(most=2, sort=sort))
        rest = GamesPage(project=project, wanted=ListQuery(most=2, after=first.after, sort=sort))
        assert [int(line.number) for page in (first, rest) for line in page.lines] == whole, sort
        walked = [load_neighbours(project, ListQuery(sort=sort), games[number]) for number in whole]
        assert walked == list(zip([0, *whole], [*whole[1:], 0], strict=False)), sort


@pytest.mark.services(is_long=True)
def test_columns_are_kept_for_the_person(client):
    project = make_rating_project()
    make_named(project, "a")
    client.force_login(make_lead(project=project))
    address, choose = (reverse(name, args=[project.slug]) for name in ("games", "choose_columns"))
    assert "Cost</a>" not in "".join(client.get(address).content.decode().split())
    answer = client.post(choose, {"columns": ["imported", "cost"], "back": "sort=oldest"})
    assert (answer.status_code, answer["Location"]) == (303, f"{address}?sort=oldest")
    headings = "".join(client.get(address).content.decode().split())
    assert "Imported</th>" in headings and "Cost</a>" in headings
    assert "Iteration</a>" not in headings.split("<tbody>")[0]
    client.post(choose, {})
    assert "Cost</a>" not in "".join(client.get(address).content.decode().split())
    assert client.post(choose, {"columns": "secret"}).status_code == 400
    assert client.post(choose, {"back": "next=https://example.com"}).status_code == 400


@pytest.mark.services(is_long=True)
def test_filters_take_only_what_their_menus_offer(client):
    project = make_rating_project()
    client.force_login(make_lead(project=project))
    for asked in (
        {"verdict": "maybe"},
        {"weak": "1"},
        {"agreement": "all"},
        {"flag": "no"},
        {"odd": "1"},
        {"since": "yesterday"},
        {"until": "1999-01-01"},
        {"evaluator": "x"},
        {"q": "x" * 201},
    ):
        assert client.get(reverse("games", args=[project.slug]), asked).status_code == 400, asked


def test_programs_filter_alike():
    project = make_rating_project()
    spring, _summer = make_named(project, "spring", "summer")
    program = program_of(make_lead(project=project))
    path = f"projects/{project.slug}/games/"
    found = program.get(path, q="spring", state="waiting", since="2001-01-01").json()["items"]
    assert [(game["number"], game["source_id"]) for game in found] == [(spring.number, "spring")]
    assert program.get(path, verdict="pass").json()["items"] == []
    assert program.get(path, q="x" * 201).status_code == 422
