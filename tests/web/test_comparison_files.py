"""Uploading a file of comparisons and reviews into a set."""

import html
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from rubric.models import Comparison, Review
from rubric.views import filling
from tests.compared import make_set
from tests.factories import make_lead, make_project

pytestmark = pytest.mark.django_db

SOUP = {
    "id": "soup",
    "question": "How is soup made?",
    "responses": [{"text": "Boil."}, {"text": "Open a tin."}],
}
GIVEN = {"comparison": "soup", "reviewer": "Reader", "scores": {"1": {"holistic": 4}, "2": {"holistic": 9}}}


@pytest.fixture
def made(client):
    lead = make_lead(project=make_project())
    client.force_login(lead)
    return make_set(by=lead, questions=0)


def send(client, made, *values):
    data = "\n".join(each if isinstance(each, str) else json.dumps(each) for each in values).encode()
    place = reverse("import_comparisons", args=[made.project.slug, made.number])
    return client.post(place, {"file": SimpleUploadedFile("soup.jsonl", data)})


def text_of(answer):
    return html.unescape(answer.content.decode())


def test_a_file_comes_in_and_the_set_says_what_was_added(client, made):
    answer = send(client, made, SOUP, GIVEN)
    assert answer.status_code == 303
    text = text_of(client.get(answer["Location"]))
    assert "1 comparison was added" in text and "1 review was added" in text
    text = text_of(client.get(send(client, made, SOUP, GIVEN)["Location"]))
    assert "2 lines were there already" in text
    assert (Comparison.objects.count(), Review.objects.count()) == (1, 1)


def test_every_fault_is_listed_and_nothing_comes_in(client, made):
    answer = send(client, made, SOUP, GIVEN | {"comparison": "<b>stew</b>"}, "{")
    text = text_of(answer)
    assert answer.status_code == 422
    assert "Nothing was taken in" in text and '"<b>stew</b>"' in text
    assert "<b>stew</b>" not in answer.content.decode()
    assert not Comparison.objects.exists()


def test_without_a_file_the_form_says_so(client, made):
    place = reverse("import_comparisons", args=[made.project.slug, made.number])
    answer = client.post(place, {})
    assert (answer.status_code, "Choose a file." in text_of(answer)) == (422, True)


def test_what_is_too_much_for_one_request_is_refused_whole(client, made, monkeypatch):
    monkeypatch.setattr(filling, "MOST_REVIEWS", 1)
    answer = send(client, made, SOUP, GIVEN, GIVEN | {"reviewer": "Another"})
    assert (answer.status_code, "Upload at most" in text_of(answer)) == (422, True)
    monkeypatch.setattr(filling, "UPLOAD_LINES", 1)
    answer = send(client, made, SOUP, GIVEN, GIVEN)
    assert (answer.status_code, "more than 10,000 lines" in text_of(answer)) == (422, True)
    monkeypatch.setattr(filling, "UPLOAD_BYTES", 10)
    answer = send(client, made, SOUP)
    assert (answer.status_code, "larger than 32 MB" in text_of(answer)) == (422, True)
    assert not Comparison.objects.exists()
