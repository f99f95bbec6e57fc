"""The rules under which a project's unsorted games are judged."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy
from msgspec import Struct

from discussions.core.evaluation_states import OPEN
from discussions.models import Evaluation, Iteration
from discussions.models.iterations import ALONGSIDE, BLIND_FIRST, NEVER
from discussions.slots.queries import Effect, load_effect


class RatingRulesPage(Struct, frozen=True):
    """One iteration's rules in words; `begun_count` counts the evaluations that keep the form they began with.

    `effect` says what asking for `wanted` evaluators per game does, before it is saved.
    """

    slug: str
    name: str
    evaluator_count: int
    reveal: str
    rubric: str
    rubric_key: str
    rubric_number: str
    identification: str
    begun_count: int
    wanted: int | None = None
    effect: list[str] = []


def get_initial_rules(iteration: Iteration) -> dict[str, object]:
    """What the form shows at first."""
    return {"identification": iteration.identification, "evaluator_count": iteration.evaluator_count}


def build_iteration_page(*, iteration: Iteration, wanted: int | None = None) -> RatingRulesPage:
    """The page of an iteration that was fetched with its project and rubric version; with `wanted`, what that does."""
    reveals = {
        BLIND_FIRST: _("blind first: findings are shown once a person has judged for themselves"),
        ALONGSIDE: _("alongside: findings are shown from the start"),
        NEVER: _("never: findings are shown once a verdict is recorded"),
    }
    version = iteration.rubric_version
    begun = Evaluation.objects.filter(game__iteration=iteration, state__in=OPEN)
    return RatingRulesPage(
        slug=iteration.project.slug,
        name=iteration.project.name,
        evaluator_count=iteration.evaluator_count,
        reveal=reveals[iteration.reveal],
        rubric=str(version),
        rubric_key=version.rubric.key,
        rubric_number=version.number,
        identification=iteration.identification,
        begun_count=begun.exclude(identification=iteration.identification).count(),
        wanted=wanted,
        effect=[] if wanted is None else effect_says(load_effect(iteration, wanted)),
    )


_OPENED = ngettext_lazy(
    "%(n)d further place opens on a game without a verdict.",
    "%(n)d further places open on games without a verdict.",
    "n",
)


_CLOSED = ngettext_lazy(
    "%(n)d free place closes. Nothing that anybody began is taken away.",
    "%(n)d free places close. Nothing that anybody began is taken away.",
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
    "%(n)d evaluation that is under way is not needed then; it may still be handed in, and counts.",
    "%(n)d evaluations that are under way are not needed then; they may still be handed in, and count.",
    "n",
)


_KEPT = ngettext_lazy(
    "%(n)d game has a verdict and keeps the number it was recorded under.",
    "%(n)d games have a verdict and keep the number it was recorded under.",
    "n",
)


def effect_says(effect: Effect) -> list[str]:
    """What another number of evaluators does, in sentences; only what happens is said."""
    n = effect.after
    said = [
        ngettext(
            "Games that come in from now on are rated by %(n)d evaluator.",
            "Games that come in from now on are rated by %(n)d evaluators.",
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
    return said + [words % {"n": count} for count, words in counted if count]
