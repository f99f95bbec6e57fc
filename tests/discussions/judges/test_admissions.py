"""Leads admit judges as their contracts say; one judge for a metric and side, until it is withdrawn or stopped."""

import pytest
from django.urls import reverse

from discussions.checks.actions import CHECKS
from discussions.core import judgement_kinds as kinds
from discussions.judges import queries
from discussions.judges.actions.runs import (
    admit_judge,
    end_judge,
    resume_judge,
    suspend_judge,
    withdraw_admission,
)
from discussions.judges.core.drift import Baseline, watch_drift
from discussions.judges.pages import build_drift
from discussions.judges.queries import list_admissions, load_admitted, load_contracts, load_gains
from discussions.models import Admission
from tests.factories.exports import read_lines, write_export
from tests.factories.judges import make_trusted, make_trusted_project, say_in_turn
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.reliability import write_labels
from tests.factories.tampering import refused, without_triggers
from tests.factories.tokens import program_of
from workspace.core.refusals import Conflict, NotAllowed
from workspace.models import Event

pytestmark = pytest.mark.django_db
VILLAGE = {"metric": "coherence", "side": "village"}
KEY = ("coherence", "village")


@pytest.fixture
def trusted():
    """A judge that may help with coherence of the village, and another that may only make strata."""
    project = make_trusted_project(slug="trusted")
    lead = make_lead(project=project)
    return (
        make_trusted(project, lead),
        make_trusted(project, lead, name="Elm", model="elm-1", repeat_percent=0),
        lead,
    )


def admit(judge, by, use="helps", **where):
    return admit_judge(judge=judge, **(VILLAGE | where), use=use, by=by, now=NOW)


def wrong():
    (check,) = (check for check in CHECKS if check.code == "I10s")
    return list(check.find(NOW))


def verbs(judge):
    rows = Event.objects.filter(object_kind="judge", object_id=str(judge.pk)).order_by("pk")
    return [verb for verb in rows.values_list("verb", flat=True) if "admi" in verb or "withdr" in verb]


def test_a_lead_signs_what_the_contract_says_and_another_judge_takes_the_place(trusted):
    larch, elm, lead = trusted
    contract = load_contracts(larch)[KEY]
    assert (contract.use, load_contracts(elm)[KEY].use) == ("helps", "strata")
    made = admit(larch, lead)
    assert load_admitted(larch.project) == {KEY: made}
    assert (made.judge, made.use, made.admitted_at, made.admitted_by) == (larch, "helps", NOW, lead)
    figures = made.figures
    assert (figures["items"], figures["agreement"], figures["test"]["people"]) == (contract.items, 100.0, 3)
    for judge, use, says in (
        (larch, "helps", "already"),
        (larch, "strata", "something else now"),
        (elm, "helps", "something else now"),
    ):
        with pytest.raises(Conflict, match=says):
            admit(judge, lead, use)
    with pytest.raises(NotAllowed):
        admit(elm, make_member(project=larch.project), "strata")
    assert admit(elm, lead, "strata") == load_admitted(larch.project)[KEY]
    assert [row.ended_why for row in list_admissions(larch)] == ["replaced"]
    assert '"replaces":"Larch"' in Event.objects.filter(verb="judge:admitted").order_by("pk").last().detail
    withdraw_admission(judge=elm, **VILLAGE, by=lead, now=NOW)
    with pytest.raises(Conflict, match="not admitted"):
        withdraw_admission(judge=elm, **VILLAGE, by=lead, now=NOW)
    assert not load_admitted(larch.project) and not wrong()
    assert verbs(elm) == ["judge:admitted", "judge:withdrawn"]


def test_a_judge_that_the_contract_refuses_is_admitted_by_nobody(trusted):
    larch, _elm, lead = trusted
    for where in ({"side": "mafia"}, {"metric": "engagement", "side": ""}):
        assert where.get("metric") or load_contracts(larch)["coherence", "mafia"].use == "refused"
        for use in ("helps", "strata", "refused"):
            with pytest.raises(Conflict, match="refuses it"):
                admit(larch, lead, use, **where)
    assert not Admission.objects.exists()


