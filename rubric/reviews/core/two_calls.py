"""A model's review in two calls: the holistic score in the first, where no criterion is named, then the criteria."""

from collections.abc import Sequence

from msgspec.structs import replace

from rubric.core.records import ABSTAINED, UNREADABLE, Flag, ReviewRecord, RubricRecord
from rubric.reviews.core import answer_record
from rubric.reviews.core.answer_json import GivenScores

# The part of the answer that gives the holistic score; the part "" gives everything else.
WHOLE_PART = "whole"


def merge_calls(
    whole: ReviewRecord, criteria: ReviewRecord, rubric: RubricRecord, *, reader: int = answer_record.READER
) -> ReviewRecord:
    """The review with the holistic scores of the first answer, everything else of the second, and the flags of both.

    The second's ranking counts, else the first's. Scores that only the other answer was asked for are left out, with a
    flag; where an answer gives a response no others, so are its notes and the answer's ranking. `reader` merges as an
    earlier reader did.
    """
    if reader > answer_record.MIXING_READER:
        whole, criteria = _without_criteria(whole), _without_holistic(criteria)
    said = {
        given.label: GivenScores(
            dict(given.scores),
            whole.response(given.label).holistic,
            given.reported_overall,
            given.notes or whole.response(given.label).notes,
        )
        for given in criteria.responses
    }
    ranking = criteria.reported_ranking or whole.reported_ranking
    mode = answer_record.given_mode(said, ranking, rubric)
    if mode == ABSTAINED and ABSTAINED not in (whole.mode, criteria.mode):
        mode = UNREADABLE
    merged = answer_record.assemble_record(said, ranking, rubric, mode, flags=_flags(whole, criteria))
    if reader <= answer_record.MIXING_READER:
        return merged
    # Whether a ranking contradicts scores is a matter of the answer that gave both.
    ranked = criteria if criteria.reported_ranking else whole
    flags = [flag for flag in merged.flags if flag.code != answer_record.RANK_MISMATCH]
    return replace(
        merged, flags=flags + [flag for flag in ranked.flags if flag.code == answer_record.RANK_MISMATCH]
    )


def list_missing(record: ReviewRecord, part: str) -> list[str]:
    """The labels to which the answer to that part gives none of the scores that it was asked for."""
    return [
        given.label
        for given in record.responses
        if (given.holistic is None if part == WHOLE_PART else not given.scores)
    ]


def _without_criteria(whole: ReviewRecord) -> ReviewRecord:
    """The first answer without what rests on scores by criterion, and a flag if it gives such scores."""
    if not any(given.scores for given in whole.responses):
        return whole
    lost = [given.label for given in whole.responses if given.scores and given.holistic is None]
    said = "The first answer scores criteria, too, which only the second was asked for; these scores are left out."
    return _without(whole, lost, Flag("early_criteria", said))


def _without_holistic(criteria: ReviewRecord) -> ReviewRecord:
    """The second answer without what rests on holistic scores, and a flag if it gives such scores."""
    lost = [
        given.label
        for given in criteria.responses
        if not given.scores and (given.holistic, given.reported_overall) != (None, None)
    ]
    if not lost and all(given.holistic is None for given in criteria.responses):
        return criteria
    return _without(criteria, lost, Flag("late_holistic", _LATE))


def _without(record: ReviewRecord, lost: Sequence[str], flag: Flag) -> ReviewRecord:
    """The record without notes and overalls of the lost labels, and without the ranking if there are any."""
    flags = [*record.flags, flag]
    if not lost:
        return replace(record, flags=flags)
    responses = [
        replace(given, holistic=None, reported_overall=None, notes=None) if given.label in lost else given
        for given in record.responses
    ]
    if record.reported_ranking:
        said = "The ranking given with scores that are left out is left out as well."
        flags.append(Flag("left_out_ranking", said))
    kept = [flag for flag in flags if flag.code != answer_record.RANK_MISMATCH]
    return replace(record, responses=responses, reported_ranking=None, flags=kept)


_LATE = "The second answer gives holistic scores, too; they were given after the criteria and are left out."


def _flags(whole: ReviewRecord, criteria: ReviewRecord) -> list[Flag]:
    first = [flag for flag in whole.flags if flag.code not in answer_record.MISMATCHES]
    flags = [replace(flag, message=f"Call for the holistic score: {flag.message}") for flag in first]
    flags += [flag for flag in criteria.flags if flag.code not in answer_record.MISMATCHES]
    is_told = any(flag.code == "late_holistic" for flag in flags)
    if not is_told and any(given.holistic is not None for given in criteria.responses):
        flags.append(Flag("late_holistic", _LATE))
    rankings = whole.reported_ranking, criteria.reported_ranking
    if None not in rankings and rankings[0] != rankings[1]:
        places = " > ".join(" = ".join(place) for place in whole.reported_ranking or [])
        flags.append(Flag("first_ranking", f"The first answer ranks otherwise: {places}."))
    return flags
