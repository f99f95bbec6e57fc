"""A game's disagreements, open ones first; a lead's decisions on them; names on demand."""

import json
from collections import defaultdict
from secrets import token_urlsafe
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from discussions.adjudication import pages
from discussions.adjudication.actions import adjudicate as do_adjudicate
from discussions.adjudication.actions import unmask_evaluators
from discussions.adjudication.core.disagreements import CAN_BE_NO, Disagreement, letters
from discussions.adjudication.core.effective import Key
from discussions.adjudication.forms import AdjudicationForm, NamesForm
from discussions.adjudication.permissions import check_adjudicate, list_third
from discussions.adjudication.queries import disagreements_in, has_seen_names, letters_seed, submitted_in
from discussions.core.judgement_kinds import VALUES, item_id
from discussions.models import Evaluation, Game, Remark, TieRequest
from discussions.queries import newest_measured
from discussions.slots.permissions import check_see_games
from workspace.access.permissions import get_refusal
from workspace.core.refusals import Conflict, Unacceptable
from workspace.models import Person
from workspace.web.bind_form import bind_form, parse_number
from workspace.web.views import SignedIn, frame, is_htmx, only_parameters, require, respond

PAGE, REGION = "discussions/adjudication/game.html", "discussions/adjudication/_answer.html"
CARDS_A_PAGE = 40
PROGRESS = "disagreements-progress"
NEW_ANSWER = "anew:"


@require("see_games")
def adjudicate(request: SignedIn, slug: str, number: int) -> HttpResponse:
    given = only_parameters(request, "page", "names")
    game = led_game_or_404(request.user, slug, number)
    check_see_games(request.user, game.project)
    is_named = given["names"] == "1" and has_seen_names(request.user, game)
    page = AdjudicationPage(game, request.user, page=parse_number(given["page"]), is_named=is_named)
    context = {"page": page, "posted": None, **frame(request.user, game.project, "games")}
    return respond(request, page=PAGE, context=context)


