"""The form below a flag."""

from django import forms
from django.utils.translation import gettext_lazy as _

from rubric.versions.forms import several_lines


class AnswerForm(forms.Form):
    """An answer, and whether the flag is resolved with it."""

    text = forms.CharField(label=_("Answer"), required=False, widget=several_lines(2))
    do = forms.ChoiceField(choices=[("answer", ""), ("resolve", "")])
