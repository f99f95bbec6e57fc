"""The form of an erasure: a reason, and the name of what is erased, typed."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy


class EraseForm(forms.Form):
    """`word` is what has to be typed."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=500,
        help_text=gettext_lazy("It stays in the audit log: do not name what is erased."),
    )
    confirm = forms.CharField(
        label=gettext_lazy("Confirmation"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, word: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.word = word
        self.fields["confirm"].label = gettext("Type “%(word)s” to confirm") % {"word": word}

    def clean_confirm(self) -> str:
        if self.cleaned_data["confirm"].strip() != self.word:
            raise forms.ValidationError(gettext("This is not “%(word)s”.") % {"word": self.word})
        return ""
