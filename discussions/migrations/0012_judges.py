import django.db.models.deletion
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models

from workspace.database.append_only import ForbidChange
from workspace.database.table_changes import ChangeTables


class Migration(migrations.Migration):
    """Judges, their prompts, and what came for them."""

    dependencies = [
        ("discussions", "0011_erasures"),
        ("rubric", "0005_erasures"),
        ("workspace", "0005_erasures"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        ChangeTables(
            [
                migrations.CreateModel(
                    name="Judge",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("name", models.CharField(max_length=200)),
                        ("model", models.CharField(max_length=200)),
                        ("is_called", models.BooleanField(default=False)),
                        ("parameters", models.JSONField(default=dict)),
                        ("prompt", models.TextField()),
                        ("identity", models.CharField(max_length=64)),
                        ("budget_usd", models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("suspended_at", models.DateTimeField(blank=True, null=True)),
                        ("suspended_reason", models.TextField(blank=True)),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "created_by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "ended_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "project",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="judges",
                                to="workspace.project",
                            ),
                        ),
                        (
                            "suspended_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="JudgePrompt",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("kind", models.CharField(max_length=30)),
                        (
                            "purpose",
                            models.CharField(
                                choices=[("rating", "rating"), ("repeat", "repeat")], default="rating", max_length=12
                            ),
                        ),
                        ("seed", models.CharField(max_length=32)),
                        ("subjects", models.JSONField(default=list)),
                        ("sha256", models.CharField(max_length=64)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("open", "open"),
                                    ("answered", "answered"),
                                    ("unreadable", "unreadable"),
                                    ("failed", "failed"),
                                ],
                                default="open",
                                max_length=12,
                            ),
                        ),
                        ("created_at", models.DateTimeField()),
                        (
                            "created_by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "game",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="discussions.game"
                            ),
                        ),
                        (
                            "judge",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="prompts",
                                to="discussions.judge",
                            ),
                        ),
                        (
                            "rubric_version",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="rubric.rubricversion",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="JudgeAnswer",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("subject", models.CharField(max_length=200)),
                        ("value", models.CharField(blank=True, max_length=40)),
                        (
                            "prompt",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="answers",
                                to="discussions.judgeprompt",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="JudgeReply",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("attempt", models.PositiveSmallIntegerField(default=1)),
                        (
                            "source",
                            models.CharField(
                                choices=[("pasted", "pasted"), ("uploaded", "uploaded"), ("fetched", "fetched")],
                                max_length=12,
                            ),
                        ),
                        ("text", models.TextField(blank=True)),
                        ("finish_reason", models.CharField(blank=True, max_length=40)),
                        ("prompt_tokens", models.PositiveIntegerField(blank=True, null=True)),
                        ("answer_tokens", models.PositiveIntegerField(blank=True, null=True)),
                        ("cost_usd", models.DecimalField(blank=True, decimal_places=6, max_digits=12, null=True)),
                        ("took_ms", models.PositiveIntegerField(blank=True, null=True)),
                        ("error_code", models.CharField(blank=True, max_length=40)),
                        ("error", models.TextField(blank=True)),
                        ("reader", models.PositiveSmallIntegerField(default=1)),
                        ("flags", models.JSONField(default=list)),
                        ("created_at", models.DateTimeField()),
                        (
                            "created_by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "prompt",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="replies",
                                to="discussions.judgeprompt",
                            ),
                        ),
                    ],
                ),
                migrations.AddConstraint(
                    model_name="judge",
                    constraint=models.UniqueConstraint(fields=("project", "number"), name="judge_number_unique"),
                ),
                migrations.AddConstraint(
                    model_name="judge",
                    constraint=models.UniqueConstraint(fields=("project", "identity"), name="judge_identity_unique"),
                ),
                migrations.AddConstraint(
                    model_name="judge",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("suspended_at", None), ("suspended_by", None)),
                            models.Q(("suspended_at__isnull", False), ("suspended_by__isnull", False)),
                            _connector="OR",
                        ),
                        name="judge_suspended_pair",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judge",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("ended_by", None)),
                            models.Q(("ended_at__isnull", False), ("ended_by__isnull", False)),
                            _connector="OR",
                        ),
                        name="judge_ended_pair",
                    ),
                ),
                migrations.AddIndex(
                    model_name="judgeprompt",
                    index=models.Index(
                        condition=models.Q(("state", "open")), fields=["judge", "number"], name="judge_prompt_open"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgeprompt",
                    constraint=models.UniqueConstraint(fields=("judge", "number"), name="judge_prompt_number_unique"),
                ),
                migrations.AddConstraint(
                    model_name="judgeanswer",
                    constraint=models.UniqueConstraint(
                        fields=("prompt", "subject"), name="judge_answer_once_per_subject"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgereply",
                    constraint=models.UniqueConstraint(
                        fields=("prompt", "attempt"), name="judge_reply_attempt_unique"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="judgereply",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("cost_usd", None), ("cost_usd__gte", Decimal("0")), _connector="OR"),
                        name="judge_reply_cost_not_negative",
                    ),
                ),
            ]
        ),
        ForbidChange(
            "discussions_judge",
            columns=(
                "project_id",
                "number",
                "model",
                "is_called",
                "parameters",
                "prompt",
                "identity",
                "created_at",
                "created_by_id",
            ),
        ),
        ForbidChange(
            "discussions_judgeprompt",
            columns=(
                "judge_id",
                "number",
                "game_id",
                "rubric_version_id",
                "kind",
                "purpose",
                "seed",
                "subjects",
                "sha256",
                "created_at",
                "created_by_id",
            ),
        ),
        ForbidChange("discussions_judgereply"),
        ForbidChange("discussions_judgeanswer"),
    ]
