"""Why a game would come out otherwise under a draft: a sentence for each reason, with figures that do not lie."""

from decimal import Decimal
from fractions import Fraction

import pytest
from msgspec.structs import replace

from discussions.adjudication.core.effective import Effective
from discussions.core.outcome import ManualCheck
from discussions.metrics.core.parameters import SHARED
from discussions.metrics.core.registry import measure_game
from discussions.preview.core import NOT_MEASURED, list_changed_lines, needs_text, reasons
from discussions.verdicts.core.rule import decide
from rubric.versions.core.game_specs import game_specs
from rubric.versions.queries import discussion_version
from tests.factories.metrics import game, rubric
from tests.factories.verdict_examples import PASSING, RUBRIC, share, with_failing

NOTHING = Effective({})


def changed(*, parameters=None, mandatory=None, **thresholds):
    """The small version with other thresholds, parameters and mandatory criteria."""
    criteria = [
        replace(
            criterion,
            threshold=thresholds.get(criterion.key, criterion.threshold),
            is_mandatory=criterion.is_mandatory if mandatory is None else criterion.key in mandatory,
        )
        for criterion in RUBRIC.criteria
    ]
    return replace(RUBRIC, criteria=criteria, parameters={**RUBRIC.parameters, **(parameters or {})})


def why(scores, before, after, *, rating="3.5", cost="1.20", later=None, found=NOTHING, checks=(None, None)):
    """The reasons for what `scores` come to under `after` (or `later` scores), and under `before`."""
    outcomes = [
        decide(given, Fraction(rating), Decimal(cost), version, manual_check=check)
        for given, version, check in zip((scores, later or scores), (before, after), checks, strict=True)
    ]
    return reasons(*outcomes, found, later or scores)


def test_a_threshold_that_a_figure_no_longer_reaches():
    scores = with_failing("coherence", "anti_repetition", strategic_depth=share(44, 100))
    assert why(scores, changed(strategic_depth=40.0), changed(strategic_depth=45.0)) == [
        "Strategic depth 44\u00a0% was enough at 40\u00a0%, is not at 45\u00a0%.",
        "5 of 7 metrics passed where 5 were needed; 4 would pass where 5 are needed.",
    ]
    assert why(scores, changed(strategic_depth=45.0), changed(strategic_depth=44.0)) == [
        "Strategic depth 44\u00a0% was not enough at 45\u00a0%, is at 44\u00a0%.",
        "4 of 7 metrics passed where 5 were needed; 5 would pass where 5 are needed.",
    ]


def test_a_figure_has_as_many_decimals_as_it_takes_to_stand_on_both_sides():
    scores = PASSING | {"coherence": share(6996, 10_000)}
    said = why(scores, changed(coherence=69.9), changed(coherence=70.0))
    assert said == ["Coherence 69.96\u00a0% was enough at 69.9\u00a0%, is not at 70\u00a0%."]


def test_a_mandatory_rating():
    assert why(PASSING, RUBRIC, changed(engagement=4.0)) == [
        "Engagement 3.5 was enough at 3, is not at 4. It must pass."
    ]
    scores, failing = with_failing("coherence"), changed(mandatory=("engagement", "coherence"))
    assert why(scores, RUBRIC, failing) == ["Coherence fails, which decides alone under the draft."]
    assert why(scores, failing, RUBRIC) == ["Coherence fails, which decides alone no longer."]


def test_the_pass_rule_and_the_cost():
    scores = with_failing("coherence")
    stricter = changed(parameters={"pass_count": 7})
    assert why(scores, RUBRIC, stricter) == [
        "6 of 7 metrics passed where 5 were needed; 6 would pass where 7 are needed."
    ]
    cheaper = changed(parameters={"cost_limit_usd": 1.0, "cost_success_usd": 0.5})
    assert why(PASSING, RUBRIC, cheaper) == [
        "The cost of $1.20 was within the limit of $3.00, is above $1.00."
    ]
    assert why(PASSING, cheaper, RUBRIC) == [
        "The cost of $1.20 was above the limit of $1.00, is within $3.00."
    ]
    assert why(PASSING, RUBRIC, cheaper, cost="1.0000001")[0].startswith("The cost of $1.0000001 was within")


