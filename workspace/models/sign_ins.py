"""Who is signed in, read anew for every request: the session and the person, each by a query prepared once."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from workspace.models.people import Person
from workspace.models.prepared import Prepared


class SessionStore(db.SessionStore):
    """Django's sessions in rows, unchanged save for how one is looked up."""

    def load(self) -> dict[str, Any]:
        """What the session holds; nothing when there is none or it ran out."""
        found = _SESSION.rows(str(self.session_key))
        if not found or found[0][1] <= timezone.now():
            self._session_key = None
            return {}
        data: dict[str, Any] = self.decode(found[0][0])
        return data


def person_of(key: int) -> Person | None:
    """The person with that number as the row is now, switched off or not."""
    found = _PERSON.rows(key)
    return Person.from_db("default", _COLUMNS, found[0]) if found else None


_COLUMNS = [field.attname for field in Person._meta.concrete_fields]
_SESSION = Prepared(
    lambda key: Session.objects.filter(pk=key).values_list("session_data", "expire_date"),
    str,
)
_PERSON = Prepared(lambda key: Person.objects.filter(pk=key).values_list(*_COLUMNS), int)
