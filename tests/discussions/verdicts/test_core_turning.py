"""Whether a verdict would be the other one if one metric were on the other side of its threshold."""

from types import SimpleNamespace

import pytest

from discussions.verdicts.core.turning import would_turn


def outcome(passed, *, cost=False, mandatory=True):
    """Seven metrics of which the first so many pass and five must; the last, which must pass, is `mandatory`."""
    lines = [
        SimpleNamespace(key=str(number), passes=number < passed, is_mandatory=False) for number in range(6)
    ]
    lines.append(SimpleNamespace(key="rated", passes=mandatory, is_mandatory=True))
    return SimpleNamespace(lines=lines, cost_state="above" if cost else "low", needed_count=5)


@pytest.mark.parametrize(
    ("found", "key", "turns"),
    [
        (outcome(4), "0", True),
        (outcome(5), "0", False),
        (outcome(3), "5", True),
        (outcome(2), "5", False),
        (outcome(6), "rated", True),
        (outcome(4, mandatory=False), "5", False),
        (outcome(6, mandatory=False), "rated", True),
        (outcome(4, cost=True), "0", False),
        (outcome(3, cost=True), "5", False),
    ],
)
def test_a_metric_takes_the_verdict_with_it(found, key, turns):
    assert would_turn(found, key) is turns


def test_every_metric_that_must_pass_is_needed():
    found = outcome(6, mandatory=False)
    found.lines[0].is_mandatory = True
    assert [would_turn(found, key) for key in ("0", "1", "rated")] == [False, False, True]
    found.lines[1].is_mandatory, found.lines[1].passes = True, False
    assert not would_turn(found, "rated")
