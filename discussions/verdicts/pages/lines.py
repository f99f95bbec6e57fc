"""The lines of a verdict as all pages show them, and what people judged in words."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec.structs import replace

from discussions.adjudication.pages import answer_word, get_kind_label
from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import parse_subject
from discussions.core.outcome import MEMORY, ManualCheck, Outcome, OutcomeLine, Reason
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS, figure_text, limit_text
from discussions.models import Game
from discussions.queries import game_record
from discussions.verdicts.core.next_game import NextGame
from discussions.verdicts.core.people_estimate import find_label_budget
from discussions.verdicts.core.report import FigureRow, Override
from discussions.verdicts.core.rule import find_ways
from workspace.core.text import figure
from workspace.markup import interval_text

NextGames = Mapping[str, NextGame]
NONE: NextGames = {}
PASS, FAIL, PENDING, OPEN = "pass", "fail", "pending", "open"


def figure_rows(outcome: Outcome, next_games: NextGames = NONE) -> list[FigureRow]:
    """Failing metrics first, then those that are open or pending."""
    rows = [figure_row(line, next_games.get(line.key)) for line in outcome.lines]
    return sorted(rows, key=lambda row: (FAIL, OPEN, PENDING, PASS).index(row.state))


def describe_verdict(number: int, outcome: Outcome, *, is_so_far: bool) -> str:
    """The outcome of a game as the headline of its page, with what decides it."""
    values = {
        "game": number,
        "passed": outcome.passed_count,
        "all": len(outcome.lines),
        "needed": outcome.needed_count,
        "reasons": "; ".join(_describe_reason(outcome, reason) for reason in outcome.reasons),
    }
    if outcome.passes is None:
        says = _("Game %(game)d has no verdict yet")
    elif outcome.open:
        says = _("Game %(game)d is open: %(passed)d of %(all)d pass, %(needed)d needed")
    elif not outcome.passes:
        says = (
            _("Game %(game)d fails so far: %(reasons)s")
            if is_so_far
            else _("Game %(game)d fails: %(reasons)s")
        )
    elif is_so_far:
        says = _("Game %(game)d passes so far: %(passed)d of %(all)d, %(needed)d needed")
    elif outcome.passed_count == outcome.needed_count:
        says = _("Game %(game)d passes, just: %(passed)d of %(all)d, %(needed)d needed")
    else:
        says = _("Game %(game)d passes: %(passed)d of %(all)d, %(needed)d needed")
    return says % values


def figure_row(line: OutcomeLine, next_game: NextGame | None = None) -> FigureRow:
    metric = METRICS[line.key]
    has_interval = line.interval is not None and metric.has_interval
    return FigureRow(
        label=line.label,
        text=format_score(line),
        count=counted_from(line),
        threshold=limit_text(line.key, line.threshold),
        state=get_state(line),
        says=get_state_word(line),
        interval=_say_interval(line) if has_interval else "",
        flips=describe_flip_count(line),
        next_game="" if next_game is None else describe_next_game(line, next_game),
        check="" if line.manual_check is None else check_says(line.manual_check),
        figures=line,
        scale=metric.scale,
    )


def _say_interval(line: OutcomeLine) -> str:
    """Where people judged every message, theirs is no estimate, and an interval of one number says nothing."""
    if line.people and line.people.counts and line.people.judged == line.people.total:
        return _("all judged")
    return f"{interval_text(line.interval, 1)}\u00a0%" if line.interval else ""


def _describe_reason(outcome: Outcome, reason: Reason) -> str:
    if reason.code != "cost" or outcome.cost_usd is None:
        return reason.says
    cost = figure(outcome.cost_usd, float(outcome.cost_limit_usd), decimals=2)
    return _("it cost $%(cost)s, more than $%(limit).2f") % {"cost": cost, "limit": outcome.cost_limit_usd}


def get_state(line: OutcomeLine) -> str:
    if line.passes is None:
        return PENDING
    if line.is_open:
        return OPEN
    return PASS if line.passes else FAIL


def get_state_word(line: OutcomeLine) -> str:
    """The word for the state, because colour must not be the only sign."""
    if line.passes is None:
        return _("pending")
    if line.is_open:
        return _("PASS, open") if line.passes else _("FAIL, open")
    if line.is_decided_by_hand and line.manual_check and line.manual_check.is_test:
        return _("PASS by the test") if line.passes else _("FAIL by the test")
    if line.is_decided_by_hand:
        return _("PASS by the manual check") if line.passes else _("FAIL by the manual check")
    if line.is_by_rule:
        return str(LABELS[line.key].by_rule)
    return _("PASS") if line.passes else _("FAIL")


def describe_weak_pass(line: OutcomeLine) -> str:
    """The reason for a weak pass: "Memory: no references", "Memory: 3 references", "Roles: open"."""
    if line.is_open:
        says = _("open")
    elif line.is_applicable:
        says = ngettext("%(n)d reference", "%(n)d references", line.denominator) % {"n": line.denominator}
    else:
        says = _("no references") if line.key == MEMORY else _("nothing to count")
    return f"{LABELS[line.key].column}: {says}"


def format_score(line: OutcomeLine) -> str:
    return _("pending") if line.score is None else figure_text(line)


def counted_from(line: OutcomeLine) -> str:
    if not line.is_applicable:
        return _("nothing to count")
    if line.people is not None and line.people.counts:
        if line.people.helped:
            return line.people.helped
        says = _("people's estimate from %(judged)d judged of %(total)d messages")
        return says % {"judged": line.people.judged, "total": line.people.total}
    if line.passes is None and not line.denominator:
        return _("waits for people's answers")
    figures = {"above": line.numerator, "below": line.denominator, "score": format_score(line)}
    says = str(LABELS[line.key].count % figures)
    if line.passes is None:
        return _("%(count)s so far; waits for people's answers") % {"count": says}
    only = _("%(count)s, only %(unit)s")
    unit = LABELS[line.key].unit % {"n": line.denominator}
    return only % {"count": says, "unit": unit} if line.is_on_few_references else says


def describe_open(line: OutcomeLine) -> str:
    """What people's estimate of an open metric leaves open; "" for others."""
    if line.people is None or not line.is_open:
        return ""
    says = _(
        "%(label)s is open: people's estimate is %(share)s (%(low).0f to %(high).0f), the threshold %(limit)s."
    )
    says %= {
        "label": line.label,
        "share": figure_text(line),
        "low": line.people.low,
        "high": line.people.high,
        "limit": limit_text(line.key, line.threshold),
    }
    budget = find_label_budget(tuple(line.people.strata), line.threshold, line.people.batch)
    if budget is None:
        return says
    likely, certain = budget
    more = _("%(likely)d more answers decide it four times in five, %(certain)d always.")
    if likely == certain:
        more = _("%(certain)d more answers decide it.")
    return f"{says} {more % {'likely': likely, 'certain': certain}}"


