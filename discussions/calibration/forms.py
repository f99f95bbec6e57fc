"""Forms of calibration rounds."""

from django import forms
from django.utils.translation import gettext_lazy as _

from rubric.calibration.forms import NotesField, NumbersField
from rubric.versions.forms import ParagraphField
from workspace.core.limits import LONGEST_NAME


class RoundForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    games = NumbersField(
        label=_("Games"),
        help_text=_(
            "Numbers such as 3, 5-7, of games with a recorded verdict. Five to eight games are customary."
        ),
        says=_("“%(part)s” names no games. Write numbers such as 3, 5-7."),
    )
    is_required = forms.BooleanField(
        label=_("Required: evaluators rate these games before any other"), required=False, initial=True
    )
    pass_percent = forms.IntegerField(
        label=_("Answers as in the key, in percent"), min_value=1, max_value=100, initial=80
    )
    rating_within = forms.DecimalField(
        label=_("Ratings differ from the key's by at most, on average"),
        min_value=0,
        max_value=4,
        max_digits=3,
        decimal_places=2,
        initial=1,
    )
    notes = NotesField(
        label=_("Notes"),
        help_text=_(
            "One line for each game, such as “3: Vague answers count as vague.” Evaluators read it after submitting."
        ),
        says=_("“%(line)s” does not begin with a game's number and a colon."),
    )


class GuidelineForm(forms.Form):
    text = ParagraphField(
        label=_("Text"),
        help_text=_(
            "Markdown: # heading, **bold**, - list, [words](https://…). Leave it empty to have none."
        ),
        rows=16,
    )
    after = forms.IntegerField(min_value=0)


class ConfirmForm(forms.Form):
    number = forms.IntegerField(min_value=1, max_value=10**6)
