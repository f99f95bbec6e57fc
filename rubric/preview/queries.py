"""The input of a preview of a response rubric's draft: all reviews submitted under any of its versions."""

from django.db.models import Count, Max, Sum

from rubric.models import Review
from rubric.models.reviews import SUBMITTED
from workspace.core.canonical import canonical_hash


def reviews_hash(rubric: int) -> str:
    """The hash of all reviews submitted under the rubric; a new or superseded review changes it."""
    reviews = Review.objects.filter(comparison__set__rubric_version__rubric=rubric, state=SUBMITTED)
    return canonical_hash(reviews.aggregate(Count("pk"), Sum("pk"), Max("submitted_at")))
