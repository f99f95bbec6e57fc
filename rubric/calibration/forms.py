"""Forms of a set's calibration rounds and hidden duplicates."""

from collections.abc import Mapping

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from rubric.calibration.actions import RoundPlan
from rubric.calibration.core import Key, parse_agreed_marks
from rubric.core.limits import MOST_REPEATS
from rubric.core.scales import Scales
from rubric.versions.forms import several_lines
from workspace.core.limits import LONGEST_NAME
from workspace.display.core.number_lists import numbers_in, read_numbered_lines


class RoundForm(forms.Form):
    """A round: its comparisons, their agreed marks, its rule, and the notes that explain the keys."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    comparisons = forms.CharField(
        label=_("Comparisons"),
        max_length=500,
        help_text=_("Numbers such as 3, 5-7. Five to eight comparisons are customary."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
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
    marks = forms.CharField(
        label=_("Agreed marks"),
        required=False,
        max_length=40_000,
        help_text=_(
            "One line for each response, such as “3.1: 8”: response 1 of comparison 3. With criteria, name them: “3.1: "
            "accuracy 9, clarity 7”. A comparison without lines gets the mean of its submitted reviews by people."
        ),
        widget=several_lines(5),
    )
    notes = forms.CharField(
        label=_("Reasons"),
        required=False,
        max_length=20_000,
        help_text=_(
            "One line for each comparison, such as “3: Response 2 invents a date.” People read it after submitting, "
            "with the letters that they saw."
        ),
        widget=several_lines(4),
    )

    def __init__(self, *args: object, labels: Mapping[str, str], scales: Scales, **given: object) -> None:
        super().__init__(*args, **given)  # type: ignore[arg-type]
        self.labels, self.scales = labels, scales

    def clean_comparisons(self) -> list[int]:
        """The numbers that were typed."""
        try:
            return numbers_in(self.cleaned_data["comparisons"])
        except ValueError as fault:
            says = _now("“%(part)s” names no comparisons. Write numbers such as 3, 5-7.")
            raise ValidationError(says % {"part": str(fault)[:40]}) from None

    def clean_marks(self) -> dict[int, Key]:
        """Comparison number -> the agreed marks."""
        try:
            return parse_agreed_marks(self.cleaned_data["marks"], self.labels, self.scales)
        except ValueError as fault:
            raise ValidationError(str(fault)) from None

    def clean_notes(self) -> dict[int, str]:
        """Comparison number -> note."""
        try:
            return read_numbered_lines(self.cleaned_data["notes"])
        except ValueError as fault:
            says = _now("“%(line)s” does not begin with a comparison's number and a colon.")
            raise ValidationError(says % {"line": str(fault)[:40]}) from None

    def to_plan(self) -> RoundPlan:
        """The plan of the valid form, as the action takes it."""
        return RoundPlan(**self.cleaned_data)


class WaiverForm(forms.Form):
    """The reason why somebody may review without passing."""

    reason = forms.CharField(label=_("Reason"), required=False, widget=several_lines(2))


class HiddenDuplicatesForm(forms.Form):
    """How many of the comparisons that a person gets are repeated."""

    repeat_percent = forms.IntegerField(
        label=_("Hidden duplicates, in percent"),
        min_value=0,
        max_value=MOST_REPEATS,
        help_text=_(
            "0 for none. This share of a person's comparisons is shown again, at least twenty others "
            "later, in a new order. The person is not told."
        ),
    )
