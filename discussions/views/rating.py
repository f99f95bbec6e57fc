"""The evaluator's page and its acts."""

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone

from discussions.actions.acting import act
from discussions.actions.finishing import return_to_game as do_return
from discussions.actions.finishing import skip_game as do_skip
from discussions.actions.finishing import submit_evaluation as do_submit
from discussions.actions.judging import undo as do_undo
from discussions.core.moves import state_after
from discussions.core.sight import TRANSCRIPT
from discussions.forms.rating import ActForm, SkipForm
from discussions.models import Evaluation
from discussions.models.slots import CALIBRATION, RATING
from discussions.models.standings import Work, own_evaluation, work_of
from discussions.pages.identification import identification_answer, identification_page
from discussions.pages.rating import Wanted, rating_answer, rating_page
from discussions.pages.rating_changes import Done, conflict_of
from discussions.pages.rating_desk import item_id
from discussions.pages.rating_lease import Lease, build_lease
from workspace.core.refusals import Conflict, NotAllowed, Refusal, Unacceptable
from workspace.forms.acts import KeyedForm, UndoForm
from workspace.models import Person
from workspace.views.answers import answer
from workspace.views.bodies import number_of, only_parameters, typed
from workspace.views.gate import SignedIn, is_htmx, needs
from workspace.views.revisions import new_nonce, tell_saved

PAGE, ANSWER, AT, TEST, TEST_ANSWER, REFUSED = (
    "discussions/evaluation_rate.html",
    "discussions/_rate_answer.html",
    "discussions/_rate_at.html",
    "discussions/evaluation_identify.html",
    "discussions/_identify_answer.html",
    "discussions/_rate_refused.html",
)


def evaluation_or_404(person: Person, evaluation: int) -> Evaluation:
    """One's own evaluation with that number."""
    found = own_evaluation(person, evaluation)
    if found is None:
        raise Http404
    return found


@needs("rate")
def rate(request: SignedIn, evaluation: int) -> HttpResponse:
    """The page, or the forms of one message as a region. A closed evaluation can still be read."""
    asked = only_parameters(request, "step", "at", "player", "votes", "nonce", "page")
    found = evaluation_or_404(request.user, evaluation)
    wanted = Wanted(
        asked["nonce"] or new_nonce(),
        asked["step"],
        number_of(asked["at"]),
        number_of(asked["player"]),
        number_of(asked["page"]),
    )
    return desk(request, found, wanted, build_lease(evaluation=found, now=timezone.now()))


