"""A review of a file at its place: in which order it saw the responses, and what it says of each, as a record."""

import json
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from rubric.core.comparison_lines import HOLISTIC_KEY, NOTES_KEY, Number, ReviewGiven
from rubric.core.dealing import LABELS, labels
from rubric.core.limits import FEWEST_DEALT
from rubric.core.reading import read_review
from rubric.core.records import HIGHEST, LOWEST, Flag, ReviewRecord, RubricRecord
from rubric.core.review_lines import LineFault
from rubric.core.weights import exact
from workspace.core.json_places import Problem, pointer_of


class Placed(Struct, frozen=True):
    """A review as it can be stored: the numbers of the responses in their order, and what it says of them."""

    order: list[int]
    record: ReviewRecord


def place_review(
    given: ReviewGiven, responses: Mapping[str, int], rubric: RubricRecord
) -> Placed | list[LineFault]:
    """The review of a comparison whose responses have these numbers by id, under a version; or what is wrong with it.

    Plain scores without labels stand in the order of the numbers, and are flagged so. Scores of another scale are
    mapped onto 1 to 10, exactly, and flagged, too.
    """
    faults = [*_label_faults(given, responses), *_score_faults(given, responses, rubric)]
    if faults:
        return [LineFault(given.line, each.pointer, each.code, each.message) for each in faults]
    dealt = [given.labels[label] for label in labels(len(given.labels))]
    order = [responses[each] for each in dealt or sorted(given.scores, key=responses.__getitem__)]
    if given.text is not None:
        return Placed(order, read_review(given.text, labels(len(order)), rubric))
    record = read_review(_answer(given, order, responses), labels(len(order)), rubric)
    return Placed(
        order, replace(_noted(record, given, order, responses), flags=[*record.flags, *_flags(given)])
    )


def rescaled(value: Number, scale: tuple[Number, Number]) -> Number:
    """A score of the scale as one of 1 to 10: the lowest is 1, the highest 10, and all between in proportion."""
    low, high = exact(scale[0]), exact(scale[1])
    mapped = LOWEST + (HIGHEST - LOWEST) * (exact(value) - low) / (high - low)
    return int(mapped) if mapped.denominator == 1 else float(mapped)


def _label_faults(given: ReviewGiven, responses: Mapping[str, int]) -> Iterator[Problem]:
    if not given.labels:
        return
    count = len(given.labels)
    if not FEWEST_DEALT <= count <= len(LABELS) or set(given.labels) != set(labels(count)):
        said = 'Labels are "Response A", "Response B" and so on, two or more without a gap.'
        yield Problem("wrong_labels", said, pointer="/labels")
    if len(set(given.labels.values())) != count:
        yield Problem("wrong_labels", "Two labels mean the same response.", pointer="/labels")
    for label, response in given.labels.items():
        if response not in responses:
            said = f'The comparison has no response "{response}". Correct the id.'
            yield Problem("unknown_response", said, pointer=pointer_of(["labels", label]))
        elif given.text is None and response not in given.scores:
            said = f'There are no scores of "{response}". Give them, or take its label out.'
            yield Problem("no_score", said, pointer=pointer_of(["labels", label]))


def _score_faults(
    given: ReviewGiven, responses: Mapping[str, int], rubric: RubricRecord
) -> Iterator[Problem]:
    if given.text is not None:
        return
    known = [*(each.key for each in rubric.criteria), HOLISTIC_KEY, NOTES_KEY]
    if len(given.scores) < FEWEST_DEALT:
        yield Problem("no_score", "A review speaks of two responses or more.", pointer="/scores")
    for response, said_of in given.scores.items():
        pointer = pointer_of(["scores", response])
        if response not in responses:
            said = f'The comparison has no response "{response}". Correct the id.'
            yield Problem("unknown_response", said, pointer=pointer)
        elif given.labels and response not in given.labels.values():
            said = f'No label means "{response}". Give it one, or take its scores out.'
            yield Problem("wrong_labels", said, pointer=pointer)
        for name in said_of:
            if name not in known:
                said = f"The rubric of this set has no such criterion; it has {', '.join(known[:-2])}."
                yield Problem("unknown_criterion", said, pointer=pointer_of(["scores", response, name]))
    if not any(_numbers(each) for each in given.scores.values()):
        yield Problem(
            "no_score", "There is no score at all. Give some, or take the line out.", pointer="/scores"
        )


def _numbers(said_of: Mapping[str, object]) -> dict[str, Number]:
    """The scores that were given, under their names."""
    return {name: each for name, each in said_of.items() if isinstance(each, int | float)}


def _answer(given: ReviewGiven, order: list[int], responses: Mapping[str, int]) -> str:
    """Plain scores as an answer that gives just them, so that there is one reader of reviews and no second one.

    Notes are left out: they can hold anything, and nothing in them is to be read as scores or as a ranking.
    """
    ids = {number: key for key, number in responses.items()}
    said = {
        label: {
            name: rescaled(each, given.scale) for name, each in _numbers(given.scores[ids[number]]).items()
        }
        for label, number in zip(LABELS, order, strict=False)
    }
    return json.dumps({"evaluations": said})


def _noted(
    record: ReviewRecord, given: ReviewGiven, order: list[int], responses: Mapping[str, int]
) -> ReviewRecord:
    """The record with the notes of each response."""
    ids = {number: key for key, number in responses.items()}
    said = [
        replace(each, notes=given.scores[ids[number]].get(NOTES_KEY))
        for each, number in zip(record.responses, order, strict=True)
    ]
    return replace(record, responses=said)


def _flags(given: ReviewGiven) -> Iterator[Flag]:
    if given.scale != (LOWEST, HIGHEST):
        low, high = given.scale
        yield Flag("rescaled", f"The scores were given from {low} to {high} and are mapped onto 1 to 10.")
    if not given.labels:
        said = (
            "The file does not say in which order the responses were shown; they stand as they were brought."
        )
        yield Flag("order_unknown", said)
