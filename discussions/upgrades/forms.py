"""The form that moves an iteration to a newer rubric version."""

from collections.abc import Iterable

from django import forms
from django.utils.translation import gettext_lazy as _

from rubric.models import RubricVersion
from rubric.versions.forms import several_lines


class VersionForm(forms.Form):
    """The version, the hash of the preview that was shown, and the reason."""

    to = forms.ChoiceField(label=_("Rubric version"))
    shown = forms.RegexField("^[0-9a-f]{64}$", widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_(
            "Why these games are judged again. The reason and your name are kept with every new verdict."
        ),
        widget=several_lines(2),
    )

    def __init__(self, *args: object, versions: Iterable[RubricVersion] = (), **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        field = self.fields["to"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(str(version.pk), str(version)) for version in versions]
