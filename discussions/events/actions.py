"""What people and webhooks are told about games, evaluations, flags, imports and stages. settings.EVENT_ACTIONS says
which of these is called with an audit line, in its transaction.
"""

from django.db.models import QuerySet

from discussions.adjudication.core.effective import Key
from discussions.adjudication.permissions import check_resolvable
from discussions.adjudication.queries import load_disagreements
from discussions.games.queries.flags import FLAG
from discussions.iterations.queries import query_undecided
from discussions.models import Evaluation, Game, Remark, Stage, TieRequest, Transcript
from discussions.models.slots import RATING
from workspace.access.permissions import may
from workspace.models import Event, Notification
from workspace.outbox.actions.queue import announce, mark_done, take_back, tell
from workspace.outbox.core import GAME_TIED, GATE_OPENED, IMPORT_FINISHED, ITERATION_READY, find_mentioned
from workspace.outbox.queries import find_listening, leads_of, unread_about


def tell_assigned(event: Event) -> None:
    game, person = event.details["game"], event.details["person"]
    tell(event, [person], "game_assigned", f"game:{game}", about={"game": game})


def tell_ties(event: Event) -> None:
    """Tell the third evaluator; the leads need not look at a tie while somebody answers it."""
    game, person = event.details["game"], event.details["person"]
    tell(event, [person], "ties_sent", f"ties:{game}", about={"game": game})


def close_ties(event: Event, number: int = 0) -> None:
    """Nothing is left to answer once each tie that a person was asked about is answered, or resolved by a lead."""
    project, number = event.chain.project, number or event.details["game"]
    waiting = TieRequest.objects.waiting().filter(game__project=project, game__number=number)
    asked = unread_about(project, f"ties:{number}").exclude(person__in=waiting.values("evaluator"))
    asked.update(read_at=event.at)


def forget_assigned(event: Event) -> None:
    take_back(event, f"game:{event.details['game']}", person=event.details["person"])


def forget_game(event: Event) -> None:
    """Nobody rates a withdrawn game, and nobody resolves what evaluators differ on in it."""
    games = Game.objects.filter(withdrawals=int(event.object_id))
    numbers = list(games.values_list("number", flat=True))
    evaluations = Evaluation.objects.filter(game__in=games).values_list("pk", flat=True)
    about = [f"{thing}:{number}" for number in numbers for thing in ("game", "tie", "ties")]
    take_back(event, *about, *(f"evaluation:{key}" for key in evaluations))


def tell_returned(event: Event) -> None:
    """Tell an evaluator to look at an evaluation again. Ties in the game are open until then."""
    evaluation = _load_evaluation(event)
    about = {"evaluation": evaluation.pk, "game": evaluation.game_number}
    tell(event, [evaluation.evaluator_id], "evaluation_returned", f"evaluation:{evaluation.pk}", about=about)
    take_back(event, f"tie:{evaluation.game.number}")


def forget_tie(event: Event) -> None:
    """Ties are open again while an evaluator changes a submitted evaluation."""
    take_back(event, f"tie:{_load_evaluation(event).game.number}")


def close_evaluation(event: Event) -> None:
    """An evaluator who submitted or skipped a game need not be reminded of it."""
    evaluation = _load_evaluation(event)
    about = (f"evaluation:{evaluation.pk}", f"game:{evaluation.game.number}")
    mark_done(event, *about, person=evaluation.evaluator_id)


def close_tie(event: Event) -> None:
    """Nothing is left to resolve in a game when a lead has decided on its last tie; nor for who was asked about it."""
    number, project = event.details["game"], event.chain.project
    close_ties(event)
    is_told = unread_about(project, f"tie:{number}").exists()
    if is_told and not _list_open_ties(Game.objects.filter(project=project, number=number)):
        mark_done(event, f"tie:{number}")


def _list_open_ties(game: QuerySet[Game]) -> list[Key]:
    games = load_disagreements(game)
    return [one.key for differing in games for one in differing.disagreements if one.is_tie and one.is_open]


def tell_tie(event: Event) -> None:
    """Tell leads who may resolve the ties of a game, once all its evaluations are submitted.

    People who rated the game are not told, so nobody who judges learns what others judged.
    """
    evaluation = _load_evaluation(event)
    game = evaluation.game
    if evaluation.purpose != RATING or game.evaluator_count < 2 or not may(check_resolvable, game):
        return
    ties = _list_open_ties(Game.objects.filter(pk=game.pk, withdrawn_at=None))
    if ties:
        _tell_leads(event, game)
    else:
        mark_done(event, f"tie:{game.number}")
    # Evaluators who changed their answers may agree now on what somebody else was asked about.
    waiting = TieRequest.objects.waiting().filter(game=game)
    over = [row.pk for row in waiting if (row.kind, row.subject) not in ties]
    TieRequest.objects.filter(pk__in=over).update(ended_at=event.at)
    close_ties(event, game.number)


