"""Rubrics and their versions. A published version never changes."""

from functools import lru_cache

import msgspec
from django.db import models
from django.db.models import Q

from rubric.core.records import RubricRecord
from workspace.database.pairs import set_together
from workspace.models import Made, Person

DRAFT = "draft"
PUBLISHED = "published"
# Published elsewhere, and imported with a project archive, together with the work that it judged.
IMPORTED = "imported"
RETIRED = "retired"
DISCARDED = "discarded"


class Rubric(models.Model):
    key = models.SlugField(max_length=60, unique=True)
    kind = models.CharField(max_length=20, choices=[("discussion", "discussion"), ("response", "response")])
    name = models.CharField(max_length=200)

    def __str__(self) -> str:
        return self.name


class RubricVersionQuerySet(models.QuerySet["RubricVersion"]):
    def visible_to(self, person: Person) -> "RubricVersionQuerySet":
        """All published versions, including retired ones; an admin sees drafts too."""
        return self if person.is_admin else self.exclude(published_at=None)

    def kept(self) -> "RubricVersionQuerySet":
        """All versions except discarded drafts, which no list shows."""
        return self.exclude(state=DISCARDED)

    def published(self) -> "RubricVersionQuerySet":
        """The versions that new work can use; imported ones only after an admin offers them."""
        return self.filter(state=PUBLISHED)

    def newest(self, kind: str) -> "RubricVersion | None":
        """The most recently published version of that kind; None before the first."""
        return self.published().filter(rubric__kind=kind).order_by("-published_at", "-pk").first()

    def newest_of_each(self, kind: str) -> "list[RubricVersion]":
        """The most recently published version of every rubric of that kind, with its rubric, by name."""
        rows = self.published().filter(rubric__kind=kind).select_related("rubric")
        newest = {row.rubric_id: row for row in rows.order_by("published_at", "pk")}
        return sorted(newest.values(), key=lambda row: (row.rubric.name.casefold(), row.rubric.key))


class RubricVersion(Made):
    """One edition of a rubric; `body` is its JSON, `sha256` the hash of its canonical form.

    `note` says what was changed and why, `reason` why it was published. All of it is final once it is published or
    discarded; only a draft changes.
    """

    rubric = models.ForeignKey(Rubric, models.PROTECT, related_name="versions")
    number = models.CharField(max_length=20)
    state = models.CharField(max_length=12, default=DRAFT)
    body = models.TextField()
    sha256 = models.CharField(max_length=64)
    note = models.TextField(blank=True)
    edited_at = models.DateTimeField(null=True, blank=True)
    edited_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    reason = models.TextField(blank=True, default="")
    retired_at = models.DateTimeField(null=True, blank=True)
    retired_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    retired_reason = models.TextField(blank=True, default="")
    discarded_at = models.DateTimeField(null=True, blank=True)
    discarded_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    discarded_reason = models.TextField(blank=True, default="")

    objects = RubricVersionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["rubric", "number"], name="rubric_version_unique"),
            set_together("published_at", "published_by", name="rubric_version_published_pair"),
            set_together("edited_at", "edited_by", name="rubric_version_edited_pair"),
            set_together("retired_at", "retired_by", name="rubric_version_retired_pair"),
            set_together("discarded_at", "discarded_by", name="rubric_version_discarded_pair"),
            models.CheckConstraint(
                condition=Q(state=DRAFT, published_at=None, retired_at=None, discarded_at=None)
                | Q(
                    state__in=(PUBLISHED, IMPORTED),
                    published_at__isnull=False,
                    retired_at=None,
                    discarded_at=None,
                )
                | Q(state=RETIRED, published_at__isnull=False, retired_at__isnull=False, discarded_at=None)
                | Q(state=DISCARDED, published_at=None, retired_at=None, discarded_at__isnull=False),
                name="rubric_version_state_fits",
            ),
        )

    def __str__(self) -> str:
        return f"{self.rubric.name} {self.number}"

    def to_record(self) -> RubricRecord:
        """The content of the version, decoded once per process and content."""
        return _decode(self.body)


@lru_cache(maxsize=64)
def _decode(body: str) -> RubricRecord:
    return msgspec.json.decode(body, type=RubricRecord)
