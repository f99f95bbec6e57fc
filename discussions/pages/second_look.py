"""The second look at each metric, in words: figures that say how far the rubric's number can be trusted."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.outcome import DIVERSITY, MEMORY, REPETITION
from discussions.core.records import Player
from rubric.core.intervals import wilson


class Look(Struct, frozen=True):
    """One companion figure; `says` is what to make of it, `is_warning` that it speaks against the number."""

    label: str
    text: str
    says: str = ""
    is_warning: bool = False


class PhraseUse(Struct, frozen=True):
    """One of the most used phrases: how often, by whom, and in which messages."""

    phrase: str
    count: int
    speakers: list[str]
    messages: list[int]
    is_robotic: bool


def looks(key: str, figures: Mapping[str, Any]) -> list[Look]:
    """The companions of one metric in the order they are read."""
    return _LOOKS.get(key, _nothing)(figures)


def phrase_uses(figures: Mapping[str, Any], players: list[Player]) -> list[PhraseUse]:
    """The most used phrases and the robotic ones, each once."""
    robotic = {each["phrase"] for each in figures.get("robotic", [])}
    listed = {each["phrase"]: each for each in [*figures.get("top_phrases", []), *figures.get("robotic", [])]}
    return [
        PhraseUse(
            phrase=phrase,
            count=each["count"],
            speakers=[f"{players[one['player'] - 1].name} ({one['count']})" for one in each["speakers"]],
            messages=each["messages"],
            is_robotic=phrase in robotic,
        )
        for phrase, each in listed.items()
    ]


def _percent(value: float | None) -> str:
    return _("none") if value is None else f"{value:.1f} %"


def _memory(figures: Mapping[str, Any]) -> list[Look]:
    found = [
        Look(_("References counted"), str(figures["references"])),
        Look(
            _("Possible references"),
            str(figures["possible_references"]),
            _("found by a wider net; shown to the evaluator, never counted until accepted"),
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
    for side, each in figures["by_side"].items():
        count = _("%(numerator)d of %(denominator)d messages") % each
        found.append(Look(names.get(side, side), _percent(each["score"]), count))
    return found


def _diversity(figures: Mapping[str, Any]) -> list[Look]:
    matched = figures["length_matched"]
    interval = wilson(matched["unique"], matched["players"])
    spread = (
        ""
        if interval is None
        else _(", interval %(low).0f to %(high).0f %%") % {"low": interval[0], "high": interval[1]}
    )
    says = _("every agent cut to %(characters)d characters") % matched
    return [Look(_("On texts of the same length"), _percent(matched["score"]), says + spread)]


def _repetition(figures: Mapping[str, Any]) -> list[Look]:
    variety = figures["phrase_variety"]
    text = _("too few phrases") if variety is None else f"{variety:.1f} %"
    found = [Look(_("Phrase variety"), text, _("different phrases in a random sample of fixed size"))]
    for phrase, count in figures["to_avoid"].items():
        found.append(
            Look(
                f"“{phrase}”", str(count), _("a pattern that the rubric wants avoided"), is_warning=count > 0
            )
        )
    robotic = figures["robotic"]
    if robotic:
        phrases = ", ".join(f"“{each['phrase']}”" for each in robotic)
        found.append(Look(_("Robotic"), str(len(robotic)), phrases, is_warning=True))
    return found


def _nothing(_figures: Mapping[str, Any]) -> list[Look]:
    return []


_LOOKS = {
    MEMORY: _memory,
    "strategic_depth": _depth,
    "coherence": _coherence,
    "role_consistency": _roles,
    DIVERSITY: _diversity,
    REPETITION: _repetition,
}
