"""Where a returned evaluation opens: at what its lead named."""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _

from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import PLACED_KINDS, item_id, parse_subject
from discussions.rating.core.visibility import (
    STEPS,
    asked_roles,
    list_references,
    open_suggestions,
    roles_seen,
)
from discussions.rating.pages.records import ReturnedPlace
from discussions.rating.pages.review import STEP_METRICS, find_page
from discussions.rating.pages.visible_evaluation import VisibleEvaluation


def find_returned_place(visible: VisibleEvaluation, comment: str) -> ReturnedPlace:
    """What the comment speaks of first: a message or question in a step, else a step.

    If it names nothing, the message of the evaluator's newest open flag, else what is still to do, else the first step.
    """
    named = _list_named_steps(visible, comment)
    number = _find_number(comment, _("message"))
    if number and (found := _on_message(visible, number, named)):
        return found
    if "engagement" in named:
        question, asked = _find_number(comment, _("question")), visible.progress.judgeable.question_count
        if 0 < question <= asked:
            return _place(visible, judgement_kinds.QUESTION, str(question), "engagement")
        if named[0] == "engagement" and not question and _find_words(comment, _("rating, rate")) is not None:
            return _place(visible, judgement_kinds.RATING, "", "engagement")
    if named:
        missing = [needed for needed in visible.visibility.missing if needed.step == named[0]]
        if missing:
            return _place(visible, missing[0].kind, missing[0].subject, named[0])
        return _at_step(visible, named[0])
    flags = [note.target for note in visible.remarks if note.kind == "flag" and note.target[:8] == "message:"]
    if flags and (found := _on_message(visible, int(flags[-1][8:]), [])):
        return found
    if first := next(iter(visible.visibility.missing), None):
        return _place(visible, first.kind, first.subject, first.step)
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
    listed = list(_list_subjects(visible))
    for steps in (named, STEPS):
        for wanted in steps:
            for step, kind, subject in listed:
                if step == wanted and parse_subject(subject)[0] == position:
                    return _place(visible, kind, subject, step)
    place = _at_step(visible, named[0] if named else STEPS[0])
    page = visible.window.find_page_number(position) if visible.window.is_paged else 0
    return ReturnedPlace(place.step, place.label, f"message-{position}", page)


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


def _place(visible: VisibleEvaluation, kind: str, subject: str, step: str) -> ReturnedPlace:
    page = find_page(visible, kind, subject) if kind in PLACED_KINDS else 0
    return ReturnedPlace(step, _label(visible, step), item_id(kind, subject), page)


def _at_step(visible: VisibleEvaluation, step: str) -> ReturnedPlace:
    return ReturnedPlace(step, _label(visible, step))


def _label(visible: VisibleEvaluation, step: str) -> str:
    labels = {criterion.key: criterion.label for criterion in visible.rubric.criteria}
    metric = STEP_METRICS[step]
    return labels.get(metric, metric)