def describe_all_open(outcome: Outcome) -> str:
    """What the verdict hangs on and is still open; "" for nothing."""
    return " ".join(describe_open(outcome.line(key)) for key in outcome.open)


def describe_unasked(label: str, count: int) -> str:
    """The sentence on suggested references that nobody looked at; "" without any. `label` is memory's."""
    if not count:
        return ""
    says = ngettext(
        "%(label)s: nobody looked at %(n)d suggestion, so it may have missed a reference.",
        "%(label)s: nobody looked at %(n)d suggestions, so it may have missed references.",
        count,
    )
    return says % {"label": label, "n": count}


def describe_flip_count(line: OutcomeLine) -> str:
    """What would change the line, in a few words: "9 messages", "under 3.0"; "" while pending."""
    if line.passes is None:
        return ""
    if METRICS[line.key].is_rated:
        says = _("under %(limit)s") if line.passes else _("%(limit)s or more")
        return says % {"limit": limit_text(line.key, line.threshold)}
    return _("nothing") if line.flip is None else str(LABELS[line.key].unit % {"n": line.flip})


def describe_next_game(line: OutcomeLine, found: NextGame) -> str:
    basis = describe_next_basis(found)
    return ", ".join(part for part in (describe_next_range(line, found), basis) if part) + _may(line, found)


def describe_next_range(line: OutcomeLine, found: NextGame) -> str:
    if found.low is None or found.high is None:
        return _("unknown until two games under one prompt have a verdict")
    low, high = (figure(end, line.threshold) for end in (found.low, found.high))
    return _("%(low)s to %(high)s") % {"low": low, "high": f"{high}{METRICS[line.key].scale.symbol}"}


def describe_next_basis(found: NextGame) -> str:
    if found.low is None or found.high is None:
        return ""
    if found.count == 1:
        says = ngettext(
            "by the spread of %(n)d game under other prompts",
            "by the spread of %(n)d games under other prompts",
            found.other_count,
        )
        return says % {"n": found.other_count}
    if not found.other_count:
        return _("by %(n)d games under this prompt") % {"n": found.count}
    says = _("by %(n)d games under this prompt and the spread of %(others)d under other prompts")
    return says % {"n": found.count, "others": found.other_count}


def describe_next(line: OutcomeLine, found: NextGame) -> str:
    return describe_next_range(line, found) + _may(line, found)


def _may(line: OutcomeLine, found: NextGame) -> str:
    if found.low is None or found.high is None or line.is_decided_by_hand:
        return ""
    if not found.low < line.threshold <= found.high:
        return ""
    return _("; so it may fail") if line.passes else _("; so it may pass")


