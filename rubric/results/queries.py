"""Queries for actions and pages: the two responses of a survey, and whether a person was asked often enough."""

from rubric.core.scores import get_weights
from rubric.models import Comparison, Survey
from rubric.results.core.surveys import Separated, find_separation
from rubric.reviews.queries import load_reviewed, to_rows
from workspace.models import Person

# Patience is short: after this many surveys in a set, or once one was skipped, results open at once.
MOST_ASKED = 5


def separated_in(comparison: Comparison) -> Separated | None:
    """The two responses to ask about and what separates them, from the reviews as they are now; None without any."""
    rows = to_rows(load_reviewed(comparison.set, comparison=comparison.number))
    return find_separation(rows, get_weights(comparison.set.rubric_version.to_record()))


def load_survey(comparison: Comparison, person: Person) -> Survey | None:
    return Survey.objects.filter(comparison=comparison, person=person).first()


def is_asked_enough(comparison: Comparison, person: Person) -> bool:
    """Whether the person skipped a survey of this set, or started as many as anybody is asked to."""
    found = Survey.objects.filter(comparison__set=comparison.set_id, person=person)
    states = list(found.values_list("answered_at", "understood"))
    return len(states) >= MOST_ASKED or any(at is not None and said is None for at, said in states)
