"""Names of our `custom` entries. Other programs of the family ignore them; nothing else names them."""

SEALED_PROMPT = "openclaw-tui.sealed-prompt"
"""The stable system text and tool list a session sends; written when they are first sealed or change."""

GUARD_DECISIONS = "openclaw-tui.guard"
"""Which tool results were shortened in the requests, and how, so that they are sent the same way again."""

THINKING_LEFT_OUT = "openclaw-tui.thinking-left-out"
"""Stored reasoning before this entry is not sent to this provider any more."""

BOUND_PREFIX = "openclaw-tui.bound-prefix"
"""Digest of the prompt and tools that the reasoning of a model stands behind from here on."""

QUARANTINE = "openclaw-tui.quarantine"
"""A part of an entry that a provider refused: it is left out of the requests to that provider from here on."""

CALIBRATION = "openclaw-tui.calibration"
"""Learnt correction of the token estimate, per model."""

PROMPT_ERROR = "openclaw:prompt-error"
"""Why a turn failed (the family's own name for it)."""

COMPACTION_CUT = "openclaw-tui.compaction-cut"
"""Marks where a compaction kept nothing word for word; the tail begins here."""

COMPACTION_UNDO = "openclaw-tui.compaction-undo"
"""A compaction was undone, or done again, here: which one, and where the branch that was left ends."""

MEMORY_FLUSH = "openclaw-tui.memory-flush"
"""Notes were written here before a compaction: how many compactions there had been, when, into which files."""

PROVIDER_COMPACTION = "openclaw-tui.provider-compaction"
READ_FILES = "openclaw-tui.read-files"

SUBAGENT = "openclaw-tui.subagent"
"""First entry of a sub-agent's session: who started it, its own key, its depth."""

SUBAGENT_RUN = "openclaw-tui.subagent-run"
"""In the parent's session: a sub-agent ended; its session, how it ended, what it used and cost."""

USER_SHELL = "openclaw-tui.user-shell"
"""A command the user ran for themselves (`!!`): what it was and the end of its output. No model sees it."""

REWIND = "openclaw-tui.rewind"
"""The user went elsewhere in the tree, or put files back, here: which, and where the branch that was left ends."""

REWIND_NOTE = "openclaw-tui.rewind-note"
"""Tells the model that files were put back while the talk went on."""

ASIDE = "openclaw-tui.aside"
"""A question beside the talk was answered here: what it cost. No model ever sees it."""

CLEARED_BY_HAND = "openclaw-tui.cleared-by-hand"
"""The user took results out of the context here (`cleared`), or wants one out with the next compaction (`wanted`)."""

RECALLED = "openclaw-tui.recalled"
"""A message at the end of the talk with something the user put back."""
