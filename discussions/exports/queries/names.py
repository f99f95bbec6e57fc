"""The names of a project's people in one export."""

from collections.abc import Hashable

from discussions.models import Evaluation
from rubric.models import Reviewer
from rubric.models.comparisons import ELSEWHERE
from workspace.exports.core.names import assign_pseudonyms, name_people
from workspace.models import Export, Person

OUTSIDE = "outside"


class ExportNames:
    """Names by key of a person or a reviewer, as the export wants them: real ones or pseudonyms."""

    def __init__(self, export: Export) -> None:
        people = Person.objects.order_by("pk").values_list("pk", "name", "email", "is_system")
        rows = list(people)
        self.has_pseudonyms = export.has_pseudonyms
        self.by_key: dict[int, str] = name_people((key, name, email) for key, name, email, _is in rows)
        self.pseudonyms: dict[Hashable, str] = {}
        if export.has_pseudonyms:
            evaluators = Evaluation.objects.filter(game__project=export.project).order_by()
            reviewers = Reviewer.objects.filter(set__project=export.project)
            # Those whose reviews came by file may be people.
            outside = reviewers.filter(kind=ELSEWHERE).values_list("pk", flat=True)
            groups: dict[str, list[Hashable]] = {
                "Evaluator": list(evaluators.values_list("evaluator", flat=True).distinct()),
                "Reviewer": [
                    *reviewers.filter(person__isnull=False).values_list("person", flat=True),
                    *((OUTSIDE, key) for key in outside),
                ],
                "Lead": [key for key, _name, _email, is_system in rows if not is_system],
            }
            self.pseudonyms = assign_pseudonyms(groups, export.seed)
            self.by_key |= {key: self.pseudonyms[key] for key in self.by_key if key in self.pseudonyms}

    def person(self, key: int | None) -> str | None:
        """The person with that key; None for nobody."""
        return None if key is None else self.by_key[key]

    def reviewer(self, key: int, person: int | None, kind: str, name: str) -> str:
        """A reviewer: a person as anywhere else; models keep their names."""
        if person is not None:
            return self.by_key[person]
        return self.pseudonyms.get((OUTSIDE, key), name) if kind == ELSEWHERE else name
