"""A search of games finds what their texts hold, page by page, and on SQLite reads no rows of other games."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from discussions.games.queries.list_query import ListQuery, load_list_window
from discussions.models import Game
from tests.factories.rating import make_copy, make_game, make_rating_project

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def project():
    """A measured game, and others that are not, with texts of their own; numbers fall while keys rise."""
    game = make_game(project=make_rating_project())
    Game.objects.bulk_create(
        make_copy(
            game,
            number=100 - at,
            source_id=f"copy-{at}",
            search_text=f"copy-{at}\ngames-{at % 3}.json\nann {at % 5}",
            content_sha256=f"{at:064x}",
            message_count=at % 4,
        )
        for at in range(40)
    )
    return game.project


def walk(project, **asked):
    """The numbers of all pages forwards, and those of all pages backwards from the last."""
    pages = [load_list_window(project, ListQuery(most=9, **asked))]
    while pages[-1].after:
        pages.append(load_list_window(project, ListQuery(most=9, after=pages[-1].after, **asked)))
    back = [pages[-1]]
    while back[-1].before:
        back.append(load_list_window(project, ListQuery(most=9, before=back[-1].before, **asked)))
    return [[game.number for page in found for game in page.games] for found in (pages, reversed(back))]


@pytest.mark.parametrize("sort", ["newest", "oldest", "longest", "a_to_z"])
def test_pages_of_a_search_hold_what_the_texts_hold(project, sort):
    texts = dict(Game.objects.values_list("number", "search_text"))
    for given in ({}, {"state": "measuring"}):
        everything, _back = walk(project, sort=sort, **given)
        for words, least in (("1", 12), ("ANN 2 games", 8), ("copy", 40), ("nowhere", 0), ("#77", 1)):
            wanted = [
                number
                for number in everything
                if all(word in texts[number] for word in words.casefold().split())
                or words.removeprefix("#") == str(number)
            ]
            assert len(wanted) >= least
            assert walk(project, sort=sort, q=words, **given) == [wanted, wanted]


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL has no index of texts")
def test_sqlite_looks_for_a_page_in_the_index_of_texts(project):
    key = Game.objects.get(source_id="copy-20").pk
    for asked in ({}, {"sort": "oldest"}, {"after": key}, {"before": key}, {"q": "7"}):
        with CaptureQueriesContext(connection) as queries:
            load_list_window(project, ListQuery(**({"q": "copy"} | asked)))
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {queries.captured_queries[-1]['sql']}")
            steps = [step for *_, step in cursor.fetchall()]
        assert any("USING COVERING INDEX game_by_text" in step for step in steps), steps
        assert not any("(project_id=?" in step and "COVERING" not in step for step in steps), steps
