"""What is posted where a lead settles a difference, sends an evaluation back, or wants to see who said what."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rubric.forms.rubrics import several_lines
from workspace.core.limits import LONGEST_REASON


class SettleForm(forms.Form):
    """One decision: the letter of the side whose answer holds, or "anew:" and a value; with the reason.

    `sides_sha256` is what the page showed; `next` and `page` say where the focus goes on.
    """

    kind = forms.CharField(max_length=30)
    subject = forms.CharField(max_length=200, required=False, strip=False)
    choice = forms.CharField(
        max_length=60, error_messages={"required": _("Choose the answer that holds, or another one.")}
    )
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={
            "required": _("Say why: the reason stays beside the decision, and evaluators learn from it."),
            "max_length": _("A reason has at most 2,000 characters."),
        },
    )
    sides_sha256 = forms.RegexField(r"\A[0-9a-f]{64}\Z")
    key = forms.CharField(max_length=600)
    next = forms.CharField(required=False, max_length=300)
    page = forms.IntegerField(required=False, min_value=0, max_value=10**6)
    names = forms.BooleanField(required=False)

    @property
    def faults(self) -> list[str]:
        """What is wrong, as sentences; what our own page never sends wrong comes last."""
        return [str(fault) for name in ("choice", "reason") for fault in self.errors.get(name, [])] or [
            str(_("This form does not fit the page any more. Load the page again."))
        ]

    def typed(self, name: str) -> str:
        """What was sent in a field, whether it fits or not."""
        return str(self.data.get(name, ""))


class NamesForm(forms.Form):
    """Showing names: the page to come back to."""

    page = forms.IntegerField(required=False, min_value=0, max_value=10**6)
    to = forms.ChoiceField(required=False, choices=(("", ""), ("game", "game")))


class ReturnForm(forms.Form):
    """Sending an evaluation back, with what is to be looked at again."""

    comment = forms.CharField(
        label=_("What to look at again"),
        required=False,
        help_text=_("The evaluator reads this; nobody else's answers are shown to them."),
        widget=several_lines(2),
    )


class FewerForm(forms.Form):
    """That fewer evaluators are enough for a game; its fields stand beside those of other forms of the game."""

    count = forms.IntegerField(
        label=_("Evaluations needed"), widget=forms.NumberInput(attrs={"min": 1, "max": 10})
    )
    reason = forms.CharField(label=_("Reason"), required=False, widget=several_lines(2))

    def __init__(self, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, auto_id="fewer-%s")
