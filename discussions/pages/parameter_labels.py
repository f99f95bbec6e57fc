"""What each parameter of a discussion version decides, in a sentence; the value beside it is the reading chosen."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from discussions.pages.metric_labels import LABELS

VERDICT = _("Verdict")
COUNTING = _("Counting")
PEOPLE = _("People")
ITERATIONS = _("Iterations")

SHARED: dict[str, tuple[Promise | str, Promise | str]] = {
    "pass_count": (VERDICT, _("So many metrics must reach their threshold.")),
    "metric_count": (VERDICT, _("So many metrics there are.")),
    "cost_limit_usd": (VERDICT, _("A game that cost more dollars than this fails.")),
    "cost_success_usd": (VERDICT, _("From this many dollars on a game is no success for its iteration.")),
    "answers_yes_count": (
        VERDICT,
        _("With so many questions answered yes the rating cannot be below the next line."),
    ),
    "answers_yes_rating": (VERDICT, _("The lowest rating that goes with so many yes.")),
    "identification_pass": (
        PEOPLE,
        _("When the manual check passes: a fixed number of agents, or half of them."),
    ),
    "identification_pass_count": (PEOPLE, _("That fixed number.")),
    "identification_min_messages": (PEOPLE, _("At least so many messages of each agent are shown.")),
    "identification_max_messages": (PEOPLE, _("At most so many messages of each agent are shown.")),
    "sample_percent": (PEOPLE, _("This share of the messages is judged blind for each metric.")),
    "sample_min": (PEOPLE, _("At least so many messages are in the sample.")),
    "sample_max": (PEOPLE, _("At most so many messages are in the sample.")),
    "baseline_game_count": (ITERATIONS, _("A baseline has so many games.")),
    "iteration_game_count": (ITERATIONS, _("An iteration has at least so many games.")),
    "changes_per_iteration": (ITERATIONS, _("So many prompt changes are made between two iterations.")),
    "successes_in_a_row": (ITERATIONS, _("So many iterations in a row must succeed.")),
    "cache_hit_percent": (ITERATIONS, _("The cache hit rate must be above this percentage.")),
}


def parameter_readings() -> dict[str, tuple[Promise | str, Promise | str]]:
    """Parameter -> heading, sentence: the shared ones, and those of every metric."""
    found = dict(SHARED)
    for labels in LABELS.values():
        found |= {name: (COUNTING, says) for name, says in labels.parameters.items()}
    return found
