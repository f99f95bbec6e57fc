"""What each parameter of a discussion version decides, in a sentence; the value beside it is the reading chosen."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

VERDICT = _("Verdict")
COUNTING = _("Counting")
PEOPLE = _("People")
ITERATIONS = _("Iterations")
ASKING = _("Asking reviewers")

READINGS: dict[str, tuple[Promise | str, Promise | str]] = {
    "pass_count": (VERDICT, _("So many metrics must reach their threshold.")),
    "metric_count": (VERDICT, _("So many metrics there are.")),
    "cost_limit_usd": (VERDICT, _("A game that cost more dollars than this fails.")),
    "cost_success_usd": (VERDICT, _("From this many dollars on a game is no success for its iteration.")),
    "answers_yes_count": (
        VERDICT,
        _("With so many questions answered yes the rating cannot be below the next line."),
    ),
    "answers_yes_rating": (VERDICT, _("The lowest rating that goes with so many yes.")),
    "reference_unit": (COUNTING, _("What one memory reference is: a sentence or a whole message.")),
    "reference_rounds": (
        COUNTING,
        _("Whether “in round N” counts only when N lies before the message's own round."),
    ),
    "coherence_window": (COUNTING, _("How many messages back a message may respond to.")),
    "coherence_min_shared": (COUNTING, _("How many different keywords must be shared with them.")),
    "coherence_min_characters": (COUNTING, _("A keyword has at least so many characters.")),
    "coherence_denominator": (COUNTING, _("Whether the first message is among those that are counted.")),
    "coherence_names": (COUNTING, _("Whether agents' names count as shared keywords.")),
    "shuffle_count": (COUNTING, _("The shuffled baseline is a mean over so many shuffles.")),
    "shuffle_warning_percent": (
        COUNTING,
        _("Above this baseline the page warns that shuffled messages would pass."),
    ),
    "role_neutral_village": (
        COUNTING,
        _("How a village message counts that neither accuses nor gives a reason."),
    ),
    "similarity": (COUNTING, _("How alike two agents' texts are is measured by this method.")),
    "similarity_unique_below": (
        COUNTING,
        _("An agent is unique when every similarity is below this percentage."),
    ),
    "similarity_names": (COUNTING, _("Whether agents' names stay in the compared texts.")),
    "similarity_max_chars": (COUNTING, _("So many characters of each agent are compared.")),
    "diversity_players": (COUNTING, _("Whether silent agents count in the denominator.")),
    "repetition_scope": (COUNTING, _("Whether phrases are counted for each speaker or for all together.")),
    "repetition_min_ordinary": (COUNTING, _("A phrase with fewer ordinary words than this is not counted.")),
    "variety_phrase_count": (COUNTING, _("Phrase variety is stated at so many phrases.")),
    "top_phrase_count": (COUNTING, _("So many of the most repeated phrases are listed.")),
    "robotic_use_count": (
        COUNTING,
        _("A phrase used so often in as many messages as the next line says is robotic."),
    ),
    "robotic_message_count": (COUNTING, _("The number of messages that the line before speaks of.")),
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
    "ask_overall": (
        ASKING,
        _("Whether a model is asked for the overall, too; ours is computed in any case and compared."),
    ),
    "shuffle_criteria": (ASKING, _("Whether the order of the criteria changes from prompt to prompt.")),
}
