"""Forms of the reviewer's page: strings to typed values; whether they fit the review is asked by the actions."""

from django import forms
from msgspec.structs import replace

from rubric.human_reviewers.core import NOTES
from workspace.revisions.core import Act
from workspace.revisions.forms import KeyedActForm


class MarkForm(KeyedActForm):
    """One act of a reviewer. Its text is the notes themselves, or the reason why something cannot be judged."""

    text = forms.CharField(required=False, max_length=5000, strip=False)

    @property
    def is_from_conflict(self) -> bool:
        """Whether one of two versions was chosen: that form says so in `page`, which nothing else here uses."""
        return bool(self.cleaned_data.get("page"))

    def to_act(self) -> Act:
        """What was posted: the text of notes is their value."""
        act = super().to_act()
        plain = None if act.reason is None else act.reason.replace("\r\n", "\n").strip()
        return replace(act, value=plain, reason=None) if act.kind == NOTES else replace(act, reason=plain)
