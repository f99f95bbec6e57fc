"""Match a review from a file to the comparison that it names: its scores, its ranking and its notes."""

import json
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from rubric.comparisons.core.lines import HOLISTIC_KEY, NOTES_KEY, ReviewGiven
from rubric.core.records import FEWEST_SHOWN, Flag, ReviewRecord, RubricRecord
from rubric.core.response_order import LABELS, labels
from rubric.core.scales import COMMON, Number, rescale_score
from rubric.reviews.core.answer_json import BETWEEN
from rubric.reviews.core.answer_record import read_review
from workspace.core.json_faults import Problem, build_pointer
from workspace.core.words import say


class Placed(Struct, frozen=True):
    """A review as it can be stored: the numbers of the responses in their order, and the record of the review."""

    order: list[int]
    record: ReviewRecord


def place_review(
    given: ReviewGiven, responses: Mapping[str, int], rubric: RubricRecord
) -> Placed | list[Problem]:
    """The review of a comparison under a version, or its faults; `responses` maps ids to numbers.

    Plain scores without labels are in the order of the numbers, with a flag. Scores on another scale are mapped exactly
    onto the version's scale (1 to 10 unless the criterion has its own), also with a flag.
    """
    faults = [
        *_label_faults(given, responses),
        *_score_faults(given, responses, rubric),
        *_ranking_faults(given, responses),
    ]
    if faults:
        return [replace(fault, line=given.line) for fault in faults]
    shown = [given.labels[label] for label in labels(len(given.labels))]
    order = [responses[position] for position in shown or sorted(given.named, key=responses.__getitem__)]
    if given.text is not None:
        return Placed(order, read_review(given.text, labels(len(order)), rubric))
    record = read_review(_answer(given, order, responses, rubric), labels(len(order)), rubric)
    flags = [flag for flag in record.flags if flag.code != BETWEEN or not given.get_scale(flag.criterion)]
    return Placed(
        order, replace(_noted(record, given, order, responses), flags=[*flags, *_flags(given, rubric)])
    )


def _label_faults(given: ReviewGiven, responses: Mapping[str, int]) -> Iterator[Problem]:
    if not given.labels:
        return
    count = len(given.labels)
    if not FEWEST_SHOWN <= count <= len(LABELS) or set(given.labels) != set(labels(count)):
        said = say('Labels are "Response A", "Response B" and so on, two or more without a gap.')
        yield Problem("wrong_labels", said, pointer="/labels")
    if len(set(given.labels.values())) != count:
        yield Problem("wrong_labels", say("Two labels mean the same response."), pointer="/labels")
    for label, response in given.labels.items():
        if response not in responses:
            said = say('The comparison has no response "{response}". Correct the id.', response=response)
            yield Problem("unknown_response", said, pointer=build_pointer(["labels", label]))
        elif given.text is None and response not in given.named:
            said = say(
                'There are no scores of "{response}". Give them, or take its label out.', response=response
            )
            yield Problem("no_score", said, pointer=build_pointer(["labels", label]))


def _score_faults(
    given: ReviewGiven, responses: Mapping[str, int], rubric: RubricRecord
) -> Iterator[Problem]:
    if given.text is not None:
        return
    yield from _count_faults(given)
    known = [*(criterion.key for criterion in rubric.criteria), HOLISTIC_KEY, NOTES_KEY]
    unknown = say(
        "The rubric of this set has no such criterion; it has {known}.", known=", ".join(known[:-2])
    )
    for name in set(given.scales) - set(known[:-1]):
        yield Problem("unknown_criterion", unknown, pointer=build_pointer(["scale", name]))
    for response, given_scores in given.scores.items():
        pointer = build_pointer(["scores", response])
        if response not in responses:
            said = say('The comparison has no response "{response}". Correct the id.', response=response)
            yield Problem("unknown_response", said, pointer=pointer)
        elif given.labels and response not in given.labels.values():
            said = say('No label means "{response}". Give it one, or take its scores out.', response=response)
            yield Problem("wrong_labels", said, pointer=pointer)
        for name in [name for name in given_scores if name not in known]:
            yield Problem("unknown_criterion", unknown, pointer=build_pointer(["scores", response, name]))
        for name, score in _numbers(given_scores).items():
            scale = given.get_scale(name) or rubric.scales.get(name, COMMON)
            if name in known and not scale.holds(score):
                lies = say(
                    "scores lie from {lowest} to {highest}", lowest=scale.lowest, highest=scale.highest
                )
                said = say(
                    '"{name}" is {score}; {lies}. Correct it, or say the "scale".',
                    name=name,
                    score=score,
                    lies=lies,
                )
                yield Problem("bad_score", said, pointer=build_pointer(["scores", response, name]))


