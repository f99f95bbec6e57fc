"""The things to judge, step by step: references, samples, phrases, who said it, questions, rating, roles."""

from collections.abc import Iterable
from fractions import Fraction
from heapq import nlargest

from django.utils.translation import gettext as _

from discussions.adjudication.core.judgeable import SUGGESTIONS
from discussions.adjudication.pages import Quote, RoundVotes, VoteRow
from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import item_id
from discussions.core.outcome import REPETITION
from discussions.core.records import PhraseFinding
from discussions.metrics.core.references.vote_record import find_named_round
from discussions.metrics.core.text import split
from discussions.rating.core.concealed import SeenReference
from discussions.rating.core.visibility import (
    ROLES,
    asked_references,
    asked_roles,
    asks_for_others,
    list_unidentified,
    make_dismissal,
    open_suggestions,
)
from discussions.rating.pages.records import (
    Anchor,
    Item,
    LockedRoles,
    OpenRoles,
    PhraseItem,
    QuestionItem,
    RatingItem,
    ReferenceItem,
    RoleItem,
    SampleItem,
    StatementItem,
    SuggestedReferences,
)
from discussions.rating.pages.visible_evaluation import (
    More,
    VisibleEvaluation,
    fitting,
    left_over,
    say_answer,
)
from discussions.verdicts.core.people_estimate import read_more_rule
from workspace.core.text import shorten

MOST_QUOTES, LONGEST_QUOTE = 12, 2000


def references(visible: VisibleEvaluation) -> list[ReferenceItem]:
    found = {reference.subject: reference for reference in visible.shown.references}
    open_subjects = set(open_suggestions(visible.progress))
    shown = fitting(
        visible.window,
        list(enumerate(_listed(visible), start=1)),
        lambda listed: judgement_kinds.parse_subject(listed[1])[0],
        lambda listed: (judgement_kinds.REFERENCE, listed[1]) in visible.asked or listed[1] in open_subjects,
    )
    return [_reference(visible, number, subject, found) for number, subject in shown]


def build_suggested(
    visible: VisibleEvaluation, listed: Iterable[ReferenceItem]
) -> SuggestedReferences | None:
    """The open suggestions on this page and the number on other pages; None if nothing is open."""
    if asks_for_others(visible.progress):
        return SuggestedReferences(0, SUGGESTIONS, None)
    wanted = open_suggestions(visible.progress)
    known = set(wanted)
    here = [item.subject for item in listed if item.subject in known]
    positions = [judgement_kinds.parse_subject(subject)[0] for subject in wanted]
    # Suggestions that need an answer are counted with the references.
    is_asked = visible.progress.judgeable.asks_suggestions
    more = None if is_asked else left_over(visible.window, positions, len(here))
    return SuggestedReferences(len(here), make_dismissal(here) if here else "", more) if wanted else None


def build_more(visible: VisibleEvaluation, kind: str, items: Iterable[Item]) -> More | None:
    """The page where the list of items of `kind` continues, if this page of the transcript does not hold all."""
    wanted = sorted(
        judgement_kinds.parse_subject(subject)[0] for asked, subject in visible.asked if asked == kind
    )
    return left_over(visible.window, wanted, sum(item.needs for item in items))


def build_reference_item(visible: VisibleEvaluation, subject: str) -> ReferenceItem | None:
    listed = _listed(visible)
    if subject not in listed:
        return None
    found = {reference.subject: reference for reference in visible.shown.references}
    return _reference(visible, listed.index(subject) + 1, subject, found)


def _listed(visible: VisibleEvaluation) -> list[str]:
    """Every reference that is shown, in the order of the list."""
    asked = asked_references(visible.progress)
    known = set(asked)
    return asked + [
        reference.subject
        for reference in visible.shown.references
        if not reference.is_counted and reference.subject not in known
    ]


def _reference(
    visible: VisibleEvaluation, number: int, subject: str, found: dict[str, SeenReference]
) -> ReferenceItem:
    return _reference_item(visible, number, found.get(subject) or build_marked_reference(visible, subject))


