"""The one form for every export: of what, in which format, with which names."""

from django import forms
from django.utils.translation import gettext_lazy as _

from workspace.exports.core.choices import JSONL
from workspace.exports.labels import FORMAT_NAMES


class ExportForm(forms.Form):
    """What to export, and how. `of` is a subject as `parse_subject` reads it, "" for the whole project."""

    of = forms.CharField(max_length=3000, required=False, widget=forms.HiddenInput)
    format = forms.ChoiceField(
        label=_("Format"), choices=list(FORMAT_NAMES.items()), initial=JSONL, widget=forms.RadioSelect
    )
    pseudonyms = forms.BooleanField(
        label=_("Write pseudonyms instead of names"),
        required=False,
        help_text=_(
            "People become “Evaluator 1”, “Reviewer 2” or “Lead 1”, the same throughout this export. "
            "Texts that people wrote stay as they are and may hold names: reasons, comments, notes, "
            "questions, names of files, authors of responses, transcripts and prompts."
        ),
    )
    byte_order_mark = forms.BooleanField(
        label=_("CSV for Excel: begin each file with a byte order mark"),
        required=False,
        help_text=_("Excel then shows accents and other scripts correctly. Other formats are not affected."),
    )
