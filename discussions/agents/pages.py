"""The file of an agent, a model or an iteration, and the list of categories, as pages and Markdown show them."""

from collections.abc import Callable, Iterator, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from discussions.agents.core.categories import CategoryShare, Code, CodedGames
from discussions.agents.core.files import (
    AGENT,
    BETTER,
    FEW,
    ITERATION,
    MEASURES,
    METRIC_OF,
    MODEL,
    UNCLEAR,
    WON,
    WORSE,
    AgentFigures,
    AgentFile,
    AgentShare,
    Moment,
)
from discussions.core.judgement_kinds import COHERENCE, PHRASE, REFERENCE, ROLE_CONSISTENCY
from discussions.core.outcome import DIVERSITY
from discussions.games.core import MESSAGES_A_PAGE
from discussions.metrics.labels import CHECKS, LABELS, rule_text
from workspace.core.text import number
from workspace.markup import interval_text

GROUPED: dict[str, Promise] = {
    AGENT: gettext_lazy("Agents"),
    MODEL: gettext_lazy("Models"),
    ITERATION: gettext_lazy("Iterations"),
}
WORDS: dict[str, Promise] = {
    WORSE: gettext_lazy("worse"),
    BETTER: gettext_lazy("better"),
    UNCLEAR: gettext_lazy("unclear"),
    FEW: gettext_lazy("too few games"),
}
TITLES: dict[str, Promise] = {
    REFERENCE: gettext_lazy("Wrong about the past"),
    COHERENCE: gettext_lazy("Leaves messages unanswered"),
    PHRASE: gettext_lazy("Repeats itself"),
    ROLE_CONSISTENCY: gettext_lazy("Falls out of its role"),
}
COLUMNS = (
    "of name role measure games right of_all judged share low high others difference difference_low "
    "difference_high word"
).split()
ROLES_A_TABLE = 3
AXES = (10, 20, 50, 100)
EXCERPT = 280


class RoleCell:
    """One figure on the axis of a table: `x` and `ends` are percent of its width."""

    def __init__(self, role: str, figure: AgentShare | None, reach: int) -> None:
        self.role, self.figure = role, figure
        self.word = figure.word if figure else FEW
        self.x: float | None = None
        if figure is None or figure.difference is None or figure.apart is None:
            return
        self.x = _to_axis(figure.difference, reach)
        self.ends = [_to_axis(end, reach) for end in figure.apart]

    @property
    def points(self) -> str:
        difference = self.figure.difference if self.figure and self.x is not None else None
        return "" if difference is None else signed(difference)

    @property
    def says(self) -> str:
        if self.figure is None:
            return _("nothing to count")
        if self.figure.apart is None:
            return str(WORDS[FEW])
        low, high = (signed(end) for end in self.figure.apart)
        return _("points, %(low)s to %(high)s, %(word)s") % {
            "low": low,
            "high": high,
            "word": WORDS[self.word],
        }


class MomentLine:
    """A moment with its share, that of the others, and the message, cut around the words that it is about."""

    def __init__(self, moment: Moment, file: AgentFile, text: str, address: str, end: int) -> None:
        self.moment, self.address, self.end = moment, address, end
        self.title, self.figure = TITLES[moment.kind], file.figure(moment.role, METRIC_OF[moment.kind])
        begin = max(0, moment.end - EXCERPT) if moment.end > EXCERPT else 0
        cut = text[begin : begin + EXCERPT]
        head, tail = "… " if begin else "", " …" if begin + EXCERPT < len(text) else ""
        self.text = f"{head}{cut}{tail}"
        shift = len(head) - begin
        start, stop = max(moment.start + shift, len(head)), moment.end + shift
        self.spans = [(start, stop)] if moment.end else []

    @property
    def share(self) -> str:
        return f"{100 - self.figure.share:.0f}"

    @property
    def of(self) -> str:
        """What the share is of, such as "of its messages as mafia, others 11 %"."""
        said = {"role": self.moment.role or _("a player")}
        text = (
            _("of its references as %(role)s")
            if self.moment.kind == REFERENCE
            else _("of its messages as %(role)s")
        )
        others = self.figure.others
        text = text % said
        return (
            text
            if others is None
            else _("%(text)s, others %(share).0f %%") % {"text": text, "share": 100 - others}
        )

    @property
    def word(self) -> str:
        return self.figure.word

    @property
    def x(self) -> float:
        return 100 * (100 - self.figure.share) / self.end

    @property
    def ends(self) -> list[float]:
        return [100 * (100 - value) / self.end for value in reversed(self.figure.interval or ())]

    @property
    def others(self) -> float | None:
        return None if self.figure.others is None else 100 * (100 - self.figure.others) / self.end

    @property
    def why(self) -> str:
        """Why the moment counts, and whether people or the rule say so."""
        moment = self.moment
        if moment.kind == PHRASE:
            return _("Said %(count)d times in this game.") % {"count": moment.count}
        why = str(CHECKS.get(moment.why) or rule_text(moment.why).replace("_", " ")) if moment.why else ""
        known = {"why": why}
        if moment.is_by_people:
            return _("Judged by people: %(why)s.") % known if why else _("Judged by people.")
        return _("By the rule: %(why)s.") % known