def _count_faults(given: ReviewGiven) -> Iterator[Problem]:
    if len(given.named) < FEWEST_SHOWN:
        pointer = "/ranking" if given.ranking else "/scores"
        yield Problem("no_score", say("A review speaks of two responses or more."), pointer=pointer)
    if not given.ranking and not any(_numbers(score) for score in given.scores.values()):
        said = say("There is no score at all. Give some, or take the line out.")
        yield Problem("no_score", said, pointer="/scores")


def _ranking_faults(given: ReviewGiven, responses: Mapping[str, int]) -> Iterator[Problem]:
    ranked = [key for place in given.ranking or [] for key in place]
    for key in dict.fromkeys(ranked):
        if key not in responses:
            said = say('The comparison has no response "{key}". Correct the id.', key=key[:80])
            yield Problem("unknown_response", said, pointer="/ranking")
        elif given.labels and key not in given.labels.values():
            said = say('No label means "{key}". Give it one, or remove it from the ranking.', key=key)
            yield Problem("wrong_labels", said, pointer="/ranking")
        elif ranked.count(key) > 1:
            said = say('The ranking names "{key}" more than once. Keep one place.', key=key)
            yield Problem("duplicate_label", said, pointer="/ranking")


def _numbers(given_scores: Mapping[str, object]) -> dict[str, Number]:
    return {name: value for name, value in given_scores.items() if isinstance(value, int | float)}


def _answer(given: ReviewGiven, order: list[int], responses: Mapping[str, int], rubric: RubricRecord) -> str:
    """Plain scores as the text of an answer, so that there is only one reader of reviews.

    Notes are left out: they can hold anything, and nothing in them may be read as scores or as a ranking.
    """
    ids = {number: key for key, number in responses.items()}
    scales = rubric.scales
    said = {
        label: {
            name: rescale_score(value, given.get_scale(name) or own, own)
            for name, value in _numbers(given.scores.get(ids[number], {})).items()
            for own in [scales.get(name, COMMON)]
        }
        for label, number in zip(LABELS, order, strict=False)
    }
    label_by_id = {ids[number]: label for label, number in zip(LABELS, order, strict=False)}
    ranking = [[label_by_id[key] for key in place] for place in given.ranking or []]
    return json.dumps({"evaluations": said} | ({"ranking": ranking} if ranking else {}))


def _noted(
    record: ReviewRecord, given: ReviewGiven, order: list[int], responses: Mapping[str, int]
) -> ReviewRecord:
    ids = {number: key for key, number in responses.items()}
    said = [
        replace(response, notes=given.scores.get(ids[number], {}).get(NOTES_KEY))
        for response, number in zip(record.responses, order, strict=True)
    ]
    return replace(record, responses=said)


def _flags(given: ReviewGiven, rubric: RubricRecord) -> Iterator[Flag]:
    scales = rubric.scales
    if given.scale and (scales or not given.scale.is_common):
        onto = say("the scale of each criterion") if scales else COMMON.text
        said = say(
            "The scores were given from {lowest} to {highest} and are mapped onto {onto}.",
            lowest=given.scale.lowest,
            highest=given.scale.highest,
            onto=onto,
        )
        yield Flag("rescaled", said)
    for key, scale in given.scales.items():
        own = scales.get(key, COMMON)
        if (scale.lowest, scale.highest) != (own.lowest, own.highest):
            said = say(
                "{key} was given from {lowest} to {highest} and is mapped onto {scale}.",
                key=key,
                lowest=scale.lowest,
                highest=scale.highest,
                scale=own.text,
            )
            yield Flag("rescaled", said, criterion=key)
    if not given.labels:
        said = say(
            "The file does not say in which order the responses were shown; they stand as they were brought."
        )
        yield Flag("order_unknown", said)
