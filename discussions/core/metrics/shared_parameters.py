"""The parameters and lists of a rubric version that belong to no single metric, or to several."""

from rubric.core.game_specs import ParameterSpecs

PATTERNS = (
    "reference", "possible_reference", "mafia_word", "accuse", "reason", "confess", "deflect", "vouch", "certain",
    "negation", "not_a_negation", "conditional", "act", "votes_for",
)  # fmt: skip
SHARED = ParameterSpecs(
    counts={
        "baseline_game_count": (1, 1000), "iteration_game_count": (1, 1000),
        "changes_per_iteration": (1, 100), "successes_in_a_row": (1, 100), "sample_percent": (0, 100),
        "sample_min": (0, 1000), "sample_max": (0, 1000),
    },
    amounts={
        "cost_limit_usd": (0, 1_000_000), "cost_success_usd": (0, 1_000_000),
        "cache_hit_percent": (0, 100),
    },
    word_lists=(
        "strategic_keywords", "weak_keywords", "stop_words", "game_terms", "ambiguous_names", "phrases_to_avoid",
    ),
    patterns=PATTERNS,
)  # fmt: skip
