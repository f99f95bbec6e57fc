"""Whether answers are those of the key: counted by hand, on first answers, at the very limits of the rule."""

from decimal import Decimal

from discussions.adjudication.core.effective import Judged, find_effective_values
from discussions.calibration.core import Key, build_key, compare, compute_result

KEY = Key(
    {
        "reference": {"4.1": "accurate", "9.2": "vague"},
        "strategic_depth": {"2": "yes", "5": "no"},
        "question": {"1": "yes"},
    },
    "7/2",
)


SAID = {
    ("reference", "4.1"): "accurate",
    ("reference", "9.2"): "inaccurate",
    ("strategic_depth", "2"): "yes",
    ("strategic_depth", "5"): "yes",
    ("question", "1"): "yes",
    ("strategic_depth", "11"): "yes",
    ("rating", ""): "4.5",
}


def test_a_game_by_hand():
    found = compare(KEY, SAID)
    assert (found.alike, found.count) == (3, 5)
    assert found.by_kind == {"reference": (1, 2), "strategic_depth": (1, 2), "question": (1, 1)}
    assert [
        (difference.kind, difference.subject, difference.given, difference.agreed)
        for difference in found.differences
    ] == [
        ("reference", "9.2", "inaccurate", "vague"),
        ("strategic_depth", "5", "yes", "no"),
    ]
    assert found.rating_error == 1


def test_what_only_one_of_the_two_has_is_left_out():
    assert compare(KEY, {}).count == 0
    assert compare(KEY, {("coherence", "1"): "yes"}).count == 0
    assert compare(Key({}), SAID).rating_error is None


def test_the_rule_holds_at_its_limits():
    game = compare(KEY, SAID)
    given = {"asked": 1, "rating_within": Decimal(1)}
    assert compute_result([game], pass_percent=60, **given).passes
    assert not compute_result([game], pass_percent=61, **given).passes
    assert not compute_result([game], asked=1, pass_percent=60, rating_within=Decimal("0.99")).passes
    assert compute_result([game], pass_percent=60, **given).percent == 60


def test_nothing_is_said_before_all_games_are_in():
    game = compare(KEY, SAID)
    result = compute_result([game], asked=2, pass_percent=1, rating_within=Decimal(4))
    assert (result.done, result.asked, result.passes) == (1, 2, None)


def test_who_is_asked_nothing_passes():
    assert compute_result([], asked=0, pass_percent=80, rating_within=Decimal(1)).passes


def test_a_key_holds_what_people_resolved_and_nothing_of_the_machine_alone():
    judged = [
        Judged(1, "strategic_depth", "2", "yes", is_submitted=True),
        Judged(1, "rating", "", "3.0", is_submitted=True),
        Judged(2, "rating", "", "4.0", is_submitted=True),
    ]
    machine = {("strategic_depth", "2"): "no", ("strategic_depth", "3"): "yes"}
    key = build_key(find_effective_values(judged, {("strategic_depth", "2"): "yes"}, machine=machine))
    assert key.values == {"strategic_depth": {"2": "yes"}}
    assert key.rating == "7/2"
