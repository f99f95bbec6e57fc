"""The versions that come with the site: the response rubric is its source's, its weights may be the site's own."""

import json
from importlib import import_module

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from msgspec.structs import replace

from evalsite import environment
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from rubric.versions.queries import (
    discussion_version,
    find_missing,
    first_response_version,
    first_version_bytes,
    response_version,
    shipped_versions,
)
from tests.factories.versions import BY_PEOPLE

WEIGHTS = {"accuracy": 0.35, "completeness": 0.25, "conciseness": 0.2, "clarity": 0.2}


# Of the rows that every installation has; recorded games and sets name them.
SHA_1_0 = "7182e45579217c3d7993d18e5cf8c3fb559c8d53ed19c419b4d4f88fb1676232"
RESPONSE_SHA_1_0 = "69e89dab6776d3e4e81202ad141aa3ab25ffae45c8e7cdbe31775faf2f2d9756"


OTHERS = {"accuracy": 0.4, "completeness": 0.3, "conciseness": 0.2, "clarity": 0.1}


def test_version_1_2_differs_from_1_1_in_words_and_examples_alone():
    old, new = discussion_version("1.1"), discussion_version("1.2")
    assert (old.parameters, old.lists) == (new.parameters, new.lists)
    texts = {"description": "", "guiding_questions": [], "good_examples": [], "bad_examples": []}
    bare = [[replace(criterion, **texts) for criterion in record.criteria] for record in (old, new)]
    assert bare[0] == bare[1]
    questions = [record.criterion("engagement").guiding_questions for record in (old, new)]
    assert questions[0] == questions[1]
    for criterion in new.criteria:
        assert (len(criterion.good_examples), len(criterion.bad_examples)) == (2, 2)
    assert not any(criterion.good_examples or criterion.bad_examples for criterion in old.criteria)


def test_version_1_3_differs_from_1_2_in_who_decides_alone():
    old, new = discussion_version("1.2"), discussion_version("1.3")
    assert (old.criteria, old.lists) == (new.criteria, new.lists)
    assert new.parameters == old.parameters | BY_PEOPLE | {
        "combining_marks": True,
        "suggested_references": "asked",
        "identification_test": "agents",
    }


def test_the_first_response_version_is_the_decision_records_rubric():
    version = first_response_version()
    assert isinstance(version, RubricRecord)
    assert (version.version, version.kind) == ("1.0", "response")
    assert "ADR-016" in version.source
    assert {criterion.key: criterion.weight for criterion in version.criteria} == WEIGHTS
    assert [criterion.description for criterion in version.criteria] == [
        "Factual correctness, no hallucinations",
        "Addresses all aspects of the question",
        "Efficient communication, no padding",
        "Well-organized, easy to understand",
    ]
    for criterion in version.criteria:
        assert len(criterion.guiding_questions) == 3
        assert all(question.endswith("?") for question in criterion.guiding_questions)
        assert list(criterion.anchors) == ["1-2", "3-4", "5-6", "7-8", "9-10"]
        assert criterion.threshold is None
        assert not criterion.advice


def test_version_1_1_of_the_response_rubric_adds_advice_alone():
    version = response_version("1.1")
    for criterion in version.criteria:
        assert len(criterion.advice) == 3
        assert all(line.endswith(".") for line in criterion.advice)
    criteria = [replace(criterion, advice=[]) for criterion in version.criteria]
    assert replace(version, version="1.0", criteria=criteria) == first_response_version()


def test_version_1_2_of_the_response_rubric_adds_examples_alone():
    version = response_version("1.2")
    for criterion in version.criteria:
        examples = [*criterion.good_examples, *criterion.bad_examples]
        assert (len(criterion.good_examples), len(set(examples))) == (2, 4)
        marks = [line.rpartition(": ")[2].removesuffix(".") for line in examples]
        assert marks[:2] == ["9-10", "9-10"], "the score that fits stands at the end"
        assert all(mark in list(criterion.anchors)[:3] for mark in marks[2:])
    criteria = [replace(criterion, good_examples=[], bad_examples=[]) for criterion in version.criteria]
    assert replace(version, version="1.1", criteria=criteria) == response_version("1.1")


def test_the_installations_weights_are_the_shipped_versions_and_named_as_such(settings):
    settings.RESPONSE_WEIGHTS = OTHERS
    changed = [shipped for shipped in shipped_versions() if shipped.key == "response"]
    assert [shipped.number for shipped in changed] == ["1.0", "1.1", "1.2"]
    for shipped in changed:
        body = json.loads(shipped.body)
        assert {criterion["key"]: criterion["weight"] for criterion in body["criteria"]} == OTHERS
        assert "weights of this installation" in body["source"]
    settings.RESPONSE_WEIGHTS = WEIGHTS
    usual = [shipped for shipped in shipped_versions() if shipped.key == "response"]
    assert usual[0].sha256 == RESPONSE_SHA_1_0
    assert usual[1].sha256 != changed[1].sha256


