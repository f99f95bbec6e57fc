"""The rubric's own examples under a version, in words: for the page of the version."""

from django.utils.translation import gettext as _

from discussions.metrics.core.rubric_examples import (
    NEUTRAL,
    PATTERN,
    THINK,
    VAGUE,
    VOTE,
    MeasuredExample,
    measure_examples,
)
from rubric.core.records import RubricRecord
from rubric.versions.labels import Example


def describe_examples(rubric: RubricRecord) -> list[Example]:
    """Metric, example, what the version makes of it, and why."""
    return [(rubric.criterion(found.metric).label, *_explain(found)) for found in measure_examples(rubric)]


def _explain(found: MeasuredExample) -> tuple[str, str, str]:
    examples = {
        VAGUE: (
            _("“Someone said that Delta lied”: vague, so inaccurate"),
            _("None of the rubric's five patterns of references is in it."),
        ),
        PATTERN: (
            _("“voting pattern”, then “pattern analysis”: coherent"),
            _("The rubric asks for two shared keywords. Evaluators judge a sample by its meaning."),
        ),
        NEUTRAL: (
            _("A villager says “Nice weather today”"),
            _("The rubric lists what villagers should and should not do; this is neither."),
        ),
        THINK: (
            _("“I think Agent” 15 times in 50 messages: fail"),
            _("By the rubric's formula 15 of 500 phrases are a repetition of 3\u00a0%."),
        ),
        VOTE: (
            _("“I vote [name]” 50 times"),
            _("Names and game terms may be repeated, by the rubric; then one word is left."),
        ),
    }
    example, why = examples[found.key]
    return example, _say_outcome(found), why


def _say_outcome(found: MeasuredExample) -> str:
    outcomes = {
        "counted": _("Counted as a reference; an evaluator labels it vague, which counts as inaccurate."),
        "asked": _("Suggested: an evaluator answers whether it is a reference, and then labels it vague."),
        "offered": _("Suggested: it counts only if an evaluator marks it."),
        "not_found": _("Not found: it counts only if an evaluator marks it."),
        "coherent": _("Coherent."),
        "not_coherent": _("Not coherent: they share one keyword, %(needed)d are needed."),
        "consistent": _("Consistent."),
        "inconsistent": _("Inconsistent."),
        "not_assessable": _("Not assessable."),
        "not_applicable": _("Not applicable, which counts as a pass: no phrase is counted."),
        "passes": _("%(score)s\u00a0%%: passes."),
        "passes_robotic": _("%(score)s\u00a0%%: passes, but the phrase is marked as robotic."),
        "fails": _("%(score)s\u00a0%%: fails."),
        "fails_robotic": _("%(score)s\u00a0%%: fails, and the phrase is marked as robotic."),
    }
    return outcomes[found.outcome] % found.values
