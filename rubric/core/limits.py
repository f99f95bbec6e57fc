"""Limits that several modules of the rubric app share."""

MOST_RESPONSES = 26  # of a comparison: one for each letter of the alphabet
FEWEST_SHOWN = 2  # responses, or there is nothing to compare

# One uploaded file.
UPLOAD_BYTES = 32 * 1024 * 1024
UPLOAD_LINES = 10_000

# At most this percentage of a person's comparisons are hidden duplicates.
MOST_REPEATS = 50