def test_the_settings_defaults_are_the_files_weights():
    source = (environment.ROOT / "evalsite" / "settings.py").read_text()
    criteria = json.loads(first_version_bytes("response-1.0"))["criteria"]
    assert len(criteria) == 4
    for criterion in criteria:
        name = f"LLM_COUNCIL_WEIGHT_{criterion['key'].upper()}"
        assert f'environment.share("{name}", "{criterion["weight"]:.2f}")' in source


@pytest.mark.django_db
def test_migrating_publishes_every_shipped_version_and_the_newest_is_the_default():
    found = RubricVersion.objects.published().values_list("rubric__key", "number").order_by("pk")
    numbers = {"discussion": ("1.0", "1.1", "1.2", "1.3"), "response": ("1.0", "1.1", "1.2")}
    assert list(found) == [(key, number) for key, several in numbers.items() for number in several]
    assert RubricVersion.objects.newest("discussion").to_record() == discussion_version("1.3")
    assert RubricVersion.objects.get(rubric__key="discussion", number="1.0").sha256 == SHA_1_0
    assert RubricVersion.objects.newest("response").to_record() == response_version("1.2")


@pytest.mark.django_db
def test_publishing_what_is_there_changes_nothing(settings):
    settings.RESPONSE_WEIGHTS = OTHERS
    publish = import_module("rubric.migrations.0002_shipped_versions").publish
    before = list(RubricVersion.objects.order_by("pk").values_list("sha256", flat=True))
    publish(apps, None)
    assert list(RubricVersion.objects.order_by("pk").values_list("sha256", flat=True)) == before


def test_a_later_version_whose_number_is_taken_gets_the_next_one_once():
    old, new, *_responses = shipped_versions()
    stored = {"1.0": old.body}
    assert find_missing(new, stored) == new
    assert find_missing(old, stored | {"1.0": "{}"}) is None, "1.0 is never replaced"
    stored["1.1"] = old.body.replace('"version":"1.0"', '"version":"1.1"')
    missing = find_missing(new, stored)
    assert (missing.number, json.loads(missing.body)["parameters"]["rules"]) == ("1.2", "1.1")
    assert find_missing(new, stored | {"1.2": missing.body}) is None


def test_a_response_version_under_another_number_is_known_whatever_its_weights(settings):
    *_discussion, old, new, _newest = shipped_versions()
    stored = {"1.0": old.body, "1.1": old.body.replace('"version":"1.0"', '"version":"1.1"')}
    missing = find_missing(new, stored)
    assert (missing.number, len(json.loads(missing.body)["criteria"][0]["advice"])) == ("1.2", 3)
    settings.RESPONSE_WEIGHTS = OTHERS
    assert find_missing(shipped_versions()[-2], stored | {"1.2": missing.body}) is None


@pytest.mark.parametrize("value", ["heavy", "-0.1", "1.1", "2", "nan", "inf", "1e-1", "0,2", "35%", "."])
def test_a_weight_that_is_none_stops_the_start_with_a_sentence(monkeypatch, value):
    monkeypatch.setenv("LLM_COUNCIL_WEIGHT_CLARITY", value)
    with pytest.raises(
        ImproperlyConfigured, match=r"LLM_COUNCIL_WEIGHT_CLARITY is .* from 0 to 1, such as 0\.20\."
    ):
        environment.share("LLM_COUNCIL_WEIGHT_CLARITY", "0.20")


@pytest.mark.parametrize(
    ("value", "share"), [("0.2", 0.2), (".25", 0.25), ("0", 0), ("1", 1), ("1.00", 1), (" ", 0.2)]
)
def test_a_weight_is_read_in_plain_decimals(monkeypatch, value, share):
    monkeypatch.setenv("LLM_COUNCIL_WEIGHT_CLARITY", value)
    assert environment.share("LLM_COUNCIL_WEIGHT_CLARITY", "0.20") == share


def test_weights_that_do_not_sum_to_1_stop_the_start_with_their_sum():
    with pytest.raises(
        ImproperlyConfigured, match=r"sum to 99\u00a0%, 1\u00a0% too little .*clarity 19\u00a0%.*not set"
    ):
        environment.assert_weights(WEIGHTS | {"clarity": 0.19})
    assert environment.assert_weights(OTHERS) == OTHERS
