"""Forms of the evaluator's page: strings to typed values; whether they fit the game is asked by the actions.

What the lease's part of the evaluator's page posts.
"""

from django import forms

from discussions.rating.pages.lease import ENDED
from workspace.revisions.forms import KeyedActForm, KeyedForm


class SharedFields(dict[str, forms.Field]):
    """The fields of a form class whose forms share them: a form takes what `deepcopy` gives it for its own."""

    def __deepcopy__(self, memo: object) -> dict[str, forms.Field]:
        return dict(self)


class ActForm(KeyedActForm):
    """One act of an evaluator."""

    value = forms.CharField(required=False, max_length=40, strip=False)


# No act changes a field of its form, and copying all twelve for every save takes a twentieth of its time.
ActForm.base_fields = SharedFields(ActForm.base_fields)


class SkipForm(KeyedForm):
    """Skipping a game, with a reason."""

    text = forms.CharField(required=False, max_length=2000)


class LeaseForm(forms.Form):
    """Nothing while the place is held; `again` takes the game up again, `known` is what the page shows already."""

    again = forms.ChoiceField(required=False, choices=(("yes", ""),))
    known = forms.ChoiceField(required=False, choices=((ENDED, ""),))

    @property
    def is_again(self) -> bool:
        """Whether the game is to be taken up again."""
        return bool(self.cleaned_data["again"])