class FilePage:
    """Everything on the page. `place` gives the address of a game's page by its number."""

    def __init__(
        self,
        file: AgentFile,
        grouping: str,
        label: str,
        texts: Mapping[tuple[int, int], str],
        place: Callable[[int], str],
    ) -> None:
        self.file, self.grouping, self.label = file, grouping, label
        shown = [moment for moment in file.moments if (moment.game, moment.message) in texts]
        self.end = _find_end([file.figure(moment.role, METRIC_OF[moment.kind]) for moment in shown])
        self.moments = [
            MomentLine(
                moment,
                file,
                texts[moment.game, moment.message],
                place_message(place(moment.game), moment.message),
                self.end,
            )
            for moment in shown
        ]
        known = [abs(figure.difference or 0.0) for _role, _measure, figure in file.comparisons]
        self.reach = next(end for end in AXES if end >= max(known, default=0.0))

    @property
    def parts(self) -> list[list[str]]:
        """The roles with anything to compare, three a table."""
        roles = [
            found.role
            for found in self.file.roles
            if any(figure.apart is not None for measure, figure in found.figures.items() if measure != WON)
        ]
        return [roles[at : at + ROLES_A_TABLE] for at in range(0, len(roles), ROLES_A_TABLE)]

    @property
    def games(self) -> dict[str, int]:
        return {found.role: found.games for found in self.file.roles}

    def rows(self, roles: list[str]) -> list[tuple[str, list[RoleCell]]]:
        """A row for each metric with anything to count in these roles."""
        figures = {found.role: found.figures for found in self.file.roles}
        rows = []
        for measure in MEASURES:
            found = [figures[role].get(measure) for role in roles]
            if measure != WON and any(found):
                cells = [
                    RoleCell(role, figure, self.reach) for role, figure in zip(roles, found, strict=True)
                ]
                rows.append((str(LABELS[measure].column), cells))
        return rows

    @property
    def won(self) -> list[tuple[str, AgentShare]]:
        return [(found.role, found.figures[WON]) for found in self.file.roles if WON in found.figures]

    @property
    def is_won_clear(self) -> bool:
        return any(figure.word in (WORSE, BETTER) for _role, figure in self.won)

    @property
    def judged(self) -> tuple[int, int]:
        """How many of the things that people can judge they judged, and how many there are."""
        counted = [
            figure
            for found in self.file.roles
            for measure, figure in found.figures.items()
            if measure not in (WON, DIVERSITY)
        ]
        return sum(figure.judged for figure in counted), sum(figure.of for figure in counted)

    @property
    def by_chance(self) -> str:
        """How many of the comparisons would look clear if nothing differed."""
        return f"{len(self.file.comparisons) / 20:.1f}"

    @property
    def worst(self) -> list[tuple[str, str, AgentShare]]:
        """What is worse in the role with the largest such difference: (role, measure, figure)."""
        worse = [row for row in self.file.comparisons if row[2].word == WORSE]
        worse.sort(key=lambda row: (row[2].difference or 0.0, row[0]))
        return [row for row in worse if row[0] == worse[0][0]]

    @property
    def headline(self) -> str:
        name = {"name": self.label}
        if worst := self.worst:
            does = [str(LABELS[measure].worse) for _role, measure, _figure in worst]
            last = {"first": ", ".join(does[:-1]), "last": does[-1]}
            what = _("%(first)s and %(last)s") % last if does[1:] else does[0]
            said = {**name, "role": worst[0][0] or _("a player"), "what": what}
            return _("As %(role)s, %(name)s %(what)s") % said
        if not self.file.comparisons:
            return _("Too few games to say what %(name)s does worse than others") % name
        return _("%(name)s does nothing worse than others, as far as these games show") % name

    @property
    def lead(self) -> str:
        """The differences behind the headline, and in which roles none is shown."""
        if not self.file.comparisons:
            return _("An interval needs three games in one role, and three of others in the same role.")
        if not (worst := self.worst):
            return _(
                "Every interval of a metric holds the others of the same role, or lies on their better side."
            )
        said = [
            _("%(metric)s %(points)s points")
            % {"metric": LABELS[measure].column, "points": signed(figure.difference or 0.0)}
            for _role, measure, figure in worst
        ]
        worse = {role for role, _measure, figure in self.file.comparisons if figure.word == WORSE}
        alike = [found.role for found in self.file.roles if found.role and found.role not in worse]
        text = _("Against others of the same role: %(said)s.") % {"said": ", ".join(said)}
        return (
            f"{text} {_('No such difference as %(roles)s.') % {'roles': ', '.join(alike)}}" if alike else text
        )