def _reference_item(visible: VisibleEvaluation, number: int, found: SeenReference) -> ReferenceItem:
    """One reference with the evidence to check it against; it shows its check only once that is revealed."""
    subject, message = found.subject, visible.seen.messages[found.message - 1]
    label = visible.value(judgement_kinds.REFERENCE, subject)
    is_marked = bool(visible.value(judgement_kinds.MISSED, subject))
    return ReferenceItem(
        **visible.item(judgement_kinds.REFERENCE, subject),
        number=number if found.is_counted else 0,
        message=found.message,
        player=message.player,
        name=visible.seen.name(message.player),
        text=found.text,
        is_possible=not found.is_counted and not is_marked and not label,
        is_suggested=subject in open_suggestions(visible.progress),
        is_missed=is_marked,
        missed_version=visible.version(judgement_kinds.MISSED, subject),
        votes=None if found.players else round_votes(visible, found.round, found.hits),
        messages=_quotes(visible, found) if found.players else [],
        check=found.check,
        check_says=found.says,
        has_rows=bool(found.hits),
        can_be_deliberate=visible.visibility.roles and label == judgement_kinds.INACCURATE,
        deliberate=visible.value(judgement_kinds.DELIBERATE, subject),
        deliberate_version=visible.version(judgement_kinds.DELIBERATE, subject),
    )


def build_marked_reference(visible: VisibleEvaluation, subject: str) -> SeenReference:
    position, number = judgement_kinds.parse_subject(subject)
    message = visible.seen.messages[position - 1]
    start, end = split(message.text)[number - 1] if number else (0, len(message.text))
    text = message.text[start:end]
    spoken = find_named_round(text, message.round, visible.seen.round_offset)
    return SeenReference(subject, position, start, end, text, is_counted=False, round=spoken, players=[])


def round_votes(
    visible: VisibleEvaluation, number: int, hits: list[tuple[int, int, int]]
) -> RoundVotes | None:
    """The votes of one round, those in `hits` marked; None when there are none."""
    rows = [
        VoteRow(
            visible.seen.name(vote.voter),
            visible.seen.name(vote.target),
            (vote.round, vote.voter, vote.target) in hits,
        )
        for vote in visible.seen.votes
        if vote.round == number
    ]
    return RoundVotes(number, rows) if rows else None


def _quotes(visible: VisibleEvaluation, found: SeenReference) -> list[Quote]:
    """What the named players said in that round before this message."""
    said = [
        message
        for message in visible.seen.messages[: found.message - 1]
        if message.player in found.players and (not found.round or message.round == found.round)
    ]
    return [
        Quote(message.position, visible.seen.name(message.player), shorten(message.text, LONGEST_QUOTE))
        for message in said[-MOST_QUOTES:]
    ]


def samples(visible: VisibleEvaluation, metric: str) -> list[SampleItem]:
    return [sample(visible, metric, position) for position in visible.progress.samples[metric]]


def sample(visible: VisibleEvaluation, metric: str, position: int) -> SampleItem:
    """One message of a sample. It shows the automatic finding only when the whole sample is judged."""
    message = visible.seen.messages[position - 1]
    values = visible.item(metric, str(position))
    finding = visible.shown.findings.get(metric, {}).get(position)
    machine = "" if finding is None else finding.machine_value(metric)
    return SampleItem(
        **values,
        message=position,
        player=message.player,
        name=visible.seen.name(message.player),
        text=message.text,
        machine=say_answer(metric, machine) if machine else "",
        agrees=machine == values["value"] if machine and values["value"] else None,
    )


def build_sample_item(visible: VisibleEvaluation, metric: str, position: int) -> SampleItem | None:
    return sample(visible, metric, position) if position in visible.progress.samples[metric] else None


