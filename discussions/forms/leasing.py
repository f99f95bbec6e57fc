"""What the lease's part of the evaluator's page posts."""

from django import forms

from discussions.pages.rating_lease import ENDED


class LeaseForm(forms.Form):
    """Nothing while the place is held; `again` takes the game up again, `known` is what the page shows already."""

    again = forms.ChoiceField(required=False, choices=(("yes", ""),))
    known = forms.ChoiceField(required=False, choices=((ENDED, ""),))

    @property
    def is_again(self) -> bool:
        """Whether the game is to be taken up again."""
        return bool(self.cleaned_data["again"])
