"""What the parts of the evaluator's page are built from: the evaluation, cut down to what its evaluator may see now."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core import kinds
from discussions.core.identification import TEST, Deal
from discussions.core.seen import SeenGame, Shown, shown
from discussions.core.sight import Sight, Standing, phase_of
from discussions.models import Remark
from discussions.models.standings import Said, Work
from discussions.pages.rating_window import WHOLE, Window
from rubric.core.records import RubricRecord
from workspace.core.canonical import bytes_hash
from workspace.models.prepared import Prepared

_NOT_PLAIN = re.compile("[^A-Za-z0-9]")


class ItemValues(TypedDict):
    """What every item is made of."""

    id: str
    kind: str
    subject: str
    version: int
    value: str
    needs: bool
    was: str
    reason: str


class Note(Struct, frozen=True):
    """A standing flag or comment of the evaluator's own."""

    kind: str
    target: str
    text: str


@dataclass(frozen=True)
class Desk:
    """One evaluation as its evaluator may see it: no roles before the reveal, no justifications, nobody else's work.

    `deal` is the test of who said it once the transcript is open; `is_untestable` when there could be none though the
    evaluation was to begin with one. `window` is the page of the transcript that is shown.
    """

    seen: SeenGame
    shown: Shown
    sight: Sight
    standing: Standing
    rubric: RubricRecord
    judgements: dict[tuple[str, str], Said]
    remarks: list[Note]
    is_open: bool
    deal: Deal | None = None
    is_untestable: bool = False
    window: Window = WHOLE

    @cached_property
    def asked(self) -> frozenset[tuple[str, str]]:
        """(kind, subject) of everything that submitting still waits for."""
        return frozenset((missing.kind, missing.subject) for missing in self.sight.missing)

    def value(self, kind: str, subject: str) -> str:
        """The evaluator's own value, "" when unset."""
        judgement = self.judgements.get((kind, subject))
        return judgement.value if judgement else ""

    def version(self, kind: str, subject: str) -> int:
        """How often the thing was judged."""
        judgement = self.judgements.get((kind, subject))
        return judgement.version if judgement else 0

    def item(self, kind: str, subject: str) -> ItemValues:
        """What every item of the page has."""
        judgement = self.judgements.get((kind, subject))
        return {
            "id": item_id(kind, subject),
            "kind": kind,
            "subject": subject,
            "version": judgement.version if judgement else 0,
            "value": judgement.value if judgement else "",
            "needs": (kind, subject) in self.asked,
            "was": self._was(judgement) if judgement else "",
            "reason": judgement.reason if judgement else "",
        }

    def _was(self, judgement: Said) -> str:
        if not judgement.blind_value or judgement.value == judgement.blind_value:
            return ""
        if phase_of(self.standing, judgement.kind, judgement.subject) == "blind":
            return ""
        return word(judgement.kind, judgement.blind_value)


def desk_of(work: Work, remarks: Iterable[Note], *, is_barred: bool = False) -> Desk:
    """The desk of an evaluation: the one place where what is hidden is left out. Whoever is barred only reads."""
    return Desk(
        seen=work.seen,
        shown=shown(work.game, work.measurements, work.sight, work.rubric.lists["role_map"]),
        sight=work.sight,
        standing=work.standing,
        rubric=work.rubric,
        judgements=work.judgements,
        remarks=list(remarks),
        is_open=work.is_open and not is_barred,
        deal=work.deal if work.sight.transcript else None,
        is_untestable=work.evaluation.identification == TEST and work.deal is None,
    )


def remarks_of(evaluation: int) -> list[Note]:
    """The flags and comments that the evaluator made there and that stand, oldest first."""
    return [Note(*row) for row in _REMARKS.rows(evaluation)]


_REMARKS = Prepared(
    lambda key: (
        Remark.objects.filter(evaluation=key, resolved_at=None)
        .order_by("pk")
        .values_list(*Note.__struct_fields__)
    ),
    int,
)


def item_id(kind: str, subject: str) -> str:
    """The DOM id of an item. Phrases may be of any script, so they are told apart by a hash."""
    if kind == kinds.PHRASE:
        return f"item-phrase-{bytes_hash(subject.encode())[:12]}"
    return f"item-{kind}-{_NOT_PLAIN.sub('-', subject)}"


def word(kind: str, value: str) -> str:
    """An answer in the words of its button."""
    words = {
        (kinds.REFERENCE, kinds.ACCURATE): _("accurate"),
        (kinds.REFERENCE, kinds.INACCURATE): _("inaccurate"),
        (kinds.REFERENCE, kinds.VAGUE): _("vague"),
        (kinds.REFERENCE, kinds.NOT_A_REFERENCE): _("not a reference"),
        (kinds.STRATEGIC_DEPTH, kinds.YES): _("strategic"),
        (kinds.STRATEGIC_DEPTH, kinds.NO): _("not strategic"),
        (kinds.COHERENCE, kinds.YES): _("on topic"),
        (kinds.COHERENCE, kinds.NO): _("off topic"),
        (kinds.ROLE_CONSISTENCY, kinds.CONSISTENT): _("consistent"),
        (kinds.ROLE_CONSISTENCY, kinds.INCONSISTENT): _("inconsistent"),
        (kinds.ROLE_CONSISTENCY, kinds.NOT_ASSESSABLE): _("cannot say"),
        (kinds.PHRASE, kinds.ACCEPTABLE): _("acceptable"),
        (kinds.ATTRIBUTION, kinds.CANNOT_TELL): _("cannot tell"),
    }
    if kind == kinds.ATTRIBUTION and value.isdigit():
        return _("agent %(number)s") % {"number": value}
    plain = {kinds.YES: _("yes"), kinds.NO: _("no"), "": _("no answer")}
    return words.get((kind, value)) or plain.get(value, value)
