"""The audit log in words: what was done to which thing, and what things are called."""

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

# %(who)s did it to %(thing)s; both are put in by the page, the thing as a link.
SENTENCES = {
    # people and projects
    "account:created": _("%(who)s created the account of %(thing)s"),
    "account:deactivated": _("%(who)s deactivated the account of %(thing)s"),
    "account:reactivated": _("%(who)s activated the account of %(thing)s"),
    "email:changed": _("%(who)s changed the e-mail address of %(thing)s"),
    "service_account:created": _("%(who)s created the service account %(thing)s"),
    "settings:changed": _("%(who)s changed their settings"),
    "password:changed": _("%(who)s changed their password"),
    "password:chosen": _("%(who)s chose a new password by a link"),
    "password:link_made": _("%(who)s made a password link for %(thing)s"),
    "password:link_sent": _("%(who)s sent a password link to %(thing)s, as was asked for"),
    "sign_ins:ended": _("%(who)s ended their other sign-ins"),
    "second_factor:set_up": _("%(who)s set up a second factor"),
    "second_factor:removed": _("%(who)s removed their second factor"),
    "second_factor:reset": _("%(who)s reset the second factor of %(thing)s"),
    "outside_account:linked": _("%(who)s signed in with the organisation's account for the first time"),
    "outside_account:unlinked": _("%(who)s unlinked %(thing)s from the organisation's account"),
    "recovery_codes:renewed": _("%(who)s renewed their recovery codes"),
    "recovery_code:used": _("%(who)s signed in with a recovery code"),
    "access_token:created": _("%(who)s created %(thing)s"),
    "access_token:revoked": _("%(who)s revoked %(thing)s"),
    "invitation:created": _("%(who)s made %(thing)s"),
    "invitation:sent": _("%(who)s sent %(thing)s by e-mail"),
    "invitation:accepted": _("%(who)s accepted %(thing)s"),
    "invitation:withdrawn": _("%(who)s withdrew %(thing)s"),
    "membership:added": _("%(who)s added %(thing)s to the project"),
    "membership:changed": _("%(who)s changed the role of %(thing)s"),
    "membership:ended": _("%(who)s removed %(thing)s from the project"),
    "project:created": _("%(who)s created %(thing)s"),
    "project:storage_limit_changed": _("%(who)s changed how much %(thing)s may store"),
    "project:imported": _("%(who)s imported %(thing)s"),
    "project:measured_again": _("%(who)s had games of %(thing)s measured again by newer code"),
    "rating_rules:changed": _("%(who)s changed the project settings of %(thing)s"),
    "queue:changed": _("%(who)s changed the queue order of %(thing)s"),
    "fill_rules:saved": _("%(who)s saved %(thing)s"),
    "queue:filled": _("%(who)s brought games to the queue of %(thing)s"),
    "webhook:created": _("%(who)s created %(thing)s"),
    "webhook:changed": _("%(who)s changed %(thing)s"),
    "webhook:removed": _("%(who)s removed %(thing)s"),
    "webhook:secret_replaced": _("%(who)s replaced the secret of %(thing)s"),
    "webhook:gave_up": _("%(who)s deactivated %(thing)s, which failed for days"),
    "export:made": _("%(who)s made %(thing)s"),
    "export:downloaded": _("%(who)s downloaded %(thing)s"),
    "export:removed": _("%(who)s removed %(thing)s"),
    "job:retried": _("%(who)s started %(thing)s again"),
    "job:cancelled": _("%(who)s cancelled %(thing)s"),
    "backup:made": _("%(who)s made a backup"),
    "backup:restored": _("%(who)s restored a backup"),
    "person:erased": _("%(who)s erased the name and address of %(thing)s"),
    "project:erased": _("%(who)s erased %(thing)s"),
    # games
    "game:erased": _("%(who)s erased %(thing)s"),
    "transcript:erased": _("%(who)s erased %(thing)s"),
    "transcript:uploaded": _("%(who)s uploaded %(thing)s"),
    "transcript:imported": _("%(who)s imported %(thing)s"),
    "transcript:private_added": _("%(who)s added private talk to games of %(thing)s"),
    "transcript:resumed": _("%(who)s resumed %(thing)s"),
    "transcript:faults_seen": _("%(who)s dismissed the faults of %(thing)s"),
    "column_mapping:saved": _("%(who)s kept %(thing)s"),
    "column_mapping:changed": _("%(who)s changed %(thing)s"),
    "column_mapping:renamed": _("%(who)s renamed %(thing)s"),
    "column_mapping:removed": _("%(who)s removed %(thing)s"),
    "game:assigned": _("%(who)s assigned a slot of %(thing)s"),
    "game:unassigned": _("%(who)s unassigned a slot of %(thing)s"),
    "game:put_in": _("%(who)s put %(thing)s into the queue"),
    "game:taken_out": _("%(who)s removed %(thing)s from the queue"),
    "game:taken": _("%(who)s started to rate %(thing)s"),
    "game:ties_sent": _("%(who)s sent ties of %(thing)s to a third evaluator"),
    "game:tie_answered": _("%(who)s answered a tie of %(thing)s as the third evaluator"),
    "game:needs_fewer": _("%(who)s lowered the number of evaluators of %(thing)s"),
    "game:withdrawn": _("%(who)s withdrew %(thing)s"),
    "game:restored": _("%(who)s restored %(thing)s"),
    "game:rounds_set": _("%(who)s set the round offset of %(thing)s"),
    "game:repeats_dropped": _("%(who)s dropped the repeated messages of %(thing)s"),
    "games:moved": _("%(who)s moved games to %(thing)s"),
    "figure:entered": _("%(who)s entered a cost figure of %(thing)s"),
    "names:shown": _("%(who)s unmasked the evaluators of %(thing)s"),
    "judgement:made": _("%(who)s made a judgement on %(thing)s"),
    "judgement:undone": _("%(who)s undid a judgement on %(thing)s"),
    "roles:revealed": _("%(who)s revealed the roles of %(thing)s"),
    "test:skipped": _("%(who)s skipped the blind test of %(thing)s"),
    "transcript:opened": _("%(who)s opened the transcript of %(thing)s after the blind test"),
    "messages:asked": _("%(who)s asked for more messages to judge in %(thing)s"),
    "suggestions:dismissed": _("%(who)s dismissed the suggested references of %(thing)s"),
    "evaluation:submitted": _("%(who)s submitted an evaluation of %(thing)s"),
    "evaluation:returned": _("%(who)s returned an evaluation of %(thing)s"),
    "evaluation:reopened": _("%(who)s reopened an evaluation of %(thing)s"),
    "evaluation:skipped": _("%(who)s skipped %(thing)s"),
    "evaluation:resumed": _("%(who)s resumed %(thing)s"),
    "lease:ended": _("%(who)s freed a slot of %(thing)s, whose lease had ended"),
    "place:released": _("%(who)s released a slot of %(thing)s"),
    "remark:made": _("%(who)s wrote a flag or comment on %(thing)s"),
    "remark:answered": _("%(who)s replied to a flag on %(thing)s"),
    "remark:resolved": _("%(who)s resolved a flag on %(thing)s"),
    "difference:settled": _("%(who)s resolved a disagreement on %(thing)s"),
    "verdict:recorded": _("%(who)s recorded the verdict of %(thing)s"),
    "verdict:superseded": _("%(who)s superseded the verdict of %(thing)s"),
    "calibration:opened": _("%(who)s created %(thing)s"),
    "calibration:closed": _("%(who)s closed %(thing)s"),
    "calibration:waived": _("%(who)s let somebody rate without passing %(thing)s"),
    "judge:added": _("%(who)s added %(thing)s"),
    "judge:run": _("%(who)s ran %(thing)s on games"),
    "judge:answered": _("%(who)s gave answers of %(thing)s"),
    "judge:admitted": _("%(who)s admitted %(thing)s"),
    "judge:withdrawn": _("%(who)s withdrew the admission of %(thing)s"),
    "judge:suspended": _("%(who)s suspended %(thing)s"),
    "judge:resumed": _("%(who)s resumed %(thing)s"),
    "judge:ended": _("%(who)s ended %(thing)s"),
    "guideline:written": _("%(who)s wrote a version of %(thing)s"),
    "guideline:read": _("%(who)s confirmed %(thing)s"),
    "category:given": _("%(who)s put %(thing)s on a message or game"),
    "category:taken_back": _("%(who)s took %(thing)s back from a message or game"),
    "category:renamed": _("%(who)s renamed %(thing)s"),
    "category:merged": _("%(who)s merged %(thing)s into another"),
    "category:removed": _("%(who)s removed %(thing)s"),
    "category:restored": _("%(who)s restored %(thing)s"),
    # iterations
    "stage:opened": _("%(who)s created %(thing)s"),
    "stage:changed": _("%(who)s changed %(thing)s"),
    "stage:stated": _("%(who)s signed the statement of %(thing)s"),
    "stage:closed": _("%(who)s closed %(thing)s"),
    "iteration:opened": _("%(who)s created %(thing)s"),
    "iteration:changed": _("%(who)s changed %(thing)s"),
    "iteration:replanned": _("%(who)s edited the plan of %(thing)s"),
    "iteration:opened_for_rating": _("%(who)s opened %(thing)s for rating"),
    "iteration:moved_to_version": _("%(who)s moved %(thing)s to a newer rubric version"),
    "decision:recorded": _("%(who)s decided on %(thing)s"),
    "decision:superseded": _("%(who)s decided again on %(thing)s"),
    # comparisons and rubrics
    "comparison_set:opened": _("%(who)s created %(thing)s"),
    "comparison_set:filled": _("%(who)s added comparisons to %(thing)s"),
    "comparison_set:closed": _("%(who)s closed %(thing)s"),
    "comparison_set:reopened": _("%(who)s reopened %(thing)s"),
    "comparison_set:answered": _("%(who)s uploaded reviews for %(thing)s"),
    "comparison_set:parameters_set": _("%(who)s set parameters of a model in %(thing)s"),
    "comparison_set:places_changed": _("%(who)s changed how many people review each comparison of %(thing)s"),
    "comparison_set:repeats_changed": _("%(who)s changed the hidden duplicates of %(thing)s"),
    "comparison_set:reviewer_added": _("%(who)s added a reviewer to %(thing)s"),
    "comparison_set:reviewer_ended": _("%(who)s removed a reviewer from %(thing)s"),
    "comparison_set:calibration_opened": _("%(who)s created a calibration round of %(thing)s"),
    "comparison_set:calibration_closed": _("%(who)s closed a calibration round of %(thing)s"),
    "comparison_set:calibration_waived": _("%(who)s let somebody review %(thing)s without calibration"),
    "review:begun": _("%(who)s started a review of %(thing)s"),
    "review:handed_in": _("%(who)s submitted a review of %(thing)s"),
    "review:superseded": _("%(who)s superseded a review of %(thing)s"),
    "answer:kept": _("%(who)s saved a model's answer on %(thing)s"),
    "mark:made": _("%(who)s made a mark on %(thing)s"),
    "mark:undone": _("%(who)s undid a mark on %(thing)s"),
    "survey:begun": _("%(who)s started the survey on %(thing)s"),
    "survey:answered": _("%(who)s answered the survey on %(thing)s"),
    "survey:passed_over": _("%(who)s skipped the survey on %(thing)s"),
    "rubric_version:drafted": _("%(who)s drafted %(thing)s"),
    "rubric_version:changed": _("%(who)s changed %(thing)s"),
    "rubric_version:discarded": _("%(who)s discarded %(thing)s"),
    "rubric_version:published": _("%(who)s published %(thing)s"),
    "rubric_version:retired": _("%(who)s retired %(thing)s"),
    "rubric_version:imported": _("%(who)s imported %(thing)s"),
    "rubric_version:offered": _("%(who)s offered %(thing)s for new work"),
    "rubric_scoring:chosen": _("%(who)s chose how new comparison sets are scored"),
}
# The kinds of things that an event can be about: the only values by which the log can be filtered.
KIND_LABELS = {
    "person": _("a person"),
    "membership": _("a member"),
    "invitation": _("an invitation"),
    "access_token": _("an access token"),
    "project": _("the project"),
    "job": _("work in the background"),
    "transcript": _("an imported file"),
    "column_mapping": _("a recipe"),
    "game": _("a game"),
    "evaluation": _("an evaluation"),
    "judgement": _("a judgement"),
    "remark": _("a flag or comment"),
    "verdict": _("a verdict"),
    "rubric_version": _("a rubric version"),
    "iteration": _("an iteration"),
    "stage": _("a stage"),
    "decision": _("a decision"),
    "manual_figure": _("a cost figure"),
    "slot": _("a slot"),
    "adjudication": _("a disagreement"),
    "category": _("a category"),
    "fill_rules": _("queue rules"),
    "calibration": _("a calibration round"),
    "judge": _("a judge"),
    "withdrawal": _("a withdrawal"),
    "comparison_set": _("a comparison set"),
    "review": _("a review"),
    "mark": _("a mark"),
    "survey": _("a survey"),
    "scoring_choice": _("how comparisons are scored"),
    "export": _("an export"),
    "guideline": _("the guideline"),
    "backup": _("a backup"),
    "webhook": _("a webhook"),
}
KINDS = tuple(KIND_LABELS)
# Kinds of things, first words of verbs and verbs that no project's log has, only that of the installation.
SITE_ONLY = frozenset(
    "rubric_version rubric_scoring scoring_choice access_token backup account email settings sign_ins service_account "
    "second_factor recovery_codes recovery_code outside_account "
    "password:changed password:chosen password:link_sent project:imported project:erased".split()
)
VERBS = tuple(SENTENCES)


