"""The list of games: what each row says, in which order, a page at a time, at the same cost in any project."""

import pytest
from django.urls import reverse

from discussions.games.queries.list_filters import STATES, WEAK
from discussions.games.queries.list_query import GAMES_A_PAGE, ListQuery
from discussions.games.views.game_list import GamesPage
from discussions.models import Game, Verdict
from discussions.verdicts.pages.lines import format_score
from discussions.verdicts.queries import load_verdict_preview
from tests.factories.iterations import figures, make_iteration, make_stage
from tests.factories.people import make_admin, make_lead, make_member
from tests.factories.rating import make_game, make_rating_project, ready_to_submit, start, submitted
from tests.factories.transcripts import make_games_project
from tests.factories.verdicts import game_to_record, record, recorded_verdict

pytestmark = pytest.mark.django_db


TEXTS = ("discussions_gametext", "discussions_measuredfindings", "discussions_companions")


def get_page(client, project, **asked):
    return client.get(reverse("games", args=[project.slug]), asked)


def as_lead(client, project):
    client.force_login(make_lead(project=project))
    return client


def many_games(count):
    """A project with so many measured games, rows copied from one."""
    project = make_rating_project()
    first = make_game(project=project)
    Game.objects.bulk_create(
        Game(
            project=project, iteration=first.iteration, transcript=first.transcript, number=10_000 + number,
            source_id=f"copy-{number}", content_sha256=f"{number:064x}", player_count=6, message_count=12,
            round_count=3, vote_count=2, created_at=first.created_at, created_by=first.created_by,
        )
        for number in range(1, count)
    )  # fmt: skip
    return project


def test_an_empty_project_says_what_to_do(client):
    project = make_rating_project()
    answer = get_page(as_lead(client, project), project)
    assert "No games yet" in answer.content.decode()
    assert reverse("imports", args=[project.slug]) in answer.content.decode()


def test_every_state_is_said(client):
    project = make_rating_project()
    numbers = {"waiting": str(make_game(project=project).number)}
    # Each of these takes the only free game: the one that was just made.
    lines = {line.number: line for line in GamesPage(project=project, wanted=ListQuery()).lines}
    assert lines[numbers["waiting"]].state == "waiting"
    assert lines[numbers["waiting"]].cells[6].says == "pending"
    other = start().game
    assert GamesPage(project=other.project, wanted=ListQuery()).lines[0].state == "rating"
    waiting = submitted().game
    assert GamesPage(project=waiting.project, wanted=ListQuery()).lines[0].state == "submitted"
    done = record(waiting)
    line = GamesPage(project=waiting.project, wanted=ListQuery()).lines[0]
    assert line.state == "verdict"
    assert line.headline == f"{'' if done.passes else 'fails, '}{done.passed_count} of 7"
    assert line.composite == f"{done.composite:.1f}"


def test_a_game_without_measurement_is_being_measured():
    project = many_games(2)
    states = {line.state for line in GamesPage(project=project, wanted=ListQuery()).lines}
    assert states == {"waiting", "measuring"}


def test_each_filter_finds_its_games_and_no_others():
    games = {
        "waiting": make_game(project=make_rating_project()),
        "rating": ready_to_submit().game,
        "submitted": submitted().game,
        "verdict": recorded_verdict().game,
    }
    for state, game in games.items():
        for filtered in STATES:
            lines = GamesPage(project=game.project, wanted=ListQuery(state=filtered)).lines
            passes = Verdict.objects.filter(game=game, passes=filtered == "pass").exists()
            weak = Verdict.objects.filter(game=game, weak_pass_count__gt=0).exists()
            expected = filtered == state or (filtered in ("pass", "fail") and passes)
            expected = weak if filtered == WEAK else expected
            assert bool(lines) == expected, (state, filtered)


def test_a_pass_with_little_to_count_is_a_filter_and_a_column(client):
    stage = make_stage(project=make_games_project())
    given = [figures(memory_accuracy=None), figures(), figures()]
    make_iteration(stage=stage, games=given)
    lines = GamesPage(project=stage.project, wanted=ListQuery(sort="oldest")).lines
    assert [line.weak for line in lines] == ["Memory: no references", "", ""]
    as_lead(client, stage.project).cookies["games_columns"] = "weak"
    page = get_page(client, stage.project, state=WEAK).content.decode()
    assert page.count("Memory: no references") == 1 and "Weak passes" in page
    assert f'<a href="{lines[1].number}/">' not in page


