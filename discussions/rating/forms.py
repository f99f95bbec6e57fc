"""Forms of the evaluator's page: strings to typed values. The actions check whether they fit the game."""

import re

from django import forms
from django.utils.translation import gettext_lazy as _

from discussions.adjudication.pages import answer_word, get_kind_label
from discussions.core.judgement_kinds import PLACED_KINDS, VALUES
from discussions.rating.pages.lease import ENDED
from discussions.verdicts.pages.lines import describe_target
from workspace.audit.forms import SEPARATOR, KeyedActForm, KeyedForm, SharedFields

_IN_MESSAGE = re.compile(r"[0-9]{1,7}(\.[0-9]{1,7})?")


class ActForm(KeyedActForm):
    value = forms.CharField(label=_("Answer"), required=False, max_length=40, strip=False)

    @classmethod
    def describe_posted(cls, name: str, value: str) -> tuple[str, str] | None:
        """The short form of a judgement in words: "Question 2" and "yes"."""
        kind, subject, _version, answer = (*value.split(SEPARATOR, 3), "", "", "")[:4]
        if name != "act" or kind not in VALUES or not answer:
            return None
        is_in_message = kind in PLACED_KINDS and _IN_MESSAGE.fullmatch(subject)
        about = f", {describe_target(f'message:{subject}')}" if is_in_message else f" {subject}".rstrip()
        return get_kind_label(kind) + about, answer_word(kind, answer)


# No act changes a field of its form, and copying twelve fields would take a twentieth of the time of a save.
ActForm.base_fields = SharedFields(ActForm.base_fields)


class SubmissionForm(KeyedForm):
    """Submitting, and whether the next game opens; `unchanged` also if nothing changed since a lead returned it."""

    unchanged = forms.ChoiceField(required=False, choices=(("yes", ""),))
    then = forms.ChoiceField(required=False, choices=(("next", ""),))


class SkipForm(KeyedForm):
    text = forms.CharField(label=_("Why do you skip this game?"), required=False, max_length=2000)


class LeaseForm(forms.Form):
    """Renewing the lease; `again` resumes the game, `known` is the state that the page shows."""

    again = forms.ChoiceField(required=False, choices=(("yes", ""),))
    known = forms.ChoiceField(required=False, choices=((ENDED, ""),))

    @property
    def is_again(self) -> bool:
        return bool(self.cleaned_data["again"])
