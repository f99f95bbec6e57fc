"""The inbox of flags: for leads those of the project, for evaluators their own; and answers to them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db.models import Case, Count, Prefetch, QuerySet, Value, When
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from discussions.games.actions import answer_flag
from discussions.games.forms import AnswerForm
from discussions.games.queries.flags import query_flags, waits_for_evaluator, waits_for_lead
from discussions.models import Evaluation, FlagReply, GameText, Remark
from discussions.models.slots import RATING, REPEAT
from workspace.access.permissions import may_lead
from workspace.models import Person, Project
from workspace.web.bind_form import bind_form, only_parameters, parse_number, project_or_404
from workspace.web.form_page import send
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

LONGEST_QUOTE, FLAGS_A_PAGE = 400, 20
FIELD_IDS = "flag-{}-%s"


class FlagThread:
    """A flag and its replies as the reader may see them; `message` is the flagged one, None for others and evaluators.

    Evaluators read no quote: the same quote twice would reveal a hidden duplicate. `name` is "" where several rate the
    game: leads do not see who wrote. `known_as` is the number under which the evaluator judged the game, 0 if it is
    the same, or if it would reveal who set an unnamed flag.
    """

    def __init__(self, flag: Remark, message: str, *, is_lead: bool, is_named: bool) -> None:
        evaluation = flag.evaluation
        is_repeat = evaluation.purpose == REPEAT
        self.flag, self.replies = flag, flag.replies.all()
        self.quote = message if len(message) <= LONGEST_QUOTE else f"{message[:LONGEST_QUOTE]}…"
        self.position = _position(flag)
        self.is_repeat = is_lead and is_repeat
        self.name = evaluation.evaluator.name if is_named else ""
        self.number = evaluation.game.number if is_lead else evaluation.game_number
        self.known_as = evaluation.rated_as
        if is_lead:
            self.known_as = (evaluation.shown_number or 0) if is_named or is_repeat else 0


@require("see_project")
def flags(request: SignedIn, slug: str) -> HttpResponse:
    return show_flags(request, project_or_404(request.user, slug))


@require("answer_flag", methods=("POST",))
def answer(request: SignedIn, slug: str, flag: int) -> HttpResponse:
    project = project_or_404(request.user, slug)
    visible = _visible_flags(request.user, project, is_lead=may_lead(request.user, project))
    row = get_object_or_404(visible, pk=flag)
    form = bind_form(request, AnswerForm, auto_id=FIELD_IDS.format(flag))

    def act(do: str, **given: Any) -> None:
        answer_flag(flag=row, is_resolved=do == "resolve", **given)

    show = partial(show_flags, request, project, flag=flag, form=form)
    return send(request, form, act, reverse("flags", args=[slug]), show=show)


def show_flags(
    request: SignedIn, project: Project, *, flag: int = 0, form: AnswerForm | None = None, status: int = 200
) -> HttpResponse:
    """Those that wait for the reader come first, then the newest.

    With `flag` only that one, whatever its state, with the text typed below it and its faults.
    """
    asked = only_parameters(request, "show", "from")
    is_resolved, start = asked["show"] == "resolved", parse_number(asked["from"])
    is_lead = may_lead(request.user, project)
    visible = _visible_flags(request.user, project, is_lead=is_lead)
    chosen = visible.filter(pk=flag) if flag else visible.filter(resolved_at__isnull=not is_resolved)
    waiting = waits_for_lead() if is_lead else waits_for_evaluator()
    chosen = chosen.annotate(waits=Case(When(waiting, then=Value(1)), default=Value(0)))
    chosen = chosen.order_by(*(("-resolved_at", "-pk") if is_resolved else ("-waits", "-pk")))
    chosen = chosen.select_related("evaluation__game__iteration", "evaluation__evaluator")
    replies = Prefetch("replies", FlagReply.objects.select_related("created_by").order_by("pk"))
    rows = list(chosen.prefetch_related(replies)[start : start + FLAGS_A_PAGE + 1])
    shown = rows[:FLAGS_A_PAGE]
    forms = {row.pk: AnswerForm(auto_id=FIELD_IDS.format(row.pk)) for row in shown}
    context = {
        "threads": _threads(shown, is_lead=is_lead),
        "following": start + FLAGS_A_PAGE if len(rows) > FLAGS_A_PAGE else 0,
        "open_count": visible.filter(resolved_at=None).count(),
        "resolved_count": visible.exclude(resolved_at=None).count(),
        "is_resolved": is_resolved,
        "forms": forms | ({flag: form} if form is not None else {}),
        **frame(request.user, project, "flags"),
    }
    return respond(request, page="discussions/flags/list.html", context=context, status=status)


def _visible_flags(person: Person, project: Project, *, is_lead: bool) -> QuerySet[Remark]:
    rows = query_flags().filter(evaluation__game__project=project)
    return rows if is_lead else rows.filter(evaluation__evaluator=person)


def _threads(flags: Sequence[Remark], *, is_lead: bool) -> list[FlagThread]:
    shared = _shared_games(flags) if is_lead else set()
    quoted = [flag.evaluation.game_id for flag in flags if is_lead and _position(flag)]
    texts = {text.game_id: text.to_record().messages for text in GameText.objects.filter(game__in=quoted)}
    return [
        FlagThread(
            flag,
            texts[flag.evaluation.game_id][_position(flag) - 1].text if is_lead and _position(flag) else "",
            is_lead=is_lead,
            is_named=flag.evaluation.game_id not in shared,
        )
        for flag in flags
    ]


def _shared_games(flags: Sequence[Remark]) -> set[int]:
    games = {flag.evaluation.game for flag in flags}
    ratings = Evaluation.objects.filter(game__in=games, purpose=RATING).values("game").annotate(n=Count("pk"))
    shared = set(ratings.filter(n__gt=1).values_list("game", flat=True))
    return shared | {game.pk for game in games if game.evaluator_count > 1}


def _position(flag: Remark) -> int:
    return int(flag.target.partition(":")[2] or 0)
