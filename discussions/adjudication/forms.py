"""Forms with which a lead decides on a disagreement, shows names, or chooses the games of a packet."""

import re

from django import forms
from django.utils.translation import gettext_lazy as _

from workspace.audit.forms import KeyedForm
from workspace.core.limits import LONGEST_REASON


class AdjudicationForm(forms.Form):
    """One decision: the letter of the side whose answer counts, or "anew:" and a value; with the reason.

    `sides_sha256` is what the page showed; `next` and `page` say where the focus goes next.
    """

    kind = forms.CharField(max_length=30)
    subject = forms.CharField(max_length=200, required=False, strip=False)
    choice = forms.CharField(
        label=_("Which answer is right?"),
        max_length=60,
        error_messages={"required": _("Choose the answer that holds, or another one.")},
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        error_messages={
            "required": _("Say why: the reason is kept with the decision, and evaluators learn from it."),
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
        """The faults as sentences. Faults that our own page never causes come last."""
        return [str(fault) for name in ("choice", "reason") for fault in self.errors.get(name, [])] or [
            str(_("This form does not fit the page any more. Load the page again."))
        ]

    def typed(self, name: str) -> str:
        return str(self.data.get(name, ""))


class GroupForm(KeyedForm):
    """One answer and one reason for the ties of a group; the page shows `value` as "is:" and a value."""

    group = forms.CharField(max_length=200)
    # "kind|hash that the page showed|subject" of each tie.
    item = forms.Field(widget=forms.SelectMultiple)
    value = forms.CharField(
        label=_("Which answer is right for all of them?"),
        max_length=60,
        error_messages={"required": _("Choose the answer that holds for all of them.")},
    )
    reason = forms.CharField(
        label=_("One reason for all"),
        max_length=LONGEST_REASON,
        error_messages={
            "required": _("Say why: the reason is kept with each decision, and evaluators learn from it."),
            "max_length": _("A reason has at most 2,000 characters."),
        },
    )


class ThirdForm(KeyedForm):
    evaluator = forms.IntegerField(
        label=_("Third evaluator"),
        min_value=1,
        error_messages={"required": _("Choose who answers the ties.")},
    )
    group = forms.CharField(max_length=200, required=False)


class NamesForm(forms.Form):
    page = forms.IntegerField(required=False, min_value=0, max_value=10**6)
    to = forms.ChoiceField(required=False, choices=(("", ""), ("game", "game")))


MOST_NUMBERS = 100
_NUMBERS = re.compile(r"[,;\s]+")


class PacketForm(forms.Form):
    iteration = forms.IntegerField(label=_("Iteration"), required=False, min_value=0, max_value=10**6)
    games = forms.CharField(label=_("Games"), required=False, max_length=1000)

    def clean_games(self) -> list[int]:
        parts = [part for part in _NUMBERS.split(self.cleaned_data["games"]) if part]
        wrong = [part for part in parts if not (part.isascii() and part.isdigit() and len(part) < 10)]
        if wrong:
            says = _(
                "“%(part)s” is no number of a game. Write numbers with commas between them, as in 3, 5, 8."
            )
            raise forms.ValidationError(says, params={"part": wrong[0][:20]})
        if len(parts) > MOST_NUMBERS:
            raise forms.ValidationError(_("A packet is made of at most 100 games. Name fewer of them."))
        return sorted({int(part) for part in parts})
