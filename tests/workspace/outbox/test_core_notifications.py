"""When e-mails are due, whom a text names, and that every occasion has a sentence and a page."""

from datetime import UTC, datetime
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.urls import get_resolver

from tests.factories.people import NOW, moment
from tests.guards.layout import ROOT
from workspace.outbox.core import KINDS, find_due, find_mentioned, join_bursts, join_known
from workspace.outbox.labels import KIND_LABELS, OCCASIONS, SENTENCES, SENTENCES_OF_MANY

VIENNA = ZoneInfo("Europe/Vienna")


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (datetime(2026, 3, 2, 5, 59, tzinfo=UTC), datetime(2026, 3, 2, 6, tzinfo=UTC)),
        (datetime(2026, 3, 2, 6, 0, tzinfo=UTC), datetime(2026, 3, 3, 6, tzinfo=UTC)),
        # The clocks go forward in between.
        (datetime(2026, 3, 28, 12, 0, tzinfo=UTC), datetime(2026, 3, 29, 5, tzinfo=UTC)),
    ],
)
def test_a_digest_is_due_in_the_next_morning_of_its_person(now, due):
    assert find_due("daily", now, VIENNA) == due
    assert find_due("at_once", now, VIENNA) == now
    assert find_due("off", now, VIENNA) is None


def test_the_longer_of_two_names_is_meant():
    names = {1: "Ann", 2: "Ann Lee", 3: "Bo", 4: ""}
    assert find_mentioned("@ann lee, what do you say?", names) == {2}
    assert find_mentioned("@Ann and @Ann Lee, but not bo@example.org", names) == {1, 2}
    assert find_mentioned("Nobody", names) == set()


def test_every_occasion_has_a_kind_a_sentence_and_a_page():
    assert set(OCCASIONS) == set(SENTENCES) == set(SENTENCES_OF_MANY)
    assert set(KIND_LABELS) == set(KINDS) == {occasion.kind for occasion in OCCASIONS.values()}
    pages = {page for occasion in OCCASIONS.values() for page in (occasion.page, occasion.many) if page}
    assert pages <= set(get_resolver().reverse_dict)


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        (["a0", "a1"], [1, 1]),
        (["a0", "a1", "a2"], [3]),
        (["a0", "a10", "a20"], [3]),
        (["a0", "a1", "a12", "a13", "a14"], [1, 1, 3]),
        (["a0", "a1", "b2", "a3"], [1, 1, 1, 1]),
        (["a2", "a1", "a0", "b0", "b0", "b0"], [3, 3]),
    ],
)
def test_bursts_are_of_one_kind_and_close_together(told, lines):
    rows = [
        SimpleNamespace(code=one[0], project_id=1, created_at=moment(int(one[1:])), read_at=None)
        for one in told
    ]
    assert [len(burst) for burst in join_bursts(rows)] == lines
    rows[1].read_at, rows[1].project_id = NOW, 2
    assert max(map(len, join_bursts(rows))) <= 3


def test_kinds_are_stored_once_and_in_order():
    assert join_known(["tie", "assigned", "tie"], KINDS) == "assigned tie"
    with pytest.raises(ValueError, match="unknown"):
        join_known(["all"], KINDS)


def test_the_docs_list_every_kind():
    text = (ROOT / "docs/notifications.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []


def test_the_beginning_of_another_word_mentions_nobody():
    assert find_mentioned("Ask @Annabel, or ann@example.org", {1: "Ann"}) == set()
    assert find_mentioned("Ask (@ann), then @Bo.", {1: "Ann", 2: "Bo"}) == {1, 2}
