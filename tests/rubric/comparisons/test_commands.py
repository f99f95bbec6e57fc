"""manage.py import_comparisons: what it does, says and exits with."""

import json

import pytest
from django.core.management import call_command

from rubric.models import Comparison, ComparisonSet, Review
from tests.factories.comparisons import make_set
from tests.factories.people import make_lead, make_member, make_project

pytestmark = pytest.mark.django_db

SOUP = {
    "id": "soup",
    "question": "How is soup made?",
    "responses": [{"text": "Boil."}, {"text": "Open a tin."}],
}

GIVEN = {"comparison": "soup", "reviewer": "Reader", "scores": {"1": {"holistic": 4}, "2": {"holistic": 9}}}


@pytest.fixture
def project():
    return make_project(slug="ours")


@pytest.fixture
def lead(project):
    return make_lead(project=project)


@pytest.fixture
def write(tmp_path):
    """Writes a file of these lines."""

    def write(name, *values):
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, values)))
        return path

    return write


def run(capsys, *arguments):
    """The exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as end:
        call_command("import_comparisons", *map(str, arguments))
    said = capsys.readouterr()
    return end.value.code, said.out, said.err


def test_a_new_set_is_opened_and_filled_file_by_file(capsys, lead, write):
    files = [write("soup.jsonl", SOUP), write("reviews.jsonl", GIVEN)]
    options = ["--project", "ours", "--new", "Soup", "--mode", "both", "--by", lead.email.upper()]
    code, out, _ = run(capsys, *files, *options)
    assert code == 0
    assert out.splitlines() == [
        "Set 1: Soup",
        "soup.jsonl: 1 comparison and 0 reviews added",
        "reviews.jsonl: 0 comparisons and 1 review added",
    ]
    made = ComparisonSet.objects.get()
    assert (made.mode, made.created_by, made.rubric_version.rubric.key) == ("both", lead, "response")


def test_again_into_the_same_set_adds_nothing_and_says_so(capsys, lead, write):
    made = make_set(by=lead, questions=0)
    file, options = write("all.jsonl", SOUP, GIVEN), ["--project", "ours", "--set", made.number]
    run(capsys, file, *options, "--by", lead.email)
    code, out, _ = run(capsys, file, *options, "--by", lead.email, "--json")
    assert code == 0
    report = {"file": "all.jsonl", "comparisons": 0, "reviews": 0, "known": 2, "faults": []}
    assert json.loads(out) == {"set": 1, "files": [report]}
    assert (Comparison.objects.count(), Review.objects.count()) == (1, 1)


def test_a_file_with_a_fault_is_refused_whole_and_the_others_come_in(capsys, lead, write):
    files = [write("bad.jsonl", SOUP, {"id": 7}), write("good.jsonl", SOUP)]
    code, out, _ = run(capsys, *files, "--project", "ours", "--new", "Soup", "--by", lead.email)
    assert code == 1
    assert "bad.jsonl: refused, nothing of it was added" in out
    assert "  line 2 " in out and "neither a comparison" in out
    assert Comparison.objects.count() == 1


def test_no_set_is_opened_for_files_that_are_all_refused(capsys, lead, write):
    code, out, _ = run(
        capsys, write("bad.jsonl", {"id": 7}), "--project", "ours", "--new", "Soup", "--by", lead.email
    )
    assert (code, "line 1" in out) == (1, True)
    assert not ComparisonSet.objects.exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"project": "theirs"}, 'There is no project "theirs"'),
        ({"by": "nobody@example.org"}, 'There is no account "nobody@example.org"'),
        ({"file": "missing.jsonl"}, 'The file "missing.jsonl" cannot be read'),
        ({"set": "7"}, "The project has no comparison set 7"),
        ({"new": "Soup", "rubric": "ghost"}, 'No response rubric "ghost" is published'),
        ({"new": " "}, "Write a name of 1 to 200 visible characters."),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_what_cannot_be_started_is_exit_code_2_and_stores_nothing(capsys, lead, write, change, says, as_json):
    given = {"file": write("soup.jsonl", SOUP), "project": "ours", "by": lead.email} | change
    given |= {} if "new" in given or "set" in given else {"new": "Soup"}
    file = given.pop("file")
    options = [part for key, value in given.items() for part in (f"--{key}", value)]
    code, out, err = run(capsys, file, *options, *(["--json"] if as_json else []))
    assert (code, out) == (2, "")
    assert says in (json.loads(err)["faults"][0]["message"] if as_json else err)
    assert not ComparisonSet.objects.exists()


def test_an_evaluator_brings_nothing(capsys, project, lead, write):
    made, evaluator = make_set(by=lead, questions=0), make_member(project=project)
    file = write("soup.jsonl", SOUP)
    options = ["--project", "ours", "--set", made.number, "--by", evaluator.email]
    code, _, err = run(capsys, file, *options)
    assert (code, "Only team leads" in err) == (2, True)
    assert not Comparison.objects.exists()
