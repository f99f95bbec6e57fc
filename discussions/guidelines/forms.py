"""The form with which a lead writes the guideline."""

from django import forms
from django.utils.translation import gettext_lazy as _

from rubric.versions.forms import several_lines


class GuidelineForm(forms.Form):
    """The text, and the version that it follows."""

    text = forms.CharField(
        label=_("Text"),
        required=False,
        widget=several_lines(16),
        help_text=_(
            "Markdown: # heading, **bold**, - list, [words](https://…). Leave it empty to have none."
        ),
    )
    after = forms.IntegerField(min_value=0)


class ReadForm(forms.Form):
    """Which version was read."""

    number = forms.IntegerField(min_value=1, max_value=10**6)