def test_pages_follow_each_other_and_lead_back():
    project = many_games(2 * GAMES_A_PAGE + 5)
    for sort in ("newest", "oldest"):
        first = GamesPage(project=project, wanted=ListQuery(sort=sort))
        second = GamesPage(project=project, wanted=ListQuery(sort=sort, after=first.after))
        third = GamesPage(project=project, wanted=ListQuery(sort=sort, after=second.after))
        numbers = [int(line.number) for page in (first, second, third) for line in page.lines]
        assert numbers == sorted(numbers, reverse=sort == "newest")
        assert len(numbers) == len(set(numbers)) == 2 * GAMES_A_PAGE + 5
        assert (first.before, third.after) == (0, 0)
        back = GamesPage(project=project, wanted=ListQuery(sort=sort, before=third.before))
        assert [vars(line) for line in back.lines] == [vars(line) for line in second.lines]
        start_again = GamesPage(project=project, wanted=ListQuery(sort=sort, before=back.before))
        assert [vars(line) for line in start_again.lines] == [vars(line) for line in first.lines]
        assert start_again.before == 0


def test_by_a_figure_only_games_with_a_verdict_are_listed():
    verdict = recorded_verdict()
    project = verdict.game.project
    make_game(project=project)
    for sort in ("best", "worst"):
        lines = GamesPage(project=project, wanted=ListQuery(sort=sort)).lines
        assert [line.number for line in lines] == [str(verdict.game.number)]
    closest = GamesPage(project=project, wanted=ListQuery(sort="closest", state="verdict")).lines
    assert len(closest) == (verdict.flip_distance is not None)


def test_a_cursor_of_another_project_is_no_cursor():
    project, other = many_games(3), many_games(2)
    foreign = Game.objects.filter(project=other).latest("pk").pk
    assert len(GamesPage(project=project, wanted=ListQuery(after=foreign)).lines) == 3


@pytest.mark.parametrize(
    "asked",
    [
        {"sort": "-number"},
        {"sort": "number; DROP TABLE"},
        {"state": "secret"},
        {"iteration": "x"},
        {"after": "-1"},
        {"after": "9" * 40},
        {"unknown": "1"},
    ],
)
def test_only_what_links_of_ours_say_is_understood(client, asked):
    project = make_rating_project()
    assert get_page(as_lead(client, project), project, **asked).status_code == 400


def test_an_evaluator_is_sent_to_the_queue(client):
    project = make_rating_project()
    client.force_login(make_member(project=project))
    answer = get_page(client, project)
    assert (answer.status_code, answer["Location"]) == (302, reverse("queue", args=[project.slug]))


def test_hidden_text_and_markup_in_names_stay_text(client):
    project = make_rating_project()
    make_game(project=project)
    project.iterations.update(name="<b>Spring</b>")
    client.force_login(make_admin())
    said = get_page(client, project).content.decode()
    assert "&lt;b&gt;Spring" in said
    assert "<b>Spring" not in said


def test_a_game_to_record_shows_the_scores_that_its_verdict_would_have(django_assert_num_queries):
    project = make_rating_project()
    game = game_to_record(project=project)
    (line,) = GamesPage(project=project, wanted=ListQuery()).lines
    expected = load_verdict_preview(game).outcome.lines
    assert [cell.text for cell in line.cells] == [
        format_score(each).removesuffix("\u00a0%") for each in expected
    ]
    assert line.cells[6].text and line.state == "submitted" and line.headline == ""
    # It is sorted by these, before games that nobody rated.
    other = make_game(project=project)
    by_rating = GamesPage(project=project, wanted=ListQuery(sort="lowest_engagement"))
    assert [one.number for one in by_rating.lines] == [str(game.number), str(other.number)]
    record(game)
    recorded = GamesPage(project=project, wanted=ListQuery()).lines[-1]
    assert recorded.cells == line.cells
    game_to_record(project=project), game_to_record(project=project)
    with django_assert_num_queries(7):
        GamesPage(project=project, wanted=ListQuery())


def test_queries_are_the_same_at_two_sizes_and_read_no_text(client, django_assert_num_queries):
    small, large = many_games(2), many_games(2 * GAMES_A_PAGE)
    client.force_login(make_admin())
    get_page(client, small)
    # Where a list has several pages, its games are counted, too; of games that are not measured the jobs are read.
    for project, count in ((small, 7), (large, 8)):
        with django_assert_num_queries(count) as caught:
            assert get_page(client, project).status_code == 200
        asked = " ".join(query["sql"] for query in caught)
        assert not {table for table in TEXTS if table in asked}
