"""The reviewer's list and page, and the acts on a review."""

from typing import Any

from django.db.models.functions import Substr
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from rubric.human_reviewers.actions import keep_notes, open_review, submit_marked_review, take_next_review
from rubric.human_reviewers.actions import mark as do_mark
from rubric.human_reviewers.actions import undo_mark as do_undo
from rubric.human_reviewers.forms import MarkForm, SubmitForm, UndoMarkForm
from rubric.human_reviewers.pages.review_page import ActOutcome, choose_anchor, review_answer, review_page
from rubric.human_reviewers.pages.submission import build_submitted_page
from rubric.human_reviewers.queries.reviews import ReviewState, load_own_review, load_review_state
from rubric.human_reviewers.queries.waiting import find_next_review, waiting_sets
from rubric.models import Comparison, ComparisonSet, Review
from rubric.models.reviews import DRAFT
from workspace.audit.actions import Saved
from workspace.audit.forms import KeyedForm, new_nonce
from workspace.core.refusals import Conflict, Refusal, Unacceptable
from workspace.core.text import shorten
from workspace.database.prepared_queries import LARGEST_KEY
from workspace.models import Person, Project
from workspace.web.bind_form import bind_form
from workspace.web.views import SignedIn, frame, is_htmx, only_parameters, require, respond, tell_saved

PAGE = "rubric/human_reviewers/review.html"
LISTED, EXCERPT = 10, 160  # second rounds and submitted reviews of a set; characters of a question


def review_or_404(request: SignedIn, review: int) -> Review:
    own = load_own_review(request.user, review)
    if own is None:
        raise Http404
    return own


@require("sign_in")
def reviews(request: SignedIn) -> HttpResponse:
    sets = waiting_sets(request.user)
    listed = [
        comparison.comparison
        for waiting_set in sets
        for comparison in (*waiting_set.started, *waiting_set.submitted[:LISTED])
    ]
    rows = Comparison.objects.filter(pk__in=listed).annotate(start=Substr("question", 1, 2 * EXCERPT))
    context = {
        "sets": sets,
        "next": find_next_review(sets),
        "waiting_count": sum(waiting_set.waiting_count for waiting_set in sets),
        "questions": {key: shorten(start, EXCERPT) for key, start in rows.values_list("pk", "start")},
        "listed": LISTED,
        **frame(request.user),
    }
    return respond(request, page="rubric/human_reviewers/list.html", context=context)


@require("begin_review", methods=("POST",))
def begin(request: SignedIn, comparison: int) -> HttpResponse:
    reviewed = reviewed_comparison_or_404(request, comparison)
    bind_form(request, KeyedForm)
    opened = open_review(comparison=reviewed, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("review", args=[opened.pk]))


@require("begin_review", methods=("POST",))
def next_review(request: SignedIn, comparison_set: int) -> HttpResponse:
    reviewed = reviewed_set_or_404(request.user, pk=min(comparison_set, LARGEST_KEY))
    bind_form(request, KeyedForm)
    taken = take_next_review(comparison_set=reviewed, by=request.user, now=timezone.now())
    place = reverse("review", args=[taken.pk]) if taken else reverse("reviews")
    return respond(request, page="", redirect=place)


@require("review")
def review(request: SignedIn, review: int) -> HttpResponse:
    asked = only_parameters(request, "step")
    work = load_review_state(review_or_404(request, review))
    if work.review.state != DRAFT:
        context = {"page": build_submitted_page(work=work, person=request.user), **frame(request.user)}
        return respond(request, page="rubric/human_reviewers/submitted.html", context=context)
    page = review_page(work=work, nonce=new_nonce(), step=asked["step"], person=request.user)
    return respond(request, page=PAGE, context={"page": page, "changed": None})


@require("review", methods=("POST",))
def mark(request: SignedIn, review: int) -> HttpResponse:
    own = review_or_404(request, review)
    form = bind_form(request, MarkForm)
    done, lost = ActOutcome(), _keep_notes(request, own, form)
    try:
        form.check()
        act = form.to_act()
        done = ActOutcome(act.kind, act.subject)
        saved = do_mark(review=own, act=act, by=request.user, now=timezone.now())
    except (Conflict, Unacceptable) as refusal:
        return refused(request, own, form, done, lost or refusal)
    if lost:
        return refused(request, own, form, done, lost)
    return answered(
        request, own, form, describe_saved(saved, is_elsewhere=form.is_from_conflict), work=saved.work
    )


