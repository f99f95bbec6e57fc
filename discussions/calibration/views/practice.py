"""Practice: the page of rating on an invented game; its answers are kept in the sign-in's session and count nowhere."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec import structs

from discussions.calibration import pages
from discussions.calibration.views.guidelines import seen_key
from discussions.rating.forms import ActForm
from discussions.rating.pages.evaluation import CompletedAct, EvaluationQuery, rating_answer, rating_page
from discussions.rating.pages.records import Changed
from discussions.rating.queries import EvaluationState
from discussions.rating.views import ANSWER, AT, FOUND, PAGE, choose_anchor
from discussions.slots.permissions import check_take_game
from workspace.access.permissions import may
from workspace.audit.forms import KeyedForm, UndoForm, new_nonce
from workspace.core.refusals import Unacceptable
from workspace.web.bind_form import bind_form, only_parameters, parse_number, project_or_404
from workspace.web.forms import NothingForm
from workspace.web.require import SignedIn, is_htmx, require
from workspace.web.respond import respond

MOST_GIVEN = 300


class Practice:
    """One person's practice in one project: `given`, the answers so far, and the state after them."""

    def __init__(self, request: SignedIn, slug: str) -> None:
        self.request, self.project = request, project_or_404(request.user, slug)
        self.here = reverse("practice", args=[slug])
        self.given = [tuple(one) for one in request.session.get(self.key, [])]
        self.work = pages.practise_again(pages.begin_practice(request.user, self.project), self.given)
        self.may_rate = may(check_take_game, request.user, self.project)

    @property
    def key(self) -> str:
        return f"practice_{self.project.pk}"

    def keep(self, work: EvaluationState) -> None:
        self.request.session[self.key] = self.given[-MOST_GIVEN:]
        self.work = work

    def show(self, wanted: EvaluationQuery, changed: Changed, status: int = 200) -> HttpResponse:
        page = rating_page(work=self.work, wanted=wanted, lease=None)
        context = {
            "page": pages.make_practice_page(page, self.work, may_rate=self.may_rate),
            "changed": changed,
            "unsaved": False,
            "oob": False,
        }
        region = AT if wanted.at else FOUND if "find" in self.request.GET else None
        return respond(self.request, page=PAGE, region=region, context=context, status=status)

    def answer(self, form: KeyedForm, done: CompletedAct, status: int = 200) -> HttpResponse:
        """The answer to an act, with what it explains; without script the page again."""
        wanted = EvaluationQuery(form.page_nonce or new_nonce(), str(form.data.get("step", "")))
        page, changed = rating_answer(work=self.work, wanted=wanted, done=done)
        if not done.refusal:
            changed = structs.replace(changed, lesson=pages.explain(self.work, done.kind, done.subject))
        if not is_htmx(self.request) and status >= 400:
            return self.show(wanted, changed, status)
        plain = f"{self.here}?step={page.step}#{choose_anchor(done)}"
        page = pages.make_practice_page(page, self.work, may_rate=self.may_rate)
        return respond(
            self.request,
            page=PAGE,
            region=ANSWER,
            context={"page": page, "changed": changed, "unsaved": False},
            status=status,
            redirect=None if is_htmx(self.request) else plain,
        )


@require("see_project", methods=("GET", "POST"))
def practice(request: SignedIn, slug: str) -> HttpResponse:
    """The page of rating, with the explanation of the last answer; POST begins anew."""
    mine = Practice(request, slug)
    if request.method == "POST":
        bind_form(request, NothingForm)
        request.session.pop(mine.key, None)
        return respond(request, page="", redirect=mine.here)
    asked = only_parameters(request, "step", "at", "player", "nonce", "page", "find", "message")
    if asked["message"]:
        return respond(request, page="", redirect=f"{mine.here}#m{parse_number(asked['message'])}")
    wanted = EvaluationQuery(
        asked["nonce"] or new_nonce(),
        asked["step"],
        parse_number(asked["at"]),
        parse_number(asked["player"]),
        find=asked["find"],
    )
    request.session[seen_key(mine.project)] = True
    last = mine.given[-1] if mine.given else ("", "", "")
    return mine.show(wanted, Changed(lesson=pages.explain(mine.work, last[0], last[1])))


@require("see_project", methods=("POST",))
def judge_practice(request: SignedIn, slug: str) -> HttpResponse:
    mine, form, done = Practice(request, slug), bind_form(request, ActForm), CompletedAct()
    try:
        form.check()
        posted = form.to_act()
        done = CompletedAct(posted.kind, posted.subject)
        given = (posted.kind, posted.subject, posted.value or "")
        after = pages.practise(mine.work, given)
    except Unacceptable as refusal:
        return mine.answer(form, structs.replace(done, refusal=refusal.sentence), refusal.status)
    if mine.given[-1:] != [given]:
        mine.given.append(given)
    opened = after.revealed - mine.work.revealed
    mine.keep(after)
    return mine.answer(form, CompletedAct(*given[:2], opened, timezone.now(), is_undoable=True))


@require("see_project", methods=("POST",))
def undo_practice(request: SignedIn, slug: str) -> HttpResponse:
    mine, form = Practice(request, slug), bind_form(request, UndoForm)
    if not mine.given:
        return mine.answer(form, CompletedAct(refusal=_("There is nothing to undo.")), 422)
    kind, subject, _value = mine.given.pop()
    hidden = frozenset({subject} if kind == "reveal" else ())
    mine.keep(pages.practise_again(pages.begin_practice(request.user, mine.project), mine.given))
    return mine.answer(
        form, CompletedAct(kind, subject, hidden, timezone.now(), is_undoable=bool(mine.given))
    )
