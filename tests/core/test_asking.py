"""Asking a model, the pure part: what a completion says, when to try again, what it costs, how far it is."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rubric.core.asking import (
    ANSWERED,
    CUT_OFF,
    DECLINED,
    FAILED,
    GARBAGE,
    LONGEST_ANSWER,
    LONGEST_WAIT,
    NO_ANSWER,
    OPEN,
    RATE_LIMITED,
    REFUSAL,
    REFUSED,
    TIMEOUT,
    TOO_LARGE,
    UNREAD,
    UNREADABLE_ANSWER,
    Price,
    Reply,
    Try,
    bounded,
    cost_of,
    criteria_order,
    read_completion,
    sampling_of,
    seconds_of,
    state_of,
    wait_before,
)
from tests.core.reviews import CRITERIA, VERSION


def completion(message=None, **changes) -> bytes:
    choice = {"message": {"role": "assistant", "content": "Fine."} if message is None else message}
    value = {"choices": [choice | {"finish_reason": "stop"}], "usage": {}} | changes
    return json.dumps(value).encode()


def test_text_reason_and_tokens_are_read():
    reply = read_completion(completion(usage={"prompt_tokens": 812, "completion_tokens": 77}))
    assert reply == Reply(text="Fine.", finish_reason="stop", prompt_tokens=812, answer_tokens=77)


def test_parts_are_joined_and_odd_ones_left_out():
    parts = [{"type": "text", "text": "Fi"}, 7, {"type": "image"}, {"type": "text", "text": "ne."}]
    assert read_completion(completion({"content": parts})).text == "Fine."


def test_a_refusal_is_kept_and_named():
    reply = read_completion(completion({"content": None, "refusal": "I can't help with that."}))
    assert (reply.text, reply.finish_reason, reply.error_code) == ("I can't help with that.", REFUSAL, "")


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>Bad gateway</html>", b'{"choices": [', b"[]", b'{"a": NaN}', b"\xff\xfe", b"[" * 500],
)
def test_garbage_is_kept_as_it_came(body):
    reply = read_completion(body)
    assert reply.error_code == GARBAGE
    assert reply.text == body.decode("utf-8", errors="replace").replace("\0", "\u2400")


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": " \n"}}]},
        {"choices": [{"message": "hello"}], "usage": {"prompt_tokens": -1, "completion_tokens": True}},
    ],
)
def test_no_text_is_no_answer(value):
    reply = read_completion(json.dumps(value).encode())
    assert (reply.error_code, reply.text, reply.prompt_tokens, reply.answer_tokens) == (
        NO_ANSWER,
        "",
        None,
        None,
    )


def test_what_stopped_an_empty_answer_is_said():
    body = json.dumps({"choices": [{"message": {}, "finish_reason": "content_filter"}]}).encode()
    assert read_completion(body).error.startswith('The model sent no text ("content_filter").')


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_no_value_raises(value):
    for message in (value, {"content": value}, {"content": [{"text": value}]}):
        read_completion(
            json.dumps({"choices": [{"message": message}], "usage": {"prompt_tokens": value}}).encode()
        )
    read_completion(json.dumps({"choices": value, "usage": value}).encode())


def test_an_answer_has_at_most_two_megabytes():
    fits = Reply(text="é" * (LONGEST_ANSWER // 2))
    assert bounded(fits) is fits
    over = bounded(Reply(text=fits.text + "x", prompt_tokens=5, answer_tokens=6))
    assert (over.text, over.error_code, over.prompt_tokens, over.answer_tokens) == ("", TOO_LARGE, 5, 6)


def fetched(*codes):
    return [Try(code, is_fetched=True) for code in codes]


def test_how_far_an_answer_is():
    assert state_of("", []) == OPEN
    assert state_of("", fetched(TIMEOUT, RATE_LIMITED)) == OPEN
    assert state_of("", fetched(TIMEOUT, RATE_LIMITED, CUT_OFF)) == FAILED
    assert state_of("", fetched(REFUSED)) == FAILED
    assert state_of("", fetched(REFUSED, "")) == UNREAD
    assert state_of("", [Try("", is_fetched=False)]) == UNREAD
    assert [state_of(mode, fetched("")) for mode in ("rubric", "partial", "holistic")] == [ANSWERED] * 3
    assert state_of("abstained", fetched("")) == DECLINED
    assert state_of("unreadable", fetched("")) == UNREADABLE_ANSWER


def test_waits_double_are_spread_and_never_shorter_than_asked():
    assert [wait_before(tries, None, 1.0) for tries in (1, 2, 3)] == [2, 4, 8]
    assert [wait_before(tries, None, 0.0) for tries in (1, 2, 3)] == [1, 2, 4]
    assert wait_before(20, None, 1.0) == LONGEST_WAIT
    assert wait_before(1, 7, 0.5) == 7
    assert wait_before(1, 0, 0.0) == 1
    assert wait_before(1, LONGEST_WAIT + 1, 0.0) is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3),
        ("0.5", 0.5),
        (None, None),
        ("", None),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("Fri, 31 Dec 1999 23:59:59 GMT", None),
    ],
)
def test_retry_after(header, seconds):
    assert seconds_of(header) == seconds


def test_what_a_call_costs():
    price = Price(prompt=Decimal("2.50"), answer=Decimal(10))
    assert cost_of(price, 1200, 300) == Decimal("0.006")
    assert cost_of(price, 1, 0) == Decimal("0.000003")
    assert cost_of(price, None, 300) is None
    assert cost_of(None, 1200, 300) is None


def test_criteria_are_shuffled_only_when_the_version_says_so():
    assert criteria_order(VERSION, "a") is None
    shuffling = replace(VERSION, parameters=VERSION.parameters | {"shuffle_criteria": True})
    orders = {tuple(criteria_order(shuffling, str(seed))) for seed in range(40)}
    assert len(orders) > 10
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(CRITERIA))}
    assert criteria_order(shuffling, "a") == criteria_order(shuffling, "a")


def test_only_sampling_goes_along_with_a_call():
    given = {"temperature": 0.2, "seed": 7, "tools": [1], "max_tokens": True, "reasoning_effort": "low"}
    assert sampling_of(given | {"base_url": "http://evil", "top_p": "x" * 41}) == {
        "temperature": 0.2,
        "seed": 7,
        "reasoning_effort": "low",
    }
