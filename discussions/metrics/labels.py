"""The names of the metrics' rules and checks on screen."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy
from msgspec import Struct

from discussions.core.outcome import OutcomeLine
from discussions.core.records import Player, ReferenceFinding
from discussions.metrics.core.registry import METRICS
from workspace.core.text import figure, number

Words = Promise | str


class Look(Struct, frozen=True):
    """One diagnostic figure; `says` interprets it, `is_warning` means that it casts doubt on the score."""

    label: str
    text: str
    says: str = ""
    is_warning: bool = False


def no_looks(_figures: Mapping[str, Any]) -> list[Look]:
    return []


class MetricLabels(Struct, frozen=True):
    """The words of a metric. `column` is its short heading and `title` its name in tables of all metrics.

    `count` is what its figure was counted from, with `above` and `below`;
    `unit` what is counted, by number `n`; `by_rule` the word for a pass with nothing to count. `looks` puts its
    diagnostics into words, `rules` the rules that its findings name, and `parameters` describes its parameters.
    `worse` is what somebody does whose figure is lower than that of others.
    """

    column: Words
    title: Words
    count: Words = gettext_lazy("%(above)d of %(below)d")
    by_rule: Words = gettext_lazy("PASS, not applicable (nothing to count)")
    unit: Words = ngettext_lazy("%(n)d message", "%(n)d messages", "n")
    looks: Callable[[Mapping[str, Any]], list[Look]] = no_looks
    rules: Mapping[str, Words] = {}
    parameters: Mapping[str, Words] = {}
    worse: Words = gettext_lazy("does worse")


def limit_text(key: str, threshold: float) -> str:
    metric = METRICS[key]
    return figure(threshold) if metric.is_rated else f"{threshold:g}{metric.scale.symbol}"


def figure_text(line: OutcomeLine) -> str:
    scale = METRICS[line.key].scale
    if not line.denominator:
        return figure(line.score or 0.0) + scale.symbol
    return figure(scale.value(line.numerator, line.denominator), line.threshold) + scale.symbol


def rule_text(rule: str) -> str:
    return next((str(labels.rules[rule]) for labels in LABELS.values() if rule in labels.rules), rule)


def place_of_metric(key: str) -> str:
    return "game-people" if METRICS[key].is_rated else key


def _percent(value: float | None) -> str:
    return _("none") if value is None else f"{number(value, 1)}\u00a0%"


def _memory(figures: Mapping[str, Any]) -> list[Look]:
    found = [
        Look(_("References counted"), str(figures["references"])),
        Look(
            _("Possible references"),
            str(figures["possible_references"]),
            _("found by broader patterns; shown to the evaluator, counted only once accepted"),
        ),
    ]
    checks = figures["checks"]
    if figures["references"]:
        says = _("%(supported)d supported, %(close)d close, %(cannot_check)d cannot be checked") % checks
        found.append(Look(_("Vote record"), says, _("a suggestion, never a label")))
    return found


def _depth(figures: Mapping[str, Any]) -> list[Look]:
    words = figures["words_per_message"]
    return [
        Look(
            _("Words per message"),
            _("none") if words is None else f"{words:g}",
            _("median; long messages hit keywords more often"),
        ),
        Look(
            _("Without the weakest keywords"),
            _percent(figures["without_weak_keywords"]),
            _("think, believe, vote and trust left out"),
        ),
        Look(_("Before overrides"), _percent(figures["before_overrides"]), _("what the keywords alone gave")),
    ]


def _coherence(figures: Mapping[str, Any]) -> list[Look]:
    baseline, warns = figures["shuffled_baseline"], bool(figures["would_pass_shuffled"])
    return [
        Look(_("Over the messages after the first"), _percent(figures["after_first"])),
        Look(_("By reply link"), _percent(figures["by_reply_link"])),
        Look(_("By naming a recent speaker"), _percent(figures["by_name"])),
        Look(_("By shared keywords"), _percent(figures["by_keywords"])),
        Look(
            _("Shuffled baseline"),
            _percent(baseline),
            _("the score would pass for shuffled messages")
            if warns
            else _("the same messages in random order"),
            is_warning=warns,
        ),
        Look(_("Gain over shuffled"), _percent(figures["gain_over_shuffled"]).replace("%", _("points"))),
    ]


def _roles(figures: Mapping[str, Any]) -> list[Look]:
    found = [
        Look(_("With a positive sign of its side"), _percent(figures["positive_sign"])),
        Look(
            _("Over assessable messages"),
            _percent(figures["over_assessable"]),
            _("%(n)d messages of unknown side left out") % {"n": figures["not_assessable"]},
        ),
    ]
    names = {"mafia": _("Mafia side"), "village": _("Village side")}
    for side, result in figures["by_side"].items():
        count = _("%(numerator)d of %(denominator)d messages") % result
        found.append(Look(names.get(side, side), _percent(result["score"]), count))
    return found


def _diversity(figures: Mapping[str, Any]) -> list[Look]:
    matched = figures["length_matched"]
    says = _("every agent cut to %(characters)d characters") % matched
    return [Look(_("On texts of the same length"), _percent(matched["score"]), says)]


def _repetition(figures: Mapping[str, Any]) -> list[Look]:
    variety = figures["phrase_variety"]
    text = _("too few phrases") if variety is None else _percent(variety)
    found = [Look(_("Phrase variety"), text, _("different phrases in a random sample of fixed size"))]
    for phrase, count in figures["to_avoid"].items():
        found.append(
            Look(
                f"“{phrase}”", str(count), _("a pattern that the rubric wants avoided"), is_warning=count > 0
            )
        )
    robotic = figures["robotic"]
    if robotic:
        phrases = ", ".join(f"“{entry['phrase']}”" for entry in robotic)
        found.append(Look(_("Robotic"), str(len(robotic)), phrases, is_warning=True))
    return found


LABELS: dict[str, MetricLabels] = {
    "memory_accuracy": MetricLabels(
        column=gettext_lazy("Memory"),
        worse=gettext_lazy("is wrong about the past more often"),
        title=gettext_lazy("Memory accuracy"),
        count=gettext_lazy("%(above)d of %(below)d references accurate"),
        by_rule=gettext_lazy("PASS, not applicable (no references)"),
        unit=ngettext_lazy("%(n)d reference", "%(n)d references", "n"),
        looks=_memory,
        parameters={
            "reference_unit": gettext_lazy("What one memory reference is: a sentence or a whole message."),
            "reference_rounds": gettext_lazy(
                "Whether “in round N” counts only when N lies before the message's own round."
            ),
        },
    ),
    "strategic_depth": MetricLabels(
        column=gettext_lazy("Strategic depth"),
        worse=gettext_lazy("says less that is strategic"),
        title=gettext_lazy("Strategic depth"),
        count=gettext_lazy("%(above)d of %(below)d messages strategic"),
        looks=_depth,
        rules={
            "keyword": gettext_lazy("uses keywords of strategy"),
            "no_keyword": gettext_lazy("has no keyword of strategy"),
        },
    ),
    "coherence": MetricLabels(
        column=gettext_lazy("Coherence"),
        worse=gettext_lazy("leaves more messages unanswered"),
        title=gettext_lazy("Conversation coherence"),
        count=gettext_lazy("%(above)d of %(below)d messages coherent"),
        looks=_coherence,
        rules={
            "reply_link": gettext_lazy("replies to a message"),
            "names_recent_speaker": gettext_lazy("names somebody who just spoke"),
            "shared_keywords": gettext_lazy("shares keywords with the messages before it"),
            "first": gettext_lazy("is the first message: nothing to respond to"),
            "no_link": gettext_lazy("does not respond to the messages before it"),
        },
        parameters={
            "coherence_window": gettext_lazy("How many messages back a message may respond to."),
            "coherence_min_shared": gettext_lazy("How many different keywords must be shared with them."),
            "coherence_min_characters": gettext_lazy("A keyword has at least so many characters."),
            "coherence_denominator": gettext_lazy(
                "Whether the first message is among those that are counted."
            ),
            "coherence_names": gettext_lazy("Whether agents' names count as shared keywords."),
            "shuffle_count": gettext_lazy("The shuffled baseline is a mean over so many shuffles."),
            "shuffle_warning_percent": gettext_lazy(
                "Above this baseline the page warns that shuffled messages would pass."
            ),
        },
    ),
    "role_consistency": MetricLabels(
        column=gettext_lazy("Role"),
        worse=gettext_lazy("falls out of its role more often"),
        title=gettext_lazy("Role consistency"),
        count=gettext_lazy("%(above)d of %(below)d messages fit the role"),
        looks=_roles,
        rules={
            "unknown_side": gettext_lazy("is by somebody whose side is not known"),
            "confesses": gettext_lazy("mafia side: gives the side away"),
            "accuses_fellow": gettext_lazy("mafia side: accuses a fellow"),
            "accuses_with_certainty": gettext_lazy("mafia side: accuses with too much certainty"),
            "votes_for_fellow": gettext_lazy("mafia side: votes for a fellow"),
            "nothing_against": gettext_lazy("mafia side: nothing speaks against it"),
            "gives_reason": gettext_lazy("village side: gives a reason"),
            "asks_question": gettext_lazy("village side: asks somebody"),
            "deflects_without_reason": gettext_lazy("village side: deflects without a reason"),
            "accuses_without_reason": gettext_lazy("village side: accuses without a reason"),
            "vouches_without_reason": gettext_lazy("village side: vouches without a reason"),
            "neutral": gettext_lazy("village side: neither accuses nor gives a reason"),
        },
        parameters={
            "role_neutral_village": gettext_lazy(
                "How a village message counts that neither accuses nor gives a reason."
            ),
        },
    ),
    "personality_diversity": MetricLabels(
        column=gettext_lazy("Diversity"),
        worse=gettext_lazy("sounds more like another agent"),
        title=gettext_lazy("Personality diversity"),
        count=gettext_lazy("%(above)d of %(below)d agents unique"),
        unit=ngettext_lazy("%(n)d agent", "%(n)d agents", "n"),
        looks=_diversity,
        parameters={
            "similarity": gettext_lazy("How alike two agents' texts are is measured by this method."),
            "similarity_unique_below": gettext_lazy(
                "An agent is unique when every similarity is below this percentage."
            ),
            "similarity_names": gettext_lazy("Whether agents' names stay in the compared texts."),
            "similarity_max_chars": gettext_lazy("So many characters of each agent are compared."),
            "diversity_players": gettext_lazy("Whether silent agents count in the denominator."),
        },
    ),
    "anti_repetition": MetricLabels(
        column=gettext_lazy("Repetition"),
        worse=gettext_lazy("repeats itself more"),
        title=gettext_lazy("Anti-repetition"),
        count=gettext_lazy("%(above)d of %(below)d phrases not repeated"),
        unit=ngettext_lazy("%(n)d phrase", "%(n)d phrases", "n"),
        looks=_repetition,
        parameters={
            "repetition_scope": gettext_lazy(
                "Whether phrases are counted for each speaker or for all together."
            ),
            "repetition_min_ordinary": gettext_lazy(
                "A phrase with fewer ordinary words than this is not counted."
            ),
            "variety_phrase_count": gettext_lazy("Phrase variety is stated at so many phrases."),
            "top_phrase_count": gettext_lazy("So many of the most repeated phrases are listed."),
            "robotic_use_count": gettext_lazy(
                "A phrase used so often in as many messages as the next line says is robotic."
            ),
            "robotic_message_count": gettext_lazy("The number of messages that the line before speaks of."),
        },
    ),
    "engagement": MetricLabels(
        column=gettext_lazy("Rating"),
        title=gettext_lazy("Engagement"),
        count=gettext_lazy("%(score)s of 5, rated by people"),
    ),
}

VERDICT = gettext_lazy("Verdict")
COUNTING = gettext_lazy("Counting")
PEOPLE = gettext_lazy("People")
ITERATIONS = gettext_lazy("Iterations")

SHARED: dict[str, tuple[Promise | str, Promise | str]] = {
    "pass_count": (VERDICT, gettext_lazy("So many metrics must reach their threshold.")),
    "metric_count": (VERDICT, gettext_lazy("So many metrics there are.")),
    "cost_limit_usd": (VERDICT, gettext_lazy("A game that cost more dollars than this fails.")),
    "cost_success_usd": (
        VERDICT,
        gettext_lazy("From this many dollars on a game is no success for its iteration."),
    ),
    "answers_yes_count": (
        VERDICT,
        gettext_lazy("With so many questions answered yes the rating cannot be below the next line."),
    ),
    "answers_yes_rating": (VERDICT, gettext_lazy("The lowest rating that goes with so many yes.")),
    "identification_pass": (
        PEOPLE,
        gettext_lazy("When the manual check passes: a fixed number of agents, or half of them."),
    ),
    "identification_pass_count": (PEOPLE, gettext_lazy("That fixed number.")),
    "identification_min_messages": (
        PEOPLE,
        gettext_lazy("At least so many messages of each agent are shown."),
    ),
    "identification_max_messages": (
        PEOPLE,
        gettext_lazy("At most so many messages of each agent are shown."),
    ),
    "identification_test": (
        PEOPLE,
        gettext_lazy("Whether the blind test counts messages, or asks until enough agents are identified."),
    ),
    "rules": (
        COUNTING,
        gettext_lazy("The edition of the rules that read texts, for what no word list can express."),
    ),
    "combining_marks": (
        COUNTING,
        gettext_lazy(
            "Whether combining marks, such as vowel signs of Hindi, belong to the word before them."
        ),
    ),
    "sample_percent": (PEOPLE, gettext_lazy("This share of the messages is judged blind for each metric.")),
    "sample_min": (PEOPLE, gettext_lazy("At least so many messages are in the sample.")),
    "sample_max": (PEOPLE, gettext_lazy("At most so many messages are in the sample.")),
    "role_more_count": (
        PEOPLE,
        gettext_lazy(
            "How many more messages are asked for at a time when people contradict the rule of M4; 0 means none."
        ),
    ),
    "role_more_percent": (
        PEOPLE,
        gettext_lazy(
            "More are asked for when people contradict the rule in this percentage of their sample."
        ),
    ),
    "more_messages": (
        PEOPLE,
        gettext_lazy(
            "When more messages are asked for: after many contradictions, or while the score is open."
        ),
    ),
    "suggested_references": (
        PEOPLE,
        gettext_lazy("Whether evaluators answer for each suggested memory reference, or only mark some."),
    ),
    "more_batches": (PEOPLE, gettext_lazy("At most so many times, unless the evaluator asks for more.")),
    "strategic_depth_score": (
        PEOPLE,
        gettext_lazy("How M2 counts messages that nobody judged: as the rule has them, or as people would."),
    ),
    "coherence_score": (PEOPLE, gettext_lazy("The same for M3.")),
    "role_consistency_score": (PEOPLE, gettext_lazy("The same for M4.")),
    "strata": (
        PEOPLE,
        gettext_lazy("What divides messages for people's estimate: the rule, or also an admitted judge."),
    ),
    "baseline_game_count": (ITERATIONS, gettext_lazy("A baseline has so many games.")),
    "iteration_game_count": (ITERATIONS, gettext_lazy("An iteration has at least so many games.")),
    "changes_per_iteration": (
        ITERATIONS,
        gettext_lazy("So many prompt changes are made between two iterations."),
    ),
    "successes_in_a_row": (ITERATIONS, gettext_lazy("So many iterations in a row must succeed.")),
    "cache_hit_percent": (ITERATIONS, gettext_lazy("The cache hit rate must be above this percentage.")),
}

LISTS_OF_WORDS = gettext_lazy("Word lists")
LISTS: dict[str, Words] = {
    "strategic_keywords": gettext_lazy("Words of strategic messages"),
    "weak_keywords": gettext_lazy("Words of strategic messages that say little"),
    "stop_words": gettext_lazy("Words that coherence leaves out"),
    "game_terms": gettext_lazy("Words of the game that coherence leaves out"),
    "ambiguous_names": gettext_lazy("Names that are also ordinary words"),
    "phrases_to_avoid": gettext_lazy("Phrases to avoid"),
    "personalities": gettext_lazy("Personalities: key | name | description"),
    "role_map.mafia": gettext_lazy("Roles of the mafia side"),
    "role_map.village": gettext_lazy("Roles of the village side"),
    "patterns.reference": gettext_lazy("Memory references"),
    "patterns.possible_reference": gettext_lazy("Suggested memory references"),
    "patterns.counterfactual": gettext_lazy("Past that did not happen"),
    "patterns.mafia_word": gettext_lazy("Words for the mafia side"),
    "patterns.accuse": gettext_lazy("Accusations"),
    "patterns.calls_mafia": gettext_lazy("Accusations that call somebody mafia"),
    "patterns.report": gettext_lazy("Reports of what others say or think"),
    "patterns.aside": gettext_lazy("Words addressed in passing"),
    "patterns.condition": gettext_lazy("Conditions that make an accusation open"),
    "patterns.reason": gettext_lazy("Reasons"),
    "patterns.confess": gettext_lazy("Confessions of a role"),
    "patterns.deflect": gettext_lazy("Deflections"),
    "patterns.vouch": gettext_lazy("Statements that vouch for somebody"),
    "patterns.certain": gettext_lazy("Words of certainty"),
    "patterns.negation": gettext_lazy("Negations"),
    "patterns.not_a_negation": gettext_lazy("Phrases that only look like negations"),
    "patterns.conditional": gettext_lazy("Words that make a claim conditional"),
    "patterns.act": gettext_lazy("Acts of other players"),
    "patterns.votes_for": gettext_lazy("Votes announced in a message"),
}


def parameter_readings() -> dict[str, tuple[Promise | str, Promise | str]]:
    """Parameter -> heading, sentence: the shared ones, and those of every metric. Word list -> heading, name."""
    found = SHARED | {name: (LISTS_OF_WORDS, says) for name, says in LISTS.items()}
    for labels in LABELS.values():
        found |= {name: (COUNTING, says) for name, says in labels.parameters.items()}
    return found


CHECKS = {
    "supported": gettext_lazy("the vote record supports it"),
    "close": gettext_lazy("the vote record has something close"),
    "cannot_check": gettext_lazy("cannot be checked against the vote record"),
}


def describe_check(finding: ReferenceFinding) -> str:
    if finding.check == "cannot_check" and finding.evidence is not None and finding.evidence.rows:
        return _("see the vote record")
    return str(CHECKS[finding.check])


def list_evidence(finding: ReferenceFinding, players: list[Player]) -> tuple[str, ...]:
    if finding.evidence is None:
        return ()
    rows = [
        _("round %(round)d: %(voter)s voted for %(target)s")
        % {"round": number, "voter": players[voter - 1].name, "target": players[target - 1].name}
        for number, voter, target in finding.evidence.rows
    ]
    says = finding.evidence.says.rstrip(".")
    return (says, *(row for row in rows if row.casefold() not in says.casefold()))
