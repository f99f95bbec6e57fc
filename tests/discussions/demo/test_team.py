"""The demo's team: three evaluators who differ as people do, in every state that a lead looks at."""

import msgspec
import pytest

from discussions.adjudication.queries import disagreements_in
from discussions.calibration.queries import load_progress
from discussions.demo.actions.game_steps import OPPOSITE, value_in
from discussions.demo.core import View
from discussions.home.pages.home import home_page
from discussions.models import (
    Adjudication,
    CalibrationRound,
    Evaluation,
    Game,
    Judgement,
    QueueRule,
    Slot,
    TeamFigures,
    Verdict,
)
from tests.factories.demo import fill
from tests.factories.people import NOW
from workspace.models import Event, Person

TEAM = "demo-team"


def game(number: int) -> Game:
    return Game.objects.select_related("iteration__rubric_version", "project").get(
        project__slug=TEAM, number=number
    )


def person(key: str) -> Person:
    return Person.objects.get(email=f"{key}@example.org")


@pytest.mark.django_db
@pytest.mark.slow
def test_every_screen_of_a_team_has_life():
    fill()
    _the_games_are_in_every_state()
    _calibration_has_one_who_passed_and_one_who_did_not()
    _figures_have_intervals_and_answers_that_differ()
    assert QueueRule.objects.get(project__slug=TEAM).repeat_percent == 5
    assert not Event.objects.filter(at__gt=NOW).exists(), "nothing of the demo lies in the future"


def _the_games_are_in_every_state():
    states = {
        number: sorted(
            Evaluation.objects.filter(game=game(number), purpose="rating").values_list("state", flat=True)
        )
        for number in range(3, 9)
    }
    assert states == {
        3: ["submitted"] * 3,
        4: ["submitted"] * 3,
        5: ["submitted"] * 3,
        6: ["returned", "submitted", "submitted"],
        7: ["draft", "lapsed", "submitted"],
        8: [],
    }
    verdicts = Verdict.objects.filter(project__slug=TEAM)
    assert set(verdicts.values_list("game__number", flat=True)) == {1, 2, 3}
    assert Adjudication.objects.get().reason
    assert not [
        disagreement
        for disagreement in disagreements_in(game(3))
        if disagreement.counts is None and disagreement.can_be_adjudicated
    ]
    assert [disagreement.kind for disagreement in disagreements_in(game(4)) if disagreement.is_tie] == [
        "reference"
    ]
    majorities = [
        disagreement for disagreement in disagreements_in(game(5)) if disagreement.can_be_adjudicated
    ]
    assert majorities
    assert not any(majority.is_tie for majority in majorities), "its verdict can be recorded at once"
    held = Slot.objects.get(project__slug=TEAM, evaluator__isnull=False, is_closed=False, lease_until__gt=NOW)
    assert (held.game.number, held.evaluator) == (7, person("evaluator3"))
    kept = Slot.objects.get(project__slug=TEAM, assigned_to__isnull=False, purpose="rating")
    assert (kept.game.number, kept.assigned_to) == (8, person("evaluator"))
    assert Slot.objects.filter(game=game(8), evaluator=None).count() == 3
    assert home_page(person=person("evaluator"), now=NOW).returned[0].comment
    assert home_page(person=person("evaluator2"), now=NOW).aside[0].game_number == 7


def _calibration_has_one_who_passed_and_one_who_did_not():
    opened = CalibrationRound.objects.get(project__slug=TEAM)
    passes = [load_progress(opened, person(key)).result.passes for key in ("evaluator", "evaluator2")]
    assert (passes, opened.is_required) == ([True, False], False)


def _figures_have_intervals_and_answers_that_differ():
    bodies = dict(TeamFigures.objects.filter(project__slug=TEAM).values_list("kind", "body"))
    assert set(bodies) == {"accuracy", "agreement"}
    things = {
        thing["key"]: thing for thing in msgspec.json.decode(bodies["agreement"])["agreement"]["things"]
    }
    shown = [
        things[key] for key in ("reference", "strategic_depth", "coherence", "role_consistency", "rating")
    ]
    assert all(thing["alpha"]["interval"] for thing in shown)
    # Which messages are sampled hangs on the installation, and with them where people differ.
    assert sum(any(row != column for row, column, *_ in thing["cells"]) for thing in shown) >= 3
    (version,) = msgspec.json.decode(bodies["accuracy"])["versions"]
    counts = {table["part"]: [cell["count"] for cell in table["cells"]] for table in version["tables"]}
    assert all(sum(counts[part]) >= 40 for part in ("strategic_depth", "coherence"))


@pytest.mark.django_db
@pytest.mark.slow
def test_what_the_team_does_hangs_little_on_the_messages_that_an_installation_samples(settings):
    settings.AUDIT_KEY = "of-another-installation-" + "k" * 40
    fill()
    said = Judgement.objects.filter(evaluation__game__project__slug=TEAM)
    assert said.count() > 400
    assert set(said.filter(kind="question").values_list("value", flat=True)) == {"yes", "no"}
    _the_games_are_in_every_state()
    _calibration_has_one_who_passed_and_one_who_did_not()


def test_chance_is_the_same_every_time():
    view = View(questions="yynyn", differs=0.5)
    values = [value_in(view, "coherence", str(number), "yes", f"second:{number}") for number in range(40)]
    assert values == [
        value_in(view, "coherence", str(number), "yes", f"second:{number}") for number in range(40)
    ]
    assert set(values) == {"yes", "no"}


def test_a_view_gives_its_labels_answers_and_rating_and_else_the_automatic_value():
    calm = View(questions="yynyn", rating="4.5", labels={"9.1": "vague"})
    assert value_in(calm, "reference", "8.1", "inaccurate", "") == "accurate"
    assert value_in(calm, "reference", "9.1", "accurate", "") == "vague"
    assert "".join(value_in(calm, "question", str(n), "", "")[0] for n in range(1, 6)) == "yynyn"
    assert value_in(calm, "rating", "", "", "") == "4.5"
    assert value_in(calm, "coherence", "1", "no", "") == "no"
    opposed = View(differs=1.0)
    assert [value_in(opposed, "coherence", "1", value, "") for value in OPPOSITE] == list(OPPOSITE.values())
