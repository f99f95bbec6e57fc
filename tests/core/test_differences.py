"""What differs between two versions."""

from msgspec.structs import replace

from rubric.core.differences import Change, ListChange, differences
from rubric.core.records import Criterion
from rubric.shelf import first_discussion_version, first_response_version

FIRST = first_discussion_version()
RESPONSE = first_response_version()


def with_criterion(index, **changes):
    """The response version with one criterion changed."""
    criteria = list(RESPONSE.criteria)
    criteria[index] = replace(criteria[index], **changes)
    return replace(RESPONSE, criteria=criteria)


def test_a_version_does_not_differ_from_itself_whatever_its_number():
    assert differences(FIRST, replace(FIRST, version="2.0")).count == 0


def test_changed_values_are_shown_with_both_readings():
    found = differences(RESPONSE, with_criterion(0, weight=0.4, threshold=6.0))
    assert found.criteria[0].key == "accuracy"
    assert found.criteria[0].changes == [Change("weight", "0.35", "0.4"), Change("threshold", "", "6")]
    assert found.count == 2


def test_weights_are_left_out_for_whoever_may_not_see_them():
    other = with_criterion(0, weight=0.4)
    assert differences(RESPONSE, other, has_weights=False).count == 0
    more = replace(RESPONSE, criteria=[*RESPONSE.criteria, Criterion("tone", "Tone", "Its sound", 0.0)])
    added = differences(RESPONSE, more, has_weights=False).criteria[0]
    assert (added.how, [each.name for each in added.changes]) == ("added", ["label", "description"])


def test_criteria_come_and_go_and_change_places():
    fewer = replace(RESPONSE, criteria=RESPONSE.criteria[:3])
    assert [(each.key, each.how) for each in differences(RESPONSE, fewer).criteria] == [
        ("clarity", "removed")
    ]
    turned = replace(RESPONSE, criteria=RESPONSE.criteria[::-1])
    assert differences(RESPONSE, turned).general == [
        Change(
            "order",
            "accuracy, completeness, conciseness, clarity",
            "clarity, conciseness, completeness, accuracy",
        )
    ]


def test_parameters_and_entries_of_lists():
    lists = FIRST.lists | {
        "weak_keywords": [*FIRST.lists["weak_keywords"], "guess*"],
        "stop_words": FIRST.lists["stop_words"][::-1],
        "role_map": FIRST.lists["role_map"] | {"mafia": FIRST.lists["role_map"]["mafia"][1:]},
    }
    other = replace(
        FIRST, parameters=FIRST.parameters | {"pass_count": 6, "coherence_names": False}, lists=lists
    )
    found = differences(FIRST, other)
    assert found.parameters == [Change("pass_count", "5", "6"), Change("coherence_names", "yes", "no")]
    assert found.lists == [
        ListChange("weak_keywords", ["guess*"], [], is_reordered=False),
        ListChange("stop_words", [], [], is_reordered=True),
        ListChange("role_map.mafia", [], ["mafia"], is_reordered=False),
    ]
