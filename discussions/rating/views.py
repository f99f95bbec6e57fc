"""The evaluator's page and its acts, the lease of its slot, and one's own evaluations and answers."""

from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.core.evaluation_states import SUBMITTED, state_after
from discussions.core.judgement_kinds import item_id
from discussions.models import Evaluation
from discussions.rating.actions import act
from discussions.rating.actions import reopen_evaluation as do_reopen
from discussions.rating.actions import return_to_game as do_return
from discussions.rating.actions import skip_game as do_skip
from discussions.rating.actions import undo as do_undo
from discussions.rating.core.refusals import say_thoughts_closed
from discussions.rating.core.visibility import TRANSCRIPT
from discussions.rating.forms import ActForm, LeaseForm, SkipForm
from discussions.rating.pages.authorship_test import identification_answer, identification_page
from discussions.rating.pages.differences import build_differences_page
from discussions.rating.pages.evaluation import (
    CompletedAct,
    EvaluationQuery,
    build_conflict,
    rating_answer,
    rating_page,
)
from discussions.rating.pages.lease import ENDED, HELD, Lease, build_lease
from discussions.rating.pages.own_work import build_own_history, mine_page
from discussions.rating.pages.review import describe_submitted
from discussions.rating.pages.transcript import build_thoughts_page
from discussions.rating.pages.visible_evaluation import build_window
from discussions.rating.queries import EvaluationState, load_own_evaluation, load_state
from discussions.slots.actions import renew_lease as renew
from workspace.audit.forms import OLD, KeyedForm, UndoForm, new_nonce
from workspace.core.refusals import Conflict, NotAllowed, Refusal, Unacceptable
from workspace.models import Person
from workspace.web.bind_form import bind_form, parse_number
from workspace.web.form_page import press
from workspace.web.views import (
    SignedIn,
    frame,
    goes_on,
    is_htmx,
    only_parameters,
    require,
    respond,
    tell_saved,
)

PAGE, ANSWER, AT, FOUND, TEST, TEST_ANSWER, REFUSED, OPENED, COLUMNS = (
    "discussions/rating/evaluation.html",
    "discussions/rating/_answer.html",
    "discussions/rating/_at.html",
    "discussions/rating/_found.html",
    "discussions/rating/authorship_test.html",
    "discussions/rating/_identify_answer.html",
    "discussions/rating/_refused.html",
    "discussions/rating/thoughts.html",
    "discussions/rating/_thoughts.html",
)


def evaluation_or_404(person: Person, evaluation: int) -> Evaluation:
    found = load_own_evaluation(person, evaluation)
    if found is None:
        raise Http404
    return found


@require("rate")
def rate(request: SignedIn, evaluation: int) -> HttpResponse:
    """The page, or as a region the forms of one message or the results of a search; `message` selects its page.

    `submitted` is the evaluation that led to this one: the page says what became of it. A closed one can be read;
    `late` says that an answer came after it was submitted.
    """
    names = "step at player votes nonce page find message submitted late"
    asked = only_parameters(request, *names.split())
    found = evaluation_or_404(request.user, evaluation)
    if asked["message"]:
        return redirect(message_address(found, parse_number(asked["message"]), asked["step"]))
    wanted = EvaluationQuery(
        asked["nonce"] or new_nonce(),
        asked["step"],
        parse_number(asked["at"]),
        parse_number(asked["player"]),
        parse_number(asked["page"]),
        asked["find"],
    )
    lease = build_lease(evaluation=found, now=timezone.now())
    key = parse_number(asked["submitted"])
    before = load_own_evaluation(request.user, key) if key else None
    told = describe_submitted(load_state(before)) if before else None
    if asked["late"] and found.state == SUBMITTED:
        told = _("What you did last came after this game was submitted, so it does not count."), request.path
    return show_full_page(request, found, wanted, lease, told=told)


