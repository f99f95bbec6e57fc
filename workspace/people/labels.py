"""The keys of the pages where people rate and review: each act's default, where it acts, and what a person may choose.

A page prints the keys of its reader; the script reads them there.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

# What is asked; two acts with one key must not meet at any of these.
REFERENCE, YES_NO, RATING, TEST, ROLE, STATEMENT = "reference", "yes", "rating", "test", "role", "statement"
REVIEW = "review"
_IN_GAMES = frozenset({REFERENCE, YES_NO, RATING, TEST, ROLE, STATEMENT})
_ALL = _IN_GAMES | {REVIEW}

# Act -> its default key ("": none), what it does, where it acts. The script takes the last act of a key: answers are
# buttons, so they come first.
ACTS: dict[str, tuple[str, Any, frozenset[str]]] = {
    "yes": ("y", gettext_lazy("yes, strategic, acceptable"), frozenset({YES_NO})),
    "no": ("n", gettext_lazy("no, not strategic"), frozenset({YES_NO})),
    "half": ("h", gettext_lazy("rating: half a point more or less"), frozenset({RATING})),
    "accurate": ("a", gettext_lazy("accurate"), frozenset({REFERENCE})),
    "inaccurate": ("i", gettext_lazy("inaccurate"), frozenset({REFERENCE})),
    "vague": ("v", gettext_lazy("vague"), frozenset({REFERENCE})),
    "no_reference": ("x", gettext_lazy("not a reference"), frozenset({REFERENCE})),
    "no_others": ("d", gettext_lazy("no other references"), frozenset({REFERENCE})),
    "consistent": ("c", gettext_lazy("consistent"), frozenset({ROLE})),
    "inconsistent": ("i", gettext_lazy("inconsistent"), frozenset({ROLE})),
    "cannot_tell": ("x", gettext_lazy("can't tell"), frozenset({ROLE, TEST, STATEMENT})),
    "honest": ("h", gettext_lazy("honest"), frozenset({STATEMENT})),
    "bluff": ("b", gettext_lazy("bluff"), frozenset({STATEMENT})),
    "mistaken": ("m", gettext_lazy("mistaken"), frozenset({STATEMENT})),
    "clear_answer": ("0", gettext_lazy("clear the answer"), _IN_GAMES),
    "missed": ("+", gettext_lazy("mark a missed reference"), _IN_GAMES),
    "change": (
        "m",
        gettext_lazy("change a label: then 2 depth, 3 coherence, 4 role"),
        _IN_GAMES - {STATEMENT},
    ),
    "next": (".", gettext_lazy("next to do"), _ALL),
    "previous": (",", gettext_lazy("previous to do"), _ALL),
    "undo": ("u", gettext_lazy("undo"), _ALL),
    "phase": ("t", gettext_lazy("read, or judge"), _IN_GAMES),
    "submit": ("", gettext_lazy("submit and next game"), _IN_GAMES),
    "next_message": ("j", gettext_lazy("next message"), _ALL),
    "last_message": ("k", gettext_lazy("previous message"), _ALL),
    "last_round": ("[", gettext_lazy("previous round"), _IN_GAMES),
    "next_round": ("]", gettext_lazy("next round"), _IN_GAMES),
    "find": ("/", gettext_lazy("search the transcript"), _IN_GAMES),
    "go_to": ("g", gettext_lazy("go to a message by its number"), _IN_GAMES),
    "only": ("o", gettext_lazy("only this agent, or all"), _IN_GAMES),
    "copy_text": ("q", gettext_lazy("copy the text"), _IN_GAMES),
    "copy_link": ("l", gettext_lazy("copy the link"), _IN_GAMES),
    "evidence": ("e", gettext_lazy("evidence: votes, thoughts"), _IN_GAMES),
    "reason": ("r", gettext_lazy("reason"), _IN_GAMES),
    "comment": ("w", gettext_lazy("comment"), _IN_GAMES),
    "flag": ("f", gettext_lazy("flag"), _IN_GAMES),
    "skip": ("s", gettext_lazy("skip the game"), _IN_GAMES),
    "help": ("?", gettext_lazy("these keys"), _ALL),
}
DEFAULTS = {name: key for name, (key, _label, _where) in ACTS.items()}
# What reviews use besides: scores, cannot judge, clear, notes, ranking, higher, lower, tie.
_OF_REVIEWS = frozenset("0cxnrhle")


def keys_of(own: Mapping[str, str] | None) -> dict[str, str]:
    """Act -> the key of the person who stored these; "" for none."""
    return DEFAULTS | {name: key for name, key in (own or {}).items() if name in DEFAULTS}


def find_key_faults(chosen: Mapping[str, str]) -> dict[str, str]:
    """Act -> why its key is refused, for every act whose key is. `chosen` has a key for each act."""
    faults = {name: fault for name, key in chosen.items() if (fault := _why_unusable(name, key))}
    for name, key in chosen.items():
        where = ACTS[name][2]
        other = next(
            (one for one in chosen if one != name and key and chosen[one] == key and where & ACTS[one][2]),
            None,
        )
        if other and name not in faults:
            says = _("“%(key)s” is used twice: also for “%(act)s”. Choose another key for one of them.")
            faults[name] = says % {"key": key, "act": ACTS[other][1]}
    return faults


def _why_unusable(name: str, key: str) -> str:
    if not key:
        return "" if name == "submit" else _("This act needs a key.")
    if len(key) != 1 or not key.isprintable() or key.isspace() or ord(key) > 0xFFFF:
        return _("“%(key)s” is no single character. Choose a letter or a sign.") % {"key": key}
    if key in "123456789":
        return _("Digits rate and name agents. Choose a letter or a sign.")
    if REVIEW in ACTS[name][2] and key in _OF_REVIEWS:
        return _("“%(key)s” has another meaning in reviews. Choose another key.") % {"key": key}
    return ""
