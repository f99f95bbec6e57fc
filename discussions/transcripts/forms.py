"""The form of an import: one or more files, and the iteration that their games belong to."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from discussions.transcripts.core.decoding import ENCODINGS
from discussions.transcripts.core.formats import FORMATS


class FilesInput(forms.FileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or many; cleans to a list. The action checks their content."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        """Clean each file on its own; `data` is the list that the widget returns."""
        single = super().clean
        return [single(file, initial) for file in (data or [None])]


class UploadForm(forms.Form):
    transcripts = FilesField(
        label=_("Transcript files"),
        max_length=1000,
        allow_empty_file=True,
        help_text=_(
            "One game or many: JSON, JSON lines, CSV, text, or a zip or gzip archive of them. At most 64 MiB a file, "
            "200 files at once."
        ),
        error_messages={"required": _("Choose at least one file.")},
    )
    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[
            ("", _("detect automatically")),
            *((known.name, format_lazy("{}: {}", known.name, _(known.looks))) for known in FORMATS),
        ],
        help_text=_("Choose it if a file is not recognised. It then applies to all files of this upload."),
    )
    encoding = forms.ChoiceField(
        label=_("Encoding"),
        required=False,
        choices=[("", _("UTF-8, or what the file says")), *((name, name) for name in ENCODINGS)],
        help_text=_(
            "Choose it if a file was refused because of its encoding. It applies to all files of this upload."
        ),
    )
    iteration = forms.TypedChoiceField(
        label=_("Iteration"),
        coerce=int,
        empty_value=None,
        required=False,
        help_text=_("Unsorted games can be moved into an iteration as long as nobody has rated them."),
        error_messages={
            "invalid_choice": _("This iteration takes no more games. Choose another one from the list.")
        },
    )

    def __init__(self, *args: Any, iterations: Sequence[tuple[int, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["iteration"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = iterations