def message_address(evaluation: Evaluation, position: int, step: str) -> str:
    """The address of a message, on its page of the transcript; the nearest message if there is no such message."""
    work = load_state(evaluation)
    window = build_window(work.seen.messages)
    position = min(max(position, 1), window.message_count)
    page = {"page": window.find_page_number(position)} if window.is_paged else {}
    query = urlencode({key: value for key, value in {"step": step, **page}.items() if value})
    anchor = f"#m{position}" if work.visibility.transcript else ""
    return f"{reverse('rate', args=[evaluation.pk])}?{query}{anchor}"


def show_full_page(
    request: SignedIn,
    evaluation: Evaluation,
    wanted: EvaluationQuery,
    lease: Lease,
    *,
    status: int = 200,
    unsaved: bool = False,
    typed: str = "",
    told: tuple[str, str] | None = None,
) -> HttpResponse:
    """The full page, or the part of it that is shown while the transcript is closed."""
    work = load_state(evaluation)
    refused = {"changed": None, "unsaved": unsaved, "typed": typed, "told": told}
    if not work.visibility.transcript:
        test = identification_page(work=work, wanted=wanted, lease=lease)
        return respond(request, page=TEST, context={"page": test} | refused, status=status)
    page = rating_page(work=work, wanted=wanted, lease=lease)
    region = AT if wanted.at else FOUND if "find" in request.GET else None
    return respond(
        request, page=PAGE, region=region, context={"page": page, "oob": False} | refused, status=status
    )


@require("rate", methods=("POST",))
def judge(request: SignedIn, evaluation: int) -> HttpResponse:
    """One act: a judgement, the reveal, a comment or a flag."""
    found = evaluation_or_404(request.user, evaluation)
    form = bind_form(request, ActForm)
    done = CompletedAct()
    try:
        form.check()
        posted = form.to_act()
        done = CompletedAct(posted.kind, posted.subject)
        acted = act(evaluation=found, posted=posted, by=request.user, now=timezone.now())
    except (Conflict, NotAllowed, Unacceptable) as refusal:
        return refused(request, found, form, done, refusal)
    if TRANSCRIPT in acted.revealed:
        return respond(request, page=PAGE, redirect=reverse("rate", args=[found.pk]))
    is_undoable = True if acted.work else None
    done = CompletedAct(posted.kind, posted.subject, acted.revealed, acted.saved_at, is_undoable=is_undoable)
    return answered(request, found, form, done, work=acted.work)


@require("rate", methods=("POST",))
def undo(request: SignedIn, evaluation: int) -> HttpResponse:
    found = evaluation_or_404(request.user, evaluation)
    form = bind_form(request, UndoForm)
    try:
        form.check()
        saved = do_undo(evaluation=found, **form.target, by=request.user, now=timezone.now())
    except (Conflict, NotAllowed, Unacceptable) as refusal:
        return refused(request, found, form, CompletedAct(), refusal)
    done = CompletedAct(saved.kind, saved.subject, saved.revealed, saved.revision.created_at)
    return answered(request, found, form, done, work=saved.work)


@require("rate", methods=("POST",))
def skip_game(request: SignedIn, evaluation: int) -> HttpResponse:
    found = evaluation_or_404(request.user, evaluation)
    form = bind_form(request, SkipForm)
    reason = form.cleaned_data["text"] if form.is_valid() else ""
    try:
        do_skip(evaluation=found, reason=reason, by=request.user, now=timezone.now())
    except (NotAllowed, Unacceptable) as refusal:
        return refused(request, found, form, CompletedAct(), refusal)
    return respond(request, page=PAGE, redirect=f"{reverse('home')}?skipped={found.pk}")


@require("reopen_evaluation", methods=("POST",))
def reopen_evaluation(request: SignedIn, evaluation: int) -> HttpResponse:
    found = evaluation_or_404(request.user, evaluation)
    return press(request, do_reopen, reverse("rate", args=[found.pk]), evaluation=found)


@require("rate")
def own_differences(request: SignedIn, evaluation: int) -> HttpResponse:
    """Show where the evaluator and the rule differ in one's own submitted evaluation, if the project shows it."""
    work = load_state(evaluation_or_404(request.user, evaluation))
    page = build_differences_page(work)
    if page is None:
        raise Http404
    context = {"page": page, **frame(request.user)}
    return respond(request, page="discussions/rating/differences.html", context=context)


