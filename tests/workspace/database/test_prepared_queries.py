"""Prepared queries of every kind give what the queryset gives, whatever the values, on every database."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.db.models import Count, Q, QuerySet

from tests.factories.people import NOW, make_member, make_person, make_project, moment
from workspace.database.prepared_queries import LARGEST_KEY, Prepared, compile_all, prepared, select_rows
from workspace.models import Membership, Person, Project

pytestmark = [pytest.mark.services, pytest.mark.django_db]


def test_objects_come_with_what_was_selected_and_annotated(django_assert_num_queries):
    project = make_project(name="Café")
    person = make_member(project=project)
    query = Prepared(
        lambda key: (
            Membership.objects.filter(person=key)
            .select_related("project", "ended_by")
            .annotate(members=Count("project__memberships"))
        ),
        int,
    )
    with django_assert_num_queries(1):
        (found,) = query(person.pk)
        assert (found.project, found.project.name, found.project.created_at) == (project, "Café", NOW)
        assert (found.ended_by, found.members, found._state.adding, found._state.db) == (
            None,
            1,
            False,
            "default",
        )
    assert found == Membership.objects.get(person=person)
    assert query.first(LARGEST_KEY) is None


def test_a_prepared_function_gives_what_its_queryset_gives(django_assert_num_queries):
    person = make_member(project=make_project(name="Café"))

    @prepared
    def list_names(key: int, until: datetime) -> "QuerySet[Membership]":
        return Membership.objects.filter(person=key, created_at__lte=until).values_list(
            "project__name", flat=True
        )

    @prepared
    def list_projects(keys: list[int], name: str) -> "QuerySet[Project]":
        return Project.objects.filter(pk__in=keys, name=name)

    project = Project.objects.get()
    with django_assert_num_queries(2):
        assert list_names(person.pk, NOW) == ["Café"]
        assert list_projects([project.pk], "Café") == [project]
    assert list_names(person.pk, NOW - timedelta(seconds=1)) == []


def test_columns_that_were_left_out_are_fetched_when_read(django_assert_num_queries):
    person = make_person(email="ann@example.org")
    found = Prepared(lambda key: Person.objects.filter(pk=key).only("name"), int).first(person.pk)
    with django_assert_num_queries(1):
        assert (found.name, found.email) == (person.name, "ann@example.org")


def test_lists_of_any_length_stand_among_other_values():
    projects = [make_project(slug=f"p{number}") for number in range(5)]
    keys = [project.pk for project in projects]
    query = Prepared(
        lambda slug, few, name, others: (
            Project.objects.exclude(slug=slug).filter(Q(pk__in=few), Q(pk__in=others) | Q(name=name))
        ).order_by("pk"),
        str,
        list,
        str,
        list,
    )
    assert query("p1", keys[:4], "P4", keys[1:]) == projects[2:4]
    assert query("100%s", keys[3:], "%", keys[3:]) == projects[3:]
    assert query("p1", keys[:1], "P0", keys[4:]) == projects[:1]


@pytest.mark.parametrize("text", ["50%", "a_b", "\\\\", "%s", "Plum"])
def test_a_text_is_searched_for_as_it_stands(text):
    found = make_project(slug="found", name=f"x {text} y")
    make_project(slug="other", name="x 50 axb plu s y")
    query = Prepared(
        lambda text, slug: Project.objects.filter(name__contains=text).exclude(slug=slug), str, str
    )
    assert query(text, "none") == [found] == list(Project.objects.filter(name__contains=text))


def test_an_empty_list_and_a_number_that_no_row_has_ask_nothing(django_assert_num_queries):
    listed = Prepared(lambda keys: Project.objects.filter(pk__in=keys), list)
    numbered = Prepared(lambda key: Project.objects.filter(pk=key).values_list("name"), int)
    with django_assert_num_queries(0):
        assert listed([]) == []
        assert numbered(LARGEST_KEY + 1) == []


def test_moments_are_compared():
    early = make_project(now=NOW)
    late = make_project(now=moment(5))
    query = Prepared(
        lambda since, until: Project.objects.filter(created_at__gte=since, created_at__lt=until),
        *2 * [type(NOW)],
    )
    assert query(NOW, moment(5)) == [early]
    assert query(NOW + timedelta(microseconds=1), moment(6)) == [late]


def test_a_value_that_is_no_parameter_is_refused_at_once():
    with pytest.raises(AssertionError, match="no parameter"):
        Prepared(lambda end: Project.objects.all()[: int(end)], int)(3)
    project = make_project()
    found = Prepared(lambda _key, slug: Project.objects.filter(slug=slug), int, str, optional=1)
    assert found(0, project.slug) == [project]


def test_all_queries_of_loaded_modules_are_made_without_asking(django_assert_num_queries):
    query = Prepared(lambda key: Person.objects.filter(pk=key), int)
    with django_assert_num_queries(0):
        compile_all()
    assert query.compiled


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_queries_that_lock_rows_are_left_to_their_first_use_where_the_database_has_locks():
    plain = Prepared(lambda key: Person.objects.filter(pk=key), int)
    locking = Prepared(lambda key: Person.objects.select_for_update().filter(pk=key), int)
    compile_all()
    assert plain.compiled
    assert bool(locking.compiled) == (connection.vendor == "sqlite")


def test_statements_keep_their_percent_signs():
    long = "x" * 5000
    with connection.cursor() as cursor:
        for number in (1, 2):
            cursor.execute("SELECT %s, '100 %%', '%%s'", [number])
            assert cursor.fetchone() == (number, "100 %", "%s")
            cursor.execute(f"SELECT %s, '{long} %%'", [number])
            assert cursor.fetchone() == (number, f"{long} %")
        cursor.execute("SELECT %(value)s", {"value": 3})
        assert cursor.fetchone() == (3,)
        cursor.execute("SELECT '100 %'")
        assert cursor.fetchone() == ("100 %",)


@pytest.mark.parametrize("lock", ["", "UPDATE", "NO KEY UPDATE"])
def test_rows_of_one_table_are_those_of_the_queryset(lock):
    person, project, other = make_person(), make_project(), make_project()
    for member, place in ((person, project), (make_person(), project), (person, other)):
        make_member(project=place, person=member)
    Membership.objects.filter(project=other).update(ended_at=NOW, ended_by=person)
    columns = ("project_id", "role", "ended_at", "pk")
    for where in ({"person": person.pk}, {"person": person.pk, "ended_at": None}, {"project": project.pk}):
        rows = select_rows(Membership, *columns, lock=lock, **where)
        assert sorted(rows, key=str) == sorted(
            Membership.objects.filter(**where).values_list(*columns), key=str
        )
    assert select_rows(Membership, "ended_at", project=other.pk, lock=lock) == [(NOW,)]
    assert select_rows(Membership, "pk", person=LARGEST_KEY, lock=lock) == []
