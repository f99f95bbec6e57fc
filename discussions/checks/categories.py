"""Invariants of categories: part of `manage.py verify`."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import F, Q

from discussions.agents.core.categories import find_roots
from discussions.models import Category, CategoryEnd, Coding
from workspace.checks.actions import missing_events
from workspace.checks.core import Checks

CATEGORY_CHECKS = Checks()


@CATEGORY_CHECKS.add(
    "I10c", "Every code is on a message there is, and every merge leads to a category that counts"
)
def _codes_are_placed(_now: datetime) -> Iterator[str]:
    elsewhere = ~Q(game__project=F("category__project")) | Q(message__gt=F("game__message_count"))
    for coding in Coding.objects.filter(elsewhere).order_by("pk"):
        yield f"Code {coding.pk} is on message {coding.message}, which its project has not."
    ends = CategoryEnd.objects.exclude(merged_into=None).order_by("pk")
    for end in ends.exclude(merged_into__project=F("category__project")):
        yield f"Category {end.category_id} was merged into one of another project."
    try:
        find_roots(dict(ends.values_list("category", "merged_into")))
    except ValueError as circle:
        yield f"Categories are merged in a circle: {circle}."
    merged, removed = Q(end__merged_into__isnull=False), Q(end__isnull=False, end__merged_into=None)
    yield from missing_events(("category", "category:merged", Category.objects.filter(merged)))
    yield from missing_events(("category", "category:removed", Category.objects.filter(removed)))
