"""The form of a new project."""

from django import forms
from django.utils.translation import gettext_lazy as _

from workspace.projects.actions import MOST_MEGABYTES


class ProjectForm(forms.Form):
    """A new project."""

    name = forms.CharField(label=_("Name"), max_length=200)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=60,
        help_text=_("Small letters, digits and hyphens; it becomes part of every address and stays."),
    )


class StorageLimitForm(forms.Form):
    """How much a project may store."""

    megabytes = forms.IntegerField(
        label=_("Storage limit of this project, in MB"),
        required=False,
        min_value=1,
        max_value=MOST_MEGABYTES,
        help_text=_(
            "Empty: as much as other projects. A project that holds more keeps it, and takes nothing new."
        ),
    )
