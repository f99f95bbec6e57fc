"""Projects, who belongs to them, and invitations to them."""

from datetime import datetime
from typing import Self, TypeVar

from django.db import models
from django.db.models import Q

from workspace.database.pairs import set_together
from workspace.models.people import Made, Person

EVALUATOR = "evaluator"
LEAD = "lead"
ADMIN = "admin"
R_co = TypeVar("R_co", bound=models.Model, covariant=True)


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, person: Person) -> "ProjectQuerySet":
        """All of them for an admin, otherwise those the person is a member of."""
        if person.is_admin:
            return self
        return self.filter(memberships__person=person, memberships__ended_at=None)

    def led_by(self, person: Person) -> "ProjectQuerySet":
        """All of them for an admin, otherwise those that the person leads."""
        if person.is_admin:
            return self
        # In one call: a second one would be about any other membership.
        own = {"memberships__person": person, "memberships__ended_at": None, "memberships__role": LEAD}
        return self.filter(**own)


class LedQuerySet(models.QuerySet[R_co]):
    """Rows of projects that people reach by leading the project."""

    def visible_to(self, person: Person) -> Self:
        """Those of the projects that a person leads; all for an admin; none for evaluators."""
        if person.is_admin:
            return self
        return self.filter(
            project__memberships__person=person,
            project__memberships__role=LEAD,
            project__memberships__ended_at=None,
        )


_Projects = models.Manager.from_queryset(ProjectQuerySet)


class ProjectManager(_Projects):
    def get_queryset(self) -> ProjectQuerySet:  # type: ignore[override]
        """Projects that were not erased; rows that stay of erased ones are in `with_erased`."""
        return super().get_queryset().filter(erased_at=None)  # type: ignore[return-value]


class Project(Made):
    """A team's workspace: games, iterations, and the people who judge them. Of an erased one only its number stays."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    # Games and iterations are numbered within a project; these are the next numbers.
    next_game_number = models.PositiveIntegerField(default=1)
    erased_at = models.DateTimeField(null=True, blank=True)

    objects = ProjectManager()
    with_erased = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class StorageLimit(models.Model):
    """How much a project may store, in MB, where an admin set another limit than settings.PROJECT_STORAGE_MB."""

    project = models.OneToOneField(Project, models.PROTECT, related_name="storage_limit", primary_key=True)
    megabytes = models.PositiveIntegerField()
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(Person, models.PROTECT, related_name="+")

    class Meta:
        constraints = (models.CheckConstraint(condition=Q(megabytes__gte=1), name="storage_limit_positive"),)


class Membership(Made):
    """A person's role in a project, from one moment to another."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="memberships")
    person = models.ForeignKey(Person, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=20, choices=[(EVALUATOR, "evaluator"), (LEAD, "team lead")])
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["project", "person"], condition=Q(ended_at=None), name="membership_one_at_a_time"
            ),
            set_together("ended_at", "ended_by", name="membership_ended_pair"),
        )

    def __str__(self) -> str:
        return f"{self.role} {self.person_id} in {self.project_id}"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self, *, now: datetime) -> "InvitationQuerySet":
        """Those that can still be accepted; an invitation also ends with the account of the person who invited."""
        still_open = self.filter(accepted_at=None, withdrawn_at=None, expires_at__gt=now)
        return still_open.filter(Q(created_by__is_active=True) | Q(created_by__is_system=True))


class Invitation(Made):
    """An invitation to the installation or a project, for one use; only the hash of its secret is kept."""

    email = models.EmailField(max_length=200)
    name = models.CharField(max_length=200, blank=True)
    role = models.CharField(
        max_length=20, choices=[(EVALUATOR, "evaluator"), (LEAD, "team lead"), (ADMIN, "admin")]
    )
    project = models.ForeignKey(Project, models.PROTECT, related_name="invitations", null=True, blank=True)
    secret_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(Person, models.PROTECT, related_name="+", null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        constraints = (
            set_together("accepted_at", "accepted_by", name="invitation_accepted_pair"),
            set_together("withdrawn_at", "withdrawn_by", name="invitation_withdrawn_pair"),
            models.CheckConstraint(
                condition=Q(role=ADMIN, project=None) | (~Q(role=ADMIN) & Q(project__isnull=False)),
                name="invitation_project_unless_admin",
            ),
        )
