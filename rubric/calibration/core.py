"""Whether a person reviews as agreed: their marks are compared with the keys of a calibration round."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from msgspec import Struct

from rubric.core.records import HOLISTIC
from rubric.core.scales import COMMON, Scales
from rubric.core.weights import exact
from rubric.reviews.core.score_rows import ONE_SCALE, MarkPair, MarkPairs, Marks, pair_marks
from workspace.core.words import say
from workspace.display.core.number_lists import is_short_number
from workspace.statistics.means import exact_mean

Key = dict[str, dict[str, str]]
# The number of people who must give a mark before their mean is a consensus.
FEWEST_PEOPLE = 2
MOST_MISSED = 20
_MARK = re.compile(r"-?([0-9]{1,12}(\.[0-9]{1,12})?|\.[0-9]{1,12})")


class ComparedReview(Struct, frozen=True):
    """`alike` of `count` marks are near enough, and those that are not. `is_same_first` is None if unknown."""

    alike: int
    count: int
    differences: list[MarkPair]
    is_same_first: bool | None


class RoundResult(Struct, frozen=True, kw_only=True):
    """All items of a round together: `alike` of `count` answers as agreed. `passes` is None while items are missing."""

    done: int
    asked: int
    alike: int
    count: int
    passes: bool | None
    # Of comparisons: how many agree on the first response.
    first_alike: int = 0
    first_count: int = 0
    # Of games: the mean distance of the ratings.
    rating_error: Fraction | None = None

    @property
    def percent(self) -> float | None:
        return 100 * self.alike / self.count if self.count else None

    @property
    def first_percent(self) -> float | None:
        return 100 * self.first_alike / self.first_count if self.first_count else None


def agrees_enough(alike: int, count: int, percent: int) -> bool:
    """Whether at least `percent` % of the answers are as agreed; true when there are no answers.

    Percent agreement with an expert key is the rule of screening rounds in the literature (Mitra, Hutto and Gilbert,
    CHI 2015); all answers weigh the same.
    """
    return count == 0 or 100 * alike >= percent * count


def list_missed(
    people: Iterable[Mapping[int, Any]], words: Callable[[int, Any], tuple[Any, ...]]
) -> list[dict[str, Any]]:
    """On what at least two people differ from the key, the most frequent first: perhaps the key is wrong.

    `people` has for each person item -> its comparison with the key; `words` of an item and one of its `differences`
    are the same for people who differ on the same subject, and sort the entries.
    """
    taken, missed = Counter[int](), Counter[tuple[int, tuple[Any, ...]]]()
    for compared_by_item in people:
        for item, compared in compared_by_item.items():
            taken[item] += 1
            missed.update((item, words(item, difference)) for difference in compared.differences)
    entries = sorted((-count, about, taken[item]) for (item, about), count in missed.items() if count > 1)
    return [
        {"people": -count, "of_people": of_people, "words": about}
        for count, about, of_people in entries[:MOST_MISSED]
    ]


def compare_review(
    key: Key, given: Marks, within: Fraction, weights: Mapping[str, Fraction], scales: Scales = ONE_SCALE
) -> ComparedReview:
    """`other` in its pairs is the review, `one` the key. Marks that only one of them has are left out."""
    marks: MarkPairs = pair_marks(parse_key(key), given, weights, scales)
    differences = [pair for pair in marks.pairs if pair.apart > within]
    return ComparedReview(marks.count_within(within), len(marks.pairs), differences, marks.is_same_first)


def compute_result(
    compared: Iterable[ComparedReview], *, asked: int, pass_percent: int, first_percent: int
) -> RoundResult:
    """Over all comparisons; `asked` is how many the person is to review."""
    done = list(compared)
    alike, count = sum(review.alike for review in done), sum(review.count for review in done)
    firsts = [review.is_same_first for review in done if review.is_same_first is not None]
    passes: bool | None = None
    if len(done) >= asked:
        passes = agrees_enough(alike, count, pass_percent)
        passes = passes and agrees_enough(sum(firsts), len(firsts), first_percent)
    return RoundResult(
        done=len(done),
        asked=asked,
        alike=alike,
        count=count,
        first_alike=sum(firsts),
        first_count=len(firsts),
        passes=passes,
    )


def build_consensus(reviews: Iterable[Marks]) -> Key:
    """The exact mean of each mark that two reviews or more give, by response and criterion; others are left out."""
    marks_by_response: dict[str, dict[str, list[Fraction]]] = {}
    for review in reviews:
        for response, marks in review.items():
            for key, mark in marks.items():
                marks_by_response.setdefault(response, {}).setdefault(key, []).append(mark)
    means = {
        response: {
            key: str(exact_mean(values)) for key, values in marks.items() if len(values) >= FEWEST_PEOPLE
        }
        for response, marks in marks_by_response.items()
    }
    return {response: marks for response, marks in means.items() if marks}


def parse_key(key: Key) -> dict[str, dict[str, Fraction]]:
    return {
        response: {name: Fraction(mark) for name, mark in marks.items()} for response, marks in key.items()
    }


def parse_agreed_marks(text: str, labels: Mapping[str, str], scales: Scales = ONE_SCALE) -> dict[int, Key]:
    """Parse lines such as "3.1: 8" or "3.1: accuracy 9, clarity 7" into keys by number of the comparison.

    `labels` maps the keys that the set asks for to their labels; lines may use either name. `scales` holds the scales
    of criteria that have their own. A number alone is the holistic score, or the only mark that is asked for. Raises
    ValueError with a sentence for a line that cannot be read.
    """
    names = {name.casefold(): key for key, label in labels.items() for name in (key, label)}
    keys: dict[int, Key] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        place, colon, typed = line.partition(":")
        comparison, dot, response = place.strip().partition(".")
        if not (colon and dot and is_short_number(comparison) and is_short_number(response)):
            says = say(
                "“{line}” does not begin with the numbers of a comparison and a response, such as “3.1:”.",
                line=line[:40],
            )
            raise ValueError(says)
        marks = keys.setdefault(int(comparison), {}).setdefault(str(int(response)), {})
        for part in _split_marks(typed, names):
            key, mark = _agreed_mark(part, names, scales, line)
            if key in marks:
                says = say(
                    "Response {response} has two marks for {criterion}. Keep one of them.",
                    response=place.strip(),
                    criterion=labels[key],
                )
                raise ValueError(says)
            marks[key] = str(mark)
    return keys


def find_missing_mark(key: Key, responses: Iterable[int], labels: Mapping[str, str]) -> str:
    """What a key lacks, in words; "" if it has every mark that the set asks for, for every response."""
    for response in map(str, responses):
        for name, label in labels.items():
            if name not in key.get(response, {}):
                return say("response {response} has no mark for {label}", response=response, label=label)
    return ""


def _split_marks(said: str, names: Mapping[str, str]) -> Iterator[str]:
    """The parts between commas; a comma in a label does not separate."""
    pieces = said.split(",")
    most = 1 + max(name.count(",") for name in names)
    while pieces:
        joined = [",".join(pieces[:count]).strip() for count in range(min(most, len(pieces)), 0, -1)]
        part = next((part for part in joined if _name_in(part) in names), joined[-1])
        yield part
        del pieces[: part.count(",") + 1]


def _name_in(part: str) -> str:
    return part.rpartition(" ")[0].strip().casefold()


def _agreed_mark(part: str, names: Mapping[str, str], scales: Scales, line: str) -> tuple[str, Fraction]:
    name, number, begins = _name_in(part), part.rpartition(" ")[2], line[:40]
    keys = list(dict.fromkeys(names.values()))
    alone = HOLISTIC if HOLISTIC in names else keys[0] if len(keys) == 1 else ""
    key = names.get(name, "") if name else alone
    if not key:
        known = ", ".join(keys)
        raise ValueError(
            say("“{line}” names no mark of this set. Its marks are: {known}.", line=begins, known=known)
        )
    if not _MARK.fullmatch(number):
        says = say(
            "“{number}” in “{line}” is no number. Write digits, such as 7 or 7.5, at most 12 "
            "before and 12 after the point.",
            number=number[:20],
            line=begins,
        )
        raise ValueError(says)
    mark, scale = Fraction(number), scales.get(key, COMMON)
    if not exact(scale.lowest) <= mark <= exact(scale.highest):
        says = say(
            "“{number}” in “{line}” is no mark on the scale {scale}.",
            number=number,
            line=begins,
            scale=scale.text,
        )
        raise ValueError(says)
    return key, mark