def list_rows(figures: AgentFigures) -> Iterator[list[str | int | float | None]]:
    """The rows of `COLUMNS`: shares and intervals in percent, with two decimals; None where there is none."""
    for grouping, files in figures.files.items():
        for file in files:
            for found in file.roles:
                for measure, figure in found.figures.items():
                    low, high = figure.interval or (None, None)
                    apart_low, apart_high = figure.apart or (None, None)
                    shares = (
                        figure.share,
                        low,
                        high,
                        figure.others,
                        figure.difference,
                        apart_low,
                        apart_high,
                    )
                    counts = (figure.games, figure.right, figure.of, figure.judged)
                    rounded = [None if share is None else round(share, 2) for share in shares]
                    yield [grouping, file.name, found.role, measure, *counts, *rounded, figure.word]


def name_file(grouping: str, name: str) -> str:
    return _("Iteration %(number)s") % {"number": name} if grouping == ITERATION else name


def signed(value: float) -> str:
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def place_message(game: str, message: int) -> str:
    return f"{game}{f'?from={message}' if message > MESSAGES_A_PAGE else ''}#m{message}"


def _to_axis(value: float, reach: int) -> float:
    """Where a difference lies, in percent of an axis that ends a fifth beyond `reach` on both sides."""
    return round(min(100.0, max(0.0, 50 + 50 * value / (1.2 * reach))), 1)


def _find_end(figures: list[AgentShare]) -> int:
    """Where the line of shares ends, in percent: what lies on it fits."""
    shares = [100 - figure.share for figure in figures]
    shares += [100 - figure.others for figure in figures if figure.others is not None]
    shares += [100 - figure.interval[0] for figure in figures if figure.interval]
    return next((end for end in (20, 50) if max(shares, default=0.0) <= end), 100)


MOST_SHARES, MOST_CODES, MOST_PLACES = 8, 50, 5


class CategoryPart:
    """One category; lists are cut, `left_out` counts the codes that are not listed."""

    def __init__(self, key: int, coded: CodedGames, place: Callable[[int], str]) -> None:
        self.key, self.name, codes = key, coded.names[key], coded.list_codes(key)
        self.messages = len({(code.game, code.message) for code in codes if code.message})
        self.games = len({code.game for code in codes})
        self.shares = {
            grouping: [share for share in coded.list_shares(key, grouping) if share.coded][:MOST_SHARES]
            for grouping in (AGENT, ITERATION)
        }
        self.agreement = coded.measure_agreement(key)
        self.codes = [(code, describe_place(code), _link_code(code, place)) for code in codes[:MOST_CODES]]
        self.left_out = max(0, len(codes) - MOST_CODES)

    @property
    def alpha(self) -> str:
        """Krippendorff's alpha with its interval, or why there is none."""
        found = self.agreement
        if found.value is None:
            return _("no game was coded by two people") if not found.items else found.reason
        return (
            f"{number(found.value)} ({interval_text(found.interval)})"
            if found.interval
            else number(found.value)
        )


def list_parts(coded: CodedGames, place: Callable[[int], str]) -> list[CategoryPart]:
    return [CategoryPart(key, coded, place) for key in coded.rank()]


def list_of(
    coded: CodedGames, grouping: str, name: str, place: Callable[[int], str]
) -> list[tuple[str, CategoryShare, list[tuple[str, str]]]]:
    """The categories of one agent or iteration, most messages first: (category, its share, its first places)."""
    said = coded.said[grouping]
    found = [
        (
            coded.names[key],
            share,
            [
                (describe_place(code), _link_code(code, place))
                for code in coded.list_codes(key)
                if code.message and said[code.game][code.message - 1] == name
            ],
        )
        for key in coded.rank()
        for share in coded.list_shares(key, grouping)
        if share.name == name and share.coded
    ]
    ranked = sorted(found, key=lambda row: (-row[1].coded, row[0]))
    return [(category, share, places[:MOST_PLACES]) for category, share, places in ranked]


def describe_place(code: Code) -> str:
    about = {"game": code.game, "message": code.message}
    return _("game %(game)d, message %(message)d") % about if code.message else _("game %(game)d") % about


def _link_code(code: Code, place: Callable[[int], str]) -> str:
    return place_message(place(code.game), code.message) if code.message else place(code.game)
