"""What a transcript does not report of a game, entered by hand.

A game that does not count, or counts again: which of the two, and why.
"""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.games.pages.rounds import ROUND_OFFSETS
from discussions.models.manual_figures import CACHE, COST
from rubric.versions.forms import several_lines

PERCENT = Decimal(100)


class FigureForm(forms.Form):
    """A cost in dollars or a cache hit rate in percent, and where it comes from."""

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
    reason = forms.CharField(
        label=_("Where it comes from"),
        required=False,
        help_text=_("An invoice, a log, a dashboard. It stays beside the figure with your name."),
        widget=several_lines(2),
    )

    @property
    def entered(self) -> Decimal:
        """The value in the unit in which it is kept: dollars, or a rate from 0 to 1."""
        value: Decimal = self.cleaned_data["value"]
        return value / PERCENT if self.cleaned_data["kind"] == CACHE else value


WITHDRAW, RESTORE = "withdraw", "restore"


class WithdrawalForm(forms.Form):
    """What is to become of the game, as the page that was sent had it, and the reason."""

    do = forms.ChoiceField(choices=((WITHDRAW, ""), (RESTORE, "")), widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_(
            "What is wrong with the game, or why it counts after all. It stays beside it with your name."
        ),
        widget=several_lines(2),
    )


class RoundsForm(forms.Form):
    """How the texts of a game count its rounds."""

    offset = forms.TypedChoiceField(coerce=int, choices=ROUND_OFFSETS)


class ReturnForm(forms.Form):
    """Sending an evaluation back, with what is to be looked at again."""

    comment = forms.CharField(
        label=_("What to look at again"),
        required=False,
        help_text=_("The evaluator reads this; nobody else's answers are shown to them."),
        widget=several_lines(2),
    )


class FewerForm(forms.Form):
    """A lower number of evaluators for a game; field ids are unique on the page of the game."""

    count = forms.IntegerField(
        label=_("Evaluations needed"), widget=forms.NumberInput(attrs={"min": 1, "max": 10})
    )
    reason = forms.CharField(label=_("Reason"), required=False, widget=several_lines(2))

    def __init__(self, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, auto_id="fewer-%s")
