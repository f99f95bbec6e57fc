"""The form of a new project."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from workspace.projects.actions import MOST_MEGABYTES
from workspace.projects.queries import propose_slug


class ProjectForm(forms.Form):
    """A new project."""

    name = forms.CharField(label=_("Name"), max_length=200)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=60,
        required=False,
        help_text=_("Small letters, digits and hyphens; it becomes part of every address and stays."),
    )

    def clean(self) -> dict[str, Any]:
        """Without a short name, put one that is made from the name into the field, to be checked."""
        given = self.cleaned_data
        if given.get("name") and given.get("slug") == "":
            proposed = propose_slug(given["name"])
            self.data = (
                {**self.data.dict(), "slug": proposed} if isinstance(self.data, QueryDict) else self.data
            )
            says = _("It was made from the name. It stays, so check it, then press “Create project” again.")
            self.add_error("slug", says if proposed else _("Write a short name, such as mafia-2026."))
        return given


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