def desk(
    request: SignedIn,
    evaluation: Evaluation,
    wanted: Wanted,
    lease: Lease,
    *,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    """The whole page as it stands, or what of it is shown while the transcript is closed."""
    work = work_of(evaluation)
    if not work.sight.transcript:
        test = identification_page(work=work, wanted=wanted, lease=lease)
        return answer(request, page=TEST, context={"page": test} | more, status=status)
    page = rating_page(work=work, wanted=wanted, lease=lease)
    region = AT if wanted.at else None
    return answer(request, page=PAGE, region=region, context={"page": page} | more, status=status)


@needs("rate", methods=("POST",))
def judge(request: SignedIn, evaluation: int) -> HttpResponse:
    """One act: a judgement, the reveal, a comment or a flag."""
    found = evaluation_or_404(request.user, evaluation)
    form = typed(request, ActForm)
    done = Done()
    try:
        form.check()
        posted = form.to_act()
        done = Done(posted.kind, posted.subject)
        acted = act(evaluation=found, posted=posted, by=request.user, now=timezone.now())
    except (Conflict, NotAllowed, Unacceptable) as refusal:
        return refused(request, found, form, done, refusal)
    if TRANSCRIPT in acted.revealed:
        return answer(request, page=PAGE, redirect=reverse("rate", args=[found.pk]))
    is_undoable = True if acted.work else None
    done = Done(posted.kind, posted.subject, acted.revealed, acted.saved_at, is_undoable=is_undoable)
    return answered(request, found, form, done, work=acted.work)


@needs("rate", methods=("POST",))
def undo(request: SignedIn, evaluation: int) -> HttpResponse:
    """Take the newest act back."""
    found = evaluation_or_404(request.user, evaluation)
    form = typed(request, UndoForm)
    try:
        form.check()
        saved = do_undo(evaluation=found, **form.target, by=request.user, now=timezone.now())
    except (Conflict, NotAllowed, Unacceptable) as refusal:
        return refused(request, found, form, Done(), refusal)
    done = Done(saved.kind, saved.subject, saved.revealed, saved.revision.created_at)
    return answered(request, found, form, done, work=saved.work)


@needs("submit", methods=("POST",))
def submit_evaluation(request: SignedIn, evaluation: int) -> HttpResponse:
    """Hand the evaluation in; the only evaluator of a game goes on to its verdict."""
    found = evaluation_or_404(request.user, evaluation)
    form = typed(request, KeyedForm)
    form.is_valid()
    try:
        submitted = do_submit(evaluation=found, by=request.user, now=timezone.now())
    except (NotAllowed, Unacceptable) as refusal:
        return refused(request, found, form, Done(), refusal)
    return answer(request, page=PAGE, redirect=_after(submitted))


def _after(submitted: Evaluation) -> str:
    """Where handing in leads: the only evaluator of a game goes on to its verdict, a trainee to what came of it."""
    game = submitted.game
    if submitted.purpose == CALIBRATION:
        return reverse("calibration_feedback", args=[submitted.pk])
    if submitted.purpose == RATING and game.evaluator_count == 1:
        return reverse("verdict", args=[game.project.slug, game.number])
    return f"{reverse('home')}?handed_in={submitted.pk}"


@needs("rate", methods=("POST",))
def skip_game(request: SignedIn, evaluation: int) -> HttpResponse:
    """Give the place on a game back, with a reason."""
    found = evaluation_or_404(request.user, evaluation)
    form = typed(request, SkipForm)
    reason = form.cleaned_data["text"] if form.is_valid() else ""
    try:
        do_skip(evaluation=found, reason=reason, by=request.user, now=timezone.now())
    except (NotAllowed, Unacceptable) as refusal:
        return refused(request, found, form, Done(), refusal)
    return answer(request, page=PAGE, redirect=reverse("home"))


@needs("return_to_game", methods=("POST",))
def return_to_game(request: SignedIn, evaluation: int) -> HttpResponse:
    """Take a skipped game up again."""
    found = evaluation_or_404(request.user, evaluation)
    typed(request, KeyedForm)
    do_return(evaluation=found, by=request.user, now=timezone.now())
    return answer(request, page=PAGE, redirect=reverse("rate", args=[found.pk]))


def answered(
    request: SignedIn,
    evaluation: Evaluation,
    form: KeyedForm,
    done: Done,
    *,
    work: Work | None = None,
    status: int = 200,
) -> HttpResponse:
    """What an act left: regions for htmx, else a redirect to the item, or the whole page with what was refused.

    Built from `work` as it was committed, or read anew when the act wrote nothing.
    """
    work = work or work_of(evaluation_or_404(request.user, evaluation.pk))
    turned = getattr(form, "cleaned_data", {}).get("page") or 0
    wanted = Wanted(form.page_nonce or new_nonce(), str(form.data.get("step", "")), page=turned)
    if not work.sight.transcript:
        return tell_saved(answered_in_test(request, work, wanted, done, status), done.saved_at)
    page, changed = rating_answer(work=work, wanted=wanted, done=done)
    context: dict[str, object] = {"page": page, "changed": changed}
    if not is_htmx(request) and status >= 400:
        lease = build_lease(evaluation=work.evaluation, now=timezone.now())
        anew = Wanted(new_nonce(), page.step, page=turned)
        context["page"] = rating_page(work=work, wanted=anew, lease=lease)
    at = f"?step={page.step}" + (f"&page={page.window.page}" if page.window.is_paged else "")
    place = f"{reverse('rate', args=[evaluation.pk])}{at}#{place_of(done)}"
    plain = None if is_htmx(request) else place
    made = answer(request, page=PAGE, region=ANSWER, context=context, status=status, redirect=plain)
    return tell_saved(made, done.saved_at)


def answered_in_test(
    request: SignedIn, work: Work, wanted: Wanted, done: Done, status: int = 200
) -> HttpResponse:
    """The same while the transcript is closed: neither its regions nor its page are drawn."""
    page, changed = identification_answer(work=work, wanted=wanted, done=done)
    if not is_htmx(request) and status >= 400:
        lease = build_lease(evaluation=work.evaluation, now=timezone.now())
        page = identification_page(work=work, wanted=Wanted(new_nonce()), lease=lease)
    place = f"{reverse('rate', args=[work.evaluation.pk])}?step={page.step}#{place_of(done)}"
    plain = None if is_htmx(request) else place
    context = {"page": page, "changed": changed}
    return answer(request, page=TEST, region=TEST_ANSWER, context=context, status=status, redirect=plain)


def place_of(done: Done) -> str:
    """The element that a redirect after an act goes to."""
    if done.kind in ("comment", "flag"):
        return f"message-{done.subject.partition(':')[2]}" if ":" in done.subject else "top"
    return item_id("reference" if done.kind in ("missed", "deliberate") else done.kind, done.subject)


def refused(
    request: SignedIn, evaluation: Evaluation, form: KeyedForm, done: Done, refusal: Refusal
) -> HttpResponse:
    """The same answer with what was refused: both versions of a conflict, or the sentence."""
    if isinstance(refusal, NotAllowed):
        return not_held(request, evaluation, form, refusal)
    if isinstance(refusal, Conflict) and refusal.code == "stale" and refusal.detail:
        seen = Done(done.kind, done.subject, conflict=conflict_of(refusal.detail))
    else:
        seen = Done(done.kind, done.subject, refusal=refusal.sentence)
    return answered(request, evaluation, form, seen, status=refusal.status)


def not_held(request: SignedIn, evaluation: Evaluation, form: KeyedForm, refusal: NotAllowed) -> HttpResponse:
    """What an act is answered whose place went back: why, and how the game is taken up again; else it is refused."""
    found = evaluation_or_404(request.user, evaluation.pk)
    if state_after(found.state, "resume") is None:
        raise refusal
    lease = build_lease(evaluation=found, now=timezone.now(), refusal=refusal)
    if is_htmx(request):
        return answer(request, page=PAGE, region=REFUSED, context={"lease": lease}, status=refusal.status)
    wanted = Wanted(new_nonce(), str(form.data.get("step", "")))
    typed_text = str(form.data.get("text", ""))
    return desk(request, found, wanted, lease, status=refusal.status, unsaved=True, typed=typed_text)
