"""Replay: a verdict comes out of its basis again, and whatever was tampered with is found."""

import pytest
from django.db import connection

from discussions.actions.replaying import replay_verdict
from discussions.models import Verdict
from tests.actions.tampering import as_if_measured_by, without_triggers
from tests.settled import lead_of, record, settled
from workspace.core.canonical import bytes_hash

pytestmark = pytest.mark.django_db


def replayed(verdict):
    return replay_verdict(verdict=Verdict.objects.select_related("game").get(pk=verdict.pk))


def test_a_verdict_comes_out_again():
    verdict = settled()
    replay = replayed(verdict)
    assert replay.is_equal
    assert replay.notices == []
    assert replay.outcome.passes == verdict.passes


def test_a_corrected_verdict_and_its_correction_both_come_out_again():
    first = settled()
    second = record(first.game, by=lead_of(first.game), reason="A slip.")
    assert replayed(first).is_equal
    assert replayed(second).is_equal


def test_later_judgements_do_not_change_a_replay():
    verdict = settled()
    judgement = verdict.game.evaluations.get().judgements.get(kind="rating")
    judgement.value, judgement.version = "1.0", judgement.version + 1
    judgement.save()
    assert replayed(verdict).is_equal


TAMPERINGS = {
    "basis": (
        """UPDATE discussions_verdict SET basis = replace(basis, '"3.5"', '"5.0"')""",
        "does not have the hash",
    ),
    "outcome": (
        """UPDATE discussions_verdict SET outcome = replace(outcome, '"passed_count":', '"passed_count":1')""",
        "something else was recorded",
    ),
    "column": ("UPDATE discussions_verdict SET passed_count = 0", "figures that lists show"),
    "findings": (
        "UPDATE discussions_measuredfindings SET body = replace(body, 'keyword', 'keywOrd')",
        "stored findings are not those",
    ),
    "rubric": (
        "UPDATE rubric_rubricversion SET body = replace(body, '80.0', '70.0')",
        "rubric version is not what",
    ),
    "revision": ("UPDATE discussions_revision SET value = '5.0' WHERE value = '3.5'", "revision 1 does not"),
    "transcript": (f"UPDATE discussions_transcript SET sha256 = '{'f' * 64}'", "transcript has another hash"),
    "game": (f"UPDATE discussions_game SET content_sha256 = '{'f' * 64}'", "other content"),
    "measured": ("UPDATE discussions_measured SET code_version = '0.0.1'", "measurements' row does not say"),
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_tampering_is_found(what):
    statement, says = TAMPERINGS[what]
    verdict = settled()
    with without_triggers(), connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount > 0
    replay = replayed(verdict)
    assert not replay.is_equal
    assert says in " ".join(replay.differences)


def test_a_tampered_basis_with_a_fitting_hash_is_found_by_the_revisions_it_names():
    verdict = settled()
    basis = verdict.basis.replace('"value":"3.5"', '"value":"5.0"')
    assert basis != verdict.basis
    with without_triggers():
        Verdict.objects.filter(pk=verdict.pk).update(basis=basis, basis_sha256=bytes_hash(basis.encode()))
    assert "revision 1 does not" in " ".join(replayed(verdict).differences)


def test_other_code_is_a_notice_and_no_difference():
    verdict = settled()
    as_if_measured_by(verdict, "0.0.1")
    replay = replayed(verdict)
    assert replay.is_equal
    assert "gives the same figures" in replay.notices[0]
