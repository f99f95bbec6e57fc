"""The plan of an iteration, stated before it has games, and its faults."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from discussions.comparison.core.comparison import get_material_difference
from discussions.comparison.core.difference import MOST_LOOKS, compute_find_chance
from discussions.core.iteration_states import BASELINE, CHANGE
from discussions.iterations.core.averages import FEW_DF, pooled_spread
from discussions.iterations.core.figures import GameFigures, collect_scores
from discussions.iterations.core.next_target import USUAL_SD
from discussions.metrics.core.registry import METRICS
from rubric.core.records import RubricRecord
from workspace.core.limits import LONGEST_NAME, LONGEST_REASON
from workspace.core.refusals import Unacceptable
from workspace.core.words import mark, say

LONGEST_PROMPT = 200_000
MOST_GAMES = 1_000
# How often a pair may be looked at, and so how many times the least number of games each side can have.
SIZES = (1, MOST_LOOKS)


class Plan(Struct, frozen=True):
    """An iteration as a lead plans it; `prompt` is the whole text.

    For a change, `change_note` says what is new, `target` is the key of the metric to improve ("" for none), `material`
    holds chosen differences that matter, and `hunks_answer` says why the prompt changed in several places.
    """

    name: str
    prompt: str
    change_note: str = ""
    target: str = ""
    material: Mapping[str, float] = {}
    hunks_answer: str = ""
    least_games: int = 3

    def tidied(self) -> "Plan":
        """The same plan with Unix line ends, and without white space around single lines and notes."""
        return replace(
            self,
            name=" ".join(self.name.split()),
            prompt=self.prompt.replace("\r\n", "\n").replace("\r", "\n"),
            change_note=self.change_note.strip(),
            target=self.target.strip(),
            hunks_answer=self.hunks_answer.strip(),
        )


def plan_faults(
    plan: Plan,
    kind: str,
    rubric: RubricRecord | None = None,
    *,
    reference_prompt: str = "",
    hunk_count: int = 0,
    looks: int = 0,
) -> Iterator[Unacceptable]:
    """The faults of a tidied plan; that of a baseline needs no rubric.

    `hunk_count` places differ from the reference's prompt; this prompt was compared with the reference `looks` times
    before.
    """
    yield from _wrong_texts(plan)
    if not 1 <= plan.least_games <= MOST_GAMES:
        says = say("Ask for 1 to {most_games:,} games.", most_games=MOST_GAMES)
        yield Unacceptable(says, field="least_games", code="range")
    if kind == CHANGE and looks >= MOST_LOOKS:
        says = say(
            "This prompt was compared with the reference {looks} times already, and {most_looks} "
            "looks are the most. Change something else: games of the same two prompts count "
            "together, whenever they are played.",
            looks=looks,
            most_looks=MOST_LOOKS,
        )
        yield Unacceptable(says, field="prompt", code="too_many_looks")
    if kind == CHANGE:
        assert rubric is not None
        yield from _wrong_change(plan, rubric, reference_prompt, hunk_count)


def get_game_count(rubric: RubricRecord, kind: str) -> int:
    name = "baseline_game_count" if kind == BASELINE else "iteration_game_count"
    return int(rubric.parameters.get(name, 3))


def material_differences(plan: Plan, rubric: RubricRecord) -> dict[str, float]:
    """The material difference of every metric, chosen or usual; stored so that it cannot change later."""
    return {
        criterion.key: float(get_material_difference(criterion.key, plan.material))
        for criterion in rubric.criteria
    }


def most_hunks(rubric: RubricRecord) -> int:
    """How many places of the prompt a change may touch without a reason; one in the first rubric version."""
    return int(rubric.parameters["changes_per_iteration"])


def _wrong_texts(plan: Plan) -> Iterator[Unacceptable]:
    no_prompt = say("Paste the whole prompt that the agents are given.")
    texts = (
        ("name", plan.name, LONGEST_NAME, say("Give the iteration a name.")),
        ("prompt", plan.prompt.strip(), LONGEST_PROMPT, no_prompt),
        ("change_note", plan.change_note, LONGEST_REASON, ""),
        ("hunks_answer", plan.hunks_answer, LONGEST_REASON, ""),
    )
    for field, text, most, missing in texts:
        if not text and missing:
            yield Unacceptable(missing, field=field, code="required")
        if len(text) > most:
            says = say("At most {most:,} characters; these are {length:,}.", most=most, length=len(text))
            yield Unacceptable(says, field=field, code="too_long")


def _wrong_change(
    plan: Plan, rubric: RubricRecord, reference_prompt: str, hunk_count: int
) -> Iterator[Unacceptable]:
    if not plan.change_note:
        yield Unacceptable(say("Say in a line what is changed."), field="change_note", code="required")
    if plan.prompt == reference_prompt:
        says = say(
            "This is the reference's prompt, word for word. Change one thing, or create a baseline instead."
        )
        yield Unacceptable(says, field="prompt", code="unchanged")
    if hunk_count > most_hunks(rubric) and not plan.hunks_answer:
        says = say(
            "{hunk_count} places of the prompt differ from the reference's, and one change at a "
            "time is the rule: otherwise nobody knows which of them had the effect. Undo the others, or say why they "
            "belong together.",
            hunk_count=hunk_count,
        )
        yield Unacceptable(says, field="hunks_answer", code="several_changes")
    keys = {criterion.key for criterion in rubric.criteria}
    if plan.target and plan.target not in keys:
        says = say("The rubric has no metric “{target}”. Choose one that it has.", target=plan.target)
        yield Unacceptable(says, field="target", code="unknown")
    for key, value in plan.material.items():
        if key not in keys:
            yield Unacceptable(
                say("The rubric has no metric “{key}”.", key=key), field="material", code="unknown"
            )
            continue
        most, metric = METRICS[key].scale.span, rubric.criterion(key).label.lower()
        if not 0 < value <= most:
            says = mark("The difference that matters in {metric} is more than 0 and at most {most:g}.")
            yield Unacceptable(say(says, metric=metric, most=most), field="material", code="range")


class FindChance(Struct, frozen=True):
    """How often a gain in one metric is found. `gain` is one standard deviation between games under one prompt.

    `is_own` says that it comes from the project's games, with `df` degrees of freedom; else it is the usual one.
    `sizes` holds numbers of games per side with the probability that one comparison of that size gives the answer
    "improved" for such a gain. `unpicked` is that of the first size if the metric was picked and the reference is run
    again, 0 if it was not picked.
    """

    key: str
    label: str
    span: float
    gain: float
    is_own: bool
    df: int
    sizes: list[tuple[int, float]]
    unpicked: float = 0.0


def list_find_chances(
    rubric: RubricRecord, batches: Sequence[Sequence[GameFigures]], least_games: int, picked: str = ""
) -> list[FindChance]:
    """For each metric, how often a gain of one standard deviation is found; each batch holds games of one prompt.

    `picked` is the key of the metric that was picked as the lowest of the first games of the control, "" for none.
    """
    found = []
    for criterion in rubric.criteria:
        scale = METRICS[criterion.key].scale
        spread = pooled_spread(collect_scores(batch, criterion.key, with_by_rule=False) for batch in batches)
        is_own = spread.df >= FEW_DF and bool(spread.sd)
        df = spread.df if is_own else 0
        sizes = [least_games * times for times in SIZES]
        found.append(
            FindChance(
                key=criterion.key,
                label=criterion.label,
                span=scale.span,
                gain=spread.sd if is_own and spread.sd else USUAL_SD * scale.material,
                is_own=is_own,
                df=df,
                sizes=[
                    (
                        size,
                        compute_find_chance(size, df, least_games / size if criterion.key == picked else 0.0),
                    )
                    for size in sizes
                ],
                unpicked=compute_find_chance(sizes[0], df) if criterion.key == picked else 0.0,
            )
        )
    return found
