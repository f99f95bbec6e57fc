"""What a draft of the discussion rubric would change of the games that were judged so far, found by a job.

Each game is decided again from stored findings and judgements; only where the draft measures otherwise is its text
read and measured, and nothing of that is kept.
"""

from functools import partial

from discussions.core.rejudging import impact_of, needs_text, rejudge
from discussions.models.scored import batches_of_judged, read_judged, scored_hash
from rubric.actions.previewing import draft_of, store_preview, tell
from rubric.core.impact import GAMES
from workspace.actions.jobs import Clock
from workspace.models import Job


def preview_games(*, job: Job, clock: Clock) -> None:
    """Preview the job's draft over all games; done again it finds the same and leaves the same row.

    What is recorded while it runs may be in or not: the hash is taken before, so the page then says that more was
    scored since. Raises NotAllowed when the draft was published meanwhile, JobLost when the job was taken over.
    """
    version = draft_of(job=job)
    basis = scored_hash()
    draft = version.to_record()
    is_read = partial(needs_text, draft=draft)
    batches = batches_of_judged()
    total = sum(len(batch.keys) for batch in batches)
    tell(job=job, done=0, total=total, now=clock())
    games = []
    for batch in batches:
        games += [rejudge(game, draft) for game in read_judged(batch, is_read)]
        tell(job=job, done=len(games), total=total, now=clock())
    impact = impact_of(games, draft)
    store_preview(job=job, version=version, part=GAMES, basis=basis, impact=impact, now=clock())