def verdict_turns(outcome: Outcome, raters: int = 1) -> str:
    """A sentence on what would change the verdict; "" while it is pending.

    The rating is named if it needs fewer changes: half a point from one of its `raters` counts as one judgement.
    """
    if outcome.passes is None:
        return ""
    if any(reason.code == "cost" for reason in outcome.reasons):
        return _("No judgement would change it: the cost decides.")
    ways = find_ways(outcome, raters)
    if not ways:
        return _("Nothing that people judge would change it.")
    count, steps = ways[0][0], ways[-1][1]
    rating = _describe_rating_steps(steps, raters, is_less=outcome.passes) if steps else ""
    if not count:
        says = _("No judgement of messages or references would change it, but %(rating)s would.")
    elif ways[0][1]:
        says = ngettext(
            "It takes both to change it: %(rating)s and %(n)d different judgement.",
            "It takes both to change it: %(rating)s and %(n)d different judgements.",
            count,
        )
    else:
        says = ngettext(
            "%(n)d different judgement would change it%(rating)s.",
            "%(n)d different judgements would change it%(rating)s.",
            count,
        )
        rating = _(", or %(rating)s") % {"rating": rating} if steps and steps <= count else ""
    return says % {"n": count, "rating": rating}


def _describe_rating_steps(steps: int, raters: int, *, is_less: bool) -> str:
    points = _("half a point") if steps == 1 else _("%(points)s points") % {"points": f"{steps / 2:g}"}
    points = _("1 point") if steps == 2 else points
    where = _("in the rating") if raters == 1 else _("in the sum of %(raters)d ratings") % {"raters": raters}
    return f"{points} {_('less') if is_less else _('more')} {where}"


def check_says(check: ManualCheck) -> str:
    sentence = _(
        "manual check: %(yes)d of %(asked)d agents could be identified by their language, %(needed)d needed: %(word)s"
    )
    if check.is_by_agent:
        sentence = _("test: %(yes)d of %(asked)d agents identified, %(needed)d needed, %(chance)s: %(word)s")
    elif check.is_test:
        sentence = _("test: %(yes)d of %(asked)d messages assigned to the right agent, %(chance)s: %(word)s")
    shown = sentence % {
        "yes": check.yes,
        "asked": check.asked,
        "needed": check.needed,
        "chance": test_says(check) if check.is_test else "",
        "word": _("PASS") if check.passes else _("FAIL"),
    }
    return shown + (_(" (decides)") if check.decides else _(" (beside the score)"))


def test_says(check: ManualCheck) -> str:
    """The chance level of the blind test, and the probability of its result by guessing."""
    if check.is_by_agent:
        return _("guessing among %(agents)d passes with p %(p)s") % {
            "agents": check.agents,
            "p": format_p(check.p or 0.0),
        }
    level = {"agents": check.agents, "share": f"{100 / check.agents:.1f}", "p": format_p(check.p or 0.0)}
    chance = _("chance level 1 in %(agents)d (%(share)s\u00a0%%), exact p %(p)s") % level
    if check.needed > check.asked:
        return chance + _(", too few messages to tell from guessing")
    return chance + _(", %(needed)d hits needed for p < 0.05") % {"needed": check.needed}


def format_p(p: float) -> str:
    """The probability with "=" or "<": three decimals, six near the level of the test, never "0.000"."""
    if p < 0.001:
        return "< 0.001"
    return f"= {p:.3f}" if abs(p - 0.05) >= 0.0005 else f"= {p:.6f}"


class SubjectWords:
    """Describes subjects of one game; reads its text only to name a player."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._names: list[str] | None = None

    def say_override(self, override: Override) -> Override:
        kind = override.kind
        return replace(
            override,
            what=self.describe(kind, override.subject),
            says=answer_word(kind, override.value),
            machine_says=answer_word(kind, override.machine) if override.machine else "",
            before_says=answer_word(kind, override.before) if override.before else "",
        )

    def describe(self, kind: str, subject: str) -> str:
        label = get_kind_label(kind)
        if kind in judgement_kinds.PLACED_KINDS:
            return f"{label}, {_describe_position(subject)}"
        if kind == judgement_kinds.PHRASE:
            player, _bar, phrase = subject.partition("|")
            name = self._name(int(player)) if int(player) else _("all agents")
            return _("%(label)s “%(phrase)s” of %(name)s") % {"label": label, "phrase": phrase, "name": name}
        if kind == judgement_kinds.IDENTIFY:
            return f"{label}: {self._name(int(subject))}"
        return f"{label} {subject}".rstrip()

    def answer(self, kind: str, value: str) -> str:
        if kind == judgement_kinds.ATTRIBUTION and value.isdigit():
            return self._name(int(value))
        return answer_word(kind, value)

    def _name(self, number: int) -> str:
        if self._names is None:
            record = game_record(self.game.pk, self.game.content_sha256)
            self._names = [player.name for player in record.players]
        return self._names[number - 1]


def describe_target(target: str) -> str:
    """The target of a comment in words: "message 19" of "message:19", "the game" of "game"."""
    _kind, _colon, subject = target.partition(":")
    return _describe_position(subject) if subject else _("the game")


def _describe_position(subject: str) -> str:
    message, sentence = parse_subject(subject)
    if not sentence:
        return _("message %(message)d") % {"message": message}
    return _("message %(message)d, sentence %(sentence)d") % {"message": message, "sentence": sentence}
