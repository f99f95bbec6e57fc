"""Each line of the rubric's own examples says what the product's measuring functions give, in every shipped version."""

import html

import pytest
from msgspec.structs import replace

from discussions.metrics.core.rubric_examples import measure_examples
from discussions.metrics.pages import describe_examples
from rubric.versions.queries import DISCUSSION_NUMBERS, discussion_version
from tests.factories.metrics import game, measured, rubric
from tests.factories.people import make_admin

OUTCOMES = {
    "vague": "offered",
    "pattern": "not_coherent",
    "neutral": "consistent",
    "think": "passes_robotic",
    "vote": "not_applicable",
}


def outcomes(record):
    return {found.key: found.outcome for found in measure_examples(record)}


@pytest.mark.parametrize("number", DISCUSSION_NUMBERS)
def test_what_each_shipped_version_makes_of_the_examples(number):
    is_asked = number not in ("1.0", "1.1", "1.2")
    assert outcomes(discussion_version(number)) == OUTCOMES | ({"vague": "asked"} if is_asked else {})


@pytest.mark.parametrize(
    ("parameters", "changed"),
    [
        ({"coherence_min_shared": 1}, {"pattern": "coherent"}),
        ({"role_neutral_village": "inconsistent"}, {"neutral": "inconsistent"}),
        ({"repetition_min_ordinary": 0}, {"vote": "fails_robotic"}),
        ({"robotic_use_count": 16}, {"think": "passes"}),
    ],
)
def test_other_choices_give_other_outcomes(parameters, changed):
    assert outcomes(rubric(**parameters)) == OUTCOMES | changed


def test_a_version_without_a_metric_has_no_example_of_it():
    record = rubric()
    fewer = replace(record, criteria=[it for it in record.criteria if it.key != "anti_repetition"])
    assert outcomes(fewer).keys() == OUTCOMES.keys() - {"think", "vote"}


def test_the_counts_in_the_sentences_are_those_of_the_measurement():
    texts = [f"I think {name} a{at}x b{at}x." for at, name in enumerate(("Bravo", "Charlie") * 2)]
    record = game(
        messages=[("Alpha", text, 1) for text in texts], roles=dict.fromkeys(("Alpha", "Bravo", "Charlie"))
    )
    found = measured("anti_repetition", record, number="1.3")
    assert (found.numerator, found.denominator) == (8, 12), (
        "“i think [name]” of four messages of three phrases"
    )
    rows = describe_examples(discussion_version("1.3"))
    assert [does for _metric, _example, does, _why in rows][3].startswith("97.0\u00a0%: passes")


@pytest.mark.django_db
def test_the_page_of_a_version_shows_them(client):
    client.force_login(make_admin())
    for number in ("1.0", "1.3"):
        text = html.unescape(client.get(f"/rubrics/discussion/{number}/").content.decode())
        for row in describe_examples(discussion_version(number)):
            assert all(part in text for part in row)
    assert "own examples" not in client.get("/rubrics/response/1.2/").content.decode()
