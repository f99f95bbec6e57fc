"""Progress and result: steps, what is missing, live figures, the summary, and where a returned evaluation opens."""

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec.structs import replace

from discussions.core import judgement_kinds
from discussions.core.evaluation_states import SUBMITTED
from discussions.core.iteration_states import NEVER
from discussions.core.judgement_kinds import item_id, parse_subject
from discussions.core.outcome import DIVERSITY, ENGAGEMENT, MEMORY, REPETITION, Outcome, OutcomeLine
from discussions.core.records import MessageFinding
from discussions.metrics.core.memory_accuracy import without_deliberate
from discussions.metrics.core.registry import METRICS, figure_value
from discussions.metrics.labels import figure_text, limit_text
from discussions.models import Evaluation
from discussions.models.queue_rules import load_queue_rule
from discussions.models.slots import CALIBRATION
from discussions.rating.core.visibility import (
    STEPS,
    asked_roles,
    list_references,
    list_unidentified,
    open_suggestions,
    roles_seen,
)
from discussions.rating.pages.records import (
    LiveFigure,
    MissingStep,
    RatingStep,
    ReturnedPlace,
    ReviewStep,
)
from discussions.rating.pages.visible_evaluation import VisibleEvaluation
from discussions.rating.queries import EvaluationState
from discussions.verdicts.core.scoring import find_turning_answer, would_turn
from discussions.verdicts.pages.lines import (
    check_says,
    describe_open,
    describe_unasked,
    get_state,
    verdict_turns,
)
from rubric.core.records import Criterion, RubricRecord
from workspace.core.text import figure

MOST_MISSING = 8


def open_step(visible: VisibleEvaluation, wanted: str) -> str:
    """The step that is open: the requested one, else the first that asks for something, suggestions included."""
    if wanted in list_steps(visible):
        return wanted
    asking = {missing.step for missing in visible.visibility.missing[:1]} or {"review"}
    if visible.is_open and visible.visibility.transcript and open_suggestions(visible.progress):
        asking.add("references")
    return min(asking, key=STEPS.index)


# The rating step of each metric.
STEP_METRICS = {
    "engagement": ENGAGEMENT,
    "references": MEMORY,
    "depth": judgement_kinds.STRATEGIC_DEPTH,
    "coherence": judgement_kinds.COHERENCE,
    "identify": DIVERSITY,
    "repetition": REPETITION,
    "roles": judgement_kinds.ROLE_CONSISTENCY,
}


def steps(visible: VisibleEvaluation) -> list[RatingStep]:
    needs = Counter(missing.step for missing in visible.visibility.missing)
    labels = {step: _label(visible, step) for step in STEP_METRICS} | {
        "statements": _("Statements"),
        "review": _("Submit"),
    }
    return [RatingStep(key, labels[key], *_state(visible, key, needs[key])) for key in list_steps(visible)]


def list_steps(visible: VisibleEvaluation) -> list[str]:
    """The steps of this evaluation: that of the statements only once thoughts may be shown, and if it asks any."""
    has_statements = visible.visibility.thoughts and bool(visible.progress.statements)
    return [key for key in STEPS if key != "statements" or has_statements]


def build_guides(rubric: RubricRecord) -> dict[str, Criterion]:
    """Step -> the rubric version's text on its metric. Engagement needs none: its questions are shown themselves."""
    guides = {step: rubric.criterion(metric) for step, metric in STEP_METRICS.items()}
    return guides | {"engagement": replace(guides["engagement"], guiding_questions=[])}


def _state(visible: VisibleEvaluation, key: str, needs: int) -> tuple[str, str]:
    if key == "review":
        left = len(visible.visibility.missing)
        if not visible.is_open:
            return "done", _("closed")
        return ("todo", _("%(n)s to do") % {"n": left}) if left else ("done", _("ready"))
    if key == "roles" and not visible.visibility.roles:
        return "later", _("after the reveal")
    if needs:
        return "todo", _("%(n)s to do") % {"n": needs}
    if key == "references" and (suggested := open_suggestions(visible.progress)):
        return "optional", _("%(n)s suggested") % {"n": len(suggested)}
    if key == "statements":
        labelled = len(visible.progress.values.get(judgement_kinds.STATEMENT, {}))
        count = {"n": labelled, "all": len(visible.progress.statements)}
        is_done = labelled >= count["all"]
        return "done" if is_done else "optional", _("%(n)s of %(all)s") % count if labelled else _("optional")
    if key == "repetition":
        taken = len(visible.progress.values.get(judgement_kinds.PHRASE, {}))
        return ("done", _("%(n)s accepted") % {"n": taken}) if taken else ("optional", _("optional"))
    return _identify_state(visible) if key == "identify" else ("done", _("done"))


