"""The command `rubric_file`: a version in Git is compared, drafted, previewed and published, step by step."""

import json

import pytest
from django.core.management import call_command
from msgspec.structs import replace

from rubric.models import ImpactPreview, RubricVersion
from rubric.versions.queries import write_file
from tests.factories.people import make_admin
from tests.factories.preview import thresholds
from tests.factories.tokens import program_of
from tests.factories.verdicts import recorded_verdict
from tests.factories.versions import first, with_weights

pytestmark = pytest.mark.django_db


@pytest.fixture
def bring(tmp_path, capsys):
    """Run the command on this file, as JSON: its exit code, and what it says."""

    def run(data: bytes | None = None, *words: str, key: str = "response") -> tuple[int, dict]:
        path = tmp_path / "criteria.json"
        if data is not None:
            path.write_bytes(data)
        with pytest.raises(SystemExit) as ended:
            call_command("rubric_file", str(path), "--rubric", key, "--json", *words)
        said = capsys.readouterr()
        return ended.value.code, json.loads(said.out or said.err)

    run.path = tmp_path / "criteria.json"
    return run


def test_a_file_is_written_compared_and_published_once(bring, capsys):
    by = make_admin(email="admin@example.org").email
    call_command("rubric_file", str(bring.path), "--rubric", "response", "--step", "write")
    assert capsys.readouterr().out == f"file: {bring.path}\n"
    written = bring.path.read_bytes()
    assert written == write_file(first().to_record())
    assert bring() == (0, {"differences": [], "state": "published"})
    changed = write_file(with_weights(first().to_record(), 0.4, 0.2, 0.2, 0.2))
    code, said = bring(changed)
    assert (code, len(said["differences"])) == (1, 2)
    publish = ("--step", "publish", "--by", by, "--reason", "Accuracy counts more")
    code, said = bring(None, *publish[:1], "draft", *publish[2:])
    assert (code, said["state"], said["number"]) == (0, "draft", "1.3")
    code, said = bring(changed.replace(b'"version": "1.2"', b'"version": "1.3"'), *publish)
    assert (code, said["state"], said["number"]) == (0, "published", "1.3")
    assert said["preview"] == "No comparison under this rubric has scores so far, so no ranking can change"
    assert bring(changed, *publish) == (0, {"differences": [], "state": "published"})
    assert RubricVersion.objects.filter(rubric__key="response").count() == 4


def test_a_file_starts_a_response_rubric_of_its_own(bring):
    words = ("--new", "--by", make_admin().email, "--reason", "For code", "--step", "draft")
    code, said = bring(write_file(replace(first().to_record(), name="Coding")), *words, key="coding")
    assert (code, said["state"], said["differences"]) == (0, "draft", [])
    assert RubricVersion.objects.get(rubric__key="coding").note == "For code"


def test_the_preview_of_a_game_rubric_says_which_verdicts_would_flip(bring):
    recorded_verdict()
    admin = make_admin(email="admin@example.org")
    stricter = write_file(thresholds(engagement=4)(first("discussion").to_record()))
    words = ("--step", "preview", "--by", admin.email, "--reason", "Stricter")
    code, said = bring(stricter, *words, key="discussion")
    assert (code, said["preview"]) == (0, "Under this draft, 1 of 1 recorded verdict would be different")
    assert ImpactPreview.objects.count() == 1
    program = program_of(admin)
    preview = program.get(f"rubrics/discussion/{said['number']}/preview/").json()
    assert (preview["state"], preview["headline"]) == ("present", said["preview"])
    assert preview["impact"]["flip_count"] == 1
    program.post(
        f"rubrics/discussion/?note=x&basis_sha256={RubricVersion.objects.latest('pk').sha256}",
        write_file(RubricVersion.objects.latest("pk").to_record()).replace(
            b'"threshold": 4', b'"threshold": 3'
        ),
    )
    assert program.get(f"rubrics/discussion/{said['number']}/preview/").json()["state"] == "old"
    asked = program.post(f"rubrics/discussion/{said['number']}/preview/")
    assert (asked.status_code, asked.json()["state"]) == (202, "live")


def test_what_cannot_be_done_is_said(bring):
    code, said = bring(b'{"name": 1}')
    assert (code, [fault["place"] for fault in said["faults"]]) == (2, ["/name"])
    changed = write_file(with_weights(first().to_record(), 0.4, 0.2, 0.2, 0.2))
    make_admin(email="admin@example.org")
    assert bring(changed, "--step", "draft", "--by", "admin@example.org")[0] == 2
    assert "no account" in bring(changed, "--step", "draft")[1]["faults"][0]["message"]
    assert "There is: discussion, response" in bring(changed, key="nothing")[1]["faults"][0]["message"]
    assert "no version 9" in bring(None, "--step", "write", "--number", "9")[1]["faults"][0]["message"]
    assert RubricVersion.objects.filter(state="draft").count() == 0
