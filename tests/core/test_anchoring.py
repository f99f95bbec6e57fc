"""What became of blind answers once the machine's word was shown: by hand, and what takes no part."""

import pytest

from discussions.core.anchoring import APART, AWAY, ELSEWHERE, STAYED, TO_MACHINE, TOGETHER, TOWARD
from discussions.core.evaluated import Found
from discussions.core.sampled_accuracy import accuracy_of
from tests.core.test_sampled_accuracy import DEPTH, MACHINE, ROLE, evaluated

SHOWN = frozenset({f"metric:{DEPTH}", f"metric:{ROLE}"})


def anchoring(metric, *many):
    (version,) = accuracy_of(many).versions
    return next(each for each in version.anchoring if each.metric == metric)


def moved(game=1, evaluator=7, toward=2, apart=4, away=1, together=5, **changes):
    """Of `apart` answers `toward` went to the machine's, of `together` `away` left it. Odd messages are its yes."""
    said, odd, even = [], iter(range(1, 200, 2)), iter(range(2, 200, 2))
    for number in range(apart):
        said.append((DEPTH, str(next(odd)), "no", "yes" if number < toward else "no"))
    for number in range(together):
        said.append((DEPTH, str(next(even)), "no", "yes" if number < away else "no"))
    values = {(DEPTH, str(position)): "yes" if position % 2 else "no" for position in range(1, 200)}
    return evaluated(
        game=game, evaluator=evaluator, evaluation=game, said=said, values=values, revealed=SHOWN, **changes
    )


def test_the_index_by_hand():
    found = anchoring(DEPTH, moved())
    told = {(cell.row, cell.column): cell.count for cell in found.table.cells}
    assert told == {(APART, TO_MACHINE): 2, (APART, STAYED): 2, (TOGETHER, AWAY): 1, (TOGETHER, STAYED): 4}
    assert found.table.rate(TOWARD).value == 50
    assert found.table.rate(AWAY).value == 20
    assert found.index == 30
    assert found.over_games is None


def test_the_interval_is_newcombes_published_one():
    """56/70 less 48/80: 0.20, 0.0524 to 0.3339 (Newcombe, Statistics in Medicine 17, 1998, 873-890, table II, 10)."""
    found = anchoring(DEPTH, moved(toward=56, apart=70, away=48, together=80))
    assert found.index == pytest.approx(20)
    assert found.interval == pytest.approx((5.24, 33.39), abs=0.01)


def test_leaving_out_games_by_hand():
    """Indices without game 1, 2, 3 are worked out here one by one; t(.975, 2) = 4.3027."""
    games = [(1, 4, 0, 4), (2, 4, 1, 4), (4, 4, 0, 4)]
    found = anchoring(
        DEPTH,
        *(
            moved(game=number, toward=toward, apart=apart, away=away, together=together)
            for number, (toward, apart, away, together) in enumerate(games, start=1)
        ),
    )
    without = [6 / 8 - 1 / 8, 5 / 8 - 0, 3 / 8 - 1 / 8]
    mean = sum(without) / 3
    half = 4.30265 * (2 / 3 * sum((each - mean) ** 2 for each in without)) ** 0.5
    assert found.index == pytest.approx(100 * (7 / 12 - 1 / 12))
    assert found.over_games == pytest.approx((100 * (0.5 - half), 100 * min(1.0, 0.5 + half)), abs=0.01)


def test_everybody_has_their_own_counts():
    found = anchoring(DEPTH, moved(), moved(game=2, evaluator=9, toward=0, apart=1, away=0, together=3))
    assert [(one.evaluator, one.toward, one.apart, one.away, one.together) for one in found.people] == [
        (7, 2, 4, 1, 5),
        (9, 0, 1, 0, 3),
    ]
    assert found.table.rate(TOWARD).denominator == sum(one.apart for one in found.people)


def test_what_was_never_shown_and_what_was_not_blind_takes_no_part():
    hidden = evaluated(said=[(DEPTH, "1", "no", "yes")], sample=(1,))
    seen = evaluated(said=[(DEPTH, "1", "", "yes")], revealed=SHOWN)
    found = anchoring(DEPTH, hidden, seen)
    assert (found.table.total, found.index, found.interval) == (0, None, None)


def test_taking_an_override_back_is_taking_the_machines_word():
    said = [(DEPTH, "1", "no", ""), (DEPTH, "3", "yes", "")]
    found = anchoring(DEPTH, evaluated(said=said, values=MACHINE, revealed=SHOWN))
    assert (found.table.count(APART, TO_MACHINE), found.table.count(TOGETHER, STAYED)) == (1, 1)


def test_a_third_label_is_neither():
    values = {(ROLE, "1"): "consistent", (ROLE, "2"): "consistent"}
    said = [(ROLE, "1", "inconsistent", "not_assessable"), (ROLE, "2", "consistent", "not_assessable")]
    found = anchoring(ROLE, evaluated(said=said, values=values, revealed=SHOWN))
    assert (found.table.count(APART, ELSEWHERE), found.table.count(TOGETHER, AWAY)) == (1, 1)
    assert found.index == -100


def test_of_the_vote_record_only_support_has_a_direction():
    references = {"1.1": (True, "supported"), "2.1": (True, "close"), "3.1": (True, "supported"),
                  "4.1": (True, "supported")}  # fmt: skip
    found = Found(values={}, references=references, phrases={}, passes=None)
    said = [
        ("reference", "1.1", "vague", "accurate"),
        ("reference", "2.1", "accurate", "inaccurate"),
        ("reference", "3.1", "accurate", "accurate"),
        ("reference", "4.1", "vague", "accurate"),
    ]
    shown = frozenset({"reference:1.1", "reference:2.1", "reference:3.1"})
    table = anchoring("reference", evaluated(said=said, found=found, revealed=shown)).table
    assert {(cell.row, cell.column): cell.count for cell in table.cells} == {
        (APART, TO_MACHINE): 1,
        (TOGETHER, STAYED): 1,
    }
