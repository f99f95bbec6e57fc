"""How many games to play: what each number of games per side can find, given the spread of the project's own games."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.comparison.labels import points_text, say_how_often
from discussions.iterations.core.figures import GameFigures
from discussions.models.iterations import LEAST_GAMES
from discussions.planning.core import MOST_GAMES, FindChance, list_find_chances
from rubric.core.records import RubricRecord


class FindLine(Struct, frozen=True):
    """One metric: a gain, and how often each number of games finds it; `is_own` as in `FindChance`."""

    label: str
    gain: str
    chances: list[str]
    is_own: bool


class HowMany(Struct, frozen=True):
    """The sentence on one metric, the source of its spread, and all metrics; `sizes` are the column headings."""

    says: str
    source: str
    sizes: list[str]
    lines: list[FindLine]


def build_how_many(
    rubric: RubricRecord, batches: Sequence[Sequence[GameFigures]], key: str, least_games: object
) -> HowMany | None:
    """What to know when choosing the number of games; `key` is the target, else the sentence is about the first metric.

    `least_games` is the text in the form, perhaps not a number. None for a rubric without metrics.
    """
    found = list_find_chances(rubric, batches, read_size(least_games))
    if not found:
        return None
    told = next((line for line in found if line.key == key), found[0])
    return HowMany(
        says=_describe(told),
        source=_describe_source(told),
        sizes=[_("%(size)d against %(size)d") % {"size": size} for size, _chance in told.sizes],
        lines=[
            FindLine(
                label=line.label,
                gain=points_text(line.gain, line.span),
                chances=[say_how_often(chance) for _size, chance in line.sizes],
                is_own=line.is_own,
            )
            for line in found
        ],
    )


def read_size(typed: object) -> int:
    """The number of games in the form, or the usual one if the text is not a number."""
    text = str(typed).strip()
    size = int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0
    return size if 1 <= size <= MOST_GAMES else LEAST_GAMES


def _describe(line: FindChance) -> str:
    (few, first), (many, second) = line.sizes
    says = _(
        "%(few)d against %(few)d finds a gain of %(gain)s in %(label)s %(often)s; %(many)d against %(many)d "
        "%(oftener)s."
    )
    return says % {
        "few": few,
        "many": many,
        "gain": points_text(line.gain, line.span),
        "label": line.label.lower(),
        "often": say_how_often(first),
        "oftener": say_how_often(second, is_short=True),
    }


def _describe_source(line: FindChance) -> str:
    gain = {"gain": points_text(line.gain, line.span), "label": line.label.lower()}
    if line.is_own:
        return _("By so much, %(gain)s, games of this project under one prompt usually differ.") % gain
    return (
        _("This project has too few games to know how much they differ under one prompt; %(gain)s is usual.")
        % gain
    )
