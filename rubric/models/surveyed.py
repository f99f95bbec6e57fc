"""About which two responses a survey asks, and of whom enough was asked; read by actions and pages alike."""

from rubric.core.scoring import weights_of
from rubric.core.separating import Separated, separated
from rubric.models.comparisons import Comparison
from rubric.models.results import Survey
from rubric.models.reviewed import reviewed_of, rows_of
from workspace.models import Person

# Patience is short: after so many surveys in a set, or once one was passed over, results open at once.
MOST_ASKED = 5


def separated_in(comparison: Comparison) -> Separated | None:
    """The two responses to ask about and what separates them, from the reviews as they are now; None without any."""
    rows = rows_of(reviewed_of(comparison.set, comparison=comparison.number))
    return separated(rows, weights_of(comparison.set.rubric_version.to_record()))


def survey_of(comparison: Comparison, person: Person) -> Survey | None:
    """The person's survey of that comparison."""
    return Survey.objects.filter(comparison=comparison, person=person).first()


def is_asked_enough(comparison: Comparison, person: Person) -> bool:
    """Whether the person passed a survey of this set over, or began as many as anybody is asked for."""
    found = Survey.objects.filter(comparison__set=comparison.set_id, person=person)
    states = list(found.values_list("answered_at", "understood"))
    return len(states) >= MOST_ASKED or any(at is not None and said is None for at, said in states)