def _identify_state(visible: VisibleEvaluation) -> tuple[str, str]:
    asked = len(visible.progress.judgeable.speakers)
    if not asked:
        return "done", _("not applicable")
    if visible.drawn_test:
        return "done", _("done") if visible.progress.is_test_over else _("skipped")
    if not list_unidentified(visible.progress):
        return "done", _("done")
    answers = len(visible.progress.values.get(judgement_kinds.IDENTIFY, {}))
    return "optional", _("%(n)s of %(all)s") % {"n": answers, "all": asked} if answers else _("optional")


def missing(visible: VisibleEvaluation) -> list[MissingStep]:
    """The first judgements still missing, in order, each with its page if the transcript has several."""
    return [
        MissingStep(
            item_id(judgement.kind, judgement.subject),
            judgement.says,
            judgement.step,
            find_page(visible, judgement.kind, judgement.subject),
        )
        for judgement in visible.visibility.missing[:MOST_MISSING]
    ]


def find_page(visible: VisibleEvaluation, kind: str, subject: str) -> int:
    """The page of the transcript on which a subject is judged; 0 if there is only one page or any page will do."""
    is_placed = visible.window.is_paged and kind in judgement_kinds.PLACED_KINDS
    return visible.window.find_page_number(judgement_kinds.parse_subject(subject)[0]) if is_placed else 0


def first_page(visible: VisibleEvaluation, step: str) -> int:
    """The page of the first judgement that a step still needs, else of its first suggestion; 0 for neither."""
    first = next((judgement for judgement in visible.visibility.missing if judgement.step == step), None)
    if first:
        return find_page(visible, first.kind, first.subject)
    suggested = open_suggestions(visible.progress) if step == "references" else []
    return find_page(visible, judgement_kinds.REFERENCE, suggested[0]) if suggested else 0


def figures(visible: VisibleEvaluation, work: EvaluationState) -> list[LiveFigure]:
    if not visible.visibility.figures:
        return []
    return [_figure(line) for line in work.own_lines(visible.visibility.figures)]


def _figure(line: OutcomeLine) -> LiveFigure:
    state = get_state(line)
    if line.is_by_rule:
        text = _("not applicable")
    elif line.score is None or line.passes is None:
        text = _("pending")
    else:
        text = figure_text(line)
    return LiveFigure(line.key, line.label, text, state, limit_text(line.key, line.threshold))


def review(visible: VisibleEvaluation, work: EvaluationState) -> ReviewStep | None:
    """The final summary: None until everything is judged; without figures if the iteration never shows them."""
    if visible.visibility.missing:
        return None
    outcome = work.own_outcome
    cost = cost_says(work.evaluation.game.paid_usd, outcome.cost_limit_usd) if visible.visibility.cost else ""
    unasked = describe_unasked(outcome.line(MEMORY).label, len(open_suggestions(visible.progress)))
    if not visible.visibility.preview:
        hidden = _("This iteration keeps the figures hidden until the verdict is recorded.")
        notes = [hidden] if visible.progress.reveal == NEVER else []
        return ReviewStep(
            cost, [], _("Everything that is required is judged."), None, [], notes, unasked=unasked
        )
    compared = [
        (metric, position, yours == rule)
        for metric in judgement_kinds.MESSAGE_KINDS
        for position, _finding, yours, rule in compare_with_rule(visible, metric)
    ]
    return ReviewStep(
        cost=cost,
        rows=[_figure(line) for line in outcome.lines],
        verdict=outcome.headline,
        passes=None if outcome.open else outcome.passes,
        because=[reason.says for reason in outcome.reasons],
        notes=_notes(work, outcome),
        unasked=unasked,
        turns=verdict_turns(outcome),
        turning=_find_turning(visible, work, outcome),
        apart=[
            _link_answer(visible, metric, str(position))
            for metric, position, is_same in compared
            if not is_same
        ],
        compared=len(compared),
        # With thoughts in sight further answers would not be blind.
        open=[(line.key, _say_open(line)) for line in outcome.lines if line.is_open]
        if not visible.visibility.thoughts
        else [],
    )


