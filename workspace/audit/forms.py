"""The filter of the audit log."""

from datetime import date
from typing import ClassVar

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from workspace.audit.pages import KINDS, readable_name


class DayField(forms.DateField):
    """A day of a time that the log can hold."""

    widget = forms.DateInput(attrs={"type": "date"})
    default_validators: ClassVar = [
        MinValueValidator(date(2000, 1, 1)),
        MaxValueValidator(date(2999, 12, 31)),
    ]


class FilterForm(forms.Form):
    """Which lines of the log to show."""

    kind = forms.ChoiceField(
        label=_("About"),
        required=False,
        choices=[("", _("everything")), *((kind, readable_name(kind)) for kind in KINDS)],
    )
    who = forms.CharField(label=_("Who (part of a name or address)"), required=False, max_length=200)
    since = DayField(label=_("From"), required=False)
    until = DayField(label=_("To"), required=False)
