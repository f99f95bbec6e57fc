"""Forms: figures that a transcript does not report, entered by hand.

Withdrawing or restoring a game, with the reason. The list of games as its URL describes it.
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from msgspec import ValidationError, convert

from discussions.games.queries.list_query import MOST_CHOSEN, ListQuery, list_numbers
from discussions.models.manual_figures import CACHE, COST
from discussions.verdicts.actions import MOST_RECORDED
from rubric.versions.forms import ParagraphField
from workspace.core.refusals import Malformed
from workspace.display.core.number_lists import numbers_in
from workspace.models import Project

PERCENT = Decimal(100)


class FigureForm(forms.Form):
    kind = forms.ChoiceField(
        label=_("Figure"),
        choices=((COST, _("cost of the game, in dollars")), (CACHE, _("cache hit rate, in percent"))),
    )
    value = forms.DecimalField(
        label=_("Value"),
        max_digits=18,
        help_text=_("Dollars such as 1.35, or percent such as 72.5; the point is a dot."),
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
        error_messages={"invalid": _("Enter a number such as 1.35, with a dot and no sign of a currency.")},
    )
    reason = ParagraphField(
        label=_("Where it comes from"),
        help_text=_("An invoice, a log, a dashboard. It is kept with the figure and your name."),
        rows=2,
    )

    @property
    def entered(self) -> Decimal:
        """The value in the unit in which it is stored: dollars, or a rate from 0 to 1."""
        value: Decimal = self.cleaned_data["value"]
        return value / PERCENT if self.cleaned_data["kind"] == CACHE else value


WITHDRAW, RESTORE = "withdraw", "restore"


class WithdrawalForm(forms.Form):
    do = forms.ChoiceField(choices=((WITHDRAW, ""), (RESTORE, "")), widget=forms.HiddenInput)
    reason = ParagraphField(
        label=_("Reason"),
        help_text=_(
            "What is wrong with the game, or why it counts after all. It is kept with the game and your name."
        ),
        rows=2,
    )


# The offsets to add to a number in a text to get the file's; the same values as `OFFSETS` of the metrics.
ROUND_OFFSETS = (
    (0, _("The texts count like the file: round 1 is the file's round 1.")),
    (1, _("The texts count from 0: round 0 is the file's round 1, round 1 the file's round 2.")),
    (-1, _("The texts count from 1, the file from 0: round 1 is the file's round 0.")),
)


class RoundsForm(forms.Form):
    offset = forms.TypedChoiceField(
        label=_("How the texts count the rounds"), coerce=int, choices=ROUND_OFFSETS
    )


class ReturnForm(forms.Form):
    """Returning an evaluation, with what to look at again. A metric that is named begins the comment.

    `labels` are the names of the metrics in the rubric version.
    """

    about = forms.ChoiceField(
        label=_("Metric"), required=False, help_text=_("The evaluator's page opens at this step.")
    )
    comment = ParagraphField(
        label=_("What to look at again"),
        help_text=_(
            "The evaluator reads this; nobody else's answers are shown to them. Name a message as “message 3”, and the "
            "page opens there."
        ),
        rows=2,
    )

    def __init__(self, data: Any = None, files: Any = None, *, labels: Iterable[str] = ()) -> None:
        super().__init__(data, files)
        choices = [("", _("as the comment says")), *((label, label) for label in labels)]
        self.fields["about"].choices = choices  # type: ignore[attr-defined]

    def to_comment(self) -> str:
        about, comment = self.cleaned_data["about"], self.cleaned_data["comment"]
        return f"{about}: {comment}" if about and comment else comment


class FewerForm(forms.Form):
    count = forms.IntegerField(
        label=_("Evaluations needed"), widget=forms.NumberInput(attrs={"min": 1, "max": 10})
    )
    reason = ParagraphField(label=_("Reason"), rows=2)


_NUMBERS = ("iteration", "evaluator", "after", "before")
LIST_NAMES = tuple(name for name in ListQuery.__struct_fields__ if name != "most")


def parse_list_address(text: str) -> ListQuery:
    """What an address holds as one value, such as "state=submitted&sort=oldest"; Malformed (400) for other values."""
    try:
        return parse_list_query(QueryDict(text))
    except ValueError:
        raise _unknown() from None


def parse_list_query(asked: QueryDict) -> ListQuery:
    """The order, filters and cursor in an address; Malformed (400) for other values."""
    if any(name not in LIST_NAMES or len(values) != 1 for name, values in asked.lists()):
        raise _unknown()
    try:
        given = {
            name: int(text) if name in _NUMBERS and text.isascii() and text.isdigit() else text
            for name in LIST_NAMES
            if (text := asked.get(name, ""))
        }
        wanted = convert(given, ListQuery)
    except (ValidationError, ValueError):
        raise _unknown() from None
    if any(day and not 2000 <= day.year <= 2999 for day in (wanted.since, wanted.until)):
        raise _unknown()
    return wanted


def _unknown() -> Malformed:
    return Malformed(_now("This list cannot be sorted or filtered like that. Choose from its menus."))


def read_columns(text: str) -> frozenset[str] | None:
    return frozenset(text.split(".")) if text else None


class GameColumnsForm(forms.Form):
    """The columns of the list that a person wants to see; `back` is the query of the list that they came from."""

    columns = forms.MultipleChoiceField(label=_("Columns"), required=False)
    back = forms.CharField(required=False, max_length=2000)

    def __init__(self, data: Any = None, files: Any = None, *, known: Mapping[str, str]) -> None:
        super().__init__(data, files)
        self.fields["columns"].choices = list(known.items())  # type: ignore[attr-defined]


class AnswerForm(forms.Form):
    text = ParagraphField(label=_("Answer"), rows=2)
    do = forms.ChoiceField(choices=[("answer", ""), ("resolve", "")])


_SHOWN = re.compile(r"([0-9]{1,9}):([0-9a-f]{64})")
_TICKED = re.compile(r"[0-9]{1,9}")
RECORD, ASSIGN, MOVE, WITHDRAW, EXPORT = "record", "assign", "move", "withdraw", "export"
# The action named by a button of the list -> the name of its page.
PAGES = {
    RECORD: "record_games",
    ASSIGN: "assign_selected",
    MOVE: "move_selected",
    WITHDRAW: "withdraw_selected",
    EXPORT: "new_export",
}
_ONCE = ("act", "which", "in")


def read_selection(request: HttpRequest, project: Project) -> tuple[str, list[int], str]:
    """The act, the numbers of the chosen games, and the query of the list; Malformed (400) for other addresses."""
    query = request.GET
    for name, values in query.lists():
        if name != "game" and (name not in _ONCE or len(values) != 1):
            raise _unknown_choice()
    act, ticked = query.get("act", ""), query.getlist("game")
    if act not in PAGES or query.get("which", "chosen") not in ("chosen", "all"):
        raise _unknown_choice()
    if len(ticked) > MOST_CHOSEN or not all(_TICKED.fullmatch(number) for number in ticked):
        raise _unknown_choice()
    wanted = parse_list_address(query.get("in", ""))
    is_all = query.get("which") == "all"
    numbers = list_numbers(project, wanted, MOST_CHOSEN) if is_all else [int(number) for number in ticked]
    return act, sorted(set(numbers)), wanted.change()


def read_numbers(text: str) -> list[int]:
    """The games that an address names, such as "3,5-7"; raises Malformed (400) for anything else."""
    try:
        return numbers_in(text)
    except ValueError:
        raise _unknown_choice() from None


def _unknown_choice() -> Malformed:
    return Malformed(_now("This address names no games. Go back to the list and choose them again."))


class ShownGamesField(forms.MultipleChoiceField):
    def valid_value(self, value: str) -> bool:
        return bool(_SHOWN.fullmatch(value))

    def clean(self, value: Any) -> dict[int, str]:
        """Number of the game -> hash."""
        pairs = [item.split(":") for item in super().clean(value)]
        return {int(number): sha256 for number, sha256 in pairs}


class RecordGamesForm(forms.Form):
    ready = ShownGamesField(
        error_messages={
            "required": _("Choose at least one game."),
            "invalid_choice": _("The form does not say which games. Load the page again."),
        }
    )

    def clean_ready(self) -> dict[int, str]:
        shown: dict[int, str] = self.cleaned_data["ready"]
        if len(shown) > MOST_RECORDED:
            says = _("At most %(most)d verdicts are recorded at once. Choose fewer games.")
            raise forms.ValidationError(says, params={"most": MOST_RECORDED})
        return shown


class GamesForm(forms.Form):
    games = forms.CharField(max_length=5000, widget=forms.HiddenInput, required=False)

    def clean_games(self) -> list[int]:
        return read_numbers(self.cleaned_data["games"])


class ChooseForm(GamesForm):
    """The field `about` chooses one of the rows that the page offers, by their attribute `key`."""

    about, key, ask = "", "", _("Choose one")

    def __init__(
        self, data: Any = None, files: Any = None, *, offered: Iterable[Any], **options: Any
    ) -> None:
        super().__init__(data, files, **options)
        self.rows = {str(getattr(row, self.key)): row for row in offered}
        named = [(key, row.name) for key, row in self.rows.items()]
        self.fields[self.about].choices = [("", self.ask), *named]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> Any:
        """The chosen row, None while there is none."""
        return self.rows.get(str(self[self.about].value() or ""))


class AssignSelectedForm(ChooseForm):
    person = forms.ChoiceField(label=_("Evaluator"))
    about, key, ask = "person", "pk", _("Choose somebody")


class MoveSelectedForm(ChooseForm):
    iteration = forms.ChoiceField(label=_("Iteration"))
    about, key = "iteration", "number"


class WithdrawSelectedForm(GamesForm):
    reason = ParagraphField(
        label=_("Reason"),
        help_text=_("What is wrong with these games. It is kept with each game and your name."),
        rows=2,
    )
