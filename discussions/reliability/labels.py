"""The words of the accuracy page: tables, rows, columns and shares."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from discussions.core import judgement_kinds
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS
from discussions.reliability.core.accuracy import (
    ASKED,
    BY_MACHINE,
    BY_PEOPLE,
    CHECKS,
    OBJECTIONS,
    PHRASES,
    PRECISION,
    RECALL,
    REFERENCES,
    SPECIFICITY,
    TESTED,
)

# The tables of each kind of judgement. A metric without a kind has no card.
TABLES: dict[str, tuple[str, ...]] = {
    judgement_kinds.REFERENCE: (REFERENCES, CHECKS),
    judgement_kinds.STRATEGIC_DEPTH: (judgement_kinds.STRATEGIC_DEPTH,),
    judgement_kinds.COHERENCE: (judgement_kinds.COHERENCE,),
    judgement_kinds.ROLE_CONSISTENCY: (judgement_kinds.ROLE_CONSISTENCY, OBJECTIONS),
    judgement_kinds.IDENTIFY: (ASKED, TESTED),
    judgement_kinds.PHRASE: (PHRASES,),
}

CARDS = {key: TABLES[metric.judged] for key, metric in METRICS.items() if metric.judged in TABLES}
TITLES = {METRICS[key].judged: LABELS[key].title for key in CARDS}

HEADINGS = {
    REFERENCES: _("Which sentences are references"),
    CHECKS: _("What the vote record says of them"),
    judgement_kinds.STRATEGIC_DEPTH: _("Against the accuracy sample"),
    judgement_kinds.COHERENCE: _("Against the accuracy sample"),
    judgement_kinds.ROLE_CONSISTENCY: _("Against the accuracy sample"),
    OBJECTIONS: _("Every objection of the rules"),
    ASKED: _("Compared with the manual check"),
    TESTED: _("Compared with the blind authorship test"),
    PHRASES: _("Repeated phrases"),
}

NOTES = {
    REFERENCES: _(
        "Every reference that counts is labelled, so precision rests on all of them. For recall people mark what was "
        "missed as they come upon it; nobody reads every sentence for that, so true recall is at most this high."
    ),
    CHECKS: _(
        "The labels are those given before the check was shown. “Supported” should go with accurate; “close” says only "
        "that the record has something like it, so it promises nothing."
    ),
    judgement_kinds.ROLE_CONSISTENCY: _(
        "Messages that people or rules cannot assess are in the table, but not in the shares."
    ),
    OBJECTIONS: _(
        "Everybody labels every message that the rules object to, blind, so this is no sample. It says how many "
        "objections stand, nothing of messages that the rules let pass."
    ),
    ASKED: _(
        "Each manual check is one evaluator's of one game: the automatic pass or fail beside what the check came to."
    ),
    TESTED: _(
        "Each test is one evaluator's of one game: the automatic pass or fail beside whether the test was passed."
    ),
    PHRASES: _(
        "People see the repeated phrases and mark those that are acceptable; whoever says nothing lets them stand, so "
        "this share is at most as high as it looks. Recall cannot be measured: nobody looks for "
        "repetitions that were not found automatically."
    ),
}

JUDGED = {
    REFERENCES: ngettext_lazy("%(n)d sentence judged", "%(n)d sentences judged", "n"),
    CHECKS: ngettext_lazy("%(n)d reference judged", "%(n)d references judged", "n"),
    ASKED: ngettext_lazy("%(n)d check judged", "%(n)d checks judged", "n"),
    TESTED: ngettext_lazy("%(n)d test judged", "%(n)d tests judged", "n"),
    PHRASES: ngettext_lazy("%(n)d phrase judged", "%(n)d phrases judged", "n"),
}

MESSAGES_JUDGED = ngettext_lazy("%(n)d message judged", "%(n)d messages judged", "n")

CELLS = {
    "yes": _("yes"),
    "no": _("no"),
    judgement_kinds.CONSISTENT: _("consistent"),
    judgement_kinds.INCONSISTENT: _("inconsistent"),
    judgement_kinds.NOT_ASSESSABLE: _("not assessable"),
    "counted": _("counted as a reference"),
    "possible": _("possible, not counted"),
    "marked": _("not seen"),
    "kept": _("a reference"),
    judgement_kinds.NOT_A_REFERENCE: _("not a reference"),
    "supported": _("supported"),
    "close": _("close"),
    "cannot_check": _("cannot check"),
    judgement_kinds.ACCURATE: _("accurate"),
    judgement_kinds.INACCURATE: _("inaccurate"),
    judgement_kinds.VAGUE: _("vague"),
    "repeated": _("repeated"),
    "stands": _("stands"),
    judgement_kinds.ACCEPTABLE: _("acceptable"),
    "passes": _("passes"),
    "fails": _("fails"),
    "apart": _("had answered differently"),
    "together": _("had answered the same"),
    "to_machine": _("went to the automatic value"),
    "away": _("left the automatic value"),
    "elsewhere": _("went elsewhere"),
    "stayed": _("stayed"),
}

# The order of rows and columns.
ORDER = tuple(CELLS)

ALWAYS_ROWS: dict[str, tuple[str, ...]] = {
    judgement_kinds.STRATEGIC_DEPTH: (judgement_kinds.YES, judgement_kinds.NO),
    judgement_kinds.COHERENCE: (judgement_kinds.YES, judgement_kinds.NO),
    judgement_kinds.ROLE_CONSISTENCY: (judgement_kinds.CONSISTENT, judgement_kinds.INCONSISTENT),
    REFERENCES: ("counted", "possible", "marked"),
    CHECKS: ("supported", "close", "cannot_check"),
    ASKED: ("passes", "fails"),
    TESTED: ("passes", "fails"),
}

ALWAYS_COLUMNS: dict[str, tuple[str, ...]] = ALWAYS_ROWS | {
    OBJECTIONS: (judgement_kinds.CONSISTENT, judgement_kinds.INCONSISTENT),
    REFERENCES: ("kept", judgement_kinds.NOT_A_REFERENCE),
    CHECKS: (judgement_kinds.ACCURATE, judgement_kinds.INACCURATE, judgement_kinds.VAGUE),
    PHRASES: ("stands", judgement_kinds.ACCEPTABLE),
}

# The sentences of a table, by share.
SAYS = {
    REFERENCES: (
        (PRECISION, _("People keep %(share)s of the sentences that count as references automatically.")),
        (RECALL, _("It counts at most %(share)s of those that are.")),
    ),
    CHECKS: (
        ("supported_accurate", _("Where the vote record supports a reference, %(share)s are accurate.")),
        (BY_MACHINE, _("The record has something to say on %(share)s of all.")),
    ),
    judgement_kinds.STRATEGIC_DEPTH: (
        (PRECISION, _("People agree with %(share)s of the automatic “strategic”.")),
        (RECALL, _("It finds %(share)s of what people call strategic.")),
    ),
    judgement_kinds.COHERENCE: (
        (PRECISION, _("People agree with %(share)s of the automatic “coherent”.")),
        (RECALL, _("It finds %(share)s of what people call coherent.")),
    ),
    judgement_kinds.ROLE_CONSISTENCY: (
        (PRECISION, _("People agree with %(share)s of what the rules call consistent.")),
        (SPECIFICITY, _("The rules object to %(share)s of what people call inconsistent.")),
    ),
    OBJECTIONS: ((PRECISION, _("%(share)s of the objections stand.")),),
    ASKED: ((PRECISION, _("Where the automatic score passes a game, %(share)s of the manual checks pass.")),),
    TESTED: ((PRECISION, _("Where the automatic score passes a game, %(share)s of the tests are passed.")),),
    PHRASES: ((PRECISION, _("%(share)s of the repeated phrases shown were not marked as acceptable.")),),
}

RATES = {
    PRECISION: (_("Precision"), _("of the automatic yes, people say yes to")),
    RECALL: (_("Recall"), _("of people's yes, the automatic value is yes too")),
    SPECIFICITY: (_("Specificity"), _("of people's no, the automatic value is no too")),
    BY_PEOPLE: (_("Yes by people"), _("of all that was judged")),
    BY_MACHINE: (_("Automatic yes"), _("of all that was judged")),
}

OWN_RATES = {
    (judgement_kinds.ROLE_CONSISTENCY, PRECISION): (
        _("Precision"), _("of what the rules call consistent, people call consistent"),
    ),
    (judgement_kinds.ROLE_CONSISTENCY, RECALL): (
        _("Recall"), _("of what people call consistent, the rules call consistent"),
    ),
    (judgement_kinds.ROLE_CONSISTENCY, SPECIFICITY): (
        _("Specificity"), _("of what people call inconsistent, the rules object to"),
    ),
    (judgement_kinds.ROLE_CONSISTENCY, BY_PEOPLE): (_("Consistent by people"), _("of all that was assessed")),
    (judgement_kinds.ROLE_CONSISTENCY, BY_MACHINE): (_("Consistent by the rules"), _("of all that was assessed")),
    (OBJECTIONS, PRECISION): (_("Objections that stand"), _("of the objections, people call inconsistent")),
    (REFERENCES, PRECISION): (_("Precision"), _("of the references that count, people keep")),
    (REFERENCES, RECALL): (_("Recall, at most"), _("of what people keep or mark, counted automatically")),
    (REFERENCES, "wide_recall"): (
        _("Recall with possible ones"), _("of what people keep or mark, counted or suggested automatically"),
    ),
    (CHECKS, "supported_accurate"): (
        _("Accurate where supported"), _("of the references that the record supports"),
    ),
    (CHECKS, "close_wrong"): (
        _("Inaccurate or vague where close"), _("of the references with something close in the record"),
    ),
    (CHECKS, "unchecked_accurate"): (
        _("Accurate where it cannot check"), _("of the references that the record cannot check"),
    ),
    (CHECKS, BY_PEOPLE): (_("Accurate by people"), _("of all references")),
    (CHECKS, BY_MACHINE): (_("Checked by the record"), _("of all references")),
    (PHRASES, PRECISION): (_("Repetitions that stand"), _("of the repeated phrases shown, not marked as acceptable")),
    (ASKED, PRECISION): (_("Precision"), _("of the automatic passes, the check passes")),
    (ASKED, RECALL): (_("Recall"), _("of the checks that pass, the automatic score passes")),
    (ASKED, SPECIFICITY): (_("Specificity"), _("of the checks that fail, the automatic score fails")),
    (ASKED, BY_PEOPLE): (_("Checks that pass"), _("of all checks")),
    (ASKED, BY_MACHINE): (_("Automatic passes"), _("of all checks")),
    (TESTED, PRECISION): (_("Precision"), _("of the automatic passes, the test is passed")),
    (TESTED, RECALL): (_("Recall"), _("of the tests that are passed, the automatic score passes")),
    (TESTED, SPECIFICITY): (_("Specificity"), _("of the tests that fail, the automatic score fails")),
    (TESTED, BY_PEOPLE): (_("Tests that are passed"), _("of all tests")),
    (TESTED, BY_MACHINE): (_("Automatic passes"), _("of all tests")),
}  # fmt: skip

NOTHING = {
    PRECISION: _("Undefined: no automatic value that was judged is yes."),
    RECALL: _("Undefined: people said yes to nothing."),
    SPECIFICITY: _("Undefined: people said no to nothing."),
    "supported_accurate": _("Undefined: the record supports none of the labelled references."),
    "close_wrong": _("Undefined: no labelled reference has something close in the record."),
    "unchecked_accurate": _("Undefined: the record could check every labelled reference."),
    "wide_recall": _("Undefined: people kept and marked nothing."),
}

EMPTY = {
    REFERENCES: _("No reference was labelled blind."),
    CHECKS: _("No reference was labelled blind."),
    OBJECTIONS: _("The rules objected to nothing that was labelled blind."),
    PHRASES: _("No phrase is repeated in these games."),
    ASKED: _("Nobody answered the manual check blind."),
    TESTED: _("No game was judged with the blind test of who said it."),
}

NO_SAMPLE = _("No message of an accuracy sample was judged blind.")
