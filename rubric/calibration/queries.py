"""Calibration rounds, their agreed marks, and the progress of people, read from rows into core records."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from fractions import Fraction

import msgspec
from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct

from rubric import models
from rubric.calibration import core
from rubric.core.records import BOTH, FEWEST_SHOWN, HOLISTIC
from rubric.core.scores import get_weights
from rubric.models.comparisons import PERSON
from rubric.models.reviews import CALIBRATION, RATING, SET_APART, SUBMITTED, SUPERSEDED
from rubric.reviews.core.score_rows import collect_marks
from rubric.versions.labels import format_mark
from workspace.models import Person


class ReviewerProgress(Struct, frozen=True):
    """One person's progress in a round: submitted comparisons compared with their keys, and the overall result.

    `asked` are the comparisons that the person must review; `reused` of those submitted were started in an earlier
    round and count in this one too: nobody reviews a comparison for calibration twice. `waiver` is the reason of a lead
    who lets them review without passing, "" if there is none.
    """

    compared: dict[int, core.ComparedReview]
    asked: set[int]
    reused: int
    result: core.RoundResult
    waiver: str

    @property
    def is_through(self) -> bool:
        return bool(self.result.passes or self.waiver)

    @property
    def why_not_reviewing(self) -> str:
        """Why the person reviews nothing else now; "" when they do."""
        if self.is_through:
            return ""
        if self.result.passes is None:
            return _(
                "This set has a calibration round. Review its comparisons first; they are under Reviews."
            )
        return _(
            "You reviewed all comparisons of the calibration round and did not pass it yet. Go through the differences "
            "with a team lead, who can let you review or create another round."
        )


def load_rounds(comparison_set: models.ComparisonSet) -> list[models.CalibrationRound]:
    rounds = models.CalibrationRound.objects.filter(set=comparison_set).annotate(
        item_count=Count("comparisons")
    )
    return list(rounds.order_by("-number"))


def list_offered(comparison_set: models.ComparisonSet) -> list[int]:
    reviews = models.Review.objects.filter(
        comparison__set=comparison_set, state=SUBMITTED, round=1, purpose=RATING, reviewer__kind=PERSON
    )
    counts = reviews.order_by("comparison__number").values_list("comparison__number").annotate(Count("pk"))
    return [number for number, count in counts if count >= core.FEWEST_PEOPLE]


def load_agreed_marks(
    opened: models.CalibrationRound,
) -> list[tuple[models.CalibrationComparison, list[tuple[str, str]]]]:
    labels, scales = build_labels(opened.set), opened.set.rubric_version.to_record().scales

    def to_words(marks: Mapping[str, Fraction]) -> str:
        return ", ".join(
            f"{labels[name]} {format_mark(marks[name], name, scales)}" for name in labels if name in marks
        )

    rows = []
    for row in opened.comparisons.order_by("place").select_related("comparison"):
        key = core.parse_key(msgspec.json.decode(row.key, type=core.Key))
        responses = sorted(key.items(), key=lambda item: int(item[0]))
        rows.append((row, [(response, to_words(marks)) for response, marks in responses]))
    return rows


def load_people(opened: models.CalibrationRound) -> list[tuple[models.Reviewer, "ReviewerProgress"]]:
    started = models.Review.objects.filter(
        purpose=CALIBRATION, comparison__in=opened.comparisons.values("comparison")
    )
    present = calibrated_reviewers(opened.set).values("pk")
    rows = models.Reviewer.objects.filter(set=opened.set, pk__in=present.union(started.values("reviewer")))
    people = sorted(rows, key=lambda row: (row.name.casefold(), row.pk))
    progress = load_progress_by_reviewer(opened, people)
    return [(reviewer, progress[reviewer.pk]) for reviewer in people]


def build_labels(comparison_set: models.ComparisonSet) -> dict[str, str]:
    """The marks that the set asks for: key -> label, the holistic score first."""
    whole = {HOLISTIC: _("Holistic")} if comparison_set.mode in (HOLISTIC, BOTH) else {}
    if comparison_set.mode == HOLISTIC:
        return whole
    criteria = comparison_set.rubric_version.to_record().criteria
    return whole | {criterion.key: criterion.label for criterion in criteria}


def calibrated_reviewers(comparison_set: models.ComparisonSet) -> QuerySet[models.Reviewer]:
    """The people of the set who are calibrated: its evaluators. Leads see the keys."""
    return models.Reviewer.objects.filter(
        set=comparison_set,
        kind=PERSON,
        ended_at=None,
        person__is_admin=False,
        person__memberships__project=comparison_set.project_id,
        person__memberships__ended_at=None,
        person__memberships__role="evaluator",
    )


def load_keys(opened: models.CalibrationRound) -> dict[int, core.Key]:
    rows = opened.comparisons.order_by("place").values_list("comparison", "key")
    return {comparison: msgspec.json.decode(key, type=core.Key) for comparison, key in rows}


def load_own_progress(
    sets: Collection[models.ComparisonSet], person: Person
) -> dict[int, tuple[models.CalibrationRound, ReviewerProgress]]:
    """Set -> its open round and the person's progress, if the person is calibrated."""
    own = {}
    rounds = models.CalibrationRound.objects.filter(set__in=sets, closed_at=None)
    for opened in rounds.select_related("set__rubric_version"):
        reviewer = calibrated_reviewers(opened.set).filter(person=person).order_by("pk").first()
        if reviewer is not None:
            own[opened.set_id] = (opened, load_progress(opened, reviewer))
    return own


