"""The list of rubrics with their versions, and the pages on which one is published, retired or discarded."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from rubric.core.differences import Differences, differences
from rubric.models import RubricVersion
from rubric.models.rubrics import DISCARDED, PUBLISHED, RETIRED
from rubric.models.scoring_choices import is_scored_by_criterion
from rubric.permissions import check_edit_rubrics, check_see_weights
from workspace.models import Person
from workspace.permissions import may, refusal_of

PEOPLE = ("created_by", "edited_by", "published_by", "retired_by", "discarded_by")


class Act(Struct, frozen=True):
    """What was done with a version, by whom, when, and what they said; `said` is "" for whoever may not read it."""

    verb: str
    by: str
    at: datetime
    said: str


class VersionLine(Struct, frozen=True):
    """One version in the list; `use_count` counts the iterations that use it, `is_taken` marks what new ones take."""

    number: str
    state: str
    acts: list[Act]
    use_count: int
    is_taken: bool


class RubricPart(Struct, frozen=True):
    """One rubric with its versions, newest first."""

    key: str
    name: str
    kind: str
    versions: list[VersionLine]


class RubricsPage(Struct, frozen=True):
    """All rubrics; `edit_refusal` says why the person cannot change any, "" when they can.

    `is_scored_by_criterion` says how new comparison sets begin.
    """

    rubrics: list[RubricPart]
    edit_refusal: str
    is_scored_by_criterion: bool


class ChangePage(Struct, frozen=True):
    """A version to be published, retired or discarded; `before` is the other published one, "" if there is none."""

    slug: str
    name: str
    number: str
    note: str
    sha256: str
    before: str
    differences: Differences | None
    use_count: int
    before_use_count: int


def build_rubrics_page(*, person: Person, uses: Mapping[int, int]) -> RubricsPage:
    """Every rubric the person may read something of, discarded drafts left out.

    Notes can speak of weights, so they are for who sees those.
    """
    rows = RubricVersion.objects.visible_to(person).kept().defer("body").select_related("rubric", *PEOPLE)
    has_notes = may(check_see_weights, person)
    newest = {kind: RubricVersion.objects.newest(kind) for kind in ("discussion", "response")}
    taken = {version.pk for version in newest.values() if version is not None}
    parts: dict[int, RubricPart] = {}
    for row in rows.order_by("rubric", "-pk"):
        rubric = row.rubric
        part = parts.setdefault(rubric.pk, RubricPart(rubric.key, rubric.name, rubric.kind, []))
        acts = acts_of(row, has_notes=has_notes)
        part.versions.append(VersionLine(row.number, row.state, acts, uses.get(row.pk, 0), row.pk in taken))
    refusal = refusal_of(check_edit_rubrics, person)
    return RubricsPage(list(parts.values()), refusal, is_scored_by_criterion())


def acts_of(version: RubricVersion, *, has_notes: bool) -> list[Act]:
    """What was done with a version, the last first. `version` was fetched with its people."""
    told = (
        (DISCARDED, version.discarded_by, version.discarded_at, version.discarded_reason),
        (RETIRED, version.retired_by, version.retired_at, version.retired_reason),
        (PUBLISHED, version.published_by, version.published_at, version.reason),
        ("edited", version.edited_by, version.edited_at, ""),
        ("drafted", version.created_by, version.created_at, version.note),
    )
    return [
        Act(verb, by.name, at, said if has_notes else "")
        for verb, by, at, said in told
        if by is not None and at is not None
    ]


def build_change_page(*, version: RubricVersion, uses: Mapping[int, int]) -> ChangePage:
    """The page on which a version is published, retired or discarded."""
    rows = RubricVersion.objects.published().filter(rubric=version.rubric_id).exclude(pk=version.pk)
    before = rows.order_by("-published_at", "-pk").first()
    return ChangePage(
        slug=version.rubric.key,
        name=version.rubric.name,
        number=version.number,
        note=version.note,
        sha256=version.sha256,
        before=before.number if before else "",
        differences=differences(before.to_record(), version.to_record()) if before else None,
        use_count=uses.get(version.pk, 0),
        before_use_count=uses.get(before.pk, 0) if before else 0,
    )
