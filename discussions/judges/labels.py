"""What judges are asked about, what they may do, and why not more, in words."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from discussions.core import judgement_kinds as kinds
from discussions.core.judgement_kinds import HELPS, STRATA
from discussions.core.records import MAFIA, VILLAGE
from discussions.judges.core import contract
from discussions.judges.core.prompts import CRITERIA
from discussions.metrics.labels import LABELS

ENGAGEMENT = CRITERIA[kinds.RATING]
METRIC_LABELS: dict[str, str | Promise] = {
    key: _("Engagement") if key == ENGAGEMENT else LABELS[key].column for key in CRITERIA.values()
}
KIND_LABELS = {kind: METRIC_LABELS[key] for kind, key in CRITERIA.items()}
SIDE_LABELS = {MAFIA: _("mafia"), VILLAGE: _("village"), "": _("all")}
# Of a row: the contract refuses only because there is too little to compare.
FEW = "few"
USE_LABELS = {
    FEW: _("too few items"),
    HELPS: _("may help"),
    STRATA: _("as strata"),
    contract.REFUSED: _("not"),
}
# How an admission ended.
END_LABELS = {
    "": "",
    "withdrawn": _("withdrawn"),
    "replaced": _("another judge was admitted"),
    "suspended": _("suspended"),
    "ended": _("ended"),
}
REASONS: dict[str, str | Promise] = {
    contract.FEW_PEOPLE: _("Fewer than three people answered the same items."),
    contract.FEW_ITEMS: _("Too few items for the test against people."),
    contract.FEW_GAMES: _("Too few games for the test against people."),
    contract.WORSE: _("Worse than people."),
    contract.UNANSWERED: _("It left out more than a tenth of the items."),
    contract.NAMES: _("Other names and another order change its answers."),
    contract.UNSTEADY: _("Asked twice, it answers more than a tenth differently."),
    contract.ONE_ANSWER: _("It nearly always gives the same answer."),
    contract.COPIES_RULE: _("It says what the automatic value says."),
    contract.UNRELATED: _("Its answers do not go with people’s."),
    contract.BELOW_FLOOR: _("Its answers hardly go with people’s."),
    contract.FEW_REPEATS: _("Fewer than 20 items were asked twice."),
}
# What would let a judge help that makes strata now.
NEXT_STEPS: dict[str, str | Promise] = {
    contract.FEW_PEOPLE: _("For more, three people judge the same items."),
    contract.FEW_ITEMS: _("For more, three people judge more items, 30 each."),
    contract.FEW_GAMES: _("For more, three people judge items of three games."),
    contract.FEW_REPEATS: _("For more, it is asked twice about 20 items."),
}
