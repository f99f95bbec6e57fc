"""Forms that record, correct or replay a verdict."""

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_BASIS = 1_500_000


class RecordForm(forms.Form):
    basis_sha256 = forms.RegexField(r"\A[0-9a-f]{64}\Z")
    basis = forms.CharField(required=False, strip=False, max_length=LONGEST_BASIS)
    reason = forms.CharField(label=_("Reason"), required=False)


class ReplayForm(forms.Form):
    pass
