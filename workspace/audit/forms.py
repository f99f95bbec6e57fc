"""The filter of the audit log."""

from datetime import date

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from workspace.audit.pages import KINDS, readable_name


def day_input() -> forms.DateInput:
    """The browser's own field for a day."""
    return forms.DateInput(attrs={"type": "date"})


# Days of a time that the log can hold.
DAYS = (MinValueValidator(date(2000, 1, 1)), MaxValueValidator(date(2999, 12, 31)))


class FilterForm(forms.Form):
    """Which lines of the log to show."""

    kind = forms.ChoiceField(
        label=_("About"),
        required=False,
        choices=[("", _("everything")), *((kind, readable_name(kind)) for kind in KINDS)],
    )
    who = forms.CharField(label=_("Who (part of a name or address)"), required=False, max_length=200)
    since = forms.DateField(label=_("From"), required=False, validators=DAYS, widget=day_input())
    until = forms.DateField(label=_("To"), required=False, validators=DAYS, widget=day_input())
