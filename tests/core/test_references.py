"""The chain of references: which iteration the next change is compared with, now and as it was."""

from datetime import UTC, datetime, timedelta

from discussions.core.references import Link, baseline_of, chain_faults, reference_of

START = datetime(2026, 3, 2, tzinfo=UTC)


def at(hours):
    return START + timedelta(hours=hours)


def baseline(number, hours=0):
    return Link(number, number, "baseline", at(hours))


def change(number, compared_with, *decisions, hours=None):
    made = [(at(moment), choice) for moment, choice in decisions]
    return Link(number, number, "change", at(number if hours is None else hours), compared_with, made)


def test_the_newest_baseline_or_the_change_kept_last():
    first = baseline(1)
    assert reference_of([]) is None
    assert reference_of([first]) == 1
    kept = change(2, 1, (2.5, "keep"))
    assert reference_of([first, kept]) == 2
    assert reference_of([first, kept, change(3, 2, (3.5, "revert"))]) == 2
    assert reference_of([first, kept, change(3, 2, (3.5, "inconclusive"))]) == 2
    assert reference_of([first, kept, change(3, 2)]) == 2
    assert reference_of([first, kept, baseline(3, 3)]) == 3
    assert baseline_of([first, kept, baseline(3, 3), change(4, 3)]) == 3
    assert baseline_of([]) is None


def test_a_superseded_decision_counts_until_it_was():
    chain = [baseline(1), change(2, 1, (2.5, "keep"), (9, "revert"))]
    assert reference_of(chain) == 1
    assert reference_of(chain, at=at(5)) == 2
    assert reference_of(chain, at=at(2)) == 1


def test_a_chain_whose_links_fit_the_references_of_their_time():
    chain = [
        baseline(1),
        change(2, 1, (2.5, "keep"), (9, "revert")),
        change(3, 2, (3.5, "revert")),
        baseline(4, 4),
        change(5, 4),
    ]
    assert list(chain_faults(chain)) == []


def test_a_change_that_is_kept_after_a_fresh_baseline_is_what_the_next_one_builds_on():
    undecided = [baseline(1), change(2, 1), baseline(3, 3)]
    assert reference_of(undecided) == 3
    kept = [baseline(1), change(2, 1, (4, "keep")), baseline(3, 3)]
    assert reference_of(kept) == 2
    assert reference_of(kept, at=at(3.5)) == 3
    assert reference_of([*kept, change(4, 2, (5, "keep"))]) == 4
    assert reference_of([*kept, baseline(4, 5)]) == 4
    assert list(chain_faults([*kept, change(4, 2, hours=5)])) == []


def test_reverting_what_others_build_on_and_taking_that_back_leaves_the_end_of_the_chain():
    newer = change(3, 2, (3.5, "keep"))
    for decisions in (("revert",), ("revert", "keep"), ("revert", "inconclusive"), ("keep",)):
        older = change(2, 1, (2.5, "keep"), *((5 + place, choice) for place, choice in enumerate(decisions)))
        assert reference_of([baseline(1), older, newer]) == 3
    taken_back = change(3, 2, (3.5, "keep"), (6, "revert"))
    assert reference_of([baseline(1), change(2, 1, (2.5, "keep")), taken_back]) == 2
    assert reference_of([baseline(1), change(2, 1, (2.5, "keep"), (7, "revert")), taken_back]) == 1
    again = change(3, 2, (3.5, "keep"), (6, "revert"), (8, "keep"))
    assert reference_of([baseline(1), change(2, 1, (2.5, "keep"), (7, "revert")), again]) == 3


def test_a_link_that_does_not_fit_is_named():
    chain = [baseline(1), change(2, 1, (2.5, "revert")), change(3, 2)]
    assert list(chain_faults(chain)) == [
        "Iteration 3 is compared with another iteration than the reference of its time."
    ]
