"""What a transcript does not report of a game, entered by hand."""

from decimal import Decimal

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.models.manual_figures import CACHE, COST
from rubric.forms.rubrics import several_lines

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
