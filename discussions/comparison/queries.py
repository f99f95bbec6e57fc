"""The basis of a decision on a change, and the proposal now."""

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.comparison.core.comparison import IterationComparison, look_refusal
from discussions.comparison.core.decision_basis import (
    FORMAT,
    DecidedGame,
    DecisionBasis,
    compute_proposal,
    compute_with_withdrawn,
    figures_hash,
    keep_scores_only,
)
from discussions.core.iteration_states import KEEP
from discussions.iterations.core.history import History, HistoryGame, HistoryIteration, WithdrawnGame
from discussions.iterations.queries import load_rubric
from discussions.models import Decision
from workspace.core.canonical import canonical_hash
from workspace.core.refusals import NotAllowed
from workspace.display.core.number_lists import format_numbers


class DecisionPreview(Struct, frozen=True):
    """The basis of a decision, and the hash that the request to record it must carry.

    `compared` is None if there were too many looks at the pair, or the sides are not judged in the same way
    (`has_same_protocol`), `with_withdrawn` if no game was withdrawn after its figures were known.
    """

    basis: DecisionBasis
    basis_sha256: str
    compared: IterationComparison | None
    with_withdrawn: IterationComparison | None
    change: HistoryIteration
    has_same_protocol: bool = True

    @property
    def shown_before(self) -> set[str]:
        """The hashes that pages carried before the decisions so far, for the same figures."""
        decided = [line.id for line in self.change.decisions]
        earlier = (None, *decided[:-1]) if decided else ()
        return {canonical_hash(msgspec.structs.replace(self.basis, supersedes=number)) for number in earlier}


def build_basis(history: History, change: HistoryIteration, control: HistoryIteration) -> DecisionBasis:
    """The basis of a decision on a change by the present figures, as the first look."""
    judged, left_out, flattered = history.judged_control(change, control)
    kept = history.kept_by(control) if left_out else []
    # A small spread by luck helped to keep the prompt, too.
    earlier, earlier_count = history.earlier_than(change, max((row.number for row in kept), default=0))
    control_out, change_out = history.withdrawn_from(change)
    kept_out = {out.game.id for row in kept for each in history.same_pair(row) for out in each.left_out}
    control_out = [out for out in control_out if out.game.id not in kept_out]
    return DecisionBasis(
        format=FORMAT,
        iteration=change.id,
        compared_with=control.id,
        rubric_version=change.rubric_version,
        rubric_sha256=change.rubric_sha256,
        target=change.target,
        material=change.material,
        look=1,
        control=[_decided(game) for game in judged.games],
        change=[_decided(game) for game in history.pooled(change).games],
        earlier=[[keep_scores_only(figures) for figures in batch] for batch in earlier],
        supersedes=change.decision.id if change.decision else None,
        picked=[game.id for game in history.picked_by(change)],
        control_out=[_decided(out.game) for out in control_out],
        change_out=[_decided(out.game) for out in change_out],
        earlier_count=earlier_count,
        flattered=flattered,
        is_switched=any(row.target != change.target and row.is_known for row in history.same_pair(change)),
    )


def decision_preview(history: History, iteration: int) -> DecisionPreview | None:
    """The current figures of a change and its reference; None if the iteration is not a change of this stage.

    One query besides the history: the pair's earlier decisions.
    """
    change = history.find(iteration)
    control = history.find(change.compared_with) if change else None
    if change is None or control is None:
        return None
    basis = build_basis(history, change, control)
    has_same_protocol = control.protocol == change.protocol
    pair = history.find_pair(change.compared_with, change.prompt_sha256)
    out = {game.id for game in (*basis.control_out, *basis.change_out)}
    acts = [act for side in history.withdrawn_from(change) for act in side if act.game.id in out]
    basis = msgspec.structs.replace(basis, look=_look(pair, basis, acts))
    return DecisionPreview(
        basis=basis,
        basis_sha256=canonical_hash(basis),
        compared=compute_proposal(basis, load_rubric(change)) if has_same_protocol else None,
        with_withdrawn=compute_with_withdrawn(basis, load_rubric(change)) if has_same_protocol else None,
        change=change,
        has_same_protocol=has_same_protocol,
    )


def _decided(game: HistoryGame) -> DecidedGame:
    return DecidedGame(game.id, game.verdict, game.figures)


def _look(pair: list[HistoryIteration], basis: DecisionBasis, out: list[WithdrawnGame]) -> int:
    """The number of this look at the pair. Figures that were seen before, or no figures at all, are not a new look.

    The scores before each withdrawal since the last decision count as a look too.
    """
    made = Decision.objects.filter(iteration__in=[iteration.id for iteration in pair])
    bases = [
        (msgspec.json.decode(body, type=DecisionBasis), look)
        for body, look in made.order_by("pk").values_list("basis", "look")
    ]
    looked = {
        figures_hash(each, with_people=each.format >= FORMAT): look
        for each, look in bases
        if not each.is_unseen
    }
    last = max(looked.values(), default=0)
    if basis.is_unseen:
        return max(last, 1)
    decided = [line.created_at for row in pair for line in row.decisions]
    since = [act for act in sorted(out, key=lambda act: act.at) if not decided or act.at > max(decided)]
    before = {figures_hash(_with_games(basis, since[place:])) for place in range(len(since))}
    seen = looked.get(figures_hash(basis)) or looked.get(figures_hash(basis, with_people=False))
    return seen or last + len(before - looked.keys()) + 1


def _with_games(basis: DecisionBasis, out: list[WithdrawnGame]) -> DecisionBasis:
    ids = {act.game.id for act in out}
    return msgspec.structs.replace(
        basis,
        control=[*basis.control, *(game for game in basis.control_out if game.id in ids)],
        change=[*basis.change, *(game for game in basis.change_out if game.id in ids)],
    )


def refuse_decision(preview: DecisionPreview, choice: str = "") -> None:
    """Why a change cannot be decided on: one look too many, or, for keeping it, figures that are missing.

    A change without a decision can still be reverted without a look, so that the stage can continue.
    """
    if not preview.has_same_protocol:
        says = _(
            "The change and its reference are judged in different ways, such as by two rubric versions. Move both to "
            "one version, then decide."
        )
        raise NotAllowed(says, code="two_versions")
    if refusal := look_refusal(preview.basis.look):
        if choice == KEEP or preview.change.decisions:
            raise NotAllowed(refusal, code="too_many_looks")
        return
    pending, change = preview.basis.pending, preview.change
    if choice == KEEP and (pending or not change.games):
        says = _(
            "The figures of %(games)s are not known yet, and a change is kept on what all its games show."
        )
        raise NotAllowed(
            says % {"games": format_numbers(pending) if pending else _("any game")}, code="pending"
        )
    if choice == KEEP and len(change.games) < change.least_games:
        says = _(
            "Iteration %(number)d has %(count)d games that count and needs %(least)d, so it cannot be kept. Let a "
            "withdrawn game count again, or play the change in another iteration."
        )
        given = {"number": change.number, "count": len(change.games), "least": change.least_games}
        raise NotAllowed(says % given, code="too_few")