@require("adjudicate", methods=("POST",))
def adjudicate_one(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game = led_game_or_404(request.user, slug, number)
    check_adjudicate(request.user, game)
    form = bind_form(request, AdjudicationForm)
    if not form.is_valid():
        return _answered(request, game, form, faults=form.faults, status=422)
    try:
        _decide(request.user, game, form)
    except Unacceptable as refusal:
        return _answered(request, game, form, faults=[refusal.sentence], status=refusal.status)
    except Conflict as refusal:
        return _answered(request, game, form, conflict=refusal.sentence, status=refusal.status)
    return _answered(request, game, form)


@require("see_games", methods=("POST",))
def show_names(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show the names of the evaluators, recorded in the audit log; redirects to the page that asked."""
    game = led_game_or_404(request.user, slug, number)
    check_see_games(request.user, game.project)
    form = bind_form(request, NamesForm)
    fields = form.cleaned_data if form.is_valid() else {}
    unmask_evaluators(game=game, by=request.user, now=timezone.now())
    if fields.get("to") == "game":
        return respond(
            request, page="", redirect=f"{reverse('game', args=[slug, number])}?names=1#game-people"
        )
    address = reverse("adjudicate", args=[slug, number])
    return respond(request, page="", redirect=f"{address}?page={fields.get('page') or 1}&names=1")


def led_game_or_404(person: Person, slug: str, number: int) -> Game:
    """The game of that number, for leads of its project and admins; 404 for everybody else."""
    rows = Game.objects.visible_to(person).select_related(
        "iteration__rubric_version__rubric", "transcript", "project"
    )
    return get_object_or_404(rows, project__slug=slug, number=number)


def _decide(person: Person, game: Game, form: AdjudicationForm) -> None:
    fields = form.cleaned_data
    choice = str(fields["choice"])
    is_new = choice.startswith(NEW_ANSWER)
    do_adjudicate(
        game=game,
        value=choice.removeprefix(NEW_ANSWER) if is_new else "",
        adopted=None if is_new else find_side(game, choice),
        by=person,
        now=timezone.now(),
        **{name: fields[name] for name in ("kind", "subject", "reason", "sides_sha256", "key")},
    )


def find_side(game: Game, letter: str) -> Evaluation:
    evaluations = {alias: key for key, alias in letters(letters_seed(game.pk), submitted_in(game)).items()}
    if letter not in evaluations:
        raise Unacceptable(_("There is no side called that. Choose one of the sides."), field="choice")
    return Evaluation.objects.get(pk=evaluations[letter])


def _answered(
    request: SignedIn,
    game: Game,
    form: AdjudicationForm,
    *,
    faults: list[str] | None = None,
    conflict: str = "",
    status: int = 200,
) -> HttpResponse:
    """The current card with any refusal; without htmx, a redirect to the next card, or the full page."""
    fields = {name: form.typed(name) for name in ("kind", "subject", "choice", "reason")}
    posted = {**fields, "faults": faults or [], "conflict": conflict}
    is_named = bool(form.data.get("names")) and has_seen_names(request.user, game)
    page = AdjudicationPage(game, request.user, is_named=is_named, posted=posted)
    card = next((card for card in page.cards if card.posted), None)
    onward = page.choose_next(form.typed("next"))
    context = {"page": page, "card": card, "posted": posted, **frame(request.user, game.project, "games")}
    address = f"{reverse('adjudicate', args=[game.project.slug, game.number])}{page.link(onward)}"
    response = respond(request, page=PAGE, region=REGION, context=context, status=status, redirect=address)
    if is_htmx(request):
        focus = _focus(form, card, onward, status)
        response["HX-Trigger-After-Settle"] = json.dumps({"go-to": {"id": focus}})
    return response


def _focus(form: AdjudicationForm, card: "Card | None", onward: str, status: int) -> str:
    """The element that gets the focus: what is missing, what conflicts, else the first answer of the next card."""
    if status == Unacceptable.status and card:
        return f"{card.id}-reason" if form.typed("choice") else f"{card.id}-first"
    if status >= 400:
        return card.id if card else PROGRESS
    return f"{onward}-first" if form.typed("next") and onward != PROGRESS else PROGRESS


class AdjudicationPage:
    """One page of a game's disagreements, or the page that holds what was `posted` and not saved; few queries.

    `posted` has the fields of the form, its `faults`, and the `conflict` in a sentence. `refusal` says why nothing can
    be decided now, "" when it can. `open_pages` are the element ids of the open cards with the page of each.
    """

    def __init__(
        self,
        game: Game,
        person: Person,
        *,
        page: int = 1,
        is_named: bool = False,
        posted: dict[str, Any] | None = None,
    ) -> None:
        names = dict(
            Evaluation.objects.submitted_ratings().filter(game=game).values_list("pk", "evaluator__name")
        )
        measured = newest_measured(game)
        disagreements = disagreements_in(game) if measured else []
        self.game, self.is_named, self.posted = game, is_named, posted
        self.submitted_count = len(names)
        self.tie_count = sum(disagreement.is_tie for disagreement in disagreements)
        self.adjudicated_count = sum(disagreement.resolved is not None for disagreement in disagreements)
        self.page_count = max(1, -(-len(disagreements) // CARDS_A_PAGE))
        keys = [disagreement.key for disagreement in disagreements]
        key = (posted["kind"], posted["subject"]) if posted else ("", "")
        self.page = keys.index(key) // CARDS_A_PAGE + 1 if key in keys else min(max(page, 1), self.page_count)
        self.open_pages = {
            card_id(disagreement): index // CARDS_A_PAGE + 1
            for index, disagreement in enumerate(disagreements)
            if disagreement.is_open
        }
        self.names = names if is_named else {}
        self.nonce = token_urlsafe(12)
        self.cards: list[Card] = []
        self.sent: dict[Key, str] = {}
        self.groups: list[dict[str, Any]] = []
        self.third: list[Person] = []
        self.group_count = self.unsent_count = 0
        if measured:
            self.source = pages.load_evidence_source(game, measured, game.iteration.rubric_version)
            self.notes = _load_notes(list(names))
            self._add_ties(disagreements)
            self._add_cards(disagreements[(self.page - 1) * CARDS_A_PAGE : self.page * CARDS_A_PAGE])
        self.refusal = get_refusal(check_adjudicate, person, game) if disagreements else ""

    def _add_ties(self, disagreements: list[Disagreement]) -> None:
        ties = (
            TieRequest.objects.waiting()
            .filter(game=self.game)
            .values_list("kind", "subject", "evaluator__name")
        )
        self.sent = {(kind, subject): name for kind, subject, name in ties}
        listed = pages.list_groups(disagreements)
        self.group_names = {
            one.key: name for name, several in listed.items() if len(several) > 1 for one in several
        }
        self.groups = [self._group(name, several) for name, several in listed.items() if len(several) > 1]
        self.group_count = len(listed)
        self.unsent_count = sum(one.key not in self.sent for several in listed.values() for one in several)
        is_complete = self.submitted_count >= self.game.evaluator_count
        self.third = list_third(self.game) if self.unsent_count and is_complete else []

    def _group(self, name: str, several: list[Disagreement]) -> dict[str, Any]:
        """Ties that share a question: each in a row with the answers by letter."""
        kind = several[0].kind
        answers = sorted({side.value for one in several for side in one.sides})
        return {
            "name": name,
            "key": f"{self.nonce}:group",
            "label": pages.get_kind_label(kind),
            "between": _(" or ").join(pages.answer_word(kind, value) for value in answers),
            "aliases": sorted({side.alias for one in several for side in one.sides}),
            "values": pages.list_values(kind),
            "unsent": sum(one.key not in self.sent for one in several),
            "rows": [
                {
                    "item": f"{kind}|{one.page_sha256}|{one.subject}",
                    "subject": pages.build_subject(self.source, kind, one.subject),
                    "words": {side.alias: pages.answer_word(kind, side.value) for side in one.sides},
                    "card": card_id(one),
                    "is_sent": one.key in self.sent,
                }
                for one in several
            ],
        }

    def _add_cards(self, disagreements: list[Disagreement]) -> None:
        following = ""
        for disagreement in reversed(disagreements):
            self.cards.insert(0, Card(self, disagreement, following))
            following = card_id(disagreement) if disagreement.is_open else following

    @property
    def sections(self) -> list[tuple[dict[str, Any], list["Card"]]]:
        """The cards under their headings; those of a group, and those with nothing to do, are folded."""
        found: dict[str, list[Card]] = {}
        for card in self.cards:
            found.setdefault(card.heading, []).append(card)
        folded = {
            str(_("One by one")),
            str(_("Resolved")),
            str(_("For information: these do not affect the verdict")),
        }
        return [({"says": says, "is_folded": says in folded}, cards) for says, cards in found.items()]

    @staticmethod
    def holds_posted(cards: list["Card"]) -> bool:
        """Whether what was sent and not saved is among these."""
        return any(card.posted for card in cards)

    @property
    def first(self) -> str:
        return next(iter(self.open_pages), "")

    def choose_next(self, wanted: str) -> str:
        return wanted if wanted in self.open_pages else self.first or PROGRESS

    def link(self, element: str) -> str:
        return f"{self.query(self.open_pages.get(element, 1))}#{element}"

    @property
    def pager(self) -> dict[str, str]:
        says = _("Page %(page)d of %(count)d") % {"page": self.page, "count": self.page_count}
        return {
            "previous_url": self.query(self.page - 1) if self.page > 1 else "",
            "next_url": self.query(self.page + 1) if self.page < self.page_count else "",
            "says": says if self.page_count > 1 else "",
        }

    def query(self, page: int) -> str:
        return f"?page={page}{'&names=1' if self.is_named else ''}"


class Card:
    """One disagreement with its form; `next` is the element that gets the focus after saving.

    `words` are its answers in words, by value; `other_answers` the values that no side gave. `names` are by evaluation
    (none while names are hidden), `notes` too: flags and comments as (label, text).
    """

    def __init__(self, page: AdjudicationPage, disagreement: Disagreement, following: str) -> None:
        kind, sides = disagreement.kind, disagreement.sides
        self.id, self.disagreement, self.next = card_id(disagreement), disagreement, following
        self.names, self.key = page.names, f"{page.nonce}:{kind}:{disagreement.subject}"
        posted = page.posted
        self.posted = posted if posted and (posted["kind"], posted["subject"]) == disagreement.key else None
        self.is_grouped = disagreement.is_open and disagreement.key in page.group_names
        self.sent_to = page.sent.get(disagreement.key, "")
        self.subject = pages.build_subject(page.source, kind, disagreement.subject)
        targets = (f"message:{self.subject.message}", f"{kind}:{disagreement.subject}")
        self.notes = {
            side.evaluation: [
                note for target in targets for note in page.notes.get((side.evaluation, target), [])
            ]
            for side in sides
        }
        allowed = [*VALUES[kind], *([""] if kind in CAN_BE_NO else [])]
        answers = {side.value for side in sides}
        self.other_answers = [value for value in allowed if value not in answers]
        values = {*allowed, *answers, *(side.blind_value for side in sides), disagreement.machine}
        values |= {disagreement.majority or "", disagreement.resolved.value if disagreement.resolved else ""}
        self.words = {value: pages.answer_word(kind, value) for value in values}

    @property
    def choice(self) -> str:
        choice = str(self.posted["choice"]) if self.posted else ""
        if choice.startswith(NEW_ANSWER):
            return pages.answer_word(self.disagreement.kind, choice.removeprefix(NEW_ANSWER))
        return choice

    @property
    def heading(self) -> str:
        if self.is_grouped:
            return _("One by one")
        if self.disagreement.is_tie:
            return _("Ties: the verdict waits for these")
        if self.disagreement.is_changed_since:
            return _("Changed since they were resolved")
        if self.disagreement.resolved:
            return _("Resolved")
        if self.disagreement.can_be_adjudicated:
            return _("Decided by majority")
        return _("For information: these do not affect the verdict")


def card_id(disagreement: Disagreement) -> str:
    return f"disagreement-{item_id(disagreement.kind, disagreement.subject)}"


def _load_notes(evaluations: list[int]) -> dict[tuple[int, str], list[tuple[str, str]]]:
    """(evaluation, target) -> flags and comments, oldest first."""
    labels = {"flag": _("flagged"), "comment": _("comment")}
    notes: dict[tuple[int, str], list[tuple[str, str]]] = defaultdict(list)
    rows = Remark.objects.filter(evaluation__in=evaluations).order_by("pk")
    for evaluation, target, kind, text in rows.values_list("evaluation", "target", "kind", "text"):
        notes[evaluation, target].append((labels.get(kind, kind), text))
    return notes
