"""Prepared queries of every kind give what the queryset gives, whatever the values, on every database."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.db.models import Count, Q

from tests.factories.people import NOW, make_member, make_person, make_project, moment
from workspace.database.prepared_queries import LARGEST_KEY, Prepared, PreparedUpdate, compile_all
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
        (found,) = query.objects(person.pk)
        assert (found.project, found.project.name, found.project.created_at) == (project, "Café", NOW)
        assert (found.ended_by, found.members, found._state.adding, found._state.db) == (
            None,
            1,
            False,
            "default",
        )
    assert found == Membership.objects.get(person=person)
    assert query.first(LARGEST_KEY) is None
    assert query.rows(person.pk)[0][0] == found.pk


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
    assert query.objects("p1", keys[:4], "P4", keys[1:]) == projects[2:4]
    assert query.objects("100%s", keys[3:], "%", keys[3:]) == projects[3:]
    assert query.objects("p1", keys[:1], "P0", keys[4:]) == projects[:1]


def test_an_empty_list_and_a_number_that_no_row_has_ask_nothing(django_assert_num_queries):
    listed = Prepared(lambda keys: Project.objects.filter(pk__in=keys), list)
    numbered = Prepared(lambda key: Project.objects.filter(pk=key).values_list("name"), int)
    with django_assert_num_queries(0):
        assert listed.objects([]) == []
        assert numbered.rows(LARGEST_KEY + 1) == []


@pytest.mark.parametrize("text", ["50%", "a_b", "back\\slash", "%s", "'quote"])
def test_a_text_that_is_searched_for_stands_for_itself(text):
    inside = make_project(name=f"<{text}>")
    make_project(name="<50x a.b back/slash %d quote>")
    query = Prepared(lambda part: Project.objects.filter(name__contains=part), str)
    assert query.objects(text) == [inside]
    assert query.objects("no") == []


def test_moments_are_compared():
    early = make_project(now=NOW)
    late = make_project(now=moment(5))
    query = Prepared(
        lambda since, until: Project.objects.filter(created_at__gte=since, created_at__lt=until),
        *2 * [type(NOW)],
    )
    assert query.objects(NOW, moment(5)) == [early]
    assert query.objects(NOW + timedelta(microseconds=1), moment(6)) == [late]


def test_a_value_that_is_no_parameter_is_refused_at_once():
    with pytest.raises(AssertionError, match="no parameter"):
        Prepared(lambda end: Project.objects.all()[: int(end)], int).objects(3)


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


def test_an_object_that_is_not_there_is_missed_as_django_says_it():
    query = Prepared(lambda key: Person.objects.filter(pk=key), int)
    with pytest.raises(Person.DoesNotExist):
        query.get(-1)


def test_an_update_changes_what_its_query_finds_and_nothing_else():
    person, other = make_person(name="Ann"), make_person(name="Bo")
    update = PreparedUpdate(
        lambda key, name, at: (
            Person.objects.filter(Q(last_login=None) | Q(last_login__lt=at), pk=key),
            {"name": name, "last_login": at},
        ),
        int,
        str,
        datetime,
    )
    assert update.change(person.pk, "Zoë %s 100 %", NOW) == 1
    assert update.change(person.pk, "again", NOW) == 0
    assert update.change(person.pk, "later", moment(5)) == 1
    assert update.change(other.pk + 1000, "nobody", NOW) == 0
    assert list(
        Person.objects.filter(pk__in=(person.pk, other.pk)).order_by("pk").values_list("name", "last_login")
    ) == [
        ("later", moment(5)),
        ("Bo", None),
    ]


def test_an_update_with_a_value_in_no_place_is_refused():
    update = PreparedUpdate(lambda key, _name: (Person.objects.filter(pk=key), {"name": "Ann"}), int, str)
    with pytest.raises(AssertionError):
        update.change(1, "Bo")


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
