"""M5's manual check: the question about each agent, or the result of the blind test."""

from django.utils.translation import gettext as _

from discussions.adjudication.core.authorship_test import DrawnTest, read_draw_rule, without_names
from discussions.adjudication.core.effective import combine_tests
from discussions.adjudication.core.hidden_names import may_name
from discussions.adjudication.labels import answer_label
from discussions.adjudication.pages import Quote
from discussions.core import judgement_kinds
from discussions.core.iteration_states import NEVER
from discussions.core.outcome import DIVERSITY
from discussions.rating.pages.records import GivenMessage, IdentifyItem, ManualCheckItem
from discussions.rating.pages.visible_evaluation import VisibleEvaluation
from discussions.verdicts.core.rule import check_identification, check_test
from discussions.verdicts.pages.lines import test_says


def identify(visible: VisibleEvaluation) -> list[IdentifyItem]:
    """M5's manual check: every agent who spoke, with a few messages without names; empty for the blind test."""
    if visible.drawn_test:
        return []
    return [_identify(visible, player) for player in visible.progress.judgeable.speakers]


def _identify(visible: VisibleEvaluation, player: int) -> IdentifyItem:
    names = (*(player.name for player in visible.seen.players), *visible.seen.aliases)
    ambiguous = read_draw_rule(visible.rubric).ambiguous_names
    said = [
        message
        for message in visible.seen.messages
        if message.player == player and not may_name(message.text, names, ambiguous)
    ]
    most = int(visible.rubric.parameters["identification_max_messages"])
    spread = [said[len(said) * number // most] for number in range(most)] if len(said) > most else said
    return IdentifyItem(
        **visible.item(judgement_kinds.IDENTIFY, str(player)),
        player=player,
        quotes=[Quote(said.position, "", without_names(said, names, ambiguous)) for said in spread],
    )


def identify_note(visible: VisibleEvaluation) -> str:
    """The note of the step where the iteration asks for the blind test; "" where it asks the question."""
    if not visible.progress.judgeable.speakers:
        return _("Too few agents speak in this game, so the manual check does not apply.")
    if visible.drawn_test and not visible.progress.is_test_over:
        return _("You skipped the test, so it has no result.")
    if visible.drawn_test:
        return _("You assigned messages to agents before the transcript opened; those answers are final.")
    if visible.is_untestable:
        return _("The agents of this game wrote too little for the test, so the question is asked instead.")
    return ""


def manual(visible: VisibleEvaluation) -> ManualCheckItem | None:
    """The result of the manual check once every agent has an answer and the rating is in.

    The test's result appears with M5's figure.
    """
    if visible.drawn_test:
        return _tested(visible, visible.drawn_test)
    answers = visible.progress.values.get(judgement_kinds.IDENTIFY, {})
    asked = visible.progress.judgeable.speakers
    if not asked or len(answers) < len(asked) or not visible.visibility.rated:
        return None
    yes = sum(answer == judgement_kinds.YES for answer in answers.values())
    decides = bool(visible.value(judgement_kinds.IDENTIFY_DECIDES, ""))
    check = check_identification((yes, len(asked)), visible.rubric, decides=decides)
    if check is None:
        return None
    return ManualCheckItem(
        **visible.item(judgement_kinds.IDENTIFY_DECIDES, ""),
        yes=check.yes,
        of=check.asked,
        needed=check.needed,
        passes=check.passes,
        says=_("It is shown next to the similarity, and replaces its pass or fail only if you say so."),
    )


def _tested(visible: VisibleEvaluation, drawn: DrawnTest) -> ManualCheckItem | None:
    """The result of the test next to M5, once M5's figure may be seen; None if it was skipped."""
    said = [
        visible.value(judgement_kinds.ATTRIBUTION, str(number)) for number in range(1, len(drawn.unseen) + 1)
    ]
    given = [
        GivenMessage(position, _given(visible, value), visible.seen.name(author), value == str(author))
        for position, value, author in zip(drawn.unseen, said, drawn.authors, strict=True)
        if value or not drawn.needed
    ]
    result = combine_tests({0: drawn.answer_key}, lambda _evaluation, place: said[place - 1])
    if result is None:
        return None
    check = check_test(result, decides=bool(visible.value(judgement_kinds.IDENTIFY_DECIDES, "")))
    is_shown = DIVERSITY in visible.visibility.figures
    is_never = visible.progress.reveal == NEVER
    hidden = _("This iteration keeps the result hidden until the verdict is recorded.")
    later = _("The result is shown once everything that comes before the roles is judged.")
    return ManualCheckItem(
        **visible.item(judgement_kinds.IDENTIFY_DECIDES, ""),
        yes=check.yes if is_shown else 0,
        of=check.asked,
        needed=check.needed if is_shown else 0,
        passes=check.passes and is_shown,
        says=test_says(check) if is_shown else hidden if is_never else later,
        is_test=True,
        is_by_agent=check.is_by_agent,
        is_shown=is_shown,
        may_decide=is_shown or is_never,
        given=given if is_shown else [],
    )


def _given(visible: VisibleEvaluation, value: str) -> str:
    return (
        visible.seen.name(int(value)) if value.isdigit() else answer_label(judgement_kinds.ATTRIBUTION, value)
    )
