"""Practice: the evaluator's page on an invented game, built in memory, with an explanation after each answer.

No row has it, so nothing counts it. Its answers are acts that are done again for each page.
"""

from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import structs

from discussions.adjudication.core.effective import machine_values
from discussions.adjudication.core.judgeable import judgeable_subjects
from discussions.calibration.core import LESSONS, build_practice_game, find_lesson
from discussions.core import judgement_kinds as kinds
from discussions.core.iteration_states import BLIND_FIRST, QUESTION
from discussions.core.judgement_kinds import MESSAGE_KINDS, find_judgement_fault
from discussions.metrics.core.registry import METRICS, measure_game
from discussions.models import Evaluation, Game, Iteration, Measured
from discussions.rating.core.concealed import conceal
from discussions.rating.core.refusals import why_not_yet
from discussions.rating.core.visibility import ROLES, due_reveals
from discussions.rating.pages.records import AnswerPage, ReviewStep
from discussions.rating.queries import AnswerRecord, EvaluationState
from discussions.verdicts.core.people_estimate import AccuracySample
from workspace.core.refusals import Unacceptable
from workspace.core.words import say
from workspace.models import Person, Project

# (kind, subject, value) of one answer, or of the reveal.
Given = tuple[str, str, str]
P = TypeVar("P", bound=AnswerPage)


class PracticeState(EvaluationState):
    """The state of an evaluation that no row has.

    Hides what no lesson explains: the sample is that of `LESSONS`.
    """

    @cached_property
    def samples(self) -> dict[str, tuple[int, ...]]:
        return {
            kind: tuple(int(row.subject) for row in LESSONS if row.kind == kind) for kind in MESSAGE_KINDS
        }

    @cached_property
    def drawn(self) -> dict[str, AccuracySample]:
        return {}


def begin_practice(person: Person, project: Project) -> EvaluationState:
    """Practice before its first answer, under the rubric version of the project's new games."""
    iteration = Iteration.objects.select_related("rubric_version").get(project=project, stage=None)
    version, played = iteration.rubric_version, Iteration(pk=0, reveal=BLIND_FIRST)
    rubric, game = version.to_record(), build_practice_game(say)
    measurements = measure_game(game, rubric)
    questions = len(rubric.criterion("engagement").guiding_questions)
    found = judgeable_subjects(game, measurements, rubric.parameters, questions)
    asked = {(lesson.kind, lesson.subject) for lesson in LESSONS}
    return PracticeState(
        evaluation=Evaluation(
            pk=0,
            evaluator=person,
            seed="practice",
            identification=QUESTION,
            game=Game(pk=0, number=0, project=project, iteration=played),
            measured=Measured(rubric_version=version),
        ),
        rubric=rubric,
        game=game,
        seen=conceal(game),
        measurements=measurements,
        judgeable=structs.replace(
            found,
            possible=(),
            counted=tuple(subject for subject in found.counted if (kinds.REFERENCE, subject) in asked),
            speakers=tuple(player for player in found.speakers if (kinds.IDENTIFY, str(player)) in asked),
            phrases=frozenset(phrase for phrase in found.phrases if (kinds.PHRASE, phrase) in asked),
        ),
        machine=machine_values(measurements),
        machine_messages={kind: METRICS[kind].machine_values(measurements[kind]) for kind in MESSAGE_KINDS},
        inconsistent=(),
        has_private=False,
        judgements={},
        revealed=frozenset(),
        remarks=[],
        is_recorded=False,
    )


def practise(work: EvaluationState, given: Given) -> EvaluationState:
    """The state after an answer or the reveal, by the rules of rating. Raises Unacceptable as these do."""
    kind, subject, value = given
    if kind == "reveal" and subject == ROLES:
        if not (work.visibility.roles or work.visibility.can_reveal_roles):
            raise Unacceptable(work.visibility.missing[0].says)
        return work.shown(frozenset({ROLES}))
    if kind != kinds.QUESTION and find_lesson(kind, subject) is None:
        raise Unacceptable(_("Practice asks only what it explains."))
    fault = find_judgement_fault(kind, subject, value, work.judgeable)
    if fault := fault or why_not_yet(work.progress, kind, subject, value):
        raise Unacceptable(fault)
    version = work.judgements[kind, subject].version if (kind, subject) in work.judgements else 0
    after = work.changed(AnswerRecord(0, kind, subject, value, "", version + 1))
    return after.shown(due_reveals(after.progress))


def practise_again(work: EvaluationState, several: Iterable[Given]) -> EvaluationState:
    """The state after these; what the rules refuse by now is left out."""
    for given in several:
        with suppress(Unacceptable):
            work = practise(work, given)
    return work


def explain(work: EvaluationState, kind: str, subject: str) -> tuple[bool | None, str] | None:
    """Whether the present answer is right and why, None for "neither"; None where there is no answer to explain."""
    value = work.values.get(kind, {}).get(subject)
    if value and kind == kinds.QUESTION:
        return None, _("Your own opinion: nothing is right or wrong here.")
    lesson = find_lesson(kind, subject)
    if not value or lesson is None:
        return None
    is_right = value == lesson.right
    if kind == kinds.RATING:
        is_right = work.visibility.rated
    read = work.rubric.parameters
    least = f"{float(Fraction(str(read['answers_yes_rating']))):g}"
    why = say(lesson.why, yes=int(read["answers_yes_count"]), least=least)
    if kind in kinds.PLACED_KINDS:
        why = _("Message %(n)d.") % {"n": kinds.parse_subject(subject)[0]} + " " + why
    return is_right, why


def make_practice_page(page: P, work: EvaluationState, *, may_rate: bool) -> P:
    """A page of rating as one of practice: its addresses, its result, and what follows."""
    return structs.replace(
        page,
        here=reverse("practice", args=[work.evaluation.game.project.slug]),
        leads_to="first game" if may_rate else "guideline",
        project_slug=work.evaluation.game.project.slug,
        may_leave=False,
        can_undo=bool(work.judgements),
        figures=[],
        review=page.review and _review(work),
    )


def _review(work: EvaluationState) -> ReviewStep:
    told = [explain(work, lesson.kind, lesson.subject) for lesson in LESSONS]
    known = [lesson for lesson in told if lesson]
    right = sum(is_right is True for is_right, _why in known)
    says = ngettext(
        "Practice finished: %(right)s of %(n)s answer right",
        "Practice finished: %(right)s of %(n)s answers right",
        len(known),
    )
    wrong = [why for is_right, why in known if is_right is False]
    return ReviewStep("", [], says % {"right": right, "n": len(known)}, None, wrong, [])
