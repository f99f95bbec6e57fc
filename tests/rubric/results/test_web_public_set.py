"""A public set of reviews comes in as files, and its published figures come out of the stored rows and of the page.

SQuALITY: A. Wang and others (EMNLP 2022), CC BY 4.0: 100 questions, a response of each of two models and of a person,
three reviewers who score correctness, coverage and the whole from 0 to 100. It is not part of the project; the test is
skipped where it is missing.
"""

import html
import json
import os
import re
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import transaction
from django.test import Client

from rubric.models import ComparisonSet, Review, RubricVersion
from rubric.reviews.queries import Reviewed, load_reviewed
from rubric.versions.queries import first_response_version
from tests.factories.people import make_admin, make_lead, make_project
from workspace.core.canonical import canonical_bytes
from workspace.statistics.alpha import krippendorff_alpha

SHARED = Path(__file__).parents[4] / "shared"
SQUALITY = Path(os.environ.get("SQUALITY_REVIEWS", SHARED / "data" / "squality" / "all-responses.jsonl"))
DIMENSIONS = ("correctness", "coverage", "holistic")

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.slow,
    pytest.mark.skipif(not SQUALITY.exists(), reason="the reviews of SQuALITY are not here"),
]


def rubric_file() -> bytes:
    """A response rubric with their two dimensions, half and half."""
    data = json.loads(canonical_bytes(first_response_version()))
    first = data["criteria"][0]
    named = (("correctness", "Correctness"), ("coverage", "Coverage"))
    criteria = [first | {"key": key, "label": label, "weight": 0.5} for key, label in named]
    return json.dumps(data | {"name": "Summaries", "version": "1.0", "criteria": criteria}).encode()


def converted() -> tuple[list[dict], list[dict]]:
    """Their stories as lines of comparisons and of reviews."""
    comparisons, reviews = [], []
    for line in SQUALITY.read_text().splitlines():
        story = json.loads(line)
        for number, systems in story["questions"].items():
            key = f"{story['passage-id']}-{number}"
            given = [
                {"id": name, "text": system["response"], "author": name} for name, system in systems.items()
            ]
            question = f"Question {number} on story {story['passage-id']}"
            comparisons.append({"id": key, "question": question, "responses": given})
            scores: dict[str, dict] = defaultdict(dict)
            for name, system in systems.items():
                for review in system["reviews"]:
                    scores[review["worker_id"]][name] = {
                        "correctness": review["correctness-rating"],
                        "coverage": review["selection-rating"],
                        "holistic": review["overall-rating"],
                    }
            reviews += [
                {"comparison": key, "reviewer": who, "scores": score, "scale": [0, 100]}
                for who, score in scores.items()
            ]
    return comparisons, reviews


