"""What people of a team do, as the state machine calls it: each act of the team with two numbers that choose."""

from datetime import timedelta
from functools import partial
from typing import Any

from discussions.adjudication.actions import adjudicate
from discussions.adjudication.queries import disagreements_in
from discussions.calibration.actions import RoundPlan, close_round, let_rate, open_round, take_calibration
from discussions.core.evaluation_states import LAPSED, OPEN, SKIPPED, SUBMITTED
from discussions.games.actions import restore_game, return_evaluation, withdraw_game
from discussions.iterations.actions import change_iteration
from discussions.models import Evaluation, Game, Iteration, Slot, Verdict, slots
from discussions.queue.actions import assign_game, change_queue, take_next_game, unassign_game
from discussions.rating.actions import return_to_game, reveal_roles, skip_game, submit_evaluation
from discussions.rating.queries import load_state
from discussions.slots.actions import expire_leases, reduce_required_evaluators, release_slot, renew_lease
from discussions.verdicts.actions import record_verdict
from discussions.verdicts.queries import load_verdict_preview
from tests.fuzz.team import Team
from workspace.people.actions.people import deactivate_person, reactivate_person
from workspace.people.actions.projects import change_role

MOST_GAMES = 5


THINGS = (
    ("question", "1", ("yes", "no")),
    ("rating", "", ("2.0", "4.5")),
    ("coherence", "3", ("yes", "no")),
    ("strategic_depth", "2", ("no", "yes")),
    ("role_consistency", "2", ("consistent", "inconsistent")),
    ("reference", "2.1", ("accurate", "no such answer")),
)


def chosen(found: list[Any], pick: int) -> Any:
    """One of them, None of none."""
    return found[pick % len(found)] if found else None


def bring_game(team: Team, _pick: int, _other: int) -> None:
    if len(team.games()) < MOST_GAMES:
        team.bring_game()


def take(team: Team, pick: int, _other: int) -> Evaluation | None:
    by = team.person(pick)
    work = partial(take_next_game, project=team.project, by=by)
    taken = team.attempt("take", lambda: work(now=team.now), writes_first=True)
    if taken is not None:
        team.done[f"take {taken.purpose}"] += 1
        assert (taken.evaluator_id, taken.state in OPEN) == (by.pk, True)
    return taken


def assign(team: Team, pick: int, other: int) -> None:
    game = chosen(team.games(), other)
    if game is not None:
        work = partial(assign_game, game=game, person=team.person(pick), by=team.lead)
        team.attempt("assign", lambda: work(now=team.now))


def unassign(team: Team, pick: int, _other: int) -> None:
    slot = chosen(list(Slot.objects.exclude(assigned_to=None).order_by("pk")), pick)
    if slot is not None:
        team.attempt("unassign", lambda: unassign_game(slot=slot, by=team.lead, now=team.now))


def say(team: Team, pick: int, other: int) -> None:
    evaluation = chosen(team.evaluations(), pick)
    if evaluation is not None:
        kind, subject, values = THINGS[other % len(THINGS)]
        team.say(evaluation, kind, subject, values[pick % 2])


def say_stale(team: Team, pick: int, other: int) -> None:
    known = sorted(key for key, (_value, version) in team.said.items() if version)
    key = chosen(known, pick)
    if key is not None:
        evaluation = Evaluation.objects.with_work().get(pk=key[0])
        value, version = team.said[key]
        team.say(evaluation, *key[1:], value, version=version - 1 if other % 2 else version + 1)


def say_again(team: Team, pick: int, other: int) -> None:
    if team.sent:
        team.say_again(pick * 7 + other, value=(None, "yes", None)[other % 3])


def undo(team: Team, pick: int, _other: int) -> None:
    evaluation = chosen(team.evaluations(), pick)
    if evaluation is not None:
        team.take_back(evaluation)


def work_on(team: Team, pick: int, other: int) -> None:
    """Judge what is asked for, reveal the roles, judge the rest."""
    evaluation = chosen(team.evaluations(*OPEN, LAPSED), pick)
    if evaluation is None:
        return
    team.fill(evaluation, other)
    again = Evaluation.objects.with_work().get(pk=evaluation.pk)
    reveal = partial(reveal_roles, evaluation=again, by=again.evaluator)
    team.attempt("reveal", lambda: reveal(now=team.now))
    team.fill(again, other)


