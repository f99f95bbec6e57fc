"""A model's review in two calls: the holistic score in the first, where no criterion is named, then the criteria."""

from msgspec.structs import replace

from rubric.core.records import ABSTAINED, UNREADABLE, Flag, ReviewRecord, RubricRecord
from rubric.reviews.core.answer_json import GivenScores
from rubric.reviews.core.answer_record import MISMATCHES, assemble_record, given_mode

# The part of the answer that gives the holistic score; the part "" gives everything else.
WHOLE_PART = "whole"


def merge_calls(whole: ReviewRecord, criteria: ReviewRecord, rubric: RubricRecord) -> ReviewRecord:
    """The review with the holistic scores of the first answer, everything else of the second, and the flags of both.

    The second's ranking counts, else the first's. Holistic scores in the second answer are left out, with a flag.
    """
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
    mode = given_mode(said, ranking, rubric)
    if mode == ABSTAINED and ABSTAINED not in (whole.mode, criteria.mode):
        mode = UNREADABLE
    return assemble_record(said, ranking, rubric, mode, flags=_flags(whole, criteria))


def _flags(whole: ReviewRecord, criteria: ReviewRecord) -> list[Flag]:
    first = [flag for flag in whole.flags if flag.code not in MISMATCHES]
    flags = [replace(flag, message=f"Call for the holistic score: {flag.message}") for flag in first]
    flags += [flag for flag in criteria.flags if flag.code not in MISMATCHES]
    if any(given.holistic is not None for given in criteria.responses):
        said = "The second answer gives holistic scores, too; they were given after the criteria and are left out."
        flags.append(Flag("late_holistic", said))
    rankings = whole.reported_ranking, criteria.reported_ranking
    if None not in rankings and rankings[0] != rankings[1]:
        places = " > ".join(" = ".join(place) for place in whole.reported_ranking or [])
        flags.append(Flag("first_ranking", f"The first answer ranks otherwise: {places}."))
    return flags
