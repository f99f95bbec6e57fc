"""Forms of the evaluator's page: strings to typed values. The actions check whether they fit the game."""

from django import forms

from discussions.rating.pages.lease import ENDED
from workspace.revisions.forms import KeyedActForm, KeyedForm


class SharedFields(dict[str, forms.Field]):
    """Fields that all forms of a class share instead of copying: `deepcopy` copies the dictionary alone."""

    def __deepcopy__(self, memo: object) -> dict[str, forms.Field]:
        return dict(self)


class ActForm(KeyedActForm):
    """One act of an evaluator."""

    value = forms.CharField(required=False, max_length=40, strip=False)


# No act changes a field of its form, and copying twelve fields takes a twentieth of the time of a save.
ActForm.base_fields = SharedFields(ActForm.base_fields)


class SkipForm(KeyedForm):
    """Skipping a game, with a reason."""

    text = forms.CharField(required=False, max_length=2000)


class LeaseForm(forms.Form):
    """Renewing the lease; `again` resumes the game, `known` is the state that the page shows."""

    again = forms.ChoiceField(required=False, choices=(("yes", ""),))
    known = forms.ChoiceField(required=False, choices=((ENDED, ""),))

    @property
    def is_again(self) -> bool:
        """Whether to resume the game."""
        return bool(self.cleaned_data["again"])
