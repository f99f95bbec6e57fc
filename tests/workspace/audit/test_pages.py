"""The page of the audit log: every kind of thing that a line can be about is a choice of its filter."""

import csv
import io
import json
import re
from datetime import UTC, datetime

import pytest
from django.apps import apps
from django.db import transaction
from django.urls import reverse

from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_person, make_project, moment
from tests.factories.rating import make_rating_project, submitted
from tests.factories.verdicts import record
from tests.guards.layout import layer_files
from workspace.audit.actions import KeyedRevisions, record_event
from workspace.audit.labels import KINDS, SENTENCES, list_verb_choices, split_sentence
from workspace.audit.queries import kind_of
from workspace.people.actions.people import change_settings
from workspace.people.actions.projects import end_membership


def test_the_log_can_be_filtered_by_kinds_of_rows_alone():
    """And by backups, which are files: a line about anything else is refused (test_actions.py)."""
    rows = {kind_of(model) for model in apps.get_models()}
    kept = {getattr(revisions, "row_name", "") for revisions in KeyedRevisions.__subclasses__()}
    assert set(KINDS) <= rows | kept | {"backup"}


@pytest.mark.django_db
def test_lines_about_comparison_sets_are_shown_alone(client):
    project = make_project()
    lead = make_lead(project=project)
    make_set(by=lead)
    client.force_login(lead)
    address = reverse("audit", args=[project.slug])
    page = client.get(address).content.decode()
    assert '<option value="comparison_set"' in page and 'value="rubric_version' not in page
    assert "second_factor" not in page and "settings:changed" not in page and "password:link_made" in page
    old = client.get(address, {"kind": "rubric_version", "verb": "password:chosen"})  # an address from before
    assert old.status_code == 200 and 'value="rubric_version:' not in old.content.decode()
    for asked in ("rubric_version", "password:chosen"):
        assert f'<option value="{asked}" selected' in old.content.decode()
    shown = client.get(address, {"kind": "comparison_set"}).context["page"]["lines"]
    assert {line.event.object_kind for line in shown} == {"comparison_set"}
    assert "comparison_set:opened" in [line.event.verb for line in shown]
    opened = next(line for line in shown if line.event.verb == "comparison_set:opened")
    assert dict(opened.detail)["scored"] in ("holistic", "by criterion", "holistic, then by criterion")


@pytest.mark.django_db
def test_lines_are_chosen_by_person_and_day(client):
    project = make_project()
    lead, second = make_lead(project=project), make_lead(project=project)
    for by, day in ((lead, 3), (second, 4), (lead, 5)):
        with transaction.atomic():
            at = datetime(2026, 3, day, 12, tzinfo=UTC)
            record_event("a:b", ("game", day), by=by, now=at, project=project)
    client.force_login(lead)
    address = reverse("audit", args=[project.slug])

    def found(**given: str) -> list[str]:
        lines = client.get(address, {"kind": "game", **given}).context["page"]["lines"]
        return [line.event.object_id for line in lines]

    assert found() == ["5", "4", "3"]
    assert found(who=lead.email.upper()) == ["5", "3"]
    assert found(since="2026-03-04", until="2026-03-04") == ["4"]
    assert found(who=lead.name, since="2026-03-04") == ["5"]
    for day in ("0001-01-01", "9999-12-31"):
        assert client.get(address, {"since": day, "until": day}).status_code == 422
    refused = client.get(address, {"since": "yesterday"})
    assert (refused.status_code, "Enter a valid date" in refused.content.decode()) == (422, True)


VERB = re.compile(r'"([a-z_]+:[a-z_]+)"')
# Of other things that look like verbs.
NO_VERBS = {"kind:subject"}


def test_every_verb_that_is_recorded_has_a_sentence():
    """An action names its verbs, and many give them to a helper; so all that look like one are looked at."""
    named = {verb for path in layer_files("actions") for verb in VERB.findall(path.read_text())}
    assert len(named) > 90
    assert named - NO_VERBS - set(SENTENCES) == set(), "add sentences to workspace/audit/labels.py"


def test_every_sentence_says_who_did_it():
    assert len(SENTENCES) > 120
    for verb, sentence in SENTENCES.items():
        parts = split_sentence(str(sentence))
        assert (parts.count("%(who)s"), parts.count("%(thing)s") <= 1) == (1, True), verb
        assert "".join(parts) == str(sentence), verb


def test_no_two_verbs_of_the_filter_read_alike():
    words = [words for _verb, words in list_verb_choices()]
    assert sorted(set(words)) == sorted(words)
    assert ("stage:opened", "created a stage") in list_verb_choices()


def sentences(client, project, **given):
    """The sentences of the page, newest first."""
    answer = client.get(reverse("audit", args=[project.slug]), given)
    return [line.sentence for line in answer.context["page"]["lines"]]


@pytest.fixture
def judged(client, settings, tmp_path):
    """A project with a game that was rated and recorded, and another that was rated; the lead is signed in."""
    settings.MEDIA_ROOT = tmp_path
    project = make_rating_project(number="1.2")
    record(submitted(project=project).game)
    submitted(project=project)
    client.force_login(make_lead(project=project))
    return project


@pytest.mark.django_db
def test_lines_are_sentences_with_links_to_their_things(client, judged):
    lines = client.get(reverse("audit", args=[judged.slug])).content.decode()
    assert f'<a href="{reverse("verdict", args=[judged.slug, 1])}">' in lines
    assert any(says.endswith(" recorded the verdict of game 1") for says in sentences(client, judged))
    assert any(says.endswith(" submitted an evaluation of game 2") for says in sentences(client, judged))


