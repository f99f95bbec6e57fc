"""`verify` on verdicts: clean when nothing was touched, and every kind of damage is named."""

import pytest
from django.db import connection

from discussions.checks.verdicts import VERDICT_CHECKS
from discussions.models import Measured, Verdict
from tests.factories.people import moment
from tests.factories.rating import make_rating_project
from tests.factories.tampering import without_triggers
from tests.factories.verdicts import get_lead, record, recorded_verdict
from workspace.checks.core import run_check
from workspace.models import Event

pytestmark = pytest.mark.django_db


def breaches():
    found = {check.code: run_check(check, moment(90)).breaches for check in VERDICT_CHECKS}
    return {code: said for code, said in found.items() if said}


def test_verdicts_that_nobody_touched_hold():
    first = recorded_verdict()
    record(first.game, by=get_lead(first.game), reason="A slip.", minutes=61)
    recorded_verdict()
    assert breaches() == {}


def test_no_verdicts_hold():
    assert breaches() == {}


def test_a_tampered_outcome_is_named_with_its_game():
    verdict = recorded_verdict()
    with without_triggers():
        Verdict.objects.filter(pk=verdict.pk).update(passes=not verdict.passes)
    (said,) = breaches()["I6"]
    assert said.startswith(
        f"Verdict 1 on game {verdict.game.number} (row {verdict.pk}): The figures that lists show"
    )


def test_a_measurement_that_was_replaced_before_the_verdict_is_named():
    verdict = recorded_verdict()
    Measured.objects.create(
        game=verdict.game, rubric_version=verdict.rubric_version, code_version="newer", input_hash="",
        findings_sha256="", figures="{}", created_at=moment(30),
    )  # fmt: skip
    assert "newer ones had replaced" in breaches()["I6a"][0]


def test_a_measurement_that_came_later_is_no_breach():
    verdict = recorded_verdict()
    Measured.objects.create(
        game=verdict.game, rubric_version=verdict.rubric_version, code_version="newer", input_hash="",
        findings_sha256="", figures="{}", created_at=moment(70),
    )  # fmt: skip
    assert breaches() == {}


def test_a_verdict_in_a_foreign_project_is_named():
    verdict = recorded_verdict()
    with without_triggers():
        Verdict.objects.filter(pk=verdict.pk).update(project=make_rating_project())
    assert "names another project" in breaches()["I6b"][0]


def test_a_gap_in_the_numbers_is_named():
    verdict = recorded_verdict()
    with without_triggers():
        Verdict.objects.filter(pk=verdict.pk).update(number=2)
    assert "does not follow" in breaches()["I6b"][0]


def test_a_verdict_without_its_audit_line_is_named():
    recorded_verdict()
    with without_triggers(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM workspace_event WHERE verb = 'verdict:recorded'")
    assert not Event.objects.filter(verb="verdict:recorded").exists()
    assert "has 0 lines of verdict:recorded" in breaches()["I7v"][0]
