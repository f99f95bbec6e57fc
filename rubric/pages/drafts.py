"""The editor of a draft: what stands around its form."""

from datetime import datetime
from fractions import Fraction

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.differences import Differences, differences
from rubric.core.draft_texts import number_text
from rubric.core.records import RubricRecord
from rubric.core.weights import TOLERANCE, decimal_text
from rubric.models import RubricVersion

MOST_SHOWN = 10**6


class Stored(Struct, frozen=True):
    """What somebody else saved in the meantime, and how what was typed here differs from it."""

    by: str
    at: datetime | None
    sha256: str
    differences: Differences


class DraftPage(Struct, frozen=True):
    """A draft in the editor. `total` is what the weights sum to ("" while one is no number), `off` how far from 1."""

    slug: str
    name: str
    number: str
    kind: str
    total: str
    off: str
    is_total_right: bool
    says: str
    stored: Stored | None


def build_draft_page(
    *, version: RubricVersion, total: Fraction | None, says: str = "", mine: RubricRecord | None = None
) -> DraftPage:
    """The editor's page; `mine` is given when it could not be saved since somebody else had saved `version`."""
    stored = None
    if mine is not None:
        by = (version.edited_by or version.created_by).name
        found = differences(version.to_record(), mine)
        stored = Stored(by, version.edited_at or version.created_at, version.sha256, found)
    return DraftPage(
        slug=version.rubric.key,
        name=version.rubric.name,
        number=version.number,
        kind=version.rubric.kind,
        total="" if total is None else _shown(total),
        off="" if total is None else _off(total),
        is_total_right=total is not None and abs(total - 1) <= TOLERANCE,
        says=says,
        stored=stored,
    )


def _off(total: Fraction) -> str:
    if abs(total - 1) <= TOLERANCE:
        return ""
    by = {"by": _shown(abs(total - 1))}
    return _("%(by)s too much") % by if total > 1 else _("%(by)s too little") % by


def _shown(total: Fraction) -> str:
    """The sum, rounded where it is long, and then saying so."""
    exactly, roughly = decimal_text(total), decimal_text(Fraction(round(total * MOST_SHOWN), MOST_SHOWN))
    return exactly if len(exactly) <= len(roughly) + 2 else f"≈ {roughly}"


def default_weights(version: RubricVersion) -> dict[str, str]:
    """Key -> weight as the rubric's first version has it."""
    first = RubricVersion.objects.kept().filter(rubric=version.rubric_id).order_by("pk").first() or version
    return {each.key: number_text(each.weight) for each in first.to_record().criteria}


def scaled_sentence(name: str) -> str:
    """What was done when the others were scaled."""
    return _("The other weights were scaled so that %(name)s keeps its own. Nothing is saved yet.") % {
        "name": name
    }