def reviewed_set_or_404(person: Person, **address: object) -> ComparisonSet:
    sets = ComparisonSet.objects.filter(
        reviewers__person=person, reviewers__ended_at=None, project__in=Project.objects.visible_to(person)
    )
    return get_object_or_404(sets.select_related("project"), **address)


def reviewed_comparison_or_404(request: SignedIn, comparison: int) -> Comparison:
    places = Comparison.objects.filter(
        set__reviewers__person=request.user,
        set__reviewers__ended_at=None,
        set__project__in=Project.objects.visible_to(request.user),
    )
    return get_object_or_404(places.select_related("set__project"), pk=min(comparison, LARGEST_KEY))


@require("review", methods=("POST",))
def undo_mark(request: SignedIn, review: int) -> HttpResponse:
    own = review_or_404(request, review)
    form = bind_form(request, UndoMarkForm)
    try:
        form.check()
        saved = do_undo(review=own, **form.target, by=request.user, now=timezone.now())
    except (Conflict, Unacceptable) as refusal:
        lost = _keep_notes(request, own, form)
        return refused(request, own, form, ActOutcome(), lost or refusal)
    # Store the notes after the undo: a note stored before would be the act that is undone.
    if lost := _keep_notes(request, own, form):
        return refused(request, own, form, ActOutcome(), lost)
    return answered(request, own, form, describe_saved(saved, is_undo=True), work=saved.work)


@require("review", methods=("POST",))
def submit_review(request: SignedIn, review: int) -> HttpResponse:
    own = review_or_404(request, review)
    form = bind_form(request, SubmitForm)
    if lost := _keep_notes(request, own, form):
        return refused(request, own, form, ActOutcome(), lost)
    try:
        submit_marked_review(review=own, by=request.user, now=timezone.now())
    except Unacceptable as refusal:
        return refused(request, own, form, ActOutcome(), refusal)
    return respond(request, page=PAGE, redirect=reverse("review", args=[own.pk]))


def _keep_notes(
    request: SignedIn, review: Review, form: MarkForm | UndoMarkForm | SubmitForm
) -> Refusal | None:
    """Store typed notes not yet saved when a button is pressed without JavaScript; return why one cannot be stored."""
    if not form.is_valid():
        return None
    return keep_notes(review=review, notes=form.typed_notes, by=request.user, now=timezone.now())


def describe_saved(saved: Saved[ReviewState], **how: Any) -> ActOutcome:
    at, is_new = saved.revision.created_at, not saved.is_repeated
    return ActOutcome(saved.kind, saved.subject, at, is_new=is_new, **how)


def answered(
    request: SignedIn,
    review: Review,
    form: KeyedForm,
    done: ActOutcome,
    *,
    work: ReviewState | None = None,
    status: int = 200,
) -> HttpResponse:
    """The response to an act: regions for htmx, else a redirect to the item, or the whole page with what was refused.

    Built from `work` as it was committed, or read again when the act wrote nothing.
    """
    work = work or load_review_state(review_or_404(request, review.pk))
    nonce, step = form.page_nonce or new_nonce(), str(form.data.get("step", ""))
    page, changed = review_answer(work=work, nonce=nonce, step=step, done=done, person=request.user)
    context: dict[str, object] = {"page": page, "changed": changed}
    plain = None
    if not is_htmx(request) and status >= 400:
        context["page"] = review_page(work=work, nonce=new_nonce(), step=page["step"], person=request.user)
    elif not is_htmx(request):
        place = choose_anchor(done.kind, done.subject)
        plain = f"{reverse('review', args=[review.pk])}?step={page['step']}#{place}"
    region = "rubric/human_reviewers/_answer.html"
    made = respond(request, page=PAGE, region=region, context=context, status=status, redirect=plain)
    return tell_saved(made, done.saved_at)


def refused(
    request: SignedIn, review: Review, form: KeyedForm, done: ActOutcome, refusal: Refusal
) -> HttpResponse:
    """The same response with what was refused: both versions of a conflict, or the refusal."""
    is_stale = isinstance(refusal, Conflict) and refusal.code == "stale"
    about = refusal.detail if isinstance(refusal, Conflict) and is_stale else {}
    outcome = ActOutcome(
        str(about.get("kind", done.kind)),
        str(about.get("subject", done.subject)),
        conflict=about or None,
        refusal="" if is_stale else refusal.sentence,
    )
    return answered(request, review, form, outcome, status=refusal.status)