def submit(team: Team, pick: int, _other: int) -> None:
    open_ones = team.evaluations(*OPEN, LAPSED)
    ready = [open_one for open_one in open_ones if not load_state(open_one).visibility.missing]
    evaluation = chosen(ready or open_ones, pick)
    if evaluation is not None:
        work = partial(submit_evaluation, evaluation=evaluation, by=evaluation.evaluator)
        if team.attempt("submit", lambda: work(now=team.now)):
            team.done[f"submit {evaluation.purpose}"] += 1


def finish(team: Team, pick: int, other: int) -> None:
    """Take what comes, work on it and hand it in: so that whole games are in often enough."""
    if taken := take(team, pick, other):
        place = [evaluation.pk for evaluation in team.evaluations(*OPEN, LAPSED)].index(taken.pk)
        work_on(team, place, pick)
        ready = Evaluation.objects.with_work().get(pk=taken.pk)
        work = partial(submit_evaluation, evaluation=ready, by=ready.evaluator)
        if team.attempt("submit", lambda: work(now=team.now)):
            team.done[f"submit {ready.purpose}"] += 1


def pass_time(team: Team, pick: int, _other: int) -> None:
    team.now += timedelta(minutes=(3, 20, 31)[pick % 3])


def sweep(team: Team, _pick: int, _other: int) -> None:
    ended = team.attempt("sweep", lambda: expire_leases(by=team.system, now=team.now))
    team.done["lease ended"] += ended


def renew(team: Team, pick: int, _other: int) -> None:
    evaluation = chosen(team.evaluations(), pick)
    if evaluation is not None:
        work = partial(renew_lease, evaluation=evaluation, by=evaluation.evaluator)
        team.attempt("renew", lambda: work(now=team.now))


def release(team: Team, pick: int, _other: int) -> None:
    evaluation = chosen(team.evaluations(), pick)
    if evaluation is not None:
        work = partial(release_slot, evaluation=evaluation, reason="Others wait", by=team.lead)
        team.attempt("release", lambda: work(now=team.now))


def skip(team: Team, pick: int, _other: int) -> None:
    evaluation = chosen(team.evaluations(*OPEN), pick)
    if evaluation is not None:
        work = partial(skip_game, evaluation=evaluation, reason="I know it", by=evaluation.evaluator)
        team.attempt("skip", lambda: work(now=team.now))


def take_up(team: Team, pick: int, _other: int) -> None:
    evaluation = chosen(team.evaluations(SKIPPED, LAPSED), pick)
    if evaluation is not None:
        work = partial(return_to_game, evaluation=evaluation, by=evaluation.evaluator)
        team.attempt("take up", lambda: work(now=team.now))


def send_back(team: Team, pick: int, _other: int) -> None:
    evaluation = chosen(team.evaluations(SUBMITTED), pick)
    if evaluation is not None:
        work = partial(return_evaluation, evaluation=evaluation, comment="Look again", by=team.lead)
        team.attempt("send back", lambda: work(now=team.now))


def settle(team: Team, pick: int, other: int) -> None:
    """Settle one thing: by taking a side over, or anew, or on sides that are none."""
    listed = [(game, disagreement) for game in team.games() for disagreement in disagreements_in(game)]
    found = chosen(sorted(listed, key=lambda row: not row[1].is_tie), pick)
    if found is None:
        return
    game, result = found
    side = result.sides[0] if result.sides and other % 3 else None
    posted: dict[str, Any] = {
        "adopted": Evaluation.objects.get(pk=side.evaluation) if side else None,
        "value": "" if side else result.sides[-1].value if result.sides else "",
        "sides_sha256": result.page_sha256 if other < 10 else "0" * 64,
    }
    key = team.key()
    work = partial(
        adjudicate, game=game, kind=result.kind, subject=result.subject, reason="As the rule says", **posted
    )
    team.attempt("settle", lambda: work(key=key, by=team.lead, now=team.now))


def need_less(team: Team, pick: int, other: int) -> None:
    game = chosen(team.games(), pick)
    if game is not None:
        work = partial(
            reduce_required_evaluators, game=game, count=other % 3 + 1, reason="Enough", by=team.lead
        )
        team.attempt("need fewer", lambda: work(now=team.now))


def ask_for(team: Team, pick: int, _other: int) -> None:
    iteration = Iteration.objects.select_related("project").get(project=team.project, stage=None)
    work = partial(change_iteration, iteration=iteration, identification="question", by=team.lead)
    team.attempt("ask for", lambda: work(evaluator_count=pick % 4 + 1, now=team.now))


