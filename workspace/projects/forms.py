"""The form of a new project."""

from django import forms
from django.utils.translation import gettext_lazy as _


class ProjectForm(forms.Form):
    """A new project."""

    name = forms.CharField(label=_("Name"), max_length=200)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=60,
        help_text=_("Small letters, digits and hyphens; it becomes part of every address and stays."),
    )
