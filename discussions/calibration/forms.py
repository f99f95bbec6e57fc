"""Forms of calibration rounds."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from discussions.calibration.actions import RoundPlan
from rubric.versions.forms import several_lines
from workspace.core.limits import LONGEST_NAME
from workspace.display.core.number_lists import numbers_in, read_numbered_lines


class RoundForm(forms.Form):
    """A round: its games, its rule, and a note on each key."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    games = forms.CharField(
        label=_("Games"),
        max_length=500,
        help_text=_(
            "Numbers such as 3, 5-7, of games with a recorded verdict. Five to eight games are customary."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    is_required = forms.BooleanField(
        label=_("Required: evaluators rate these games before any other"), required=False, initial=True
    )
    pass_percent = forms.IntegerField(
        label=_("Answers as in the key, in percent"), min_value=1, max_value=100, initial=80
    )
    rating_within = forms.DecimalField(
        label=_("Ratings differ from the key's by at most, on average"),
        min_value=0,
        max_value=4,
        max_digits=3,
        decimal_places=2,
        initial=1,
    )
    notes = forms.CharField(
        label=_("Notes"),
        required=False,
        max_length=20_000,
        help_text=_(
            "One line for each game, such as “3: Vague answers count as vague.” Evaluators read it after submitting."
        ),
        widget=several_lines(4),
    )

    def clean_games(self) -> list[int]:
        """The numbers that were typed."""
        try:
            return numbers_in(self.cleaned_data["games"])
        except ValueError as fault:
            says = _now("“%(part)s” names no games. Write numbers such as 3, 5-7.")
            raise ValidationError(says % {"part": str(fault)[:40]}) from None

    def clean_notes(self) -> dict[int, str]:
        """Game number -> note."""
        try:
            return read_numbered_lines(self.cleaned_data["notes"])
        except ValueError as fault:
            says = _now("“%(line)s” does not begin with a game's number and a colon.")
            raise ValidationError(says % {"line": str(fault)[:40]}) from None

    def to_plan(self) -> RoundPlan:
        """The valid form as the action takes it."""
        return RoundPlan(**self.cleaned_data)


class GuidelineForm(forms.Form):
    """The text, and the version that it follows."""

    text = forms.CharField(
        label=_("Text"),
        required=False,
        widget=several_lines(16),
        help_text=_(
            "Markdown: # heading, **bold**, - list, [words](https://…). Leave it empty to have none."
        ),
    )
    after = forms.IntegerField(min_value=0)


class ReadForm(forms.Form):
    """Which version was read."""

    number = forms.IntegerField(min_value=1, max_value=10**6)