@require("rate")
def thoughts(request: SignedIn, evaluation: int) -> HttpResponse:
    """What was said, thought and voted at one message: a region of the transcript, or a page with those around it."""
    asked = only_parameters(request, "message")
    work = load_state(evaluation_or_404(request.user, evaluation))
    if work.visibility.missing and not work.visibility.thoughts:
        raise NotAllowed(say_thoughts_closed())
    page = build_thoughts_page(work, parse_number(asked["message"]))
    if page is None:
        raise Http404
    return respond(request, page=OPENED, region=COLUMNS, context={**page, **frame(request.user)})


@require("return_to_game", methods=("POST",))
def return_to_game(request: SignedIn, evaluation: int) -> HttpResponse:
    found = evaluation_or_404(request.user, evaluation)
    bind_form(request, KeyedForm)
    do_return(evaluation=found, by=request.user, now=timezone.now())
    return respond(request, page=PAGE, redirect=reverse("rate", args=[found.pk]))


def answered(
    request: SignedIn,
    evaluation: Evaluation,
    form: KeyedForm,
    done: CompletedAct,
    *,
    work: EvaluationState | None = None,
    status: int = 200,
) -> HttpResponse:
    """The response to an act: regions for htmx, else a redirect to the item, or the full page with the refusal.

    Built from `work` as committed, or read again when the act wrote nothing.
    """
    work = work or load_state(evaluation_or_404(request.user, evaluation.pk))
    turned = getattr(form, "cleaned_data", {}).get("page") or 0
    wanted = EvaluationQuery(form.page_nonce or new_nonce(), str(form.data.get("step", "")), page=turned)
    if not work.visibility.transcript:
        return tell_saved(answered_in_test(request, work, wanted, done, status), done.saved_at)
    page, changed = rating_answer(work=work, wanted=wanted, done=done)
    context: dict[str, object] = {"page": page, "changed": changed, "unsaved": False}
    if not is_htmx(request) and status >= 400:
        lease = build_lease(evaluation=work.evaluation, now=timezone.now())
        anew = EvaluationQuery(new_nonce(), page.step, page=turned)
        context["page"] = rating_page(work=work, wanted=anew, lease=lease)
    plain = None
    if not is_htmx(request):
        at = f"?step={page.step}" + (f"&page={page.window.page}" if page.window.is_paged else "")
        plain = f"{reverse('rate', args=[evaluation.pk])}{at}#{choose_anchor(done)}"
    made = respond(request, page=PAGE, region=ANSWER, context=context, status=status, redirect=plain)
    return tell_saved(made, done.saved_at)


def answered_in_test(
    request: SignedIn, work: EvaluationState, wanted: EvaluationQuery, done: CompletedAct, status: int = 200
) -> HttpResponse:
    """The same while the transcript is closed: neither its regions nor its page are rendered."""
    page, changed = identification_answer(work=work, wanted=wanted, done=done)
    if not is_htmx(request) and status >= 400:
        lease = build_lease(evaluation=work.evaluation, now=timezone.now())
        page = identification_page(work=work, wanted=EvaluationQuery(new_nonce()), lease=lease)
    place = f"{reverse('rate', args=[work.evaluation.pk])}?step={page.step}#{choose_anchor(done)}"
    plain = None if is_htmx(request) else place
    context = {"page": page, "changed": changed, "unsaved": False}
    return respond(request, page=TEST, region=TEST_ANSWER, context=context, status=status, redirect=plain)


def choose_anchor(done: CompletedAct) -> str:
    """The element that a redirect after an act goes to."""
    if done.kind in ("comment", "flag"):
        return f"message-{done.subject.partition(':')[2]}" if ":" in done.subject else "top"
    return item_id("reference" if done.kind in ("missed", "deliberate") else done.kind, done.subject)


