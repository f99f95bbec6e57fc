"""Prompts for models that review, and their raw answers, for programs."""

from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import Field

from rubric.model_reviewers.actions.answers import paste_answer
from rubric.model_reviewers.actions.prompts import ensure_prompt
from rubric.model_reviewers.core import CRITERIA_PART
from rubric.model_reviewers.queries import MAIN_PART
from rubric.model_reviewers.views.single_answer import CallPart, build_asked_page, pair_or_404
from rubric.models import Comparison, Reviewer
from rubric.reviews.core.two_calls import WHOLE_PART
from rubric.reviews.permissions import check_change_set
from workspace.core.refusals import Unacceptable
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.views import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/comparison-sets/{int:number}/comparisons/{int:comparison}/reviewers/{int:reviewer}/"


class PromptAnswer(Answer, of=CallPart, fields="part text:prompt.text is_next"):
    """A prompt to send to the model; `part` goes back with its answer. `is_next` says that its answer is due."""


class AskedAnswer(Answer):
    """What a model is asked about a comparison, and how far its review is, in a word.

    `answered` of the prompts have an answer. `remarks` are those on what was read so far; they say why an answer cannot
    be read.
    """

    state: str
    error: str
    answered: int
    remarks: list[str]
    prompts: list[PromptAnswer]


class RawAnswerGiven(Given):
    """The model's answer as it came, with the part of its prompt ("criteria" is the same as "", as in files)."""

    text: str = Field(max_length=2_000_000)
    part: str = MAIN_PART


@router.post(PATH + "prompt/", "api_prompt", "change_set", "import")
def make_prompt(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> AskedAnswer:
    """Get the prompt for a model.

    The responses get their letters when it is first created, and it stays the same from then on.
    """
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_change_set(request.user, model.set)
    ensure_prompt(comparison=row, reviewer=model, by=request.user, now=timezone.now())
    return _tell(request, row, model)


@router.post(PATH + "answer/", "api_raw_answer", "change_set", "import")
def submit_answer(
    request: SignedIn, slug: str, number: int, comparison: int, reviewer: int, given: RawAnswerGiven
) -> AskedAnswer:
    """Submit the raw answer of a model. It is kept as it is, then read."""
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_change_set(request.user, model.set)
    part = MAIN_PART if given.part == CRITERIA_PART else given.part
    if part not in (MAIN_PART, WHOLE_PART):
        says = _(
            "Send the part that came with the prompt: “whole” for holistic scores, else “” or “criteria”."
        )
        raise Unacceptable(says, field="part")
    now = timezone.now()
    paste_answer(comparison=row, reviewer=model, text=given.text, part=part, by=request.user, now=now)
    return _tell(request, row, model)


def _tell(request: SignedIn, comparison: Comparison, reviewer: Reviewer) -> AskedAnswer:
    page = build_asked_page(comparison=comparison, reviewer=reviewer, person=request.user)
    read = page["read"] or {"flags": []}
    return AskedAnswer.read(
        None, **page | {"state": page["state"][0], "remarks": read["flags"], "prompts": page["calls"]}
    )
