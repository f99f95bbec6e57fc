"""What of a set's reviews does not count in its results, in sentences."""

from collections.abc import Sequence

from django.utils.translation import ngettext

from rubric.core.records import RUBRIC
from rubric.models.reviewed import Reviewed
from rubric.pages.results_reviews import NO_SCORES
from rubric.pages.results_words import Asked


def set_notes(reviewed: Sequence[Reviewed], asked: Asked, kind: str) -> tuple[list[str], int]:
    """The sentences, and how many judgements are left out as incomplete."""
    others = [each for each in reviewed if not each.is_own]
    is_rubric = kind == RUBRIC
    keys = asked.shares.keys()
    incomplete = sum(bool(each.scores.keys() & keys) and not keys <= each.scores.keys() for each in others)
    left_out = incomplete if is_rubric and not asked.with_incomplete else 0
    notes = []
    if left_out:
        said = ngettext(
            "%(n)d incomplete judgement is left out.", "%(n)d incomplete judgements are left out.", left_out
        )
        notes.append(said % {"n": left_out})
    elif incomplete and is_rubric:
        said = ngettext(
            "%(n)d incomplete judgement counts, divided by the weights of the criteria that were scored.",
            "%(n)d incomplete judgements count, divided by the weights of the criteria that were scored.",
            incomplete,
        )
        notes.append(said % {"n": incomplete})
    fallbacks = _fallbacks(others) if is_rubric else 0
    if fallbacks:
        said = ngettext(
            "%(n)d review gave only a score as a whole where criteria were asked for; it is never averaged with "
            "overalls.",
            "%(n)d reviews gave only a score as a whole where criteria were asked for; they are never averaged with "
            "overalls.",
            fallbacks,
        )
        notes.append(said % {"n": fallbacks})
    return notes + _silent(reviewed) + _own(reviewed), left_out


def _fallbacks(reviewed: Sequence[Reviewed]) -> int:
    scored = {each.review for each in reviewed if each.scores}
    return len({each.review for each in reviewed if each.holistic is not None} - scored)


def _silent(reviewed: Sequence[Reviewed]) -> list[str]:
    silent = len({each.review for each in reviewed if each.mode in NO_SCORES})
    if not silent:
        return []
    said = ngettext(
        "%(n)d review holds no scores: declined, or unreadable.",
        "%(n)d reviews hold no scores: declined, or unreadable.",
        silent,
    )
    return [said % {"n": silent}]


def _own(reviewed: Sequence[Reviewed]) -> list[str]:
    own = sum(each.is_own for each in reviewed)
    if not own:
        return []
    said = ngettext(
        "%(n)d judgement of a reviewer's own response does not count.",
        "%(n)d judgements of reviewers' own responses do not count.",
        own,
    )
    return [said % {"n": own}]