def phrases(visible: VisibleEvaluation) -> list[PhraseItem]:
    most = int(visible.rubric.parameters["top_phrase_count"])
    allowed, found = visible.progress.judgeable.phrases, visible.shown.phrases
    # A long game repeats tens of thousands of phrases: only those that may be among the first are sorted.
    counts = nlargest(most + len(found) - len(allowed), (phrase.count for phrase in found))
    often = [phrase for phrase in found if phrase.count >= counts[-1]] if counts else []
    ranked = sorted(often, key=lambda phrase: (-phrase.count, phrase.player, phrase.phrase))
    listed = [phrase for phrase in ranked if phrase.subject in allowed][:most]
    marked = set(visible.progress.values.get(judgement_kinds.PHRASE, {})) - {
        phrase.subject for phrase in listed
    }
    kept = [phrase for phrase in found if phrase.subject in marked] if marked else []
    kept.sort(key=lambda phrase: (-phrase.count, phrase.player, phrase.phrase))
    return [_phrase(visible, phrase) for phrase in listed + kept]


def build_phrase_item(visible: VisibleEvaluation, subject: str) -> PhraseItem | None:
    return next(
        (_phrase(visible, phrase) for phrase in visible.shown.phrases if phrase.subject == subject), None
    )


def _phrase(visible: VisibleEvaluation, found: PhraseFinding) -> PhraseItem:
    read = visible.rubric.parameters
    per_message = Fraction(int(read["robotic_use_count"]), int(read["robotic_message_count"]))
    return PhraseItem(
        **visible.item(judgement_kinds.PHRASE, found.subject),
        player=found.player,
        name=visible.seen.name(found.player) if found.player else "",
        phrase=found.phrase,
        count=found.count,
        messages=list(found.messages),
        is_robotic=REPETITION in visible.visibility.figures
        and found.count >= per_message * max(len(visible.seen.messages), 1),
    )


def questions(visible: VisibleEvaluation) -> list[QuestionItem]:
    return [question(visible, number) for number in range(1, visible.progress.judgeable.question_count + 1)]


def question(visible: VisibleEvaluation, number: int) -> QuestionItem:
    text = visible.rubric.criterion("engagement").guiding_questions[number - 1]
    return QuestionItem(**visible.item(judgement_kinds.QUESTION, str(number)), number=number, text=text)


def rating(visible: VisibleEvaluation) -> RatingItem:
    anchors = visible.rubric.criterion("engagement").anchors
    return RatingItem(
        **visible.item(judgement_kinds.RATING, ""),
        anchors=[Anchor(value, anchors[value]) for value in sorted(anchors)],
        bound=describe_bound(visible),
        is_below=any(missing.kind == judgement_kinds.RATING for missing in visible.visibility.missing)
        and bool(visible.value(judgement_kinds.RATING, "")),
    )


def describe_bound(visible: VisibleEvaluation) -> str:
    """The rubric's lower bound of the rating, given the answers so far."""
    answers = visible.progress.values.get(judgement_kinds.QUESTION, {}).values()
    yes = sum(answer == judgement_kinds.YES for answer in answers)
    values: dict[str, object] = {
        "yes": yes,
        "of": visible.progress.judgeable.question_count,
        "needed": visible.progress.yes_needed,
        "least": f"{float(visible.progress.least_rating):g}",
    }
    if yes >= visible.progress.yes_needed:
        says = _("%(yes)d of %(of)d answers are yes: only a rating of %(least)s or more can be submitted.")
    elif len(answers) == values["of"]:
        says = _("%(yes)d of %(of)d yes: any rating.")
    else:
        says = _("From %(needed)d yes on, only %(least)s or more can be submitted; so far %(yes)d yes.")
    return says % values


def roles(visible: VisibleEvaluation) -> LockedRoles | OpenRoles:
    """M4: locked until everything before it is judged; then the reveal; then the messages to label."""
    if visible.shown.parts is not None:
        shown = fitting(
            visible.window,
            asked_roles(visible.progress),
            lambda position: position,
            lambda position: (judgement_kinds.ROLE_CONSISTENCY, str(position)) in visible.asked,
        )
        return OpenRoles([role(visible, position) for position in shown])
    if not visible.visibility.can_reveal_roles:
        return LockedRoles(None)
    are_known = bool(visible.progress.samples[judgement_kinds.ROLE_CONSISTENCY])
    return LockedRoles(reveal_item(), count_offered(visible), are_known)


