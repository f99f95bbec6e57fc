"""One review as it stands, read in few queries: rows in, plain values out. And its others, in a second round."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from msgspec import Struct

from rubric.core.dealing import deal
from rubric.core.marks import CANNOT, WHOLE, Key, Missing, Sheet, is_settled, missing
from rubric.core.records import RubricRecord
from rubric.models.comparisons import PERSON, Comparison, ComparisonSet, Reviewer
from rubric.models.reviews import SUBMITTED, Mark, MarkRevision, Review, ReviewedResponse
from rubric.models.rubrics import RubricVersion
from workspace.core.revisions import Latest
from workspace.models import Person, Project
from workspace.models.prepared import LARGEST_KEY, Prepared, part_of

COLUMNS = (
    *("id", "comparison", "reviewer", "round", "state", "seed", "order", "version"),
    *("mode", "ranking", "reported_ranking", "flags", "created_at", "submitted_at"),
    *("comparison__number", "reviewer__person", "reviewer__kind", "reviewer__name", "reviewer__model"),
    *("reviewer__ended_at", "reviewer__set", "reviewer__set__number", "reviewer__set__name"),
    *("reviewer__set__mode", "reviewer__set__has_second_round", "reviewer__set__closed_at"),
    *("reviewer__set__project", "reviewer__set__project__slug", "reviewer__set__project__name"),
    *("reviewer__set__rubric_version", "reviewer__set__rubric_version__sha256"),
)
# The key of the revisions that a second round begins with: nobody's act, and so not to be undone.
STARTING = "start:"


@dataclass(kw_only=True)
class Work:
    """A review as it stands: what it asks, and what its reviewer has said so far."""

    review: Review
    sheet: Sheet
    rubric: RubricRecord
    marks: dict[Key, Latest]

    @cached_property
    def values(self) -> dict[Key, str]:
        """What is said of each thing."""
        return {key: mark.value for key, mark in self.marks.items() if mark.value}

    @cached_property
    def reasons(self) -> dict[Key, str]:
        """Why things cannot be judged."""
        return {key: mark.reason for key, mark in self.marks.items() if mark.value == CANNOT}

    @cached_property
    def missing(self) -> list[Missing]:
        """What handing in waits for."""
        return missing(self.sheet, self.values)

    @property
    def is_locked(self) -> bool:
        """Whether the scores as a whole stay as they are, since the criteria are open."""
        return bool(self.sheet.whole and self.sheet.scores and is_settled(self.sheet, self.values))

    def mark(self, kind: str, subject: str) -> Latest:
        """The newest of one thing; version 0 when nothing was ever said of it."""
        return self.marks.get((kind, subject)) or Latest(0, kind, subject, "", "", 0)

    def changed(self, mark: Latest) -> "Work":
        """The same work after one mark was stored."""
        return replace(self, marks=self.marks | {(mark.kind, mark.subject): mark})

    def undoable(self) -> QuerySet[MarkRevision]:
        """Acts that can be taken back, newest first: neither undone nor undoing, of things that can still change."""
        undoing = MarkRevision.objects.filter(mark=OuterRef("mark"), undoes=OuterRef("version"))
        acts = MarkRevision.objects.filter(mark__review=self.review, undoes=None)
        acts = acts.exclude(key__startswith=STARTING).exclude(Exists(undoing)).order_by("-pk")
        return acts.exclude(mark__kind=WHOLE) if self.is_locked else acts


class Other(Struct, frozen=True):
    """What somebody else gave one response in the first round; who it was nobody is told."""

    other: int
    number: int
    scores: dict[str, float]
    holistic: float | None
    notes: str
    cannot_judge: dict[str, str]


def own_review(person: Person, key: int) -> Review | None:
    """The person's own review with that number, as `visible_to` gives it; None when there is none."""
    if key > LARGEST_KEY:
        return None
    found = (_ANY_PROJECT if person.is_admin else _OWN_PROJECTS).rows(person.pk, key)
    if not found:
        return None
    row = found[0]
    review = part_of(Review, COLUMNS, row, "")
    reviewer = part_of(Reviewer, COLUMNS, row, "reviewer__")
    held_by = part_of(ComparisonSet, COLUMNS, row, "reviewer__set__")
    held_by.project = part_of(Project, COLUMNS, row, "reviewer__set__project__")
    held_by.rubric_version = part_of(RubricVersion, COLUMNS, row, "reviewer__set__rubric_version__")
    review.comparison = part_of(Comparison, COLUMNS, row, "comparison__")
    reviewer.set = review.comparison.set = held_by
    reviewer.person = person
    review.reviewer = reviewer
    return review


def _own(person: int, key: int, *, is_admin: bool) -> "QuerySet[Review, Any]":
    own = Review.objects.visible_to(Person(pk=person, is_admin=is_admin)).filter(pk=key)
    return own.values_list(*COLUMNS)


_OWN_PROJECTS = Prepared(lambda person, key: _own(person, key, is_admin=False), int, int)
_ANY_PROJECT = Prepared(lambda person, key: _own(person, key, is_admin=True), int, int)


def work_of(review: Review) -> Work:
    """Everything that was said in a review of `own_review`, in one query beside what is kept in memory."""
    held_by = review.reviewer.set
    rubric = rubric_of(held_by.rubric_version_id, held_by.rubric_version.sha256)
    return Work(
        review=review,
        sheet=Sheet(
            count=len(review.order),
            criteria=tuple((criterion.key, criterion.label) for criterion in rubric.criteria),
            mode=held_by.mode,
            is_second=review.round == 2,
        ),
        rubric=rubric,
        marks={(mark.kind, mark.subject): mark for mark in (Latest(*row) for row in _MARKS.rows(review.pk))},
    )


_MARKS = Prepared(lambda key: Mark.objects.filter(review=key).values_list(*Latest.__struct_fields__), int)


# The version of a set is published and never changes; the hash guards against another database.
@lru_cache(maxsize=32)
def rubric_of(version: int, sha256: str) -> RubricRecord:
    """The version with that number and content."""
    return RubricVersion.objects.get(pk=version).to_record()


def others_of(review: Review) -> list[Other]:
    """What other people gave in the first round for the responses of this review, in an order of the seed's own.

    Empty in a first round, whose reviewers know nothing of one another.
    """
    if review.round != 2:
        return []
    rows = ReviewedResponse.objects.filter(
        review__comparison=review.comparison_id,
        review__round=1,
        review__state=SUBMITTED,
        review__reviewer__kind=PERSON,
        response__number__in=review.order,
    ).exclude(review__reviewer=review.reviewer_id)
    found = list(rows.select_related("response").defer("response__text"))
    order = deal([*{row.review_id for row in found}], f"{review.seed}:others")
    return sorted(
        (
            Other(
                other=order.index(row.review_id) + 1,
                number=row.response.number,
                scores=row.scores,
                holistic=row.holistic,
                notes=row.notes,
                cannot_judge=row.cannot_judge,
            )
            for row in found
        ),
        key=lambda other: other.other,
    )
