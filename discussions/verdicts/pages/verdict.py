"""The page of a game's verdict: the outcome, what would change it, all recorded ones; and games that are ready."""

from collections.abc import Collection

import msgspec
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct
from msgspec.structs import replace

from discussions.core.iteration_states import NEVER
from discussions.core.judgement_kinds import MESSAGE_KINDS, parse_subject
from discussions.core.outcome import ABOVE, AMBER, MEMORY, UNREPORTED, Outcome, OutcomeLine
from discussions.metrics.core.registry import METRICS
from discussions.models import Game, Remark, Verdict
from discussions.queries import load_measurements, rubric_record
from discussions.slots.permissions import check_see_game, check_take_game
from discussions.slots.queries import has_game_left
from discussions.verdicts.core.basis import BY_HAND, Basis, changes
from discussions.verdicts.core.report import FigureRow
from discussions.verdicts.core.rule import read_outcome
from discussions.verdicts.core.scoring import find_turning_answer, would_turn
from discussions.verdicts.pages.lines import (
    FAIL,
    NONE,
    PASS,
    NextGames,
    describe_all_open,
    describe_unasked,
    describe_verdict,
    figure_rows,
    verdict_turns,
)
from discussions.verdicts.permissions import (
    check_complete,
    check_first_verdict,
    check_flags_resolved,
    check_record_open,
    check_record_verdict,
    check_supersede_verdict,
)
from discussions.verdicts.queries import (
    Preview,
    count_unasked_suggestions,
    load_next_games,
    load_open_flags,
    load_people_estimates,
    load_verdict_preview,
)
from workspace.access.permissions import get_refusal, may
from workspace.core.canonical import canonical_bytes
from workspace.core.text import figure
from workspace.models import Person, Project


class OutcomePart(Struct, frozen=True):
    """An outcome with its rows and sentences, of which `says` is the headline.

    `so_far` says how many evaluations it is based on while others are missing, else ""; `judged` how many judgements of
    people, "" without any; `unasked` how many suggested references nobody looked at, "" if somebody did.
    """

    outcome: Outcome
    says: str
    state: str
    so_far: str
    judged: str
    rows: list[FigureRow]
    missing: list[str]
    turns: str
    cost: str
    cost_says: str
    unasked: str = ""
    open: str = ""


class VerdictPage(Struct, frozen=True):
    """The page. `outcome` is the recorded one, else the one that would be recorded; None when it is hidden or unknown.

    `hidden_because` says why it is hidden, "" when it is shown or the game is not measured. `history` has the recorded
    verdicts, the newest first. `basis_sha256` and `basis` are sent back with the form; they are "" when they would show
    the work of others. `record_refusal` says why the button is greyed, else "". `record_way` says where a lead can
    remove the cause: "people", "disagreements", or "". `changed` lists what changed since then. `people` are the
    estimates from the current judgements that are no scores, empty for those who may not see them. `flags` are the
    open ones: all for leads, their own for evaluators, who do not see each other's, none if the project ignores them.
    `goes_on` says where an evaluator goes from here: "game", "home" if no game is left, "" for others; `sees_advice` is
    for those who change prompts. `turning` is by metric the message of an answer that alone would turn it, `apart` the
    messages on which people and the rule differ; both only for who may see `people`. `own` is the person's evaluation.
    """

    game: Game
    outcome: OutcomePart | None
    hidden_because: str
    history: list[tuple[Verdict, Outcome]]
    changed: list[str]
    basis_sha256: str
    basis: str
    record_refusal: str
    record_way: str
    sees_game: bool
    people: list[OutcomeLine]
    goes_on: str
    sees_advice: bool
    flags: list[Remark]
    leads: bool
    own: int
    turning: dict[str, int]
    apart: dict[str, list[int]]

    def link_message(self, position: int) -> str:
        """The message on the game's page for leads, on that of their own evaluation for others."""
        if self.own and not self.leads:
            return f"{reverse('rate', args=[self.own])}?at={position}"
        game = reverse("game", args=[self.game.project.slug, self.game.number])
        return f"{game}?from={position}#m{position}"

    @property
    def turning_line(self) -> OutcomeLine | None:
        """The metric that one answer on a message would turn, and the verdict with it; None without such an answer."""
        outcome = self.outcome and self.outcome.outcome
        keys = self.turning if outcome and outcome.flip_distance == 1 else {}
        turns = [key for key in keys if outcome and would_turn(outcome, key)]
        return outcome.line(turns[0]) if outcome and turns else None

    @property
    def asked(self) -> list[OutcomeLine]:
        """The metrics with people's estimate, whether it is the score or stands beside it."""
        scored = self.outcome.outcome.lines if self.outcome else []
        return [line for line in scored if line.is_scored_by_people] + self.people

    @property
    def rings(self) -> dict[str, float]:
        """Metric -> people's estimate."""
        return {line.key: line.people.share for line in self.asked if line.people}

    @property
    def differing(self) -> list[OutcomeLine]:
        return [line for line in self.asked if line.is_turned_by_people]


