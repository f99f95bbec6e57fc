"""What else than the prompt differs between two sides: games of one day and model build share more than the prompt.

Providers change models under one name. If each side has days or builds of its own, nothing tells their effect from
that of the prompt (confounding: R. A. Fisher, The Design of Experiments, 1935).
"""

from collections.abc import Sequence

from discussions.core.intake import say_weighted
from discussions.iterations.core.figures import GameFigures, find_weights
from workspace.core.words import mark, say

_SAYS = mark(
    "The reference was played {before}, the change {after}: a difference may come from {cause}, not from the prompt."
)


def describe_batches(control: Sequence[GameFigures], change: Sequence[GameFigures]) -> str:
    """A sentence if the sides have no day in common, as spans of dates, or not the same model builds, and one if games
    weigh by how they entered the queue; "" otherwise.

    Games that do not say their day or build are left out; a side of which nothing is known differs in nothing.
    """
    days = [sorted({game.played_on for game in side} - {""}) for side in (control, change)]
    builds = [sorted({game.build for game in side} - {""}) for side in (control, change)]
    parts = []
    weighted = ""
    if find_weights(control) or find_weights(change):
        weighted = say_weighted()
    if all(days) and (days[0][-1] < days[1][0] or days[1][-1] < days[0][0]):
        parts.append((say("the days"), [say("on {days}", days=_span(side)) for side in days]))
    if all(builds) and builds[0] != builds[1]:
        parts.append((say("the model"), [say("with {builds}", builds="; ".join(side)) for side in builds]))
    if not parts:
        return weighted
    before, after = (" ".join(said[place] for _cause, said in parts) for place in (0, 1))
    says = say(_SAYS, before=before, after=after, cause=say(" or ").join(cause for cause, _said in parts))
    return f"{says} {weighted}".rstrip()


def _span(days: Sequence[str]) -> str:
    return days[0] if len(days) < 2 else say("{first} to {last}", first=days[0], last=days[-1])
