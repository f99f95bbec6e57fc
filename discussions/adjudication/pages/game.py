"""The page on which a lead settles what the evaluators of one game differ about, the open things first."""

from collections import defaultdict

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.disagreements import Disagreement
from discussions.adjudication.pages.cards import (
    Card,
    CardNote,
    PostedDecision,
    QuoteTable,
    build_card,
    card_id,
    is_open,
)
from discussions.adjudication.pages.evidence import load_evidence_source
from discussions.adjudication.permissions import check_adjudicate
from discussions.adjudication.queries import disagreements_in
from discussions.core.evaluation_states import SUBMITTED
from discussions.models import Evaluation, Game, Measured, Remark
from discussions.models.slots import RATING
from discussions.queries import newest_measured
from workspace.access.permissions import get_refusal
from workspace.models import Person

CARDS_A_PAGE = 40


PROGRESS = "settle-progress"


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
    adjudicated_count: int
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
    posted: PostedDecision | None = None,
) -> AdjudicationPage:
    """One page of the list, or the page that holds what was `posted`; a fixed number of queries."""
    evaluations = _evaluations(game)
    names = evaluations if is_named else {}
    measured = newest_measured(game)
    things = disagreements_in(game) if measured else []
    count = max(1, -(-len(things) // CARDS_A_PAGE))
    number = _find_page(things, posted) or min(max(page, 1), count)
    shown = things[(number - 1) * CARDS_A_PAGE : number * CARDS_A_PAGE]
    places = {
        card_id(disagreement): at // CARDS_A_PAGE + 1
        for at, disagreement in enumerate(things)
        if is_open(disagreement)
    }
    return AdjudicationPage(
        slug=game.project.slug,
        number=game.number,
        in_count=len(evaluations),
        needed_count=game.evaluator_count,
        tie_count=sum(disagreement.is_tie for disagreement in things),
        open_count=len(places),
        adjudicated_count=sum(disagreement.settled is not None for disagreement in things),
        is_named=is_named,
        cards=_cards(_table(game, measured, names, list(evaluations), nonce, posted), shown)
        if measured
        else [],
        page=number,
        page_count=count,
        places=places,
        refusal=get_refusal(check_adjudicate, person, game) if things else "",
    )


def _find_page(things: list[Disagreement], posted: PostedDecision | None) -> int:
    """The page on which the thing stands that was posted, 0 if it is none of them."""
    keys = [disagreement.key for disagreement in things]
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
    posted: PostedDecision | None,
) -> QuoteTable:
    source = load_evidence_source(game, measured, game.iteration.rubric_version)
    return QuoteTable(source, names, _remarks(evaluations), nonce, posted)


def _cards(table: QuoteTable, shown: list[Disagreement]) -> list[Card]:
    following = [card_id(disagreement) if is_open(disagreement) else "" for disagreement in shown]
    return [
        build_card(table, disagreement, next(filter(None, following[place + 1 :]), ""))
        for place, disagreement in enumerate(shown)
    ]


def _remarks(evaluations: list[int]) -> dict[tuple[int, str], list[CardNote]]:
    """(evaluation, target) -> flags and comments, oldest first."""
    labels = {"flag": _("flagged"), "comment": _("comment")}
    found: dict[tuple[int, str], list[CardNote]] = defaultdict(list)
    rows = Remark.objects.filter(evaluation__in=evaluations).order_by("pk")
    for evaluation, target, kind, text in rows.values_list("evaluation", "target", "kind", "text"):
        found[evaluation, target].append(CardNote(labels.get(kind, kind), text))
    return found
