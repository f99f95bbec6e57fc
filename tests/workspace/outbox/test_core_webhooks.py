"""Messages, signatures, waits, and which IP addresses may be called.

When e-mails are due, whom a text names, and that every occasion has a sentence and a page.
"""

import base64
import json
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.urls import get_resolver, resolve

from tests.factories.people import NOW, moment
from tests.guards.layout import ROOT
from workspace.core.retries import LONGEST_WAIT, MOST_ATTEMPTS, compute_wait
from workspace.outbox.core import (
    ADDRESSES,
    EVENTS,
    GAME_MEASURED,
    ITERATION_DECIDED,
    KINDS,
    TEST,
    find_due,
    find_mentioned,
    is_last_attempt,
    is_public,
    join_bursts,
    join_known,
    may_call,
    read_secret,
    sign,
    write_body,
    write_secret,
)
from workspace.outbox.labels import KIND_LABELS, OCCASIONS, SENTENCES, SENTENCES_OF_MANY


def test_a_message_names_the_thing_and_where_the_api_has_it():
    body = write_body(GAME_MEASURED, identifier="msg_1", project=3, slug="mafia", thing={"game": 7}, now=NOW)
    assert json.loads(body) == {
        "type": "game.measured",
        "id": "msg_1",
        "timestamp": "2026-03-02T09:00:00Z",
        "project": {"id": 3, "slug": "mafia"},
        "data": {"game": 7},
        "address": "/api/v1/projects/mafia/games/7/",
    }


NAMES = (
    *(
        "api_import",
        "api_game",
        "api_game",
        "api_disagreements",
        "api_verdict",
        "api_decision",
        "api_decision",
    ),
    *("api_gate", "api_judge", "api_set_results", "api_webhooks"),
)


@pytest.mark.parametrize(
    ("event", "name"),
    list(zip(ADDRESSES, NAMES, strict=True)),
)
def test_every_address_is_an_operation_of_the_api(event, name):
    found = resolve(
        ADDRESSES[event].format(
            slug="mafia", **dict.fromkeys(("import", "game", "iteration", "stage", "set", "judge"), 2)
        )
    )
    assert found.url_name == name


def test_a_signature_is_the_one_that_the_scheme_computes():
    # Computed with openssl from the same key, identifier, timestamp and body.
    secret = "whsec_" + base64.b64encode(bytes(range(32))).decode()
    signature = sign([secret], "msg_1", 1_700_000_000, b'{"a":1}')
    assert signature == "v1,AMaOha7DUT/0J0JMycRuYOBSvbx3WtwLd2khXXbaVj4="


@pytest.mark.parametrize("size", [24, 32, 64])
def test_a_secret_is_read_as_it_was_written(size):
    assert read_secret(write_secret(bytes(size))) == bytes(size)


@pytest.mark.parametrize(
    "secret",
    ["", "whsec_", "whsec_!!!", write_secret(bytes(23)), write_secret(bytes(65)), "A" * 44, "whsec_ä"],
)
def test_what_is_no_secret_is_refused(secret):
    with pytest.raises(ValueError, match="no secret"):
        read_secret(secret)


def test_events_are_kept_once_and_in_order():
    chosen = [ITERATION_DECIDED, GAME_MEASURED, GAME_MEASURED]
    assert join_known(chosen, EVENTS) == "game.measured iteration.decided"
    for wrong in ([TEST], [*EVENTS, "other"]):
        with pytest.raises(ValueError, match="unknown"):
            join_known(wrong, EVENTS)


def test_waits_grow_for_about_a_day_and_are_spread():
    waits = [compute_wait(attempt, 0.5) for attempt in range(1, MOST_ATTEMPTS)]
    assert waits[:3] == [timedelta(seconds=10), timedelta(seconds=30), timedelta(seconds=90)]
    assert waits == sorted(waits) and waits[-1] == LONGEST_WAIT
    assert timedelta(hours=18) < sum(waits, timedelta()) < timedelta(hours=30)
    assert (compute_wait(1, 0), compute_wait(1, 1)) == (timedelta(seconds=7.5), timedelta(seconds=12.5))
    assert compute_wait(10**6, 1) == LONGEST_WAIT * 1.25
    assert [is_last_attempt(GAME_MEASURED, attempt) for attempt in (10, 11)] == [False, True]
    assert is_last_attempt(TEST, 1)


@pytest.mark.parametrize(
    "address",
    """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.254 127.0.0.1 127.8.8.8 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.9 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1
    203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8
    64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1 2001:0:7f00:1:: 2001:10::1 2001:20::1 2001:db8::1
    2002:7f00:1:: 2002:808:808:: 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%2 fec0::1 ff02::1 ff0e::1
    4000::1
    """.split(),
)
def test_addresses_that_lead_inside_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "100.128.0.1", "2606:4700::1111", "2a00::1"])
def test_other_addresses_are_public(address):
    assert is_public(address)


def test_networks_that_are_allowed_may_be_called():
    networks = [ip_network("10.1.0.0/16"), ip_network("fd00::/8")]
    assert may_call("10.1.2.3", networks) and may_call("fd00::9", networks)
    assert not may_call("10.2.0.1", networks) and not may_call("::ffff:10.1.2.3", networks)


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
