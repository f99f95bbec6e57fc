"""Forms of the reviewer's page: strings to typed values; whether they fit the review is asked by the actions."""

from django import forms

from rubric.actions.reviewing import Act
from rubric.core.marks import NOTES
from workspace.forms.acts import KeyedActForm


class MarkForm(KeyedActForm):
    """One act of a reviewer. Its text is the notes themselves, or the reason why something cannot be judged."""

    text = forms.CharField(required=False, max_length=5000, strip=False)

    @property
    def is_from_conflict(self) -> bool:
        """Whether one of two versions was chosen: that form says so in `page`, which nothing else here uses."""
        return bool(self.cleaned_data.get("page"))

    def to_act(self) -> Act:
        """What was posted, with absent fields told from empty ones."""
        cleaned = self.cleaned_data
        text = self.posted_text
        is_text = cleaned["kind"] == NOTES
        plain = None if text is None else text.replace("\r\n", "\n").strip()
        return Act(
            kind=cleaned["kind"],
            subject=cleaned["subject"],
            version=cleaned["version"],
            key=cleaned["key"],
            value=plain if is_text else self.posted_value,
            reason=None if is_text else plain,
            took_ms=cleaned["took_ms"],
        )
