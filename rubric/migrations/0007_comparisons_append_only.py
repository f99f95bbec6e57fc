from django.db import migrations

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """Questions, responses, answers of models, acts of reviewers and what was handed in are evidence."""

    dependencies = [("rubric", "0006_comparisons")]

    operations = [
        ForbidChange(
            "rubric_comparisonset",
            columns=("project_id", "number", "rubric_version_id", "mode", "has_second_round", "created_at", "created_by_id"),
        ),
        ForbidChange("rubric_comparison"),
        ForbidChange("rubric_response"),
        ForbidChange(
            "rubric_reviewer",
            columns=("set_id", "kind", "name", "person_id", "model", "created_at", "created_by_id"),
        ),
        ForbidChange(
            "rubric_review",
            columns=("comparison_id", "reviewer_id", "round", "seed", "order", "created_at"),
        ),
        ForbidChange("rubric_reviewedresponse"),
        ForbidChange("rubric_mark", columns=("review_id", "kind", "subject")),
        ForbidChange("rubric_markrevision"),
        ForbidChange("rubric_reviewprompt"),
        ForbidChange("rubric_answer"),
        ForbidChange("rubric_setfigures"),
        ForbidChange("rubric_impactpreview"),
    ]
