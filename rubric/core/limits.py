"""Limits that several modules of the rubric wing share."""

MOST_RESPONSES = 26  # of a comparison: the letters that they are shown under
FEWEST_SHOWN = 2  # responses, or there is nothing to compare

# One uploaded file.
UPLOAD_BYTES = 32 * 1024 * 1024
UPLOAD_LINES = 10_000

# Of a hundred comparisons that a person gets, at most so many are hidden duplicates.
MOST_REPEATS = 50