# Labels for names of details that would not be understood.
DETAIL_NAMES = {
    "basis_sha256": _("SHA-256 of the basis"),
    "compared_with": _("compared with iteration"),
    "days": _("valid for days"),
    "engagement_rule": _("engagement is asked for"),
    "first_percent": _("agreed first rank, %"),
    "hunk_count": _("places that differ"),
    "is_admin": _("admin"),
    "is_required": _("required"),
    "is_separate": _("as separate games"),
    "mark_within": _("marks may differ by"),
    "mode": _("scored"),
    "pass_percent": _("passes at, %"),
    "passes": _("passed"),
    "place": _("position"),
    "prompt_sha256": _("SHA-256 of the prompt"),
    "sha256": _("SHA-256"),
    "streak_unit": _("successes are counted in"),
    "target": _("about"),
}
# Values of details that are fixed keys, by the name of the detail.
DETAIL_WORDS = {
    ("kind", "elsewhere"): _("external"),
    ("mode", "both"): _("holistic, then by criterion"),
    ("mode", "holistic"): _("holistic"),
    ("mode", "rubric"): _("by criterion"),
}


def detail_name(name: str) -> str:
    return str(DETAIL_NAMES.get(name) or readable_name(name))


def detail_word(name: str, value: str) -> str:
    return str(DETAIL_WORDS.get((name, value)) or readable_name(value))


