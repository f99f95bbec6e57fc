"""The filter of the audit log."""

from datetime import date

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from workspace.audit.labels import KIND_LABELS, list_verb_choices


def day_input() -> forms.DateInput:
    """The browser's own field for a day."""
    return forms.DateInput(attrs={"type": "date"})


# The range of days that the log can hold.
DAYS = (MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31)))


class FilterForm(forms.Form):
    """Which lines of the log to show."""

    kind = forms.ChoiceField(
        label=_("About"),
        required=False,
        choices=[("", _("everything")), *KIND_LABELS.items()],
    )
    number = forms.IntegerField(
        label=_("Number"),
        required=False,
        min_value=1,
        max_value=10**12,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    verb = forms.ChoiceField(
        label=_("What was done"),
        required=False,
        choices=lambda: [("", _("anything")), *list_verb_choices()],
    )
    who = forms.CharField(label=_("Who (part of a name or address)"), required=False, max_length=200)
    since = forms.DateField(label=_("From"), required=False, validators=DAYS, widget=day_input())
    until = forms.DateField(label=_("To"), required=False, validators=DAYS, widget=day_input())

    def clean_number(self) -> int:
        """0 where none was typed; a number without its kind of thing is refused."""
        number = int(self.cleaned_data["number"] or 0)
        if number and not self.cleaned_data.get("kind"):
            raise forms.ValidationError(_("Choose under “About” what this is the number of."))
        return number
