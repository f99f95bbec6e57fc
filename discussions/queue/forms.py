"""Forms of the team page: slots released, games assigned to people by name, and the rule of the queue."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from discussions.models.queue_rules import BY_CHANCE, CLOSEST, MOST_REPEATS, OLDEST
from rubric.versions.forms import ParagraphField
from workspace.display.core.number_lists import MOST, numbers_in
from workspace.models import Person

ORDER_CHOICES = (
    (CLOSEST, _("closest to another verdict first, the rest in random order")),
    (BY_CHANCE, _("in random order, each person their own")),
    (OLDEST, _("oldest first, the same for everybody")),
)


class ReleaseForm(forms.Form):
    """Why a slot is released; the evaluator reads it."""

    reason = ParagraphField(
        label=_("Reason"), help_text=_("The evaluator reads it with the game. It can be left empty."), rows=2
    )


class GameNumbersField(forms.TypedMultipleChoiceField):
    """Numbers of games; whether there are such games is asked by the action."""

    def __init__(self, **given: Any) -> None:
        super().__init__(coerce=int, **given)

    def valid_value(self, value: str) -> bool:
        return value.isascii() and value.isdigit() and len(value) <= 9


class AssignForm(forms.Form):
    """Games for one person: by their numbers, chosen from the list, or both."""

    person = forms.ChoiceField(
        label=_("For"),
        error_messages={
            "invalid_choice": _("This person does not rate in the project now. Choose somebody else.")
        },
    )
    numbers = forms.CharField(
        label=_("Games by number"),
        required=False,
        max_length=2000,
        help_text=_("Such as 3, 5-7."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    games = GameNumbersField(label=_("Games"), required=False)

    def __init__(self, *args: Any, people: Iterable[Person], **given: Any) -> None:
        super().__init__(*args, **given)
        self.people = {str(person.pk): person for person in people}
        named = [(key, person.name) for key, person in self.people.items()]
        self.fields["person"].choices = [("", _now("Choose somebody")), *named]  # type: ignore[attr-defined]

    def clean_numbers(self) -> list[int]:
        try:
            return numbers_in(self.cleaned_data["numbers"])
        except ValueError as fault:
            says = _now(
                "“%(part)s” names no games. Write numbers such as 3, 5-7, at most %(most)d at a time."
            )
            raise ValidationError(says % {"part": str(fault)[:60], "most": MOST}) from None

    @property
    def all_games(self) -> list[int]:
        return sorted({*self.cleaned_data["numbers"], *self.cleaned_data["games"]})

    @property
    def who(self) -> Person:
        return self.people[self.cleaned_data["person"]]


class QueueForm(forms.Form):
    """In which order games are given out, and how many of a hundred are hidden duplicates."""

    order = forms.ChoiceField(
        label=_("Order"),
        choices=ORDER_CHOICES,
        help_text=_(
            "Returned and reserved games come before, then those of open iterations, mixed, then those that others "
            "submitted: here the order can begin where the fewest judgements would turn the verdict. Then the rest."
        ),
    )
    repeat_percent = forms.IntegerField(
        label=_("Hidden duplicates, in percent"),
        min_value=0,
        max_value=MOST_REPEATS,
        help_text=_(
            "This share of the games was rated by the same person before, under another number. Such "
            "games show how consistently somebody judges and count in no verdict. 0: none."
        ),
    )
