"""The reviewer's list, page and acts."""

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone

from rubric.actions.beginning import open_review
from rubric.actions.reviewing import hand_in_review
from rubric.actions.reviewing import mark as do_mark
from rubric.actions.reviewing import undo_mark as do_undo
from rubric.forms.reviewing import MarkForm
from rubric.models import Comparison, Review
from rubric.models.reviewing import Work, own_review, work_of
from rubric.models.reviews import DRAFT
from rubric.pages.reviewing import Done, Wanted, place_of_act, review_answer, review_page
from rubric.pages.reviewing_handed_in import handed_in_page
from rubric.pages.reviewing_list import reviews_page
from workspace.actions.revisions import Saved
from workspace.core.refusals import Conflict, Refusal, Unacceptable
from workspace.forms.acts import KeyedForm, UndoForm
from workspace.models import Project
from workspace.models.prepared import LARGEST_KEY
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import only_parameters, typed
from workspace.views.gate import SignedIn, is_htmx, needs
from workspace.views.revisions import new_nonce, tell_saved

LIST, PAGE, ANSWER, HANDED_IN = (
    "rubric/review_list.html",
    "rubric/review_show.html",
    "rubric/_review_answer.html",
    "rubric/review_handed_in.html",
)


def review_or_404(request: SignedIn, review: int) -> Review:
    """One's own review with that number."""
    found = own_review(request.user, review)
    if found is None:
        raise Http404
    return found


@needs("sign_in")
def reviews(request: SignedIn) -> HttpResponse:
    """What waits for me."""
    only_parameters(request)
    page = reviews_page(person=request.user)
    return answer(request, page=LIST, context={"page": page, **frame(request.user)})


@needs("begin_review", methods=("POST",))
def begin(request: SignedIn, comparison: int) -> HttpResponse:
    """Open a comparison of a set that I review: begin it, or go on with it."""
    places = Comparison.objects.filter(
        set__reviewers__person=request.user,
        set__reviewers__ended_at=None,
        set__project__in=Project.objects.visible_to(request.user),
    )
    found = places.select_related("set__project").filter(pk=min(comparison, LARGEST_KEY)).first()
    if found is None:
        raise Http404
    typed(request, KeyedForm)
    opened = open_review(comparison=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("review", args=[opened.pk]))


@needs("review")
def review(request: SignedIn, review: int) -> HttpResponse:
    """The page of a draft, or the review as it was handed in."""
    asked = only_parameters(request, "step")
    work = work_of(review_or_404(request, review))
    if work.review.state != DRAFT:
        page = handed_in_page(work=work, person=request.user)
        return answer(request, page=HANDED_IN, context={"page": page, **frame(request.user)})
    wanted = Wanted(new_nonce(), asked["step"])
    return answer(
        request, page=PAGE, context={"page": review_page(work=work, wanted=wanted, person=request.user)}
    )


@needs("review", methods=("POST",))
def mark(request: SignedIn, review: int) -> HttpResponse:
    """One act: a score, a note, the ranking."""
    found = review_or_404(request, review)
    form = typed(request, MarkForm)
    done = Done()
    try:
        form.check()
        act = form.to_act()
        done = Done(act.kind, act.subject)
        saved = do_mark(review=found, act=act, by=request.user, now=timezone.now())
    except (Conflict, Unacceptable) as refusal:
        return refused(request, found, form, done, refusal)
    done = done_of(saved, is_elsewhere=form.is_from_conflict)
    return answered(request, found, form, done, work=saved.work)


@needs("review", methods=("POST",))
def undo_mark(request: SignedIn, review: int) -> HttpResponse:
    """Take the newest act back."""
    found = review_or_404(request, review)
    form = typed(request, UndoForm)
    try:
        form.check()
        saved = do_undo(review=found, **form.target, by=request.user, now=timezone.now())
    except (Conflict, Unacceptable) as refusal:
        return refused(request, found, form, Done(), refusal)
    return answered(request, found, form, done_of(saved, is_undo=True), work=saved.work)


@needs("review", methods=("POST",))
def submit_review(request: SignedIn, review: int) -> HttpResponse:
    """Hand the review in; then it is shown with what it came to."""
    found = review_or_404(request, review)
    form = typed(request, KeyedForm)
    form.is_valid()
    try:
        hand_in_review(review=found, by=request.user, now=timezone.now())
    except Unacceptable as refusal:
        return refused(request, found, form, Done(), refusal)
    return answer(request, page=PAGE, redirect=reverse("review", args=[found.pk]))


def done_of(saved: Saved[Work], *, is_undo: bool = False, is_elsewhere: bool = False) -> Done:
    """What became of an act that was stored."""
    return Done(
        saved.kind,
        saved.subject,
        saved.revision.created_at,
        is_new=not saved.is_repeated,
        is_undo=is_undo,
        is_elsewhere=is_elsewhere,
    )


def answered(
    request: SignedIn,
    review: Review,
    form: KeyedForm,
    done: Done,
    *,
    work: Work | None = None,
    status: int = 200,
) -> HttpResponse:
    """What an act left: regions for htmx, else a redirect to the item, or the whole page with what was refused.

    Built from `work` as it was committed, or read anew when the act wrote nothing.
    """
    work = work or work_of(review_or_404(request, review.pk))
    wanted = Wanted(form.page_nonce or new_nonce(), str(form.data.get("step", "")))
    page, changed = review_answer(work=work, wanted=wanted, done=done, person=request.user)
    context: dict[str, object] = {"page": page, "changed": changed}
    plain = None
    if not is_htmx(request) and status >= 400:
        context["page"] = review_page(work=work, wanted=Wanted(new_nonce(), page.step), person=request.user)
    elif not is_htmx(request):
        place = place_of_act(done.kind, done.subject)
        plain = f"{reverse('review', args=[review.pk])}?step={page.step}#{place}"
    made = answer(request, page=PAGE, region=ANSWER, context=context, status=status, redirect=plain)
    return tell_saved(made, done.saved_at)


def refused(request: SignedIn, review: Review, form: KeyedForm, done: Done, refusal: Refusal) -> HttpResponse:
    """The same answer with what was refused: both versions of a conflict, or the sentence."""
    is_stale = isinstance(refusal, Conflict) and refusal.code == "stale"
    seen = Done(
        done.kind,
        done.subject,
        conflict=refusal.detail if isinstance(refusal, Conflict) and is_stale else None,
        refusal="" if is_stale else refusal.sentence,
    )
    return answered(request, review, form, seen, status=refusal.status)
