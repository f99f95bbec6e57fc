"""What players of invented logs say to all, and think: `{}` is another player."""

PUBLIC = (
    "I think {} is hiding something from all of us.",
    "Yesterday {} changed the subject twice.",
    "Let us hear {} before we decide.",
    "No, {}, that is not what I said.",
)
SECRET = ("CANARY, so I had better blame {} soon.", "CANARY, if {} leaves nobody looks at me.")
