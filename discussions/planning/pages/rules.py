"""The rules under which a project's unsorted games are judged."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy
from msgspec import Struct

from discussions.core.evaluation_states import OPEN
from discussions.core.iteration_states import ALONGSIDE, BLIND_FIRST, NEVER
from discussions.models import Evaluation, Iteration
from discussions.slots.queries import Effect, load_effect
from workspace.access.permissions import get_refusal
from workspace.models import Person
from workspace.projects.permissions import check_set_storage_limit
from workspace.projects.queries import Storage, load_storage


class RatingRulesPage(Struct, frozen=True):
    """The rules of an iteration; `started_count` counts the open evaluations that keep the form they started with.

    `effect` says what `wanted` evaluators per game would change, before that is saved. `own_limit_mb` is the storage
    limit that an admin set for this project. `storage_refusal` tells people who may not change it why.
    """

    iteration: Iteration
    reveal: str
    started_count: int
    wanted: int | None
    effect: list[str]
    storage: Storage
    own_limit_mb: int | None
    storage_refusal: str


def build_rules_page(*, iteration: Iteration, person: Person, wanted: int | None = None) -> RatingRulesPage:
    """The page of an iteration fetched with its rubric version; with `wanted`, also the effect of that number."""
    reveals = {
        BLIND_FIRST: _("blind first: findings are shown once a person has judged for themselves"),
        ALONGSIDE: _("alongside: findings are shown from the start"),
        NEVER: _("never: findings are shown once a verdict is recorded"),
    }
    storage = load_storage(iteration.project)
    started = Evaluation.objects.filter(game__iteration=iteration, state__in=OPEN)
    return RatingRulesPage(
        iteration=iteration,
        reveal=reveals[iteration.reveal],
        started_count=started.exclude(identification=iteration.identification).count(),
        wanted=wanted,
        effect=[] if wanted is None else _describe_effect(load_effect(iteration, wanted)),
        storage=storage,
        own_limit_mb=storage.limit_mb if storage.is_own else None,
        storage_refusal=get_refusal(check_set_storage_limit, person, iteration.project),
    )


_OPENED = ngettext_lazy(
    "%(n)d further slot opens on a game without a verdict.",
    "%(n)d further slots open on games without a verdict.",
    "n",
)


_CLOSED = ngettext_lazy(
    "%(n)d open slot closes. Nothing that anybody started is taken away.",
    "%(n)d open slots close. Nothing that anybody started is taken away.",
    "n",
)


_WAITING = ngettext_lazy(
    "%(n)d game was complete and waits for further evaluations before its verdict.",
    "%(n)d games were complete and wait for further evaluations before their verdicts.",
    "n",
)


_COMPLETE = ngettext_lazy(
    "%(n)d game has enough evaluations then, and its verdict can be recorded.",
    "%(n)d games have enough evaluations then, and their verdicts can be recorded.",
    "n",
)


_BEYOND = ngettext_lazy(
    "%(n)d evaluation that is under way is not needed then; it may still be submitted, and counts.",
    "%(n)d evaluations that are under way are not needed then; they may still be submitted, and count.",
    "n",
)


_KEPT = ngettext_lazy(
    "%(n)d game has a verdict and keeps the number it was recorded under.",
    "%(n)d games have a verdict and keep the number it was recorded under.",
    "n",
)


def _describe_effect(effect: Effect) -> list[str]:
    n = effect.after
    sentences = [
        ngettext(
            "Games imported from now on are rated by %(n)d evaluator.",
            "Games imported from now on are rated by %(n)d evaluators.",
            n,
        )
        % {"n": n}
    ]
    counted = (
        (effect.opened, _OPENED),
        (effect.closed, _CLOSED),
        (effect.waiting, _WAITING),
        (effect.complete, _COMPLETE),
        (effect.beyond, _BEYOND),
        (effect.kept, _KEPT),
    )
    return sentences + [words % {"n": count} for count, words in counted if count]
