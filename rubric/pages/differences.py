"""The page that shows what differs between two versions."""

from msgspec import Struct

from rubric.core.differences import Differences, differences
from rubric.models import RubricVersion
from rubric.permissions import check_see_weights
from workspace.models import Person
from workspace.permissions import may


class Choice(Struct, frozen=True):
    """A version that can be compared with; `value` stands in the address."""

    value: str
    label: str
    is_chosen: bool


class DifferencesPage(Struct, frozen=True):
    """Two versions and what differs; `differences` is None when there is nothing to compare with."""

    slug: str
    name: str
    number: str
    before: str
    choices: list[Choice]
    differences: Differences | None
    has_weights: bool


def name_of(version: RubricVersion) -> str:
    """The version as it is named in addresses: rubric and number."""
    return f"{version.rubric.key}/{version.number}"


def comparable(version: RubricVersion, person: Person) -> list[RubricVersion]:
    """The versions of the same kind that the person may read, without this and discarded ones, the newest first."""
    rows = RubricVersion.objects.visible_to(person).kept().filter(rubric__kind=version.rubric.kind)
    return list(rows.exclude(pk=version.pk).select_related("rubric").defer("body").order_by("-pk"))


def build_differences_page(
    *, version: RubricVersion, before: RubricVersion | None, others: list[RubricVersion], person: Person
) -> DifferencesPage:
    """What it takes to come from `before` to `version`."""
    has_weights = may(check_see_weights, person)
    found = None
    if before is not None:
        found = differences(before.to_record(), version.to_record(), has_weights=has_weights)
    return DifferencesPage(
        slug=version.rubric.key,
        name=version.rubric.name,
        number=version.number,
        before=str(before) if before else "",
        choices=[Choice(name_of(each), str(each), each == before) for each in others],
        differences=found,
        has_weights=has_weights,
    )
