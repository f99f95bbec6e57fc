"""The filter of the audit log."""

from django import forms
from django.utils.translation import gettext_lazy as _

from workspace.audit.pages import KINDS, readable_name


class FilterForm(forms.Form):
    """Which lines of the log to show."""

    kind = forms.ChoiceField(
        label=_("About"),
        required=False,
        choices=[("", _("everything")), *((kind, readable_name(kind)) for kind in KINDS)],
    )
    who = forms.CharField(label=_("Who (part of a name or address)"), required=False, max_length=200)
    since = forms.DateField(label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label=_("To"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