@pytest.fixture(scope="module")
def brought(django_db_setup, django_db_blocker, tmp_path_factory):
    """The set with everything in it, for all tests of this module; undone at their end."""
    with django_db_blocker.unblock(), transaction.atomic():
        admin, lead = make_admin(), make_lead(project=make_project(slug="summaries"))
        client = Client()
        client.force_login(admin)
        upload = {"file": SimpleUploadedFile("r.json", rubric_file()), "rubric": "", "key": "summaries"}
        assert client.post("/rubrics/import/", upload | {"note": "Their questions"}).status_code == 303
        version = RubricVersion.objects.get(rubric__key="summaries")
        reason = {"reason": "To compare with what was published", "basis": version.sha256}
        assert client.post("/rubrics/summaries/1.0/publish/", reason).status_code == 303
        folder = tmp_path_factory.mktemp("squality")
        for name, lines in zip(("comparisons", "reviews"), converted(), strict=True):
            (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
        files = [str(folder / "comparisons.jsonl"), str(folder / "reviews.jsonl")]
        options = ["--project", "summaries", "--new", "SQuALITY", "--rubric", "summaries", "--mode", "both"]
        with pytest.raises(SystemExit) as end:
            call_command("import_comparisons", *files, *options, "--by", lead.email)
        assert end.value.code == 0
        client.force_login(lead)
        yield ComparisonSet.objects.get(project__slug="summaries"), client
        transaction.set_rollback(True)


def read_text(client: Client, address: str) -> str:
    """The words of a page."""
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def get_value(review: Reviewed, dimension: str) -> float:
    """The score on their scale from 0 to 100."""
    score = review.holistic if dimension == "holistic" else review.scores[dimension]
    return (score - 1) * 100 / 9


def compute_means(made: ComparisonSet) -> dict[str, list[float]]:
    """System -> mean of each dimension."""
    systems = {
        (response.comparison.number, response.number): response.author
        for comparison in made.comparisons.prefetch_related("responses__comparison")
        for response in comparison.responses.all()
    }
    found: dict[str, list[Reviewed]] = defaultdict(list)
    for review in load_reviewed(made):
        found[systems[review.comparison, review.response]].append(review)
    return {
        system: [mean(get_value(review, dimension) for review in rows) for dimension in DIMENSIONS]
        for system, rows in found.items()
    }


def list_items(made: ComparisonSet, dimension: str) -> list[list[float]]:
    """The three scores of each of the 300 responses."""
    items: dict[tuple[int, int], list[float]] = defaultdict(list)
    for review in load_reviewed(made):
        items[review.comparison, review.response].append(get_value(review, dimension))
    return list(items.values())


def test_everything_came_in(brought):
    made, _client = brought
    reviews = Review.objects.filter(comparison__set=made, state="submitted", mode="rubric")
    assert (made.comparisons.count(), reviews.count(), len(load_reviewed(made))) == (100, 300, 900)
    assert all("rescaled" in [flag["code"] for flag in review.flags] for review in reviews)


def test_means_of_the_systems_are_those_that_were_published(brought):
    found = {
        system: [round(value, 1) for value in means] for system, means in compute_means(brought[0]).items()
    }
    assert found == {
        "bart": [34.8, 15.6, 18.1],
        "bart-dpr": [45.4, 24.3, 27.9],
        "human": [94.1, 88.8, 91.3],
    }


@pytest.mark.parametrize(
    ("dimension", "alpha", "spread"),
    [("correctness", 0.459, 21.9), ("coverage", 0.781, 13.5), ("holistic", 0.798, 12.7)],
)
def test_agreement_and_spread_are_those_that_were_published(brought, dimension, alpha, spread):
    """Alpha for intervals; the spread is the mean over responses of the SD of their three reviewers."""
    items = list_items(brought[0], dimension)
    assert {len(item) for item in items} == {3}
    assert round(krippendorff_alpha(items, level="interval", with_interval=False).value, 3) == alpha
    assert round(mean(map(stdev, items)), 1) == spread


def test_the_page_of_results_shows_the_same_means_from_1_to_10(brought):
    made, client = brought
    text = read_text(client, f"/projects/summaries/comparisons/{made.number}/results/")
    found = compute_means(made)
    assert found
    for system, means in found.items():
        correctness, coverage, whole = (f"{1 + value * 9 / 100:.2f}" for value in means)
        overall = f"{1 + mean(means[:2]) * 9 / 100:.2f}"
        assert f"{system} {correctness} {coverage} {whole}" in text
        assert re.search(rf"\b{system} {overall} 95\W+% interval [\d.]+ to [\d.]+ ?, 100 values", text)


def test_who_leads_the_set_has_an_interval_over_the_common_questions(brought):
    made, client = brought
    text = read_text(client, f"/projects/summaries/comparisons/{made.number}/results/")
    assert re.search(
        r"human answers best, by [\d.]+ points Same order in all \d analyses: 100 questions", text
    )
    assert re.search(r"1 human 9\.23 .* 2 bart-dpr .* 100 values [\d.]+ \([\d.]+ to [\d.]+\) 3 bart", text)


def test_what_every_reviewer_puts_first_is_said_first(brought):
    made, client = brought
    address = f"/projects/summaries/comparisons/{made.number}/"
    assert "human: all 3 reviewers put it first (by chance 11 %)." in read_text(client, f"{address}71/")
    pages = [client.get(f"{address}results/?page={page}").content.decode() for page in (1, 2)]
    rows = [row for page in pages for row in page.split("<tr>") if f"{address}71/" in row]
    assert len(rows) == 1 and "human first for all 3" in re.sub(r"<[^>]+>|\s+", " ", rows[0]).replace(
        "  ", " "
    )
