"""The columns of the list of games: the ones that a person chose, and the one that sorts the list."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _
from msgspec import Struct

from discussions.games.pages.list_query import ListQuery
from discussions.metrics.labels import LABELS

ID, COMPOSITE, FLIPS, WEAK_PASSES, COST = "id", "composite", "flips", "weak", "cost"
MESSAGES, ITERATION, IMPORTED, FLAGS = "messages", "iteration", "imported", "flags"

# The metrics stand between the first and the others.
FIRST = {ID: _("Game id and file")}
OTHERS = {
    COMPOSITE: _("Composite"),
    FLIPS: _("To flip"),
    WEAK_PASSES: _("Weak passes"),
    COST: _("Cost"),
    MESSAGES: _("Messages"),
    FLAGS: _("Open flags"),
    ITERATION: _("Iteration"),
    IMPORTED: _("Imported"),
}
HIDDEN_AT_FIRST = frozenset({WEAK_PASSES, MESSAGES, FLAGS, IMPORTED})
NUMBERS = frozenset({COMPOSITE, FLIPS, COST, MESSAGES, FLAGS})

# Column -> its two sort orders; the first click selects the first.
ORDERS = {
    "number": ("newest", "oldest"),
    "status": ("most_passed", "fewest_passed"),
    ID: ("a_to_z", "z_to_a"),
    COMPOSITE: ("best", "worst"),
    FLIPS: ("closest", "farthest"),
    COST: ("costliest", "cheapest"),
    MESSAGES: ("longest", "shortest"),
    ITERATION: ("last_iteration", "first_iteration"),
}
RISING = frozenset(
    {"oldest", "a_to_z", "worst", "fewest_passed", "closest", "shortest", "cheapest", "first_iteration"}
)


class Heading(Struct, frozen=True):
    """A heading. `sorts_by` is the query of the URL that sorts by it, "" if the column cannot be sorted.

    `sorted` is how the list is sorted by it now: "ascending", "descending" or "".
    """

    key: str
    label: str
    is_number: bool
    sorts_by: str
    sorted: str


class ColumnChoice(Struct, frozen=True):
    """A column that can be chosen."""

    key: str
    label: str
    is_shown: bool


def list_columns(metrics: Sequence[str]) -> dict[str, str]:
    """Every column that can be chosen, in their order: key -> label."""
    named = {key: str(LABELS[key].column) for key in metrics}
    return {key: str(label) for key, label in (FIRST | named | OTHERS).items()}


def choose_columns(columns: dict[str, str], chosen: frozenset[str] | None) -> list[str]:
    """The columns that are shown: the chosen ones, in their order, else the default."""
    return [key for key in columns if (key not in HIDDEN_AT_FIRST if chosen is None else key in chosen)]


def build_headings(columns: dict[str, str], shown: Sequence[str], wanted: ListQuery) -> dict[str, Heading]:
    """The headings of the number of the game, of its status, and of the shown columns."""
    labels = {"number": str(_("Game")), "status": str(_("Status")), **{key: columns[key] for key in shown}}
    return {key: _heading(key, label, wanted) for key, label in labels.items()}


def _heading(key: str, label: str, wanted: ListQuery) -> Heading:
    is_number = key == "number" or key in NUMBERS or key in LABELS
    first, second = ORDERS.get(key, ("", ""))
    if not first:
        return Heading(key, label, is_number, "", "")
    way = "" if wanted.sort not in (first, second) else "ascending" if wanted.sort in RISING else "descending"
    return Heading(key, label, is_number, wanted.change(sort=second if wanted.sort == first else first), way)