def build_verdict_page(*, game: Game, person: Person) -> VerdictPage:
    preview = load_verdict_preview(game)
    verdicts = Verdict.objects.filter(game=game).select_related("created_by").order_by("-number")
    history = [(row, read_outcome(row.outcome)) for row in verdicts]
    recorded, outcome = history[0] if history else (None, preview and preview.outcome)
    basis = msgspec.json.decode(recorded.basis, type=Basis) if recorded else preview and preview.basis
    sees_game, leads = may(check_see_game, person, game), may(check_supersede_verdict, person, game)
    # The answers of several evaluators and their basis are private; the outcome is private until it is recorded.
    several = preview is not None and len(preview.basis.evaluations) > 1
    is_shared = game.evaluator_count > 1 or several
    is_private = is_shared and not leads
    flags = load_open_flags(game)
    is_evaluator = may(check_take_game, person, game.project)
    is_hidden = not sees_game and recorded is None and (game.iteration.reveal == NEVER or is_shared)
    told = preview if preview and outcome and not is_private and not is_hidden else None
    own, turning, apart = _find_messages(told, outcome, person) if told and outcome else (0, {}, {})
    return VerdictPage(
        game=game,
        outcome=outcome_part(game, outcome, basis, load_next_games(game, outcome) if leads else NONE)
        if outcome and basis and not is_hidden
        else None,
        hidden_because=_hidden_because(game) if outcome and is_hidden else "",
        history=history,
        changed=changes(replace(basis, supersedes=recorded.pk), preview.basis)
        if recorded and basis and preview and not is_private
        else [],
        basis_sha256=preview.basis_sha256 if preview and not is_private else "",
        basis=_write_basis(preview.basis, leads=leads) if preview and not is_private else "",
        record_refusal=_refusal(game, person, preview, flags, is_correction=recorded is not None),
        record_way=_way(preview),
        sees_game=sees_game,
        people=load_people_estimates(preview) if preview and not is_private and not is_hidden else [],
        goes_on="" if not is_evaluator else "game" if has_game_left(person, game.project) else "home",
        sees_advice=not is_evaluator,
        flags=[flag for flag in flags if leads or flag.created_by_id == person.pk],
        leads=leads,
        own=own,
        turning=turning,
        apart=apart,
    )


def _write_basis(basis: Basis, *, leads: bool) -> str:
    """Who may judge more of the messages must not read there what judges say of them."""
    return canonical_bytes(basis).decode() if leads or not basis.judges else ""


def _find_messages(
    preview: Preview, shown: Outcome, person: Person
) -> tuple[int, dict[str, int], dict[str, list[int]]]:
    """The person's evaluation (0: none), and `turning` and `apart` of the page.

    Nothing where the shown verdict rests on other answers: what was judged since then says nothing about it.
    """
    own = next((one.id for one in preview.basis.evaluations if one.evaluator == person.pk), 0)
    now, then = (
        [(line.key, line.numerator, line.denominator, line.passes) for line in outcome.lines]
        for outcome in (preview.outcome, shown)
    )
    return (own, _find_turning(preview), _find_apart(preview)) if now == then else (own, {}, {})


def _find_turning(preview: Preview) -> dict[str, int]:
    basis = preview.basis
    measurements = load_measurements(basis.measured.id, basis.measured.findings_sha256)
    rubric = rubric_record(basis.rubric_version.id, basis.rubric_version.sha256)
    answers = {
        line.key: find_turning_answer(line, preview.found, measurements, rubric, preview.samples)
        for line in preview.outcome.lines
    }
    return {key: parse_subject(answer[1])[0] for key, answer in answers.items() if answer}


def _find_apart(preview: Preview) -> dict[str, list[int]]:
    measured, said = preview.basis.measured, preview.found.values
    found = load_measurements(measured.id, measured.findings_sha256)
    apart = {}
    for key in MESSAGE_KINDS:
        machine = METRICS[key].machine_values(found[key]) if key in found else {}
        differing = {
            subject for subject, value in machine.items() if said.get(key, {}).get(subject, value) != value
        }
        apart[key] = sorted(map(int, differing))
    return apart


def describe_people_estimate(line: OutcomeLine) -> str:
    """What was counted and what people's estimate is, each with its outcome."""
    people = line.people
    assert people is not None
    says = _("Counted %(score)s, %(word)s. People asked say %(share)s%(range)s, %(other)s")
    says += _(": theirs is the score.") if people.counts else "."
    scores = {"score": people.counted, "share": people.share}
    shown = {name: figure(value, line.threshold) + "\u00a0%" for name, value in scores.items()}
    passes, fails = _("passes"), _("fails")
    words = {
        "word": passes if people.counted >= line.threshold else fails,
        "other": passes if people.share >= line.threshold else fails,
    }
    estimated = f" ({people.low:.0f} to {people.high:.0f})" if people.judged < people.total else ""
    says %= {**shown, **words, "range": estimated}
    return f"{says} ({people.helped})" if people.helped else says


