"""Reads the query and the posted data of a bulk action."""

import re
from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from discussions.games.forms import parse_list_address
from discussions.games.queries.list_query import MOST_CHOSEN, list_numbers
from discussions.models import Iteration
from discussions.verdicts.actions import MOST_RECORDED
from rubric.versions.forms import several_lines
from workspace.core.refusals import Malformed
from workspace.display.core.number_lists import numbers_in
from workspace.models import Person, Project

_SHOWN = re.compile(r"([0-9]{1,9}):([0-9a-f]{64})")
_NUMBER = re.compile(r"[0-9]{1,9}")
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
            raise _unknown()
    act, ticked = query.get("act", ""), query.getlist("game")
    if act not in PAGES or query.get("which", "chosen") not in ("chosen", "all"):
        raise _unknown()
    if len(ticked) > MOST_CHOSEN or not all(_NUMBER.fullmatch(number) for number in ticked):
        raise _unknown()
    wanted = parse_list_address(query.get("in", ""))
    is_all = query.get("which") == "all"
    numbers = list_numbers(project, wanted, MOST_CHOSEN) if is_all else [int(number) for number in ticked]
    return act, sorted(set(numbers)), wanted.change()


def read_numbers(text: str) -> list[int]:
    """The games that an address names, such as "3,5-7"; raises Malformed (400) for anything else."""
    try:
        return numbers_in(text)
    except ValueError:
        raise _unknown() from None


def _unknown() -> Malformed:
    return Malformed(_now("This address names no games. Go back to the list and choose them again."))


class ShownGamesField(forms.MultipleChoiceField):
    """Games with the hash of the basis that was shown, as "7:<hash>"."""

    def valid_value(self, value: str) -> bool:
        """Whether it names a game and a hash; the action checks whether they fit."""
        return bool(_SHOWN.fullmatch(value))

    def clean(self, value: Any) -> dict[int, str]:
        """Number of the game -> hash."""
        pairs = [item.split(":") for item in super().clean(value)]
        return {int(number): sha256 for number, sha256 in pairs}


class RecordGamesForm(forms.Form):
    """The games for which verdicts are to be recorded, as the preview showed them."""

    ready = ShownGamesField(
        error_messages={
            "required": _("Choose at least one game."),
            "invalid_choice": _("The form does not say which games. Load the page again."),
        }
    )

    def clean_ready(self) -> dict[int, str]:
        """Refuse more games than one action records."""
        shown: dict[int, str] = self.cleaned_data["ready"]
        if len(shown) > MOST_RECORDED:
            says = _("At most %(most)d verdicts are recorded at once. Choose fewer games.")
            raise forms.ValidationError(says, params={"most": MOST_RECORDED})
        return shown


class GamesForm(forms.Form):
    """The games that the preview accepted, as "3,5-7"."""

    games = forms.CharField(max_length=5000, widget=forms.HiddenInput, required=False)

    def clean_games(self) -> list[int]:
        """Their numbers."""
        return read_numbers(self.cleaned_data["games"])


class AssignSelectedForm(GamesForm):
    """The evaluator who gets the games."""

    person = forms.ChoiceField(label=_("Evaluator"))

    def __init__(
        self, data: Any = None, files: Any = None, *, people: Iterable[Person], **options: Any
    ) -> None:
        super().__init__(data, files, **options)
        self.people = {str(person.pk): person for person in people}
        named = [(key, person.name) for key, person in self.people.items()]
        self.fields["person"].choices = [("", _now("Choose somebody")), *named]  # type: ignore[attr-defined]


class MoveSelectedForm(GamesForm):
    """The iteration to which the games move."""

    iteration = forms.ChoiceField(label=_("Iteration"))

    def __init__(
        self, data: Any = None, files: Any = None, *, iterations: Iterable[Iteration], **options: Any
    ) -> None:
        super().__init__(data, files, **options)
        self.iterations = {str(iteration.number): iteration for iteration in iterations}
        named = [(key, iteration.name) for key, iteration in self.iterations.items()]
        self.fields["iteration"].choices = [("", _now("Choose one")), *named]  # type: ignore[attr-defined]


class WithdrawSelectedForm(GamesForm):
    """Why the games no longer count."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_("What is wrong with these games. It is kept with each game and your name."),
        widget=several_lines(2),
    )
