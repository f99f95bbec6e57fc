"""What is posted with an act on several games."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.verdicts.actions import MOST_RECORDED

_SHOWN = re.compile(r"([0-9]{1,9}):([0-9a-f]{64})")


class ShownGamesField(forms.MultipleChoiceField):
    """Games with the hash of the basis that was shown, as "7:<hash>"."""

    def valid_value(self, value: str) -> bool:
        """Whether it names a game and a hash; whether they fit is asked by the action."""
        return bool(_SHOWN.fullmatch(value))

    def clean(self, value: Any) -> dict[int, str]:
        """Number of the game -> hash."""
        pairs = [item.split(":") for item in super().clean(value)]
        return {int(number): sha256 for number, sha256 in pairs}


class RecordGamesForm(forms.Form):
    """The games whose verdicts are to be recorded, as the preview showed them."""

    ready = ShownGamesField(
        error_messages={
            "required": _("Choose at least one game."),
            "invalid_choice": _("The form does not say which games. Load the page again."),
        }
    )

    def clean_ready(self) -> dict[int, str]:
        """At most as many as one act records."""
        shown: dict[int, str] = self.cleaned_data["ready"]
        if len(shown) > MOST_RECORDED:
            says = _("At most %(most)d verdicts are recorded at once. Choose fewer games.")
            raise forms.ValidationError(says, params={"most": MOST_RECORDED})
        return shown
