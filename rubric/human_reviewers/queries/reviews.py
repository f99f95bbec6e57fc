"""One review with its marks, and the reviews of others for a second round."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import starmap

from django.db.models import Exists, OuterRef, QuerySet

from rubric import models
from rubric.core.records import HOLISTIC, RubricRecord
from rubric.core.response_order import shuffle
from rubric.human_reviewers.core import (
    CANNOT,
    FirstRoundScores,
    Key,
    MissingMark,
    Sheet,
    are_scores_complete,
    missing,
)
from rubric.models.comparisons import PERSON
from rubric.models.reviews import SUBMITTED
from workspace.audit.core import Latest
from workspace.models import Person
from workspace.models.people import prepare_by_rights

COLUMNS = (
    *("id", "comparison", "reviewer", "round", "purpose", "state", "seed", "order", "version"),
    *("mode", "ranking", "reported_ranking", "flags", "created_at", "submitted_at"),
    *("comparison__number", "reviewer__person", "reviewer__kind", "reviewer__name", "reviewer__model"),
    *("reviewer__ended_at", "reviewer__set", "reviewer__set__number", "reviewer__set__name"),
    *("reviewer__set__mode", "reviewer__set__has_second_round", "reviewer__set__closed_at"),
    *("reviewer__set__project", "reviewer__set__project__slug", "reviewer__set__project__name"),
    *("reviewer__set__rubric_version", "reviewer__set__rubric_version__sha256"),
)

# The key of the revisions that a second round begins with: they are not acts, so they cannot be undone.
STARTING = "start:"
STARTED = ("mark__kind", "mark__subject", "value")


@dataclass(kw_only=True)
class ReviewState:
    """The current state of a review: what it asks, and the marks so far. `now` is the time of the act in progress."""

    review: models.Review
    sheet: Sheet
    rubric: RubricRecord
    marks: dict[Key, Latest]
    now: datetime | None = None

    @cached_property
    def started(self) -> dict[Key, str]:
        """What a second round started with, by subject; empty in a first round."""
        if not self.sheet.is_second:
            return {}
        rows = models.MarkRevision.objects.filter(mark__review=self.review, key__startswith=STARTING)
        return {(kind, subject): value for kind, subject, value in rows.values_list(*STARTED)}

    @cached_property
    def slips(self) -> dict[Key, str]:
        marks = [mark for mark in self.marks.values() if mark.kind == HOLISTIC and mark.value != CANNOT]
        return {(mark.kind, mark.subject): mark.reason for mark in marks if mark.reason}

    @cached_property
    def values(self) -> dict[Key, str]:
        return {key: mark.value for key, mark in self.marks.items() if mark.value}

    @cached_property
    def reasons(self) -> dict[Key, str]:
        return {key: mark.reason for key, mark in self.marks.items() if mark.value == CANNOT}

    @cached_property
    def missing(self) -> list[MissingMark]:
        return missing(self.sheet, self.values)

    @property
    def is_locked(self) -> bool:
        return bool(
            self.sheet.holistic and self.sheet.scores and are_scores_complete(self.sheet, self.values)
        )

    def mark(self, kind: str, subject: str) -> Latest:
        return self.marks.get((kind, subject)) or Latest(0, kind, subject, "", "", 0)

    def changed(self, mark: Latest) -> "ReviewState":
        return replace(self, marks=self.marks | {(mark.kind, mark.subject): mark})

    def undoable(self) -> QuerySet[models.MarkRevision]:
        """Acts that can be undone, newest first: not undone, not an undo, and on a mark that can still change."""
        undoing = models.MarkRevision.objects.filter(mark=OuterRef("mark"), undoes=OuterRef("version"))
        acts = models.MarkRevision.objects.filter(mark__review=self.review, undoes=None)
        acts = acts.exclude(key__startswith=STARTING).exclude(Exists(undoing)).order_by("-pk")
        return acts.exclude(mark__kind=HOLISTIC) if self.is_locked else acts


def load_own_review(person: Person, key: int) -> models.Review | None:
    """The person's own review with that number, as `visible_to` gives it; None when there is none."""
    review: models.Review | None = _OWN[person.is_admin].first(person.pk, key)
    if review is not None:
        review.comparison.set, review.reviewer.person = review.reviewer.set, person
    return review


_OWN = prepare_by_rights(
    lambda person, key: (
        models.Review.objects.visible_to(person)
        .filter(pk=key)
        .select_related("comparison", "reviewer__set__project", "reviewer__set__rubric_version")
        .only(*COLUMNS)
    ),
    int,
)


def load_review_state(review: models.Review) -> ReviewState:
    """The state of a review from `load_own_review`, in one query; the rubric is cached."""
    held_by = review.reviewer.set
    rubric = load_rubric(held_by.rubric_version_id, held_by.rubric_version.sha256)
    return ReviewState(
        review=review,
        sheet=Sheet(
            count=len(review.order),
            criteria=tuple((criterion.key, criterion.label) for criterion in rubric.criteria),
            mode=held_by.mode,
            is_second=review.round == 2,
            scales=rubric.scales,
        ),
        rubric=rubric,
        marks={
            (mark.kind, mark.subject): mark
            for mark in starmap(Latest, review.marks.values_list(*Latest.__struct_fields__))
        },
    )


# The version of a set is published and never changes; the hash guards against another database.
@lru_cache(maxsize=32)
def load_rubric(version: int, sha256: str) -> RubricRecord:
    return models.RubricVersion.objects.get(pk=version).to_record()


def load_other_reviews(review: models.Review) -> list[FirstRoundScores]:
    """What others gave in the first round, nameless, in an order drawn from the review's seed; [] in a first round."""
    if review.round != 2:
        return []
    rows = models.ReviewedResponse.objects.filter(
        review__comparison=review.comparison_id,
        review__round=1,
        review__state=SUBMITTED,
        review__reviewer__kind=PERSON,
        response__number__in=review.order,
    ).exclude(review__reviewer=review.reviewer_id)
    reviewed = list(rows.select_related("response").defer("response__text"))
    order = shuffle([*{row.review_id for row in reviewed}], f"{review.seed}:others")
    return [first_scores(row) for row in sorted(reviewed, key=lambda row: order.index(row.review_id))]


def first_scores(row: models.ReviewedResponse) -> FirstRoundScores:
    return FirstRoundScores(row.response.number, row.scores, row.holistic, row.notes, row.cannot_judge)
