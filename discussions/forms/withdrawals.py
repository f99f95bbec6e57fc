"""A game that does not count, or counts again: which of the two, and why."""

from django import forms
from django.utils.translation import gettext_lazy as _

from rubric.forms.rubrics import several_lines

WITHDRAW, RESTORE = "withdraw", "restore"


class WithdrawalForm(forms.Form):
    """What is to become of the game, as the page that was sent had it, and the reason."""

    do = forms.ChoiceField(choices=((WITHDRAW, ""), (RESTORE, "")), widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        help_text=_(
            "What is wrong with the game, or why it counts after all. It stays beside it with your name."
        ),
        widget=several_lines(2),
    )