def outcome_part(game: Game, outcome: Outcome, basis: Basis, next_games: NextGames = NONE) -> OutcomePart:
    """The parts of an outcome and its basis for a page; `next_games` only for people who may know of other games."""
    so_far = _so_far(outcome, basis)
    return OutcomePart(
        outcome=outcome,
        says=describe_verdict(game.number, outcome, is_so_far=bool(so_far)),
        state="pending"
        if outcome.passes is None or so_far or outcome.open
        else PASS
        if outcome.passes
        else FAIL,
        so_far=so_far,
        judged=_judged(basis, outcome),
        rows=figure_rows(outcome, next_games),
        missing=[outcome.line(key).label for key in outcome.missing],
        turns=verdict_turns(outcome, basis.rater_count),
        cost=""
        if outcome.cost_usd is None
        else f"${figure(outcome.cost_usd, float(outcome.cost_limit_usd), decimals=2)}",
        cost_says=cost_says(outcome, basis),
        open=describe_all_open(outcome),
        unasked=describe_unasked(outcome.line(MEMORY).label, count_unasked_suggestions(basis)),
    )


def _so_far(outcome: Outcome, basis: Basis) -> str:
    if outcome.passes is None or len(basis.evaluations) >= basis.evaluator_count:
        return ""
    counts = {"there": len(basis.evaluations), "needed": basis.evaluator_count}
    says = ngettext(
        "So far, from %(there)d of %(needed)d evaluation",
        "So far, from %(there)d of %(needed)d evaluations",
        basis.evaluator_count,
    )
    return says % counts


def _judged(basis: Basis, outcome: Outcome) -> str:
    count = sum(bool(judgement.value) for judgement in basis.judgements)
    if any(line.is_scored_by_people for line in outcome.lines):
        return ngettext("%(count)d judgement of people", "%(count)d judgements of people", count) % {
            "count": count
        }
    says = ngettext(
        "%(count)d judgement of people; the automatic value counts only where nobody judged",
        "%(count)d judgements of people; the automatic value counts only where nobody judged",
        count,
    )
    return says % {"count": count} if count else ""


def _hidden_because(game: Game) -> str:
    if game.iteration.reveal == NEVER:
        return _("In this iteration automatic values stay hidden from evaluators until then.")
    return _("Several people rate this game. What they say stays hidden from each other until then.")


def cost_says(outcome: Outcome, basis: Basis) -> str:
    """The effect of the cost on the verdict, and whether it was entered by hand; "" when it is low and reported."""
    bounds = {"limit": f"{outcome.cost_limit_usd:.2f}", "amber": f"{outcome.cost_amber_usd:.2f}"}
    says = {
        ABOVE: _("above $%(limit)s: the game fails, whatever its quality"),
        AMBER: _(
            "over target: from $%(amber)s to $%(limit)s is no failure, but no success for the iteration either"
        ),
        UNREPORTED: _("not reported: it neither passes nor fails"),
    }
    meant = says.get(outcome.cost_state, "") % bounds
    return "; ".join(filter(None, (_("entered by hand") if basis.cost.source == BY_HAND else "", meant)))


def _way(preview: Preview | None) -> str:
    """The page on which a lead can complete the verdict, in the order of `check_complete`."""
    if preview is None or preview.is_complete:
        return ""
    if len(preview.basis.evaluations) < preview.basis.evaluator_count:
        return "people"
    return "disagreements" if preview.has_ties else ""


def _refusal(
    game: Game, person: Person, preview: Preview | None, flags: list[Remark], *, is_correction: bool
) -> str:
    if preview is None:
        return _("This game is not measured yet; its verdict can be recorded once its figures are there.")
    check = check_supersede_verdict if is_correction else check_record_verdict
    return (
        get_refusal(check, person, game)
        or get_refusal(check_complete, preview)
        or get_refusal(check_record_open, person, game, preview.outcome)
        or get_refusal(check_flags_resolved, person, game, flags)
    )


class ReadyGame(Struct, frozen=True):
    """A game by its number. `refusal` says why no verdict can be recorded, "" when one can; then the rest is set.

    `headline` and `passes` are the verdict that would be recorded on the basis with that hash.
    """

    number: int
    source_id: str
    refusal: str
    headline: str = ""
    passes: bool = False
    basis_sha256: str = ""


def list_ready_games(*, project: Project, numbers: Collection[int]) -> list[ReadyGame]:
    rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
    return [_read(game) for game in rows.filter(project=project, number__in=numbers).order_by("number")]


def _read(game: Game) -> ReadyGame:
    if refusal := get_refusal(check_first_verdict, game):
        return ReadyGame(game.number, game.source_id, refusal)
    preview = load_verdict_preview(game)
    if preview is None:
        return ReadyGame(game.number, game.source_id, _("Not measured yet."))
    if refusal := get_refusal(check_complete, preview) or describe_all_open(preview.outcome):
        return ReadyGame(game.number, game.source_id, refusal)
    outcome = preview.outcome
    return ReadyGame(
        game.number, game.source_id, "", outcome.headline, bool(outcome.passes), preview.basis_sha256
    )
