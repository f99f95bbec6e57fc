"""Forms of model reviewers: an answer that is pasted, and a file of answers."""

from django import forms
from django.utils.translation import gettext_lazy as _

from rubric.versions.forms import LinesField, several_lines


class PasteForm(forms.Form):
    """A model's answer, unchanged."""

    text = LinesField(
        label=_("The model's answer"),
        required=False,
        strip=False,
        widget=several_lines(8),
        help_text=_(
            "All of it, with its reasons and its JSON. It is kept as it is, then read. At most 2 MB."
        ),
    )


class AnswersForm(forms.Form):
    """A file of answers."""

    file = forms.FileField(
        label=_("JSONL file"),
        max_length=1000,
        allow_empty_file=True,
        help_text=_("One answer a line. At most 32 MB."),
        error_messages={"required": _("Choose a file.")},
    )
