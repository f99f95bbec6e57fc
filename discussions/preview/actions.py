"""A job that computes what a draft of the discussion rubric would change about the games judged so far.

It decides each game again from stored findings and judgements. Only if the draft measures otherwise, it reads the text
and measures it again; it stores no measurement.
"""

from functools import partial

from discussions.preview.core import compute_games_impact, needs_text, rejudge
from discussions.preview.queries import batch_judged_games, read_judged, scored_hash
from rubric.preview.actions import load_job_draft, run_preview
from workspace.jobs.actions import Clock
from workspace.models import Job


def preview_games(*, job: Job, clock: Clock) -> None:
    """Preview the job's draft over all games; a second run finds the same and leaves the same row.

    The hash is taken first. If a verdict is recorded while it runs, the page says that more was scored since. Raises
    NotAllowed when the draft was published meanwhile, JobLost when the job was taken over.
    """
    version = load_job_draft(job=job)
    basis = scored_hash()
    draft = version.to_record()
    batches = batch_judged_games()
    read = partial(read_judged, needs_text=partial(needs_text, draft=draft), draft=draft)
    run_preview(
        job=job,
        clock=clock,
        version=version,
        basis=basis,
        total=sum(len(batch.keys) for batch in batches),
        batches=((rejudge(game, draft) for game in read(batch)) for batch in batches),
        conclude=partial(compute_games_impact, draft=draft),
    )