def tell_still_tied(event: Event) -> None:
    """The third evaluator answered the last tie, and one is still open: it is a lead's again."""
    game = Game.objects.get(pk=int(event.object_id))
    is_asked = TieRequest.objects.waiting().filter(game=game).exists()
    if not is_asked and _list_open_ties(Game.objects.filter(pk=game.pk, withdrawn_at=None)):
        _tell_leads(event, game)


def _tell_leads(event: Event, game: Game) -> None:
    rated = Evaluation.objects.filter(game=game, purpose=RATING).exclude(submitted_at=None)
    leads = (
        leads_of(event.chain.project).exclude(pk__in=rated.values("evaluator")).values_list("pk", flat=True)
    )
    tell(event, leads, "game_tied", f"tie:{game.number}", about={"game": game.number}, for_leads=True)
    announce(event, GAME_TIED, {"game": game.number})


def tell_flagged(event: Event) -> None:
    """The leads have a flag to look at; comments wait for nobody."""
    if event.details["kind"] == FLAG:
        flag, leads = _load_flag(event), [lead.pk for lead in leads_of(event.chain.project)]
        about = {"flag": flag.pk, "game": flag.evaluation.game.number}
        tell(event, leads, "flag_opened", f"flag:{flag.pk}", about=about, for_leads=True)


def tell_answered(event: Event) -> None:
    """A reply to a flag is told to the other side, and to everybody named in it who may read the flag.

    The sides are its evaluator, and the leads who replied before or, while none did, all of them.
    """
    flag, by = _load_flag(event), event.by
    evaluator, leads = flag.evaluation.evaluator, list(leads_of(event.chain.project))
    # Whoever replies has seen what was told of the flag. A lead's reply is that of all leads, unless one was named.
    mark_done(event, f"flag:{flag.pk}", person=by.pk)
    if by.pk != evaluator.pk:
        rows = unread_about(event.chain.project, f"flag:{flag.pk}").filter(for_leads=True)
        rows.filter(code__in=("flag_opened", "flag_answered")).update(read_at=event.at)
    replies = list(flag.replies.order_by("-pk").values_list("created_by", "text"))
    in_thread = {lead.pk for lead in leads} & {person for person, _text in replies}
    others = (in_thread or {lead.pk for lead in leads}) if by.pk == evaluator.pk else {evaluator.pk}
    names = {person.pk: person.name for person in (*leads, evaluator)}
    mentioned = find_mentioned(replies[0][1], names) if replies else set()
    for people, code in ((mentioned, "flag_mentioned"), (others - mentioned, "flag_answered")):
        for is_own in (True, False):
            # An evaluator knows a hidden duplicate by a number of its own.
            number = flag.evaluation.game_number if is_own else flag.evaluation.game.number
            told = people & {evaluator.pk} if is_own else people - {evaluator.pk}
            about = {"flag": flag.pk, "game": number}
            tell(event, told, code, f"flag:{flag.pk}", about=about, for_leads=not is_own)


def close_flag(event: Event) -> None:
    mark_done(event, f"flag:{event.object_id}")


def tell_import_faults(event: Event) -> None:
    """Tell the person who uploaded a file what is wrong or open: by then they may be on another page.

    What an earlier reading told holds no longer, unless the file still waits: that is told once.
    """
    transcript = Transcript.objects.get(pk=int(event.object_id))
    code = "import_waits" if transcript.waits_for_columns else "import_faults"
    subject, faults = f"transcript:{transcript.pk}", event.details["faults"]
    told = Notification.objects.filter(project=event.chain.project, subject=subject)
    if transcript.waits_for_columns and told.filter(code=code).exists():
        return
    told.delete()
    people, about = [transcript.created_by_id] * bool(faults), {"transcript": transcript.pk, "faults": faults}
    tell(event, people, code, subject, about=about, for_leads=True, tells_actor=True)


def close_import(event: Event) -> None:
    """Dismissed faults are done, and so are those of a file that is read again, unless it waited: it may still wait."""
    transcript = Transcript.objects.get(pk=int(event.object_id))
    waits = event.verb == "transcript:resumed" and transcript.waits_for_columns
    mark_done(event, f"job:{transcript.job_id}", *[f"transcript:{transcript.pk}"] * (not waits))


def announce_import(event: Event) -> None:
    announce(event, IMPORT_FINISHED, {"import": int(event.object_id)})


def announce_gate(event: Event) -> None:
    announce(event, GATE_OPENED, {"stage": Stage.objects.get(pk=int(event.object_id)).number})


def announce_ready(event: Event) -> None:
    """Tell programs that every game of a change has its verdict, or is withdrawn, and nobody has decided."""
    project, number = event.chain.project, event.details.get("game", 0)
    if project is not None and find_listening(project, ITERATION_READY):
        for iteration in query_undecided(project.pk).filter(games__number=number):
            announce(event, ITERATION_READY, {"iteration": iteration.number})


def _load_evaluation(event: Event) -> Evaluation:
    return Evaluation.objects.select_related("game__project").get(pk=int(event.object_id))


def _load_flag(event: Event) -> Remark:
    rows = Remark.objects.select_related("evaluation__game", "evaluation__evaluator")
    return rows.get(pk=int(event.object_id))