def readable_name(name: str) -> str:
    """A verb, kind or name of the log without colons and underscores."""
    return name.replace(":", " ").replace("_", " ")


def say_act(verb: str) -> str:
    """The sentence for a verb, with %(who)s and %(thing)s in it; for an unknown verb its words."""
    known = SENTENCES.get(verb)
    return str(known) if known is not None else f"%(who)s: {readable_name(verb)}, %(thing)s"


def list_verb_choices() -> list[tuple[str, str]]:
    """The verbs with their sentences, sorted by sentence; where two sentences are the same, with the kind of thing."""
    counts = Counter(str(sentence) for sentence in SENTENCES.values())
    said = []
    for verb, sentence in SENTENCES.items():
        kind = KIND_LABELS.get(verb.split(":")[0]) if counts[str(sentence)] > 1 else None
        said.append((verb, (str(sentence) % {"who": "", "thing": kind or "…"}).strip(" ,:")))
    return sorted(said, key=lambda choice: choice[1])


def split_sentence(sentence: str) -> list[str]:
    """The sentence in parts: texts, and "%(who)s" and "%(thing)s" where they stand."""
    parts: Sequence[str] = [sentence]
    for mark in ("%(who)s", "%(thing)s"):
        cut: list[str] = []
        for part in parts:
            before, found, after = part.partition(mark)
            cut += [before, found, after]
        parts = [part for part in cut if part]
    return list(parts)
