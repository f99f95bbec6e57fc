"""The form of the survey on a result."""

from django import forms
from django.utils.translation import gettext_lazy as _

from rubric.results.actions import CANNOT_TELL
from rubric.versions.forms import LinesField

UNDERSTOOD = [
    ("1", _("1 - not at all")),
    ("2", "2"),
    ("3", "3"),
    ("4", "4"),
    ("5", _("5 - fully")),
]


class SurveyForm(forms.Form):
    """Both questions and a free text. `do` is begin, pass or answer; only answer reads the other fields."""

    do = forms.ChoiceField(choices=[(act, act) for act in ("begin", "pass", "answer")])
    understood = forms.ChoiceField(
        label=_("I understand why A ranked above B."),
        choices=UNDERSTOOD,
        required=False,
        widget=forms.RadioSelect,
        error_messages={"invalid_choice": _("Choose from 1 to 5.")},
    )
    named = forms.ChoiceField(
        label=_("Which criterion separated A and B most?"),
        required=False,
        widget=forms.RadioSelect,
        help_text=_("The one on which their mean scores lie furthest apart, whoever was ahead."),
    )
    text = LinesField(label=_("What was not clear, if anything?"), max_length=2000)

    def __init__(self, *args: object, criteria: list[tuple[str, str]], **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.fields["named"].choices = [*criteria, (CANNOT_TELL, _("I can't tell"))]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, object]:
        """An answer needs both questions answered."""
        given = super().clean() or {}
        if given.get("do") == "answer":
            for name in ("understood", "named"):
                if not given.get(name) and name not in self.errors:
                    self.add_error(name, _("Choose one answer."))
        return given