@pytest.mark.parametrize("stop", ["suspended", "ended"])
def test_a_judge_that_is_stopped_is_admitted_no_more(trusted, stop):
    larch, _elm, lead = trusted
    admit(larch, lead)
    if stop == "suspended":
        suspend_judge(judge=larch, reason="It drifts", by=lead, now=NOW)
    else:
        end_judge(judge=larch, by=lead, now=NOW)
    assert not load_admitted(larch.project)
    assert [row.ended_why for row in list_admissions(larch)] == [stop]
    with pytest.raises(NotAllowed):
        admit(larch, lead)
    if stop == "suspended":
        resume_judge(judge=larch, by=lead, now=NOW)
        assert not load_admitted(larch.project), "who resumes it signs again"
    assert not wrong()


def test_the_page_and_programs_admit_and_withdraw(trusted, client):
    larch, elm, lead = trusted
    client.force_login(lead)
    page, act = (reverse(name, args=["trusted", larch.number]) for name in ("show_judge", "admit_judge"))
    assert client.get(page).content.decode().count("Admit<span") == 1
    assert client.post(act, {**VILLAGE, "use": "strata"}).status_code == 409
    assert client.post(act, {**VILLAGE, "use": "helps"}).status_code == 303
    shown = client.get(page).content.decode()
    assert "Withdraw<span" in shown and "admitted" in shown and "Coherence, village, may help" in shown
    other = client.get(reverse("show_judge", args=["trusted", elm.number])).content.decode()
    assert "instead of" in other and "Larch" in other
    program, address = program_of(lead), f"projects/trusted/judges/{elm.number}/"
    assert program.send("POST", address + "admit/", VILLAGE | {"use": "strata"}).json()["state"] == "admitted"
    assert program.send("POST", address + "withdraw/", VILLAGE).json()["state"] == "on probation"
    (told,) = program.get(address).json()["admissions"]
    assert (told["use"], told["ended_why"], told["figures"]["use"]) == ("strata", "withdrawn", "strata")
    line = next(
        row for row in read_lines(write_export(larch.project, lead), "judge") if row["name"] == "Larch"
    )
    assert [one["ended_why"] for one in line["admissions"]] == ["replaced"]


def test_verify_names_what_was_changed_behind_the_sites_back(trusted):
    larch, elm, lead = trusted
    made = admit(larch, lead)
    assert refused(f"UPDATE discussions_admission SET use = 'strata' WHERE id = {made.pk}")
    with without_triggers():
        Admission.objects.update(use="strata")
    assert wrong() == [f"Admission {made.pk} lets a judge do what its contract did not say."]
    admit(elm, lead, "strata")
    with without_triggers():
        Admission.objects.update(use="helps", figures={"use": "helps"}, ended_at=None, ended_by=None)
        larch.suspended_at, larch.suspended_by = NOW, lead
        larch.save()
        Event.objects.filter(verb="judge:admitted", object_id=str(elm.pk)).delete()
    assert [says.split(" ", 3)[0] for says in wrong()] == ["Judge", "Project", "The"]


def test_the_page_says_what_a_judge_would_give_and_whether_it_drifts(trusted, client, monkeypatch):
    larch, _elm, lead = trusted
    assert not load_gains(larch), "people judged every message"
    monkeypatch.setattr(
        queries, "load_gains", lambda _judge: {"coherence": (6, 9, 6), "role_consistency": (6, 9, 6)}
    )
    client.force_login(lead)
    page = client.get(reverse("show_judge", args=["trusted", larch.number])).content.decode()
    assert page.count("<b>9</b> in ") == 1 and "by 6 games" in page and "No drift in" in page
    for game in larch.project.games.all():
        said = [[say_in_turn(game.number, str(number))] * 3 for number in range(1, 8)]
        write_labels(game, kinds.COHERENCE, said)
    queries._gain.cache_clear()
    ((metric, (answers, instead, games)),) = load_gains(larch).items()
    assert (metric, answers, games) == ("coherence", 6, 6) and instead > answers
    drift = watch_drift(Baseline(95, 100), [1.0, 1.0, 0.0] * 5 + [0.0] * 20)
    shown = build_drift({("coherence", "village"): (Baseline(95, 100), drift)})
    assert drift.suspended_at and shown["where"] == "Coherence, village" and shown["last"][1] < 24
