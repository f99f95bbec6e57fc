"""What the page of the audit sample says in words: what can be told, what cannot yet, and what is undefined."""

import pytest

from discussions.reliability.core.accuracy import CHECKS, SHARES
from discussions.reliability.core.crosstab import CrossedAnswer, Tally
from discussions.reliability.views.accuracy import (
    TableOfCounts,
    count_needed_answers,
    format_count,
    why_not_yet,
)
from workspace.statistics.means import wilson

DEPTH = "strategic_depth"


def table(*cells, part=DEPTH, games=1, weight=1.0):
    """A table of (row, column, count), each cell's answers spread over so many games in turn."""
    tally = Tally(part)
    for row, column, count in cells:
        for number in range(count):
            tally.add(CrossedAnswer(part, row, column, number % games + 1, 1, 1, number % games, weight))
    return tally.table(SHARES[part])


def list_lines(found):
    return {line.label: line for line in TableOfCounts(found).lines}


def test_many_answers_are_told_in_plain_words():
    found = TableOfCounts(
        table(("yes", "yes", 80), ("yes", "no", 20), ("no", "yes", 40), ("no", "no", 60), games=4)
    )
    assert found.says.replace("\N{NO-BREAK SPACE}", " ") == (
        "People agree with 80.0 % of the automatic “strategic”. It finds 66.7 % of what people call strategic."
    )
    assert found.basis == "200 messages judged: 4 evaluations, 4 games, 1 evaluator."
    assert [row.label for row in found.rows] == found.columns == ["yes", "no"]
    assert not any(line.says or line.weighted for line in found.lines)


@pytest.mark.parametrize("cells", [(("yes", "yes", 12),), (("yes", "yes", 15), ("yes", "no", 15))])
def test_few_answers_cannot_tell_and_how_many_could_is_said(cells):
    found = table(*cells, games=3)
    rate = found.rate("precision")
    enough = count_needed_answers(rate)
    assert why_not_yet(rate) == f"Too little data: {rate.denominator} of at least {enough} answers."
    low, high = wilson(round(rate.numerator / rate.denominator * enough), enough)
    assert high - low <= 30
    assert enough >= 20
    assert TableOfCounts(found).says.startswith(f"Too little data: {rate.denominator} of at least")
    # A chart is drawn as soon as one of its shares can be told; the others say in it that they cannot.
    plot = TableOfCounts(found).plot
    assert plot is None or plot.rows[0][0].tone == "wait"


def test_games_that_differ_cannot_tell_either():
    tally = Tally(DEPTH)
    for game, right in enumerate((40, 2, 38, 5), start=1):
        for number in range(40):
            tally.add(CrossedAnswer(DEPTH, "yes", "yes" if number < right else "no", game, number, 1, game))
    rate = tally.table(SHARES[DEPTH]).rate("precision")
    assert rate.interval[1] - rate.interval[0] < 30
    assert why_not_yet(rate) == "Can't tell yet: games differ too much; it takes more of them."


def test_what_is_undefined_says_why():
    lines = list_lines(table(("no", "no", 50)))
    assert lines["Precision"].says == "Undefined: no automatic value that was judged is yes."
    assert lines["Recall"].says == "Undefined: people said yes to nothing."
    assert lines["Precision"].rate.value is lines["Precision"].rate.interval is None
    assert format_count(lines["Specificity"].rate) == "50 of 50"
    assert lines["Specificity"].says == "Games can be compared from 3 on; there are 1."
    assert TableOfCounts(table()).empty == "No message of an accuracy sample was judged blind."


def test_the_weighted_share_is_shown_where_it_differs_by_more_than_a_point():
    tally = Tally(DEPTH)
    for number in range(100):
        tally.add(
            CrossedAnswer(
                DEPTH, "yes", "yes" if number < 50 else "no", number, 1, 1, 1, 20 if number < 50 else 4
            )
        )
    line = list_lines(tally.table(SHARES[DEPTH]))["Precision"]
    assert round(line.weighted, 1) == 83.3
    assert list_lines(table(("yes", "yes", 50), ("yes", "no", 50), weight=7.0))["Precision"].weighted is None


def test_rows_that_nothing_stands_in_are_there_all_the_same():
    found = TableOfCounts(table(("cannot_check", "accurate", 4), part=CHECKS))
    assert [row.label for row in found.rows] == ["supported", "close", "cannot check"]
    assert found.columns == ["accurate", "inaccurate", "vague"]
    assert [[cell.count for cell in row.cells] for row in found.rows] == [[0, 0, 0], [0, 0, 0], [4, 0, 0]]
