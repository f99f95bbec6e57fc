"""The page on which a lead settles what the evaluators of one game differ about, the open things first."""

from collections import defaultdict

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core.disagreements import Disagreement
from discussions.core.moves import SUBMITTED
from discussions.models import Evaluation, Game, Measured, Remark
from discussions.models.adjudicated import disagreements_in
from discussions.models.slots import RATING
from discussions.models.standings import game_record, measurements_of, newest_measured, rubric_record
from discussions.pages.adjudicating_cards import Card, Note, Posted, Table, card_id, card_of, is_open
from discussions.pages.settling_things import Ground
from discussions.permissions_team import check_adjudicate
from workspace.models import Person
from workspace.permissions import refusal_of

CARDS_A_PAGE = 40
PROGRESS = "settle-progress"


class GamePlace(Struct, frozen=True):
    """Where a game is."""

    slug: str
    number: int


class AdjudicationPage(Struct, frozen=True):
    """Everything on the page. `refusal` says why nothing can be settled now, "" when it can.

    `is_named` where names are shown; `places` are the elements of the open things with the page each stands on.
    """

    slug: str
    number: int
    in_count: int
    needed_count: int
    tie_count: int
    open_count: int
    settled_count: int
    is_named: bool
    cards: list[Card]
    page: int
    page_count: int
    places: dict[str, int]
    refusal: str

    @property
    def first(self) -> str:
        """The element of the first open thing, "" when there is none."""
        return next(iter(self.places), "")

    def onward(self, wanted: str) -> str:
        """Where to go on after one was settled: the wanted thing while it is open, else the first that is."""
        return wanted if wanted in self.places else self.first or PROGRESS

    def at(self, place: str) -> str:
        """The query and the fragment of an element."""
        return f"{self.address(self.places.get(place, 1))}#{place}"

    def card(self, kind: str, subject: str) -> Card | None:
        """The card of that thing, if this page has it."""
        return next((card for card in self.cards if (card.kind, card.subject) == (kind, subject)), None)

    @property
    def says(self) -> str:
        """Which page of how many; "" where there is one."""
        if self.page_count < 2:
            return ""
        return _("Page %(page)d of %(count)d") % {"page": self.page, "count": self.page_count}

    @property
    def previous_url(self) -> str:
        """The page before, "" on the first."""
        return self.address(self.page - 1) if self.page > 1 else ""

    @property
    def next_url(self) -> str:
        """The page after, "" on the last."""
        return self.address(self.page + 1) if self.page < self.page_count else ""

    def address(self, page: int) -> str:
        """The query of another page of the list, names shown as here."""
        return f"?page={page}{'&names=1' if self.is_named else ''}"


def build_adjudication_page(
    *,
    game: Game,
    person: Person,
    nonce: str,
    page: int = 1,
    is_named: bool = False,
    posted: Posted | None = None,
) -> AdjudicationPage:
    """One page of the list, or the page that holds what was `posted`; a fixed number of queries."""
    evaluations = _evaluations(game)
    names = evaluations if is_named else {}
    measured = newest_measured(game)
    things = disagreements_in(game) if measured else []
    count = max(1, -(-len(things) // CARDS_A_PAGE))
    number = _page_of(things, posted) or min(max(page, 1), count)
    shown = things[(number - 1) * CARDS_A_PAGE : number * CARDS_A_PAGE]
    places = {card_id(one): at // CARDS_A_PAGE + 1 for at, one in enumerate(things) if is_open(one)}
    return AdjudicationPage(
        slug=game.project.slug,
        number=game.number,
        in_count=len(evaluations),
        needed_count=game.evaluator_count,
        tie_count=sum(one.is_tie for one in things),
        open_count=len(places),
        settled_count=sum(one.settled is not None for one in things),
        is_named=is_named,
        cards=_cards(_table(game, measured, names, list(evaluations), nonce, posted), shown)
        if measured
        else [],
        page=number,
        page_count=count,
        places=places,
        refusal=refusal_of(check_adjudicate, person, game) if things else "",
    )


def _page_of(things: list[Disagreement], posted: Posted | None) -> int:
    """The page on which the thing stands that was posted, 0 if it is none of them."""
    keys = [one.key for one in things]
    if posted is None or (posted.kind, posted.subject) not in keys:
        return 0
    return keys.index((posted.kind, posted.subject)) // CARDS_A_PAGE + 1


def _evaluations(game: Game) -> dict[int, str]:
    """Submitted evaluation -> its evaluator's name."""
    rows = Evaluation.objects.filter(game=game, purpose=RATING, state=SUBMITTED)
    return dict(rows.values_list("pk", "evaluator__name"))


def _table(
    game: Game,
    measured: Measured,
    names: dict[int, str],
    evaluations: list[int],
    nonce: str,
    posted: Posted | None,
) -> Table:
    version = game.iteration.rubric_version
    ground = Ground(
        game_record(game.pk, game.content_sha256),
        measurements_of(measured.pk, measured.findings_sha256),
        rubric_record(version.pk, version.sha256),
    )
    return Table(ground, names, _remarks(evaluations), nonce, posted)


def _cards(table: Table, shown: list[Disagreement]) -> list[Card]:
    following = [card_id(one) if is_open(one) else "" for one in shown]
    return [
        card_of(table, one, next(filter(None, following[place + 1 :]), "")) for place, one in enumerate(shown)
    ]


def _remarks(evaluations: list[int]) -> dict[tuple[int, str], list[Note]]:
    """(evaluation, target) -> flags and comments, oldest first."""
    labels = {"flag": _("flagged"), "comment": _("comment")}
    found: dict[tuple[int, str], list[Note]] = defaultdict(list)
    rows = Remark.objects.filter(evaluation__in=evaluations).order_by("pk")
    for evaluation, target, kind, text in rows.values_list("evaluation", "target", "kind", "text"):
        found[evaluation, target].append(Note(labels.get(kind, kind), text))
    return found