def load_progress(opened: models.CalibrationRound, reviewer: models.Reviewer) -> ReviewerProgress:
    return load_progress_by_reviewer(opened, [reviewer])[reviewer.pk]


def load_progress_by_reviewer(
    opened: models.CalibrationRound, reviewers: Collection[models.Reviewer]
) -> dict[int, ReviewerProgress]:
    """The progress of each of these people; five queries for any number of them."""
    keys, rubric = load_keys(opened), opened.set.rubric_version.to_record()
    weights, scales, within = get_weights(rubric), rubric.scales, Fraction(opened.mark_within)
    limits = {"pass_percent": opened.pass_percent, "first_percent": opened.first_percent}
    known: dict[int, set[int]] = defaultdict(set)
    submitted: dict[int, dict[int, int]] = defaultdict(dict)
    earlier: set[int] = set()
    rows = models.Review.objects.filter(comparison__in=keys, reviewer__in=reviewers).exclude(state=SUPERSEDED)
    columns = ("pk", "reviewer", "comparison", "purpose", "state", "created_at")
    for pk, reviewer, comparison, purpose, state, created_at in rows.values_list(*columns):
        if purpose != CALIBRATION:
            known[reviewer].add(comparison)
        elif state == SET_APART:
            submitted[reviewer][comparison] = pk
            if created_at < opened.created_at:
                earlier.add(pk)
    marks = defaultdict(list)
    marked = [pk for reviews in submitted.values() for pk in reviews.values()]
    rated = models.ReviewedResponse.objects.filter(review__in=marked)
    for pk, number, scores, holistic in rated.values_list("review", "response__number", "scores", "holistic"):
        marks[pk].append((str(number), scores, holistic))
    unable = _load_unable(keys, [reviewer.person_id for reviewer in reviewers if reviewer.person_id])
    waivers = dict(models.CalibrationWaiver.objects.filter(round=opened).values_list("reviewer", "reason"))
    progress = {}
    for person in reviewers:
        asked = keys.keys() - known[person.pk] - unable.get(person.person_id or 0, set())
        compared = {
            comparison: core.compare_review(
                keys[comparison], collect_marks(marks[pk]), within, weights, scales
            )
            for comparison, pk in submitted[person.pk].items()
            if comparison in asked
        }
        result = core.compute_result(compared.values(), asked=len(asked), **limits)
        reused = sum(submitted[person.pk][comparison] in earlier for comparison in compared)
        progress[person.pk] = ReviewerProgress(compared, asked, reused, result, waivers.get(person.pk, ""))
    return progress


def _load_unable(comparisons: Collection[int], people: Collection[int]) -> dict[int, set[int]]:
    """Person -> the comparisons of which they wrote so many responses that nothing is left to compare."""
    responses = models.Response.objects.filter(comparison__in=comparisons)
    written = Counter(responses.filter(written_by__in=people).values_list("written_by", "comparison"))
    if not written:
        return {}
    totals = dict(responses.order_by().values_list("comparison").annotate(Count("pk")))
    unable: dict[int, set[int]] = defaultdict(set)
    for (person, comparison), own in written.items():
        if person is not None and totals[comparison] - own < FEWEST_SHOWN:
            unable[person].add(comparison)
    return unable
