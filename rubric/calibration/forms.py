"""Forms of a set's calibration rounds and hidden duplicates."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from rubric.calibration.core import Key, parse_agreed_marks
from rubric.core.records import MOST_REPEATS
from rubric.core.scales import Scales
from rubric.versions.forms import ParagraphField, several_lines
from workspace.core.limits import LONGEST_NAME
from workspace.display.core.number_lists import numbers_in, read_numbered_lines


class NumbersField(forms.CharField):
    """Numbers such as 3, 5-7; `says` is the fault, with %(part)s for what names none."""

    def __init__(self, *, says: Any, **given: Any) -> None:
        super().__init__(max_length=500, widget=forms.TextInput(attrs={"autocomplete": "off"}), **given)
        self.says = says

    def clean(self, value: object) -> list[int]:
        text = super().clean(value)
        try:
            return numbers_in(text)
        except ValueError as fault:
            raise ValidationError(self.says % {"part": str(fault)[:40]}) from None


class NotesField(forms.CharField):
    """Lines such as "3: a note", by number; `says` is the fault, with %(line)s for a line without a number."""

    def __init__(self, *, says: Any, **given: Any) -> None:
        super().__init__(required=False, max_length=20_000, widget=several_lines(4), **given)
        self.says = says

    def clean(self, value: object) -> dict[int, str]:
        text = super().clean(value)
        try:
            return read_numbered_lines(text)
        except ValueError as fault:
            raise ValidationError(self.says % {"line": str(fault)[:40]}) from None


class SetRoundForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    comparisons = NumbersField(
        label=_("Comparisons"),
        help_text=_("Numbers such as 3, 5-7. Five to eight comparisons are customary."),
        says=_("“%(part)s” names no comparisons. Write numbers such as 3, 5-7."),
    )
    is_required = forms.BooleanField(
        label=_("Required: people review these comparisons before any other"), required=False, initial=True
    )
    mark_within = forms.DecimalField(
        label=_(
            "A mark agrees when it differs from the agreed one by at most, in points of the scale 1 to 10"
        ),
        min_value=0,
        max_value=9,
        max_digits=3,
        decimal_places=2,
        initial=1,
    )
    pass_percent = forms.IntegerField(
        label=_("Marks that agree, in percent"), min_value=1, max_value=100, initial=80
    )
    first_percent = forms.IntegerField(
        label=_("Comparisons with the agreed response first, in percent"),
        min_value=0,
        max_value=100,
        initial=0,
        help_text=_("0: the first rank does not matter."),
    )
    marks = ParagraphField(
        label=_("Agreed marks"),
        max_length=40_000,
        help_text=_(
            "One line for each response, such as “3.1: 8”: response 1 of comparison 3. With criteria, name them: “3.1: "
            "accuracy 9, clarity 7”. A comparison without lines gets the mean of its submitted reviews by people."
        ),
        rows=5,
    )
    notes = NotesField(
        label=_("Reasons"),
        help_text=_(
            "One line for each comparison, such as “3: Response 2 invents a date.” People read it after submitting, "
            "with the letters that they saw."
        ),
        says=_("“%(line)s” does not begin with a comparison's number and a colon."),
    )

    def __init__(self, *args: object, labels: Mapping[str, str], scales: Scales, **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.labels, self.scales = labels, scales

    def clean_marks(self) -> dict[int, Key]:
        try:
            return parse_agreed_marks(self.cleaned_data["marks"], self.labels, self.scales)
        except ValueError as fault:
            raise ValidationError(str(fault)) from None


class WaiverForm(forms.Form):
    reason = ParagraphField(label=_("Reason"), rows=2)


class HiddenDuplicatesForm(forms.Form):
    repeat_percent = forms.IntegerField(
        label=_("Hidden duplicates, in percent"),
        min_value=0,
        max_value=MOST_REPEATS,
        help_text=_(
            "0 for none. This share of a person's comparisons is shown again, at least twenty others "
            "later, in a new order. The person is not told."
        ),
    )
