"""What a packet is to be made of, as its page's address says it."""

import re

from django import forms
from django.utils.translation import gettext_lazy as _

MOST_NUMBERS = 100
_NUMBERS = re.compile(r"[,;\s]+")


class PacketForm(forms.Form):
    """One iteration, or games by number."""

    iteration = forms.IntegerField(required=False, min_value=0, max_value=10**6)
    games = forms.CharField(required=False, max_length=1000)

    def clean_games(self) -> list[int]:
        """The numbers, each once; a sentence for what is none."""
        parts = [part for part in _NUMBERS.split(self.cleaned_data["games"]) if part]
        wrong = [part for part in parts if not (part.isascii() and part.isdigit() and len(part) < 10)]
        if wrong:
            raise forms.ValidationError(
                _(
                    "“%(part)s” is no number of a game. Write numbers with commas between them, as in 3, 5, 8."
                ),
                params={"part": wrong[0][:20]},
            )
        if len(parts) > MOST_NUMBERS:
            raise forms.ValidationError(_("A packet is made of at most 100 games. Name fewer of them."))
        return list(dict.fromkeys(int(part) for part in parts))
