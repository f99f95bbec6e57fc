"""What each squashed migration replaces, and what is said of a database with only some of the older ones.

Listed here and not in the migrations, which processes do not import. The tables of `LAST_VERSION` are those of the
squashed migrations.
"""

from collections.abc import Set

Key = tuple[str, str]  # app, name of a migration
LAST_VERSION = "0.2.0"
OLDER = (
    f"This database was made by an earlier version. Update to version {LAST_VERSION} first "
    f"(`git checkout v{LAST_VERSION}`, `make run` once), then to this one."
)
_NAMES = {
    ("workspace", "0001_people"): "0001_squashed",
    ("workspace", "0002_tables"): "0002_triggers 0003_own_keys 0004_webhook_scores 0005_erasures",
    ("rubric", "0001_tables"): "0001_squashed 0002_triggers 0005_erasures",
    ("rubric", "0002_shipped_versions"): "0003_shipped_versions 0004_discussion_version_1_3",
    ("discussions", "0001_tables"): """
        0001_squashed 0002_triggers 0003_private_tracks 0004_recipe_names 0005_how_games_were_played
        0006_tie_requests 0007_closest_first 0008_record_at_submit 0009_ended_ties 0010_orders_end_with_the_key
        0011_erasures 0012_judges 0013_message_search 0014_games_to_index 0016_categories
    """,
}
# Those that the replaced ones had themselves replaced: databases that went through them list both.
_OLDER_NAMES = {
    "workspace": """
        0001_initial 0002_append_only 0003_job_suspects 0004_sign_ins 0005_access_tokens 0006_exports
        0007_webhooks 0008_first_seals 0009_notifications 0010_old_webhook_secrets 0011_export_of_games
        0012_job_faults 0013_storage_limits 0014_fewer_indexes 0015_job_causes 0016_oidc_subjects
    """,
    "rubric": """
        0001_initial 0002_append_only 0003_first_version 0004_first_response_version 0005_drafts
        0006_comparisons 0007_comparisons_append_only 0008_scoring_choices 0009_discarded_drafts
        0010_answered_surveys_frozen 0011_discussion_version_1_1 0012_readings 0013_calls_for_the_whole
        0014_blindness_of_reviewers 0015_people_for_each_comparison 0016_response_version_1_1
        0017_calibration_and_repeats 0018_own_numbers 0019_imported_versions 0020_discussion_version_1_2
        0021_response_version_1_2 0022_fewer_indexes
    """,
    "discussions": """
        0001_initial 0002_append_only 0003_identification 0004_iteration_history
        0005_iteration_history_append_only 0006_hunks_by_rubric 0007_withdrawals 0008_team 0009_deal_places
        0010_team_append_only 0011_calibration_waivers 0012_waiting_for_leads 0013_replays 0014_word_counts
        0015_round_offsets 0016_weak_passes 0017_unsorted_is_no_iteration 0018_column_mappings 0019_flag_replies
        0020_guidelines 0021_named_format 0022_import_dismissals 0023_rating_rules 0024_search_text
        0025_sorted_lists 0026_paid_usd 0027_import_runs 0028_rated_under_own_numbers 0029_fewer_indexes
        0030_dashboard_indexes 0031_search_index 0032_newest_measurement
    """,
}
SQUASHED = {key: frozenset((key[0], name) for name in names.split()) for key, names in _NAMES.items()}
_BEFORE = frozenset((app, name) for app, names in _OLDER_NAMES.items() for name in names.split())
REPLACED = _BEFORE.union(*SQUASHED.values())


def list_replaced(app: str, name: str) -> list[Key]:
    """The `replaces` of a migration."""
    return sorted(SQUASHED[app, name])


def has_all_replaced(applied: Set[Key]) -> set[Key]:
    return {key for key, replaced in SQUASHED.items() if replaced <= applied}


def is_before_squash(applied: Set[Key]) -> bool:
    """Whether older migrations were begun and not finished: nothing here can bring such a database up to date."""
    missing = [
        replaced for key, replaced in SQUASHED.items() if key not in applied and not replaced <= applied
    ]
    return bool(missing) and not applied.isdisjoint(_BEFORE.union(*missing))
