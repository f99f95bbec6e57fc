"""Every step asks in the words of the rubric version; the version's page and the rating page say the same."""

import html
import re

import pytest
from django.urls import reverse

from discussions.rating.pages.review import STEP_METRICS, build_guides
from rubric.models import RubricVersion
from rubric.versions.queries import discussion_version
from tests.factories.people import make_admin
from tests.factories.rating import make_rating_project, ready_to_submit, start
from tests.factories.versions import first, make_draft
from workspace.core.canonical import bytes_hash, canonical_bytes

pytestmark = pytest.mark.django_db


def said(client, address):
    """A page's text."""
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def guide_of(page, step):
    """The head of a step: from its heading to the end of the fold."""
    section = re.search(rf'id="step-{step}".*?</details>', page)
    assert section, step
    return section[0]


def words_of(criterion):
    """All that a version says of how to judge a criterion."""
    questions = [] if criterion.key == "engagement" else criterion.guiding_questions
    return [criterion.description, *questions, *criterion.good_examples, *criterion.bad_examples]


def test_the_rating_page_and_the_versions_page_show_the_same_words(client):
    evaluation = start()
    client.force_login(evaluation.evaluator)
    page = said(client, reverse("rate", args=[evaluation.pk]))
    version = first("discussion")
    shown = said(client, reverse("rubric_version", args=["discussion", version.number]))
    record = version.to_record()
    assert evaluation.measured.rubric_version_id == version.pk
    for step, metric in STEP_METRICS.items():
        criterion, guide = record.criterion(metric), guide_of(page, step)
        assert f">{criterion.question}</h2>" in guide
        for words in (criterion.question, *words_of(criterion)):
            assert words in guide, (step, words)
            assert words in shown, (metric, words)
        assert "How to judge this, with examples" in guide


def test_a_step_that_is_drawn_again_has_its_guide(client):
    evaluation = ready_to_submit()
    client.force_login(evaluation.evaluator)
    stored = evaluation.judgements.get(kind="question", subject="1")
    body = {"act": f"question~1~{stored.version}~no", "nonce": "n", "step": "engagement"}
    answer = client.post(
        reverse("judge", args=[evaluation.pk]), body, headers={"HX-Request": "true"}
    ).content.decode()
    assert "How to judge" not in answer, "only what changed is drawn again"
    page = said(client, reverse("rate", args=[evaluation.pk]) + "?step=roles")
    assert "Does this message fit the role of the one who says it?" in guide_of(page, "roles")


def test_an_older_version_shows_what_it_has(client):
    project = make_rating_project()
    old = RubricVersion.objects.get(rubric__key="discussion", number="1.0")
    project.iterations.update(rubric_version=old)
    evaluation = start(project=project)
    client.force_login(evaluation.evaluator)
    page = said(client, reverse("rate", args=[evaluation.pk]))
    guide = guide_of(page, "references")
    assert "A reference to nobody in particular counts as inaccurate." in guide
    assert "Good examples" not in page and "with examples" not in page


@pytest.mark.parametrize("key", ["discussion", "response"])
def test_the_editor_asks_for_examples(client, key):
    client.force_login(make_admin())
    draft = make_draft(key=key)
    page = said(client, reverse("edit_version", args=[key, draft.number]))
    assert "Good examples, one a line" in page and "Bad examples, one a line" in page


def test_every_step_has_a_guide():
    record = discussion_version()
    guides = build_guides(record)
    assert set(guides) == set(STEP_METRICS)
    assert guides["engagement"].guiding_questions == []
    assert (
        bytes_hash(canonical_bytes(record))
        == RubricVersion.objects.get(rubric__key="discussion", number=record.version).sha256
    )