@pytest.mark.django_db
def test_lines_are_chosen_by_what_was_done_and_by_the_number_of_the_thing(client, judged):
    assert len(sentences(client, judged, verb="evaluation:submitted")) == 2
    of_second = sentences(client, judged, kind="game", number=2)
    assert of_second and all(says.endswith("game 2") for says in of_second)
    assert sentences(client, judged, kind="game", number=2, verb="verdict:recorded") == []
    assert len(sentences(client, judged, kind="verdict", number=10**9)) == 0
    refused = client.get(reverse("audit", args=[judged.slug]), {"number": 2})
    assert (refused.status_code, "what this is the number of" in refused.content.decode()) == (422, True)


@pytest.mark.django_db
def test_a_comparison_set_is_found_with_its_reviews(client):
    project = make_project()
    lead = make_lead(project=project)
    made, other = (make_set(by=lead, elsewhere=1) for _number in range(2))
    for chosen in (made, other):
        review_with(
            comparison=chosen.comparisons.get(), reviewer=chosen.reviewers.get(), scores=RECORD_SCORES
        )
    client.force_login(lead)
    found = sentences(client, project, kind="comparison_set", number=made.number)
    assert any(says.endswith(f"a review of comparison 1 of set {made.number}") for says in found)
    assert not any(f"set {other.number}" in says for says in found)


@pytest.mark.django_db
def test_people_are_named_also_when_they_left(client):
    project = make_project()
    admin, member = make_admin(), make_member(project=project)
    end_membership(membership=member.memberships.get(), by=admin, now=NOW)
    client.force_login(admin)
    assert sentences(client, project)[0] == f"{admin.name} removed {member.name} from the project"
    answer = client.get(reverse("site_audit"))
    page = answer.context["page"]
    assert '<option value="rubric_version' in answer.content.decode()
    assert f"System created the account of {member.name}" in [line.sentence for line in page["lines"]]


def read(answer) -> bytes:
    return b"".join(answer.streaming_content)


@pytest.mark.django_db
def test_what_is_chosen_is_exported_as_csv_and_json_lines(client, judged):
    given = {"verb": "evaluation:submitted"}
    answer = client.get(reverse("audit_file", args=[judged.slug, "csv"]), given)
    rows = list(csv.DictReader(io.StringIO(read(answer).decode())))
    assert answer["Content-Disposition"] == f'attachment; filename="{judged.slug}-audit.csv"'
    lines = read(client.get(reverse("audit_file", args=[judged.slug, "jsonl"]), given)).decode().splitlines()
    records = [json.loads(line) for line in lines]
    assert len(rows) == len(records) == 2
    assert [row["line"] for row in rows] == [str(record["line"]) for record in records]
    assert records[0]["detail"]["game"] == 2 and json.loads(rows[0]["detail"]) == records[0]["detail"]
    assert records[0]["page"] == reverse("game", args=[judged.slug, 2])
    whole = read(client.get(reverse("audit_file", args=[judged.slug, "jsonl"]))).splitlines()
    assert [json.loads(line)["line"] for line in whole] == list(range(len(whole), 0, -1))


@pytest.mark.django_db
def test_an_export_reads_in_batches_and_refuses_odd_addresses(client, judged, monkeypatch):
    address = reverse("audit_file", args=[judged.slug, "jsonl"])
    whole = read(client.get(address))
    monkeypatch.setattr("workspace.audit.queries.BATCH", 3)
    assert read(client.get(address)) == whole
    assert client.get(address, {"since": "yesterday"}).status_code == 400
    assert client.get(reverse("audit_file", args=[judged.slug, "xlsx"])).status_code == 400


@pytest.mark.django_db
def test_a_name_that_is_a_formula_stays_a_text(client):
    project = make_project()
    lead = make_lead(project=project)
    lead.name = "=1+1"
    lead.save()
    make_set(by=lead)
    client.force_login(lead)
    text = read(client.get(reverse("audit_file", args=[project.slug, "csv"]))).decode()
    assert ",'=1+1," in text and ",=1+1," not in text


@pytest.mark.django_db
def test_people_keep_the_name_that_they_had_then(client):
    project, lead = make_project(), make_person(name="Rene <i>Before</i>")
    _open_project_line(project, lead, NOW)
    for minutes, name in ((10, "Rene Between"), (20, "Zoe After")):
        change_settings(name=name, time_zone="", has_single_keys=True, by=lead, now=moment(minutes))
    _open_project_line(project, lead, moment(15))
    _open_project_line(project, lead, moment(30))
    client.force_login(make_admin())
    address = reverse("audit", args=[project.slug])
    lines = client.get(address).context["page"]["lines"]
    assert [line.who for line in lines[:3]] == ["Zoe After", "Rene Between", "Rene <i>Before</i>"]
    assert [line.who for line in lines[:3]] == [line.sentence.split(" created")[0] for line in lines[:3]]
    page = client.get(address).content.decode()
    assert "Rene &lt;i&gt;Before&lt;/i&gt;" in page and page.count("(now <bdi") == 2
    rows = list(
        csv.DictReader(
            io.StringIO(read(client.get(reverse("audit_file", args=[project.slug, "csv"]))).decode())
        )
    )
    assert [row["by"] for row in rows[:3]] == [line.who for line in lines[:3]]
    for part in ("between", "zoe"):
        assert len(client.get(address, {"who": part}).context["page"]["lines"]) == 3
    site = client.get(reverse("site_audit"), {"who": "zoe"}).context["page"]["lines"]
    assert [line.who for line in site] == ["Rene Between", "Rene <i>Before</i>"]
    assert ("Former name", "Rene <i>Before</i>") in [
        (name.capitalize(), value) for name, value in site[1].detail
    ]


def _open_project_line(project, by, now):
    with transaction.atomic():
        record_event("project:created", project, by=by, now=now)
