"""The page on which a lead resolves the disagreements of one game, open ones first."""

from collections import defaultdict

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.disagreements import Disagreement
from discussions.adjudication.pages.cards import (
    Card,
    CardNote,
    CardSource,
    PostedDecision,
    build_card,
    card_id,
)
from discussions.adjudication.pages.evidence import load_evidence_source
from discussions.adjudication.permissions import check_adjudicate
from discussions.adjudication.queries import disagreements_in
from discussions.models import Evaluation, Game, Remark
from discussions.queries import newest_measured
from workspace.access.permissions import get_refusal
from workspace.models import Person

CARDS_A_PAGE = 40
PROGRESS = "disagreements-progress"


class AdjudicationPage(Struct, frozen=True):
    """Everything on the page. `refusal` says why nothing can be decided now, "" when it can.

    `open_pages` are the element ids of the open cards with the page of each.
    """

    game: Game
    submitted_count: int
    tie_count: int
    adjudicated_count: int
    is_named: bool
    cards: list[Card]
    page: int
    page_count: int
    open_pages: dict[str, int]
    refusal: str

    @property
    def first(self) -> str:
        return next(iter(self.open_pages), "")

    def choose_next(self, wanted: str) -> str:
        return wanted if wanted in self.open_pages else self.first or PROGRESS

    def link(self, element: str) -> str:
        return f"{self.query(self.open_pages.get(element, 1))}#{element}"

    def find_card(self, kind: str, subject: str) -> Card | None:
        return next((card for card in self.cards if card.disagreement.key == (kind, subject)), None)

    @property
    def says(self) -> str:
        if self.page_count < 2:
            return ""
        return _("Page %(page)d of %(count)d") % {"page": self.page, "count": self.page_count}

    @property
    def previous_url(self) -> str:
        return self.query(self.page - 1) if self.page > 1 else ""

    @property
    def next_url(self) -> str:
        return self.query(self.page + 1) if self.page < self.page_count else ""

    def query(self, page: int) -> str:
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
    evaluations = Evaluation.objects.submitted_ratings().filter(game=game)
    names = dict(evaluations.values_list("pk", "evaluator__name"))
    measured = newest_measured(game)
    found = disagreements_in(game) if measured else []
    count = max(1, -(-len(found) // CARDS_A_PAGE))
    number = _find_page(found, posted) or min(max(page, 1), count)
    cards = []
    if measured:
        source = load_evidence_source(game, measured, game.iteration.rubric_version)
        shared = CardSource(source, names if is_named else {}, _load_notes(list(names)), nonce, posted)
        cards = _build_cards(shared, found[(number - 1) * CARDS_A_PAGE : number * CARDS_A_PAGE])
    return AdjudicationPage(
        game=game,
        submitted_count=len(names),
        tie_count=sum(disagreement.is_tie for disagreement in found),
        adjudicated_count=sum(disagreement.resolved is not None for disagreement in found),
        is_named=is_named,
        cards=cards,
        page=number,
        page_count=count,
        open_pages={
            card_id(disagreement): index // CARDS_A_PAGE + 1
            for index, disagreement in enumerate(found)
            if disagreement.is_open
        },
        refusal=get_refusal(check_adjudicate, person, game) if found else "",
    )


def _find_page(found: list[Disagreement], posted: PostedDecision | None) -> int:
    keys = [disagreement.key for disagreement in found]
    if posted is None or (posted.kind, posted.subject) not in keys:
        return 0
    return keys.index((posted.kind, posted.subject)) // CARDS_A_PAGE + 1


def _build_cards(shared: CardSource, shown: list[Disagreement]) -> list[Card]:
    cards, following = [], ""
    for disagreement in reversed(shown):
        cards.append(build_card(shared, disagreement, following))
        following = card_id(disagreement) if disagreement.is_open else following
    return cards[::-1]


def _load_notes(evaluations: list[int]) -> dict[tuple[int, str], list[CardNote]]:
    """(evaluation, target) -> flags and comments, oldest first."""
    labels = {"flag": _("flagged"), "comment": _("comment")}
    found: dict[tuple[int, str], list[CardNote]] = defaultdict(list)
    rows = Remark.objects.filter(evaluation__in=evaluations).order_by("pk")
    for evaluation, target, kind, text in rows.values_list("evaluation", "target", "kind", "text"):
        found[evaluation, target].append(CardNote(labels.get(kind, kind), text))
    return found