def count_offered(visible: VisibleEvaluation) -> dict[str, int]:
    """Step -> how many optional answers it has that are not given, in the order of the rubric.

    Whoever marked a phrase has looked at the others: to leave them is an answer, too.
    """
    has_marked = bool(visible.progress.values.get(judgement_kinds.PHRASE))
    offered = {
        "references": len(open_suggestions(visible.progress)),
        "identify": len(list_unidentified(visible.progress)),
        "repetition": 0 if has_marked else len(phrases(visible)),
    }
    return {step: count for step, count in offered.items() if count}


def describe_more(visible: VisibleEvaluation, metric: str) -> str:
    """Why a metric asks for more messages than its accuracy sample has; "" when it does not."""
    if not visible.progress.wants_more(metric):
        return ""
    sample, rule = visible.progress.drawn[metric], read_more_rule(visible.rubric, metric)
    # Which threshold, and how near it the answers are, would move the next ones.
    more = {"count": len(sample.positions) - sample.size}
    if not rule.percent:
        return _("%(count)d more messages: too few are judged to score this game.") % more
    says = _(
        "You and the automatic rule disagree on %(least)d or more of the %(size)d messages of your sample. So "
        "%(count)d more are asked for, until they are enough to score this game, or every message is judged."
    )
    return says % {"least": rule.least(sample.size), "size": sample.size, **more}


def reveal_item() -> Item:
    return Item(id=item_id("reveal", ROLES), kind="reveal", subject=ROLES, needs=True)


def role(visible: VisibleEvaluation, position: int) -> RoleItem:
    """One message with its speaker's role; the deciding rule is shown only once all of them are labelled."""
    assert visible.shown.parts is not None
    message = visible.seen.messages[position - 1]
    part = visible.shown.parts[message.player - 1]
    finding = visible.shown.findings.get(judgement_kinds.ROLE_CONSISTENCY, {}).get(position)
    return RoleItem(
        **visible.item(judgement_kinds.ROLE_CONSISTENCY, str(position)),
        message=position,
        player=message.player,
        name=visible.seen.name(message.player),
        role=part.role,
        side=part.side,
        text=message.text,
        rule=rule_says(finding.rule, finding.words) if finding else "",
    )


def build_role_item(visible: VisibleEvaluation, position: int) -> RoleItem | None:
    return role(visible, position) if position in asked_roles(visible.progress) else None


def statements(visible: VisibleEvaluation) -> list[StatementItem]:
    """The sample of statements; empty until thoughts may be shown."""
    return [build_statement_item(visible, subject) for subject in list_asked_statements(visible)]


def list_asked_statements(visible: VisibleEvaluation) -> tuple[str, ...]:
    return visible.progress.statements if visible.visibility.thoughts else ()


def build_statement_item(visible: VisibleEvaluation, subject: str) -> StatementItem:
    position, number = judgement_kinds.parse_subject(subject)
    message = visible.seen.messages[position - 1]
    return StatementItem(
        **visible.item(judgement_kinds.STATEMENT, subject),
        message=position,
        name=visible.seen.name(message.player),
        span=split(message.text)[number - 1],
        unsaid=visible.unsaid[position],
    )


def rule_says(rule: str, words: list[str]) -> str:
    """The rule that decided, as a sentence with the words it matched."""
    sentences = {
        "confesses": _("The rule: the agent confesses."),
        "accuses_fellow": _("The rule: mafia accuses a fellow."),
        "accuses_with_certainty": _("The rule: mafia accuses with certainty."),
        "votes_for_fellow": _("The rule: mafia votes for a fellow."),
        "nothing_against": _("The rule finds nothing that speaks against the role."),
        "gives_reason": _("The rule: it gives a reason."),
        "asks_question": _("The rule: it asks a question."),
        "deflects_without_reason": _("The rule: a villager deflects without a reason."),
        "accuses_without_reason": _("The rule: a villager accuses without a reason."),
        "vouches_without_reason": _("The rule: a villager vouches without a reason."),
        "unknown_side": _("The role is of no known side, so no rule applies."),
    }
    says = sentences.get(rule) or _("The rule: %(rule)s.") % {"rule": rule.replace("_", " ")}
    return f"{says} ({', '.join(words)})" if words else says
