"""Published tables of ratings, items x raters, None where a rating is missing; each with where it was printed."""

from collections.abc import Sequence


def by_rater(*rows: str) -> list[list[float | None]]:
    """Ratings of items from one line for each rater; a dot is a missing rating."""
    cells = [[None if cell == "." else float(cell) for cell in row.split()] for row in rows]
    return [list(item) for item in zip(*cells, strict=True)]


def by_item(*rows: str) -> list[list[float | None]]:
    """Ratings of items from one line for each item."""
    return [[float(cell) for cell in row.split()] for row in rows]


def of_counts(rows: Sequence[Sequence[int]]) -> list[list[float | None]]:
    """Ratings from the number of raters who gave each category (columns, from 1) to each item (rows)."""
    return [
        [float(category) for category, count in enumerate(row, start=1) for _ in range(count)] for row in rows
    ]


def of_table(rows: Sequence[Sequence[int]]) -> list[list[float | None]]:
    """Ratings by two raters from their contingency table: the first's categories down, the second's across."""
    return [
        [float(number), float(other)]
        for number, row in enumerate(rows, start=1)
        for other, count in enumerate(row, start=1)
        for _ in range(count)
    ]


# K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), examples A, B (a to d as 1 to 4) and C.
KRIPPENDORFF_A = by_rater("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")


KRIPPENDORFF_B = by_rater("1 1 2 2 4 3 3 3 5 4 4 1", "2 1 2 2 2 3 3 3 5 4 4 4")


KRIPPENDORFF_C = by_rater(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


# Wikipedia, "Krippendorff's alpha", the example with missing ratings.
WIKIPEDIA_ALPHA = by_rater(
    ". . . . . 3 4 1 2 1 1 3 3 . 3", "1 . 2 1 3 3 4 3 . . . . . . .", ". . 2 1 3 4 4 . 2 1 1 3 3 . 4"
)


# A. F. Hayes and K. Krippendorff, Communication Methods and Measures 1 (2007), 77-89: 40 articles, 5 judges.
HAYES_KRIPPENDORFF = by_rater(
    "1 1 2 . 0 0 1 1 2 2 . 0 1 3 1 1 2 1 1 0 0 0 2 0 1 0 0 1 1 1 1 2 2 3 2 2 2 2 2 1",
    "1 1 3 0 0 0 0 . 2 1 1 0 2 3 1 1 1 2 1 0 0 0 3 0 2 1 0 2 1 1 1 1 2 2 2 2 2 2 2 1",
    "2 0 3 0 0 0 2 2 2 1 0 0 2 2 1 1 2 3 0 0 1 . 3 0 . 1 0 1 2 2 0 2 . 2 2 3 2 . 2 1",
    ". 1 3 . . . . 0 . 1 0 0 2 2 . . . 3 1 . 1 0 3 0 2 1 1 2 2 . . 1 2 2 . . . 1 2 .",
    "2 . . 0 0 0 1 . 2 . . . . 3 1 1 2 . . 0 . 0 . . 2 . 0 . . 2 0 . 2 . 2 2 2 2 . 1",
)


# J. L. Fleiss, Psychological Bulletin 76 (1971), 378-382, table 1: 30 patients, 6 psychiatrists, 5 diagnoses.
FLEISS_COUNTS = [
    [int(digit) for digit in patient]
    for patient in (
        "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
        "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
    ).split()
]


# The data sets that the R package irrCAC (K. L. Gwet) carries and its tests use: cac.raw4raters, 5 observers of 15
# units, and a table of two raters.
GWET_FOUR_RATERS = by_rater(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . .",
    ". 3 3 3 2 3 4 2 2 5 1 3",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)


GWET_FIVE_RATERS = by_rater(
    "1 1 2 . 0 0 1 1 2 2 . 0 1 3 1",
    "1 1 3 0 0 0 0 . 2 1 1 0 2 3 1",
    "2 0 3 0 0 0 2 2 2 1 0 0 2 2 1",
    ". 1 3 . . . . 0 . 1 0 0 2 2 .",
    "2 . . 0 0 0 1 . 2 . . . . 3 1",
)


GWET_TABLE = of_table([[13, 0, 0], [0, 20, 7], [0, 4, 56]])


# P. E. Shrout and J. L. Fleiss, Psychological Bulletin 86 (1979), 420-428, table 2: 6 targets, 4 judges.
SHROUT_FLEISS = by_item("9 2 5 8", "6 1 3 2", "8 4 6 8", "7 1 2 6", "10 5 6 9", "6 2 4 7")


# The R package irr (M. Gamer), data set `anxiety`: 20 persons, 3 raters.
IRR_ANXIETY = by_rater(
    "3 3 3 4 5 5 2 3 5 2 2 6 1 5 2 2 1 2 4 3",
    "3 6 4 6 2 4 2 4 3 3 2 3 3 3 2 2 1 3 3 4",
    "2 1 4 4 3 2 1 6 1 1 1 2 3 3 1 1 3 3 2 2",
)


# S. Siegel and N. J. Castellan, Nonparametric Statistics, 2nd edition (1988), Kendall's W: 6 applicants, 3 executives.
SIEGEL_CASTELLAN = by_rater("1 6 3 2 5 4", "1 5 6 4 2 3", "6 3 2 5 4 1")