def find_place_after(submitted: Evaluation) -> str:
    """The page that tells what became of a submitted evaluation: its feedback, its game's verdict, or home.

    If the project uses hidden duplicates, all games lead home, since a duplicate has no verdict to lead to.
    """
    if submitted.leads_to == "feedback":
        return reverse("calibration_feedback", args=[submitted.pk])
    if submitted.leads_to == "verdict" and not load_queue_rule(submitted.game.project).repeat_percent:
        return reverse("verdict", args=[submitted.game.project.slug, submitted.game.number])
    return f"{reverse('home')}?submitted={submitted.pk}"


def describe_submitted(work: EvaluationState) -> tuple[str, str] | None:
    """What became of a submitted evaluation in one line, and the page that says more; None for any other.

    The line has figures only where its evaluator saw them before submitting.
    """
    evaluation = work.evaluation
    if evaluation.state != SUBMITTED or evaluation.purpose == CALIBRATION:
        return None
    place = find_place_after(evaluation)
    game = evaluation.rated_as or evaluation.game_number
    if not work.visibility.preview:
        return _("Game %(game)d submitted") % {"game": game}, place
    lines = work.own_outcome.lines
    passed = sum(line.passes is True for line in lines)
    says = _("Game %(game)d submitted: %(passed)d of %(all)d pass")
    return says % {"game": game, "passed": passed, "all": len(lines)}, place


def compare_with_rule(
    visible: VisibleEvaluation, metric: str
) -> Iterator[tuple[int, MessageFinding, str, str]]:
    """The messages that the evaluator judged where findings are in sight: finding, own answer and the rule's."""
    for position, finding in sorted(visible.shown.findings.get(metric, {}).items()):
        if yours := visible.value(metric, str(position)):
            yield position, finding, yours, finding.machine_value(metric)


def _find_turning(visible: VisibleEvaluation, work: EvaluationState, outcome: Outcome) -> MissingStep | None:
    """An answer of the evaluator that alone would turn the verdict."""
    for line in outcome.lines if outcome.flip_distance == 1 else []:
        if would_turn(outcome, line.key):
            answer = find_turning_answer(line, work.own, work.measurements, work.rubric, work.own_samples)
            if answer and visible.value(*answer):
                return _link_answer(visible, *answer)
    return None


def _link_answer(visible: VisibleEvaluation, kind: str, subject: str) -> MissingStep:
    step = next(step for step, metric in STEP_METRICS.items() if METRICS[metric].judged == kind)
    says = _("message %(n)d (%(metric)s)") % {"n": parse_subject(subject)[0], "metric": _label(visible, step)}
    return MissingStep(item_id(kind, subject), says, step, find_page(visible, kind, subject))


def _say_open(line: OutcomeLine) -> str:
    """Why a metric is open; for the roles also what waits for it, the same for a game without thoughts."""
    if line.key != judgement_kinds.ROLE_CONSISTENCY:
        return describe_open(line)
    return describe_open(line) + " " + _("What agents thought, if the game has it, stays closed until then.")


def cost_says(cost: Decimal | None, limit: Decimal) -> str:
    """The cost compared with its limit, or the note that it was not reported."""
    if cost is None:
        return _("not reported, so it neither passes nor fails")
    shown = figure(cost, float(limit), decimals=2)
    return _("$%(cost)s of at most $%(limit)s") % {"cost": shown, "limit": figure(limit, decimals=2)}


def _notes(work: EvaluationState, outcome: Outcome) -> list[str]:
    notes = [
        _("%(label)s is not applicable: there was nothing to count, which counts as a pass.")
        % {"label": line.label}
        for line in outcome.lines
        if line.is_by_rule
    ]
    notes += [
        f"{line.label}: {check_says(line.manual_check)}."
        for line in outcome.lines
        if line.manual_check and line.manual_check.is_test
    ]
    notes += [
        _("%(label)s is decided by the manual check.") % {"label": line.label}
        for line in outcome.lines
        if line.is_decided_by_hand
    ]
    lies = work.own.values.get(judgement_kinds.DELIBERATE, {})
    if lies:
        labels = work.own.values.get(judgement_kinds.REFERENCE, {})
        score = without_deliberate(work.measurements[MEMORY], labels, set(lies), added=work.own.added)
        if (value := figure_value(score)) is not None:
            share = {"share": figure(value)}
            notes.append(_("Memory accuracy without the deliberate lies: %(share)s\u00a0%%.") % share)
    return notes