def refused(
    request: SignedIn, evaluation: Evaluation, form: KeyedForm, done: CompletedAct, refusal: Refusal
) -> HttpResponse:
    """The same response with the refusal: both versions of a conflict, or the sentence."""
    if isinstance(refusal, NotAllowed):
        return not_held(request, evaluation, form, refusal)
    if isinstance(refusal, Conflict) and refusal.code == "stale" and refusal.detail:
        seen = CompletedAct(done.kind, done.subject, conflict=build_conflict(refusal.detail))
    else:
        seen = CompletedAct(
            done.kind, done.subject, refusal=refusal.sentence, is_unchanged=refusal.code == "unchanged"
        )
    return answered(request, evaluation, form, seen, status=refusal.status)


def not_held(request: SignedIn, evaluation: Evaluation, form: KeyedForm, refusal: NotAllowed) -> HttpResponse:
    """Answer an act after its slot went back: say why, and how to resume the game. Any other act is refused; a page
    that was open while another submitted the evaluation is shown as it is now, unless that would lose a text."""
    found = evaluation_or_404(request.user, evaluation.pk)
    if is_htmx(request) and found.state == SUBMITTED and not form.data.get("text"):
        return respond(request, page=PAGE, redirect=f"{reverse('rate', args=[found.pk])}?late=yes")
    if state_after(found.state, "resume") is None:
        raise refusal
    lease = build_lease(evaluation=found, now=timezone.now(), refusal=refusal)
    if is_htmx(request):
        return respond(request, page=PAGE, region=REFUSED, context={"lease": lease}, status=refusal.status)
    wanted = EvaluationQuery(new_nonce(), str(form.data.get("step", "")))
    typed_text = str(form.data.get("text", ""))
    return show_full_page(
        request, found, wanted, lease, status=refusal.status, unsaved=True, typed=typed_text
    )


LEASE = "discussions/rating/_lease.html"


@require("rate", methods=("GET", "POST"))
def renew_lease(request: SignedIn, evaluation: int) -> HttpResponse:
    """How long the slot is held; POST renews the lease or resumes the game. Nothing else on the page is rendered."""
    found = evaluation_or_404(request.user, evaluation)
    if request.method != "POST":
        return _answered(request, found) if is_htmx(request) else redirect("rate", found.pk)
    form = bind_form(request, LeaseForm)
    if not form.is_valid():
        raise Unacceptable(str(OLD))
    try:
        act = do_return if form.is_again else renew
        act(evaluation=found, by=request.user, now=timezone.now())
    except (NotAllowed, Conflict) as refusal:
        if not is_htmx(request):
            raise
        return _answered(request, found, form, refusal)
    return _answered(request, found, form)


def _answered(
    request: SignedIn,
    evaluation: Evaluation,
    form: LeaseForm | None = None,
    refusal: NotAllowed | Conflict | None = None,
) -> HttpResponse:
    """The current lease, with a note if it changed; without htmx, the page again."""
    found = evaluation_or_404(request.user, evaluation.pk)
    lease = build_lease(evaluation=found, now=timezone.now(), refusal=refusal)
    # Shown once: the note must not replace another one at every key press.
    was_ended = form is not None and form.cleaned_data["known"] == ENDED
    is_again = form is not None and form.is_again
    is_news = is_again or (lease.state == ENDED) != was_ended
    context = {"lease": lease, "is_news": is_news, "oob": False}
    status, back = refusal.status if refusal else 200, reverse("rate", args=[evaluation.pk])
    made = respond(request, page=PAGE, region=LEASE, context=context, status=status, redirect=back)
    if lease.state == HELD and (is_again or was_ended) and is_htmx(request):
        # The page now sends what it kept while the slot was not held, as it does after signing in again.
        made["HX-Trigger"] = goes_on(request)
    return made


@require("sign_in")
def own_history(request: SignedIn) -> HttpResponse:
    asked = only_parameters(request, "before")
    page = build_own_history(person=request.user, before=parse_number(asked["before"]))
    return respond(
        request, page="discussions/rating/own_history.html", context={"page": page, **frame(request.user)}
    )


@require("sign_in")
def mine(request: SignedIn) -> HttpResponse:
    asked = only_parameters(request, "before")
    page = mine_page(person=request.user, now=timezone.now(), before=parse_number(asked["before"]))
    return respond(
        request, page="discussions/rating/own_work.html", context={"page": page, **frame(request.user)}
    )
