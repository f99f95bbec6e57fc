"""Forms about versions as wholes: why one is drafted, published or retired, and the file of another."""

from django import forms
from django.utils.translation import gettext_lazy as _


def several_lines(rows: int = 3) -> forms.Textarea:
    """A text area of a few lines."""
    return forms.Textarea(attrs={"rows": rows})


class LinesField(forms.CharField):
    """A text of several lines. Browsers end each line with CR LF, whatever was typed or pasted; here it is LF."""

    def to_python(self, value: object) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class NoteForm(forms.Form):
    """What a new draft is to change."""

    note = LinesField(
        label=_("Change note"),
        required=False,
        help_text=_("What this draft is to change, and why. It stays with the version."),
        widget=several_lines(),
    )


class ReasonForm(forms.Form):
    """Why something is done to a version; `basis` is the hash of what was looked at."""

    reason = LinesField(
        label=_("Reason"),
        required=False,
        help_text=_("It stays with the version and in the audit log."),
        widget=several_lines(),
    )
    basis = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)


class ImportForm(forms.Form):
    """The JSON of a version, and where it belongs."""

    file = forms.FileField(
        label=_("JSON file"),
        max_length=1000,
        allow_empty_file=True,
        help_text=_("As this site exports it. At most 2 MB."),
        error_messages={"required": _("Choose a file.")},
    )
    rubric = forms.ChoiceField(label=_("As a draft of"), required=False)
    key = forms.CharField(
        label=_("Short name of the new rubric"),
        required=False,
        max_length=60,
        help_text=_("Only for a new rubric: small letters, digits and hyphens."),
    )
    note = LinesField(
        label=_("Change note"),
        required=False,
        help_text=_("Where this version comes from, and what it is for."),
        widget=several_lines(),
    )

    def __init__(self, *args: object, rubrics: list[tuple[str, str]], **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.fields["rubric"].choices = [*rubrics, ("", _("a new response rubric"))]  # type: ignore[attr-defined]
        self.fields["rubric"].initial = rubrics[0][0] if rubrics else ""
