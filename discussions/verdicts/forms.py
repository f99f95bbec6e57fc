"""What is posted to record or correct a verdict."""

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_BASIS = 1_500_000


class RecordForm(forms.Form):
    """The hash of the basis that the page showed, the basis itself to name what changed, and a reason to correct."""

    basis_sha256 = forms.RegexField(r"\A[0-9a-f]{64}\Z")
    basis = forms.CharField(required=False, strip=False, max_length=LONGEST_BASIS)
    reason = forms.CharField(label=_("Reason"), required=False)


class ReplayForm(forms.Form):
    """Nothing is sent with a replay."""