def find_returned_place(visible: VisibleEvaluation, comment: str) -> ReturnedPlace:
    """Where a returned evaluation opens: at what its comment names, "the last reference" after what its step lacks.

    If it names nothing, the message of the evaluator's newest open flag, else what is still to do, else the first step.
    """
    named = _list_named_steps(visible, comment)
    number = _find_number(comment, _("message"))
    if number and (found := _on_message(visible, number, named)):
        return found
    if "engagement" in named:
        question, asked = _find_number(comment, _("question")), visible.progress.judgeable.question_count
        if 0 < question <= asked:
            return _place(visible, "engagement", judgement_kinds.QUESTION, str(question))
        if named[0] == "engagement" and not question and _find_words(comment, _("rating, rate")) is not None:
            return _place(visible, "engagement", judgement_kinds.RATING, "")
    if named:
        missing = [needed for needed in visible.visibility.missing if needed.step == named[0]]
        places = [(needed.step, needed.kind, needed.subject) for needed in missing[:1]]
        if not missing and _find_words(comment, _("last reference, last message")) is not None:
            listed = [place for place in _list_subjects(visible) if place[0] == named[0]]
            places = [place for place in listed if visible.value(*place[1:])]
        return _place(visible, *places[-1]) if places else _at_step(visible, named[0])
    flags = [note.target for note in visible.remarks if note.kind == "flag" and note.target[:8] == "message:"]
    if flags and (found := _on_message(visible, int(flags[-1][8:]), [])):
        return found
    if first := next(iter(visible.visibility.missing), None):
        return _place(visible, first.step, first.kind, first.subject)
    return _at_step(visible, "references" if open_suggestions(visible.progress) else STEPS[0])


def _list_named_steps(visible: VisibleEvaluation, comment: str) -> list[str]:
    """The steps that a comment names by the label of their metric or by a word for it, the first named first."""
    words = {
        "references": _("reference, vote, memory"),
        "depth": _("strateg, depth"),
        "coherence": _("coheren, on topic, off topic, respond"),
        "repetition": _("phrase, repeat, repetiti"),
        "identify": _("personalit, language, identif"),
        "engagement": _("engag, question, rating, rate"),
        "roles": _("role, side"),
    }
    found = {}
    for step, said in words.items():
        at = _find_words(comment, f"{_label(visible, step)}, {said}")
        if at is not None:
            found[step] = at
    return sorted(found, key=lambda step: (found[step], STEPS.index(step)))


def _find_words(comment: str, words: str) -> int | None:
    """Where the first word of a list with commas begins in a comment, None if none does."""
    options = "|".join(re.escape(word.strip()) for word in words.split(",") if word.strip())
    found = re.search(rf"\b(?:{options})", comment, re.IGNORECASE)
    return found.start() if found else None


def _find_number(comment: str, word: str) -> int:
    """The number after a word: 11 of "message 11"; 0 without one."""
    found = re.search(rf"\b{re.escape(word)}\s*#?([0-9]{{1,6}})\b", comment, re.IGNORECASE)
    return int(found[1]) if found else 0


def _on_message(visible: VisibleEvaluation, position: int, named: list[str]) -> ReturnedPlace | None:
    """The first item about a message, in the named steps if one has it; else the message; None if there is none."""
    if not 0 < position <= len(visible.seen.messages):
        return None
    about = [place for place in _list_subjects(visible) if parse_subject(place[2])[0] == position]
    for wanted in (*named, *STEPS):
        for place in about:
            if place[0] == wanted:
                return _place(visible, *place)
    step = named[0] if named else STEPS[0]
    page = visible.window.find_page_number(position) if visible.window.is_paged else 0
    return ReturnedPlace(step, _label(visible, step), f"message-{position}", page)


def _list_subjects(visible: VisibleEvaluation) -> Iterator[tuple[str, str, str]]:
    """(step, kind, subject) of everything that is judged about a message."""
    for subject in list_references(visible.progress):
        yield "references", judgement_kinds.REFERENCE, subject
    samples = visible.progress.samples
    for step, kind in (("depth", judgement_kinds.STRATEGIC_DEPTH), ("coherence", judgement_kinds.COHERENCE)):
        yield from ((step, kind, str(position)) for position in samples[kind])
    if roles_seen(visible.progress):
        for position in asked_roles(visible.progress):
            yield "roles", judgement_kinds.ROLE_CONSISTENCY, str(position)


def _place(visible: VisibleEvaluation, step: str, kind: str, subject: str) -> ReturnedPlace:
    page = find_page(visible, kind, subject)
    return ReturnedPlace(step, _label(visible, step), item_id(kind, subject), page)


def _at_step(visible: VisibleEvaluation, step: str) -> ReturnedPlace:
    return ReturnedPlace(step, _label(visible, step))


def _label(visible: VisibleEvaluation, step: str) -> str:
    return visible.rubric.criterion(STEP_METRICS[step]).label
