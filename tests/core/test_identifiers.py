"""Names, addresses and short names as people type them."""

import pytest

from workspace.core.identifiers import is_slug, plain_email, plain_name, secret_hash


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        (" Ada@Example.ORG ", "ada@example.org"),
        ("a.b+c@sub.example.org", "a.b+c@sub.example.org"),
        ("ada", None),
        ("ada@", None),
        ("ada@example", None),
        ("a b@example.org", None),
        ("ada@example.org\nBcc: x@y.org", None),
        ("ada@exa_mple.org", None),
        ("аda@example.org", None),
        ("a" * 190 + "@example.org", None),
        ("", None),
    ],
)
def test_addresses(typed, plain):
    assert plain_email(typed) == plain


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("  Ada   Byron ", "Ada Byron"),
        ("李小龍", "李小龍"),
        ("Zoë O'Neil-Ünal", "Zoë O'Neil-Ünal"),
        ("", None),
        ("   ", None),
        ("A\u202eda", None),
        ("A\u200bda", None),
        ("A\x00da", None),
        ("x" * 201, None),
        ("x" * 200, "x" * 200),
    ],
)
def test_names(typed, plain):
    assert plain_name(typed) == plain


@pytest.mark.parametrize("slug", ["a", "mafia-2026", "0", "x" * 60])
def test_short_names(slug):
    assert is_slug(slug)


@pytest.mark.parametrize("slug", ["", "new", "-a", "a-", "A", "a_b", "ä", "a b", "x" * 61, "a\n", "a/b"])
def test_bad_short_names(slug):
    assert not is_slug(slug)


def test_a_secret_is_stored_as_its_hash():
    assert secret_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert len(secret_hash("\ud800")) == 64
