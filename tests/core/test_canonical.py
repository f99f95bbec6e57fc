"""The normal form: one value, one sequence of bytes, whatever order or spelling it came in."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.core.records import Cost, Player
from workspace.core.canonical import bytes_hash, canonical_bytes, canonical_hash


def test_keys_are_sorted_and_nothing_is_spent_on_spaces():
    assert (
        canonical_bytes({"b": [1, 2.5, None, True], "a": "ä"}) == '{"a":"ä","b":[1,2.5,null,true]}'.encode()
    )


def test_negative_zero_is_zero():
    assert canonical_bytes([-0.0, {"a": -0.0}, "-0.0"]) == b'[0.0,{"a":0.0},"-0.0"]'


def test_records_and_decimals_are_taken_as_plain_values():
    assert canonical_bytes(Player(name="Ann")) == b'{"name":"Ann"}'
    assert canonical_bytes(Cost(total_usd=Decimal("2.50"))) == b'{"total_usd":"2.50"}'


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], "\ud800"])
def test_what_no_database_can_store_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        canonical_bytes(value)


def test_the_hash_is_that_of_the_bytes():
    assert canonical_hash({}) == bytes_hash(b"{}")
    assert bytes_hash(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])),
        st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_the_order_of_keys_never_matters(value):
    backwards = dict(reversed(list(value.items())))
    assert canonical_hash(value) == canonical_hash(backwards)
