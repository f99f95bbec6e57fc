"""What a role may never do is hidden from it; what it may not do now is greyed: how the test of every page finds it."""

import pytest

from tests.site.drawn_acts import Offer, list_offers, list_unexplained, read_page


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ('<a href="../there/?a=1#b">x</a><a href="#c">x</a>', {("GET", "/there/"), ("GET", "/here/")}),
        ('<a href="https://example.org/">x</a><a href="mailto:a@example.org">x</a>', set()),
        ('<form method="post" action="/a/"><button>x</button></form>', {("POST", "/a/")}),
        ('<form method="post" action="/a/"><button disabled>x</button></form>', set()),
        ('<form action="/a/"><fieldset disabled><button>x</button></fieldset></form>', set()),
        ('<form><input type="submit" formaction="/b/" formmethod="post"></form>', {("POST", "/b/")}),
        (
            '<form id="f" method="post" action="/a/"></form><button form="f">x</button>',
            {("POST", "/a/")},
        ),
        ('<p hx-get="/c/"><br>x</p><button type="button" hx-post="/d/">x</button>', {("GET", "/c/"), ("POST", "/d/")}),
    ],
)  # fmt: skip
def test_offers_are_read_from_a_page(drawn, expected):
    assert list_offers(read_page(drawn), "/here/") == {Offer(*offer) for offer in expected}


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ("<form><button disabled>Save <kbd>s</kbd></button></form>", ["Save s"]),
        ('<p><input name="a" disabled></p><p><span class="because">It is closed.</span></p>', ["a"]),
        ('<p><button disabled>Save</button><span class="because"> </span></p>', ["Save"]),
        ('<p><button disabled>Save</button><span class="because">It is closed.</span></p>', []),
        ('<p><button disabled title="It is closed.">Save</button></p>', []),
        ('<p id="d">It is closed.</p><p><a aria-disabled="true" aria-describedby="d">Save</a></p>', []),
    ],
)
def test_what_is_greyed_without_a_reason_is_found(drawn, expected):
    assert list_unexplained(read_page(drawn)) == expected
