"""The form of an import: files, as many as are given at once."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _


class FilesInput(forms.FileInput):
    """A file input that takes several."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or many; cleans to a list. What is in them is the action's question."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        """Every file checked by itself; `data` is the list that the widget gives."""
        single = super().clean
        return [single(file, initial) for file in (data or [None])]


class UploadForm(forms.Form):
    """Transcripts to bring in."""

    transcripts = FilesField(
        label=_("Transcript files"),
        max_length=1000,
        allow_empty_file=True,
        help_text=_(
            "JSON in the native format: one game, or a list of games. At most 64 MiB a file, 200 files at once."
        ),
        error_messages={"required": _("Choose at least one file.")},
    )