def record(team: Team, pick: int, other: int) -> None:
    """Record, or correct, what the page shows now; now and then by an evaluator, or on an older page."""
    shown = [(game, load_verdict_preview(game)) for game in team.games()]
    ready = [(game, preview) for game, preview in shown if preview and preview.is_complete]
    found = chosen(ready or [row for row in shown if row[1]], pick)
    if found is None:
        return
    game, preview = found
    basis = preview.basis_sha256 if other < 10 else "0" * 64
    by = team.person(other) if other % 5 == 4 else team.lead
    reason = "Seen anew" if preview.basis.supersedes else ""
    work = partial(record_verdict, game=game, basis_sha256=basis, reason=reason)
    verdict = team.attempt("record", lambda: work(by=by, now=team.now))
    if verdict is not None:
        team.done["supersede" if verdict.supersedes_id else "first verdict"] += 1
        _rests_on_what_counts(verdict, game)


def _rests_on_what_counts(verdict: Verdict, game: Game) -> None:
    rows = Evaluation.objects.filter(game=game, purpose=slots.RATING, state=SUBMITTED).order_by("pk")
    assert sorted(evaluation.id for evaluation in load_verdict_preview(game).basis.evaluations) == [
        row.pk for row in rows
    ]
    assert len(rows) >= game.evaluator_count


def repeat_half(team: Team, pick: int, _other: int) -> None:
    order, percent = ("random", "oldest")[pick % 2], (50, 50, 0)[pick % 3]
    work = partial(change_queue, project=team.project, order=order, repeat_percent=percent, by=team.lead)
    team.attempt("rule queue", lambda: work(now=team.now))


def calibrate(team: Team, pick: int, other: int) -> None:
    """Open a round on a game with a verdict, or close the one that is open."""
    there = team.round()
    if there is not None and there.closed_at is None:
        team.attempt("close round", lambda: close_round(opened=there, by=team.lead, now=team.now))
        return
    recorded = list(
        Game.objects.filter(project=team.project, verdicts__isnull=False).distinct().order_by("pk")
    )
    if game := chosen(recorded, pick):
        plan = RoundPlan(name="Once more", games=[game.number], is_required=other % 2 == 0, pass_percent=80)
        team.attempt(
            "open round", lambda: open_round(project=team.project, plan=plan, by=team.lead, now=team.now)
        )


def take_round(team: Team, pick: int, other: int) -> None:
    there = team.round()
    if there is None:
        return
    if other % 3 == 0:
        work = partial(let_rate, opened=there, person=team.person(pick), reason="Knows it", by=team.lead)
        team.attempt("let rate", lambda: work(now=team.now))
    else:
        begin = partial(take_calibration, opened=there, by=team.person(pick))
        team.attempt("take calibration", lambda: begin(now=team.now))


def withdraw(team: Team, pick: int, _other: int) -> None:
    game = chosen(team.games(), pick)
    if game is not None:
        turn, name = (restore_game, "restore") if game.withdrawn_at else (withdraw_game, "withdraw")
        team.attempt(name, lambda: turn(game=game, reason="Another prompt", by=team.lead, now=team.now))


def switch(team: Team, pick: int, _other: int) -> None:
    """Switch an account off, or the one on again that is off."""
    everybody = [team.person(number) for number in range(len(team.people))]
    person = next((person for person in everybody if not person.is_active), team.person(pick))
    turn, name = (deactivate_person, "deactivate") if person.is_active else (reactivate_person, "reactivate")
    team.attempt(name, lambda: turn(person=person, by=team.admin, now=team.now))


def change(team: Team, pick: int, other: int) -> None:
    """An evaluator becomes a lead, or a lead an evaluator again."""
    membership = team.membership(pick if other % 4 == 0 else 3)
    role = "lead" if membership.role == "evaluator" else "evaluator"
    work = partial(change_role, membership=membership, role=role, by=team.admin)
    team.attempt(f"become {role}", lambda: work(now=team.now))


# What is in a table twice is done twice as often.
RATING = (take, say, say, say_stale, say_again, undo, work_on, submit, finish, finish, finish)


PLACES = (pass_time, sweep, renew, release, skip, take_up, take, work_on, assign, unassign)


LEADING = (
    settle,
    settle,
    settle,
    record,
    record,
    record,
    send_back,
    need_less,
    repeat_half,
    calibrate,
    take_round,
)


CHANGING = (bring_game, withdraw, switch, change, ask_for)


ALL = (RATING, PLACES, LEADING, CHANGING)
