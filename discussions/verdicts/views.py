"""The verdict on a game: show, record, correct and replay it; and its report in three forms."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.models import Evaluation, Game, Verdict
from discussions.queries import find_game
from discussions.verdicts.actions import Replay, record_verdict, replay_verdict
from discussions.verdicts.core.report import Report, report_to_csv, report_to_json
from discussions.verdicts.forms import RecordForm, ReplayForm
from discussions.verdicts.pages.report import build_report
from discussions.verdicts.pages.verdict import build_verdict_page, describe_people_estimate
from discussions.verdicts.permissions import (
    check_record_verdict,
    check_reopen,
    check_see_verdict,
    check_supersede_verdict,
)
from workspace.access.permissions import may, may_lead
from workspace.core.refusals import Conflict, NotAllowed, Refusal, Unacceptable
from workspace.display.pages import render_markdown
from workspace.models import Person
from workspace.web.bind_form import add_refusal, bind_form
from workspace.web.views import SignedIn, download, frame, require, respond


@require("see_verdict")
def verdict(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game = judged_game_or_404(request.user, slug, number)
    return show_verdict(request, game, RecordForm())


@require("record_verdict", methods=("POST",))
def record(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game = judged_game_or_404(request.user, slug, number)
    check_record_verdict(request.user, game)
    form = bind_form(request, RecordForm)
    if not form.is_valid():
        return show_verdict(request, game, form, status=422)
    given = form.cleaned_data
    try:
        record_verdict(
            game=game,
            basis_sha256=given["basis_sha256"],
            shown=given["basis"],
            reason=given["reason"],
            by=request.user,
            now=timezone.now(),
        )
    except (Conflict, Unacceptable) as refusal:
        return show_verdict(request, game, form, refusal, status=add_refusal(form, refusal))
    return respond(request, page="", redirect=reverse("verdict", args=[slug, number]))


@require("see_verdict", methods=("POST",))
def replay(request: SignedIn, slug: str, number: int, verdict: int) -> HttpResponse:
    game = judged_game_or_404(request.user, slug, number)
    bind_form(request, ReplayForm)
    row = get_object_or_404(Verdict.objects.select_related("game"), game=game, number=verdict)
    return show_verdict(request, game, RecordForm(), replayed=replay_verdict(verdict=row), number=verdict)


@require("see_verdict")
def report(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game, found = report_or_refusal(request.user, slug, number)
    context = {"report": found, "game": game, **frame(request.user, game.project, "games")}
    return respond(request, page="discussions/verdicts/report.html", context=context)


@require("see_verdict")
def report_markdown(request: SignedIn, slug: str, number: int) -> HttpResponse:
    _game, found = report_or_refusal(request.user, slug, number)
    text = render_markdown("discussions/verdicts/report.md", report=found)
    return download(text.encode(), f"{slug}-game-{number}.md", "text/markdown; charset=utf-8")


@require("see_verdict")
def report_json(request: SignedIn, slug: str, number: int) -> HttpResponse:
    _game, found = report_or_refusal(request.user, slug, number)
    return download(report_to_json(found), f"{slug}-game-{number}.json", "application/json")


@require("see_verdict")
def report_csv(request: SignedIn, slug: str, number: int) -> HttpResponse:
    _game, found = report_or_refusal(request.user, slug, number)
    name = f"{slug}-game-{number}.csv"
    return download(report_to_csv(found), name, "text/csv; charset=utf-8; header=present")


def judged_game_or_404(person: Person, slug: str, number: int) -> Game:
    found = find_game(slug, number)
    if found is None or not may(check_see_verdict, person, found):
        raise Http404
    return found


def report_or_refusal(person: Person, slug: str, number: int) -> tuple[Game, Report]:
    """The game and its report; NotAllowed (403) while no verdict is recorded."""
    game = judged_game_or_404(person, slug, number)
    leads = may(check_supersede_verdict, person, game)
    found = build_report(game=game, only=None if leads else person)
    if found is None:
        raise NotAllowed(_("There is no report yet: no verdict is recorded on this game."), code="no_verdict")
    return game, found


def find_reopenable(person: Person, game: Game) -> int:
    """The person's own evaluation of the game, while it can be reopened; else 0, as for who leads the project."""
    if may_lead(person, game.project):
        return 0
    own = Evaluation.objects.submitted_ratings().filter(game=game, evaluator=person).order_by("pk").first()
    return own.pk if own and may(check_reopen, person, own, timezone.now()) else 0


def show_verdict(
    request: SignedIn,
    game: Game,
    form: RecordForm,
    refusal: Refusal | None = None,
    *,
    status: int = 200,
    replayed: Replay | None = None,
    number: int = 0,
) -> HttpResponse:
    page = build_verdict_page(game=game, person=request.user)
    changed = refusal.detail.get("changes", []) if isinstance(refusal, Conflict) else []
    context = {
        "page": page,
        "describe_people": describe_people_estimate,
        "form": form,
        "refusal": refusal,
        "changed": changed,
        "replay": replayed,
        "replayed_number": number,
        "reopenable": find_reopenable(request.user, game),
        **frame(request.user, game.project, "games"),
    }
    return respond(
        request,
        page="discussions/verdicts/verdict.html",
        region="discussions/verdicts/_verdict.html",
        context=context,
        status=status,
    )
