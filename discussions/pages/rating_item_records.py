"""The things that can be judged on the evaluator's page, as records; nothing hidden has a field in them."""

from msgspec import Struct


class Item(Struct, frozen=True, kw_only=True):
    """One thing that can be judged: its DOM id, what it is about, and the evaluator's own answer so far.

    `was` is the blind answer in words when it was changed after a reveal; `needs` says that submitting waits for it.
    """

    id: str
    kind: str
    subject: str
    version: int = 0
    value: str = ""
    needs: bool = False
    was: str = ""
    reason: str = ""


class VoteRow(Struct, frozen=True):
    """One vote, by names; `is_hit` marks the row a labelled reference was checked against."""

    voter: str
    target: str
    is_hit: bool = False


class RoundVotes(Struct, frozen=True):
    """The votes of one round."""

    round: int
    rows: list[VoteRow]


class Quote(Struct, frozen=True):
    """What somebody said, and where."""

    message: int
    name: str
    text: str


class ReferenceItem(Item, frozen=True, kw_only=True):
    """M1: a sentence about the past, with what to check it against."""

    number: int
    message: int
    player: int
    name: str
    text: str
    is_possible: bool = False
    is_missed: bool = False
    missed_version: int = 0
    votes: RoundVotes | None = None
    messages: list[Quote] = []
    check: str = ""
    check_says: str = ""
    can_be_deliberate: bool = False
    deliberate: str = ""
    deliberate_version: int = 0


class SampleItem(Item, frozen=True, kw_only=True):
    """M2 and M3: a message of the audit sample; `machine` and `agrees` only once the sample is judged."""

    message: int
    player: int
    name: str
    text: str
    machine: str = ""
    agrees: bool | None = None


class PhraseItem(Item, frozen=True, kw_only=True):
    """M6: a phrase that one agent repeats."""

    player: int
    name: str
    phrase: str
    count: int
    messages: list[int]
    is_robotic: bool


class IdentifyItem(Item, frozen=True, kw_only=True):
    """M5's manual check: could one tell this agent by its language?"""

    player: int
    name: str
    quotes: list[Quote]


class GivenMessage(Struct, frozen=True):
    """An unseen message of the test, to whom it was given and whose it is."""

    message: int
    given: str
    author: str
    is_hit: bool


class ManualCheck(Item, frozen=True, kw_only=True):
    """The result of the manual check, and whether it decides M5.

    As the blind test it lists the messages in `given`; while its result is hidden there are no figures, only `says`.
    """

    yes: int
    of: int
    needed: int
    passes: bool
    says: str
    is_test: bool = False
    is_shown: bool = True
    may_decide: bool = True
    given: list[GivenMessage] = []


class QuestionItem(Item, frozen=True, kw_only=True):
    """M7: one of the questions."""

    number: int
    text: str
    help: str = ""


class Anchor(Struct, frozen=True):
    """What a whole point of the rating stands for."""

    value: str
    label: str


class RatingItem(Item, frozen=True, kw_only=True):
    """M7: the rating."""

    anchors: list[Anchor]

    @property
    def other_half(self) -> str:
        """Half a point more for a whole rating (less for 5), the whole point for a half one; "" without a rating."""
        if not self.value:
            return ""
        whole, _dot, half = self.value.partition(".")
        if half == "5":
            return f"{whole}.0"
        return "4.5" if whole == "5" else f"{whole}.5"


class RoleItem(Item, frozen=True, kw_only=True):
    """M4: a message with its speaker's role; `rule` and `is_sample` only once all of them are labelled."""

    message: int
    player: int
    name: str
    role: str
    side: str
    text: str
    rule: str = ""
    is_sample: bool = False


class LockedRoles(Struct, frozen=True):
    """M4 before the reveal: why it waits, and the item that reveals when it may."""

    why_locked: str
    reveal: Item | None
    is_locked: bool = True
    is_revealed: bool = False


class OpenRoles(Struct, frozen=True):
    """M4 with the roles revealed."""

    items: list[RoleItem]
    is_locked: bool = False
    is_revealed: bool = True
