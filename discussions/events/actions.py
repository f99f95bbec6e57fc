"""Notifications about games, evaluations, flags and imports. Each action is called with an audit line and in its
transaction; see settings.EVENT_ACTIONS.
"""

from datetime import datetime

import msgspec
from django.db.models import QuerySet

from discussions.adjudication.permissions import check_resolvable
from discussions.adjudication.queries import load_disagreements
from discussions.games.queries.flags import FLAG
from discussions.models import Evaluation, Game, Remark, Transcript
from discussions.models.slots import RATING
from workspace.access.permissions import may
from workspace.models import Event, Person, Project
from workspace.notifications.actions.notify import mark_done, take_back, tell_of_event
from workspace.notifications.core import find_mentioned
from workspace.notifications.queries import leads_of, unread_about


def tell_assigned(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """An evaluator has a game of their own to rate."""
    detail = msgspec.json.decode(event.detail)
    game = detail["game"]
    tell_of_event(
        event=event,
        people=[detail["person"]],
        code="game_assigned",
        subject=_game_subject(game),
        about={"game": game},
        by=by,
    )


def forget_assigned(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """The game is theirs no more, so they need not know of it."""
    detail = msgspec.json.decode(event.detail)
    take_back(project=project, subject=_game_subject(detail["game"]), person=detail["person"], by=by)


def forget_game(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Nobody rates a withdrawn game, and nobody resolves what evaluators differ on in it."""
    for number in Game.objects.filter(withdrawals=int(event.object_id)).values_list("number", flat=True):
        for subject in (_game_subject(number), _tie_subject(number)):
            take_back(project=project, subject=subject, by=by)
    for evaluation in Evaluation.objects.filter(game__withdrawals=int(event.object_id)):
        take_back(project=project, subject=_evaluation_subject(evaluation), by=by)


def tell_returned(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Tell an evaluator to look at an evaluation again. Ties in the game are open until then."""
    evaluation = Evaluation.objects.select_related("game").get(pk=int(event.object_id))
    tell_of_event(
        event=event,
        people=[evaluation.evaluator_id],
        code="evaluation_returned",
        subject=_evaluation_subject(evaluation),
        about={"evaluation": evaluation.pk, "game": evaluation.game_number},
        by=by,
    )
    take_back(project=project, subject=_tie_subject(evaluation.game.number), by=by)


def forget_tie(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Ties are open again while an evaluator changes a submitted evaluation."""
    evaluation = Evaluation.objects.select_related("game").get(pk=int(event.object_id))
    take_back(project=project, subject=_tie_subject(evaluation.game.number), by=by)


def close_evaluation(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """An evaluator who submitted or skipped a game need not be reminded of it."""
    evaluation = Evaluation.objects.select_related("game").get(pk=int(event.object_id))
    for subject in (_evaluation_subject(evaluation), _game_subject(evaluation.game.number)):
        mark_done(project=project, subject=subject, person=evaluation.evaluator_id, by=by, now=now)


def close_tie(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Nothing is left to resolve in a game when a lead has decided on its last tie."""
    number = msgspec.json.decode(event.detail)["game"]
    subject = _tie_subject(number)
    is_told = unread_about(project, subject, ("game_tied",)).exists()
    if is_told and not _has_open_tie(Game.objects.filter(project=project, number=number)):
        mark_done(project=project, subject=subject, by=by, now=now)


def _has_open_tie(game: QuerySet[Game]) -> bool:
    found = load_disagreements(game)
    return any(one.is_tie and one.is_open for differing in found for one in differing.disagreements)


def tell_tie(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Tell leads who may resolve the ties of a game, once all its evaluations are submitted.

    People who rated the game are not told, so nobody who judges learns what others judged.
    """
    evaluation = Evaluation.objects.select_related("game__project").get(pk=int(event.object_id))
    game = evaluation.game
    if evaluation.purpose != RATING or game.evaluator_count < 2:
        return
    rated = Evaluation.objects.filter(game=game, purpose=RATING).exclude(submitted_at=None)
    own = set(rated.values_list("evaluator", flat=True))
    leads = [lead.pk for lead in leads_of(project) if lead.pk not in own]
    if not leads or not may(check_resolvable, game):
        return
    if not _has_open_tie(Game.objects.filter(pk=game.pk, withdrawn_at=None)):
        mark_done(project=project, subject=_tie_subject(game.number), by=by, now=now)
    else:
        tell_of_event(
            event=event,
            people=leads,
            code="game_tied",
            subject=_tie_subject(game.number),
            about={"game": game.number},
            by=by,
            for_leads=True,
        )


def tell_flagged(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """The leads have a flag to look at; comments wait for nobody."""
    if msgspec.json.decode(event.detail)["kind"] != FLAG:
        return
    flag = _load_flag(event)
    tell_of_event(
        event=event,
        people=[lead.pk for lead in leads_of(project)],
        code="flag_opened",
        subject=_flag_subject(flag),
        about={"flag": flag.pk, "game": flag.evaluation.game.number},
        by=by,
        for_leads=True,
    )


def tell_answered(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """A reply to a flag is told to the other side, and to everybody named in it who may read the flag.

    The sides are its evaluator, and the leads who replied before or, while none did, all of them.
    """
    flag = _load_flag(event)
    evaluator, leads = flag.evaluation.evaluator, leads_of(project)
    _close_answered(flag, project, by, now)
    replies = list(flag.replies.order_by("-pk").values_list("created_by", "text"))
    in_thread = {lead.pk for lead in leads} & {person for person, _text in replies}
    others = (in_thread or {lead.pk for lead in leads}) if by.pk == evaluator.pk else {evaluator.pk}
    names = {person.pk: person.name for person in (*leads, evaluator)}
    mentioned = find_mentioned(replies[0][1], names) if replies else set()
    for people, code in ((mentioned, "flag_mentioned"), (others - mentioned, "flag_answered")):
        for is_own in (True, False):
            # An evaluator knows a hidden duplicate by a number of its own.
            number = flag.evaluation.game_number if is_own else flag.evaluation.game.number
            tell_of_event(
                event=event,
                people=people & {evaluator.pk} if is_own else people - {evaluator.pk},
                code=code,
                subject=_flag_subject(flag),
                about={"flag": flag.pk, "game": number},
                by=by,
                for_leads=not is_own,
            )


def _close_answered(flag: Remark, project: Project, by: Person, now: datetime) -> None:
    """Whoever replies has seen what was told of the flag. A lead's reply is that of all leads, unless one was named."""
    subject = _flag_subject(flag)
    mark_done(project=project, subject=subject, person=by.pk, by=by, now=now)
    if by.pk != flag.evaluation.evaluator_id:
        rows = unread_about(project, subject, ("flag_opened", "flag_answered"))
        rows.filter(for_leads=True).update(read_at=now)


def close_flag(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Nothing is left to do about a resolved flag."""
    mark_done(project=project, subject=f"flag:{event.object_id}", by=by, now=now)


def tell_import_faults(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Tell the person who uploaded a file that it had faults: by then they may be on another page."""
    faults = msgspec.json.decode(event.detail)["faults"]
    if not faults:
        return
    transcript = Transcript.objects.get(pk=int(event.object_id))
    tell_of_event(
        event=event,
        people=[transcript.created_by_id],
        code="import_faults",
        subject=f"transcript:{transcript.pk}",
        about={"transcript": transcript.pk, "faults": faults},
        by=by,
        for_leads=True,
        tells_actor=True,
    )


def close_import(*, event: Event, project: Project, by: Person, now: datetime) -> None:
    """Nothing is left to do about faults that a person dismissed, nor about a file that is read again."""
    transcript = Transcript.objects.get(pk=int(event.object_id))
    for subject in (f"transcript:{transcript.pk}", f"job:{transcript.job_id}"):
        mark_done(project=project, subject=subject, by=by, now=now)


def _load_flag(event: Event) -> Remark:
    rows = Remark.objects.select_related("evaluation__game", "evaluation__evaluator")
    return rows.get(pk=int(event.object_id))


def _game_subject(number: int) -> str:
    return f"game:{number}"


def _tie_subject(number: int) -> str:
    return f"tie:{number}"


def _evaluation_subject(evaluation: Evaluation) -> str:
    return f"evaluation:{evaluation.pk}"


def _flag_subject(flag: Remark) -> str:
    return f"flag:{flag.pk}"
