"""The tabs of a comparison set: four for its lead, whose pages stand in a second row."""

import re

import pytest
from django.urls import reverse

from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import make_admin

pytestmark = pytest.mark.django_db

REVIEWERS, RELIABILITY = ["Effects", "Models", "Calibration"], ["Agreement", "Success", "Weights"]


def rows(client, route, made):
    """The rows of tabs: their names, each with a star if it is current."""
    page = client.get(reverse(route, args=[made.project.slug, made.number])).content.decode()
    lists = re.findall(r'<ul class="tabs">(.*?)</ul>', page, re.DOTALL)
    links = [re.findall(r"<a\b([^>]*)>([^<]+)</a>", each) for each in lists]
    return [[name.strip() + "*" * ("aria-current" in given) for given, name in each] for each in links]


@pytest.mark.parametrize(
    ("route", "tab", "inner"),
    [
        ("comparison_set", "Questions", []),
        ("set_results", "Results", []),
        *zip(("set_reviewers", "set_answers", "set_calibrations"), ["Reviewers"] * 3, REVIEWERS, strict=True),
        *zip(("set_agreement", "set_success", "set_weights"), ["Reliability"] * 3, RELIABILITY, strict=True),
    ],
)
def test_every_page_of_a_set_is_in_one_of_four_tabs(client, route, tab, inner):
    made = make_set(elsewhere=1)
    review_with(comparison=made.comparisons.get(), reviewer=made.reviewers.get(), scores=RECORD_SCORES)
    client.force_login(make_admin())
    first, *second = rows(client, route, made)
    assert first == [
        name + "*" * (name == tab) for name in ("Questions", "Results", "Reviewers", "Reliability")
    ]
    pages = {"Reviewers": REVIEWERS, "Reliability": RELIABILITY}.get(tab, [])
    assert second == ([[name + "*" * (name == inner) for name in pages]] if pages else [])
