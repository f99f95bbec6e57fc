"""The feedback on a person's own review of a calibration round, after it is submitted."""

import re

from django.utils.translation import gettext as _

from rubric.calibration.core import Key, parse_key
from rubric.calibration.queries import build_labels, load_keys, load_progress
from rubric.core.records import RubricRecord
from rubric.core.response_order import LABELS
from rubric.core.scores import get_weights
from rubric.human_reviewers.pages.records import Feedback, MarkDifference
from rubric.human_reviewers.queries.waiting import TO_CALIBRATE, WaitingSet
from rubric.models import CalibrationComparison, Review
from rubric.models.reviews import CALIBRATION
from rubric.reviews.core.mark_pairs import find_first
from rubric.versions.labels import format_mark

# How a lead names responses: by their numbers, which reviewers never see.
_RESPONSE = re.compile(r"\bresponse ([1-9][0-9]?)\b", re.IGNORECASE)


def build_feedback(review: Review, rubric: RubricRecord, sets: list[WaitingSet]) -> Feedback | None:
    if review.purpose != CALIBRATION:
        return None
    rows = CalibrationComparison.objects.filter(
        comparison=review.comparison_id, round__created_at__lte=review.created_at
    )
    chosen = rows.select_related("round__set__rubric_version").order_by("-round__number").first()
    progress = load_progress(chosen.round, review.reviewer) if chosen else None
    compared = progress.compared.get(review.comparison_id) if progress else None
    if chosen is None or progress is None or compared is None:
        return None
    labels = {str(number): label for label, number in zip(LABELS, review.order, strict=False)}
    names = build_labels(chosen.round.set)
    return Feedback(
        round=chosen.round,
        note=name_responses(chosen.note, labels),
        compared=compared,
        differences=[
            MarkDifference(
                labels[pair.response],
                names[pair.key],
                format_mark(pair.other, pair.key, rubric.scales),
                format_mark(pair.one, pair.key, rubric.scales),
            )
            for pair in sorted(compared.differences, key=lambda pair: (labels[pair.response], -pair.apart))
        ],
        agreed_first=_agreed_first(load_keys(chosen.round)[review.comparison_id], labels, rubric),
        progress=progress,
        optional=_offered(review, sets),
    )


def name_responses(note: str, labels: dict[str, str]) -> str:
    """The note with the labels that the person saw instead of the numbers of responses."""
    own = _("a response of yours")
    return _RESPONSE.sub(lambda found: labels.get(found[1], own), note)


def _agreed_first(key: Key, labels: dict[str, str], rubric: RubricRecord) -> list[str]:
    marks = {response: given for response, given in parse_key(key).items() if response in labels}
    return sorted(labels[response] for response in find_first(marks, get_weights(rubric), rubric.scales))


def _offered(review: Review, sets: list[WaitingSet]) -> int:
    """The next comparison of an open round that is not required; 0 without one."""
    for waiting_set in sets:
        if waiting_set.row.pk == review.reviewer.set_id and waiting_set.calibration:
            left = waiting_set.in_state(TO_CALIBRATE)
            return left[0].comparison if left and not waiting_set.calibration[0].is_required else 0
    return 0
