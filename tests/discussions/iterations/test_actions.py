"""Opening a project, and the rubric version that is there before any project."""

import pytest

from discussions.iterations.actions import open_project
from discussions.models import Iteration
from rubric.core.records import DISCUSSION
from rubric.models import Rubric, RubricVersion
from rubric.versions.actions import publish_first_versions
from tests.factories.people import NOW, make_admin, make_person
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import NotAllowed
from workspace.models import Event, Project

pytestmark = pytest.mark.django_db


def test_a_migrated_database_has_the_newest_discussion_version():
    version = RubricVersion.objects.newest(DISCUSSION)
    record = version.to_record()
    assert (record.kind, record.version, version.number) == (DISCUSSION, "1.3", "1.3")
    assert version.published_by.is_system
    assert version.sha256 == bytes_hash(version.body.encode()) == bytes_hash(canonical_bytes(record))


def test_the_first_version_says_what_the_rubric_says():
    record = RubricVersion.objects.newest(DISCUSSION).to_record()
    thresholds = {criterion.key: criterion.threshold for criterion in record.criteria}
    assert thresholds == {
        "memory_accuracy": 80,
        "strategic_depth": 60,
        "coherence": 70,
        "role_consistency": 80,
        "personality_diversity": 50,
        "anti_repetition": 90,
        "engagement": 3,
    }
    assert [criterion.key for criterion in record.criteria if criterion.is_mandatory] == ["engagement"]
    assert sum(len(criterion.advice) for criterion in record.criteria) == 22
    assert (record.parameters["pass_count"], record.parameters["cost_limit_usd"]) == (5, 3)


def test_publishing_again_changes_nothing():
    before = Event.objects.count()
    assert publish_first_versions(by=make_admin(), now=NOW) == []
    assert RubricVersion.objects.count() == 7
    assert Event.objects.filter(verb="rubric_version:published").count() == 0
    assert Event.objects.count() == before + 1  # the admin's account


@pytest.mark.django_db(transaction=True)
def test_an_emptied_database_gets_the_version_with_its_first_project():
    RubricVersion.objects.filter(state="draft").delete()
    project = open_project(slug="mafia", name="Mafia", by=make_admin(), now=NOW)
    assert Iteration.objects.get(project=project).rubric_version.number == "1.3"
    assert Rubric.objects.count() == 2


def test_a_project_has_its_unsorted_iteration_under_the_newest_version():
    project = open_project(slug="mafia", name="Mafia", by=make_admin(), now=NOW)
    iteration = Iteration.objects.get(project=project)
    assert iteration.is_unsorted
    assert (iteration.number, iteration.evaluator_count, iteration.reveal) == (0, 1, "blind_first")
    assert iteration.rubric_version == RubricVersion.objects.newest(DISCUSSION)


def test_whoever_may_not_open_projects_leaves_nothing_behind():
    with pytest.raises(NotAllowed):
        open_project(slug="mafia", name="Mafia", by=make_person(), now=NOW)
    assert not Project.objects.filter(slug="mafia").exists()
    assert not Iteration.objects.exists()