def test_the_manual_check_that_decides():
    checks = [ManualCheck(4, 9, needed, needed <= 4, decides=True) for needed in (4, 5)]
    said = why(PASSING, changed(mandatory=()), changed(mandatory=()), checks=checks)
    assert said == ["Personality diversity: the manual check, 4 of 9, was enough at 4, is not at 5."]


def test_what_was_measured_again():
    lower = PASSING | {"coherence": share(58, 100)}
    assert why(PASSING, RUBRIC, changed(coherence=60.0), later=lower) == [
        "Coherence 100\u00a0% was enough at 70\u00a0%; measured again it is 58\u00a0%, and 60\u00a0% is needed."
    ]
    by_rule = PASSING | {"memory_accuracy": share(0, 0, is_applicable=False)}
    wrong = PASSING | {"memory_accuracy": share(1, 2)}
    assert why(by_rule, RUBRIC, RUBRIC, later=wrong) == [
        (
            "Memory accuracy 100\u00a0% (not applicable) was enough at 80\u00a0%; measured again it is 50\u00a0%, "
            "and 80\u00a0% is needed."
        )
    ]


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        (["1.1"], "1 thing that the draft counts was not judged"),
        (["1.1", "2.1"], "2 things that the draft counts were not judged"),
        ([], "nobody judged it"),
    ],
)
def test_what_cannot_be_told(missing, says):
    pending = PASSING | {"memory_accuracy": replace(share(0, 0, is_pending=True), missing=missing)}
    assert why(PASSING, RUBRIC, RUBRIC, later=pending) == [f"Memory accuracy cannot be told: {says}."]
    assert (
        why(pending, RUBRIC, RUBRIC, later=PASSING)[0]
        == "Memory accuracy could not be told, and is 100\u00a0%."
    )


def test_what_evaluators_differ_on():
    tied = Effective({}, ties=(("coherence", "3"), ("coherence", "4")))
    assert why(PASSING, RUBRIC, RUBRIC, found=tied) == [
        "Evaluators differ on 2 things that a team lead would adjudicate first."
    ]


def test_turned_lines_are_those_on_another_side():
    before, after = (
        decide(PASSING, Fraction("3.5"), None, version) for version in (RUBRIC, changed(engagement=4.0))
    )
    assert [(old.key, old.passes, new.passes) for old, new in list_changed_lines(before, after)] == [
        ("engagement", True, False)
    ]
    assert list_changed_lines(before, before) == []


GAME = game(
    messages=[
        ("Alpha", "Earlier you voted for me. Hello, hello all of you.", 2),
        ("Bravo", "I am mafia. As I said before.", 2),
        ("Charlie", "I think it was you in round 1.", 2),
    ],
    roles={"Alpha": "Villager", "Bravo": "Mafia", "Charlie": None},
    votes=[(1, "Alpha", "Bravo")],
)


def test_no_measurement_reads_a_parameter_that_is_named_as_not_measured():
    whole = discussion_version()
    bare = {name: value for name, value in whole.parameters.items() if name not in NOT_MEASURED}
    assert whole.parameters.keys() | SHARED.defaults.keys() >= NOT_MEASURED
    assert measure_game(GAME, replace(whole, parameters=bare)) == measure_game(GAME, whole)


def test_every_other_parameter_and_list_is_measured_again():
    specs, whole = game_specs(), rubric()
    for name in sorted(specs.parameters_for(specs.metrics).names):
        other = replace(whole, parameters={**whole.parameters, name: "something else"})
        assert needs_text(whole, other) == (name not in NOT_MEASURED), name
    words = replace(whole, lists={**whole.lists, "stop_words": ["the"]})
    assert needs_text(whole, words)
    said = replace(
        whole, criteria=[replace(criterion, advice=["Try"], threshold=9.0) for criterion in whole.criteria]
    )
    assert not needs_text(whole, said)
