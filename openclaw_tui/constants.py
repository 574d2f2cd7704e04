"""Every threshold, ratio and limit, with unit, reason and origin. Nothing else in the package defines one.

Names are the articles' where the articles name them. "A1" is the article on the five layers, "A2" the article on the
context engine, "OC" the observed behaviour of OpenClaw, "ours" a decision of this project.
"""

# ── Layer 1: prompt cache ─────────────────────────────────────────────────────────────────────────────────────────
SYSTEM_PROMPT_CACHE_BOUNDARY = "\n<!-- OPENCLAW_CACHE_BOUNDARY -->\n"
"""Splits the system prompt in a stable and a dynamic part (A1). It never reaches a model."""

MAX_STABLE_CACHE_READ_RATIO = 0.95
"""A read below this share of the last one may be a break (A1). Higher: false alarms from normal growth."""

MIN_CACHE_BREAK_TOKEN_DROP = 1000
"""Tokens the read must also fall by (A1). Lower: noise of block sizes; higher: real breaks go unseen."""

MAX_CACHE_TRACKERS = 512
"""Sessions whose last snapshot is remembered in one process (OC)."""

CACHE_SHARE_CALLS = 10
"""Calls whose common hit share is shown beside that of the session (ours)."""

CACHE_TABLE_CALLS = 20
"""Calls the cache table lists when no number is given (ours)."""

CACHE_SPOT_CHARS = 300
CACHE_VERSION_CHARS = 8_000
"""Characters kept of each of the two lines at which a prompt changed, and of the two forms of a rewritten message."""

CACHE_TTL_SHORT_SECONDS = 300
CACHE_TTL_LONG_SECONDS = 3600
OPENAI_CACHE_TTL_SECONDS = {"short": 1800, "long": 43_200}
"""Life of a prompt cache with breakpoints (OpenAI, from gpt-5.6): `30m` and `12h`."""

OPENAI_OLD_CACHE_TTL_SECONDS = {"short": 3600, "long": 86_400}
"""The longest an older model's cache may live: an hour in memory, 24 hours extended (OpenAI)."""

UNTOLD_CACHE_TTL_SECONDS = 86_400
"""After this a cache whose life the maker does not tell is surely gone (ours)."""

ANTHROPIC_MAX_CACHE_BREAKPOINTS = 4
"""Breakpoints one request may carry; a fifth is refused with 400 (Anthropic)."""

ANTHROPIC_CACHE_LOOKBACK_BLOCKS = 20
"""How many content blocks a breakpoint looks back for an earlier entry (Anthropic)."""

THINKING_BUDGET_TOKENS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 24_576, "max": 32_000}
"""Tokens of thinking by level, for models that are told a budget and no effort (ours)."""

MIN_THINKING_BUDGET_TOKENS = 1024
"""Smallest budget that is accepted (Anthropic)."""

ANTHROPIC_REWRITE_ANCHOR_ENDS = 4
"""After a rewrite another breakpoint ends the user message this far back, where the next rewrite may begin (ours)."""

ANTHROPIC_MIDDLE_BREAKPOINT_BLOCKS = 15
"""A turn wider than this gets a middle breakpoint, so that the look-back never misses (ours)."""

# ── Layer 2: tool-result guard ────────────────────────────────────────────────────────────────────────────────────
CHARS_PER_TOKEN_ESTIMATE = 4
"""Characters per token of prose (A1, A2)."""

TOOL_RESULT_CHARS_PER_TOKEN_ESTIMATE = 2
"""Characters per token of tool output: code, JSON and logs are denser (A1). Errs on the safe side."""

CONTEXT_INPUT_HEADROOM_RATIO = 0.75
"""Share of the window that input may fill before results are trimmed (A1)."""

SINGLE_TOOL_RESULT_CONTEXT_SHARE = 0.5
"""Share of the window that one tool result may fill (A1)."""

PREEMPTIVE_OVERFLOW_RATIO = 0.9
"""Above this share the guard gives up and asks for compaction (A1)."""

MIN_GUARD_BUDGET_CHARS = 1024
"""No guard budget falls under this, so that tiny windows still show something (OC)."""

GUARD_TRIMMED_CHARS = 800
"""What the guard leaves of a result the model has seen: head and tail enough to know it again (ours)."""

GUARD_EXHAUSTED_SHARE = 0.65
"""A batch that leaves more than this share of the line asks for compaction: the next would come too soon (ours)."""

GUARD_TRIM_TO_SHARE = 0.3
"""Once over the line, results are shortened until the total is this share of it: few large rewrites (ours)."""

IMAGE_PIXELS_PER_TOKEN = 750
"""Pixels of a picture that cost one token (Anthropic; the dearest of the providers)."""

MAX_IMAGE_TOKENS = 1600
"""Most tokens one picture is counted for: providers scale larger ones down (Anthropic)."""

UNKNOWN_IMAGE_TOKENS = 1600
"""Tokens of a picture whose size cannot be read (ours: the cap, never zero)."""

IMPORTANT_TAIL_CHARS = 2000
"""How much of the end is searched for errors, totals and closing brackets (A1)."""

HEAD_SHARE = 0.7
"""Share of the head when the tail matters; the rest is the tail (A1)."""

LINE_SNAP_SHARE = 0.2
"""How far, as a share of a part, a cut moves so that it falls on the end of a line (OC)."""

COMPACTED_PLACEHOLDER = "[compacted: tool output removed to free context]"
RESULT_CLEARED_PLACEHOLDER = "[Old tool result content cleared]"
MIDDLE_OMITTED_MARKER = "⚠️ [... middle content omitted — showing head and tail ...]"
TRUNCATED_NOTICE = "[truncated: output exceeded context limit]"
PREEMPTIVE_CONTEXT_OVERFLOW_MESSAGE = (
    "Preemptive context overflow: estimated context size exceeds safe threshold during tool loop"
)

# ── Layer 3: compaction ───────────────────────────────────────────────────────────────────────────────────────────
BASE_CHUNK_RATIO = 0.4
"""Share of the window one chunk of history may fill on its way to the summariser (A1)."""

MIN_CHUNK_RATIO = 0.15
"""Smallest chunk share when messages are large on average (A1)."""

LARGE_MESSAGE_RATIO = 0.1
"""Average message share above which chunks shrink (A1)."""

SAFETY_MARGIN = 1.2
"""Factor on every estimate in compaction: chars/4 is rough (A1)."""

OVERSIZED_MESSAGE_SHARE = 0.5
"""A message above this share of the window is left out on the second level, with a note (A1)."""

DEFAULT_SUMMARY_PARTS = 2
"""Parts a long history is split into (A1)."""

SUMMARIZATION_OVERHEAD_TOKENS = 4096
"""Tokens kept for instructions and the summary itself in each summary request (OC)."""

MAX_SUMMARY_CHARS = 16_000
"""Longest summary that is stored; what must survive is appended within it (OC)."""

COMPACTION_TIMEOUT_SECONDS = 900
"""Safety timeout of one compaction in all (A2, OC)."""

MAX_CONSECUTIVE_COMPACTIONS = 3
"""Compactions in a row without an accepted model call, then a clear stop (OC)."""

SUMMARY_RESULT_CHARS = 2_000
"""Characters of one tool result in the text for a summariser (OC); identifiers of the rest are listed."""

SUMMARY_ARGUMENT_CHARS = 1_000
SUMMARY_THINKING_CHARS = 1_000
SUMMARY_TALK_CHARS = 8_000
SUMMARY_IDENTIFIERS_PER_CUT = 12
SUMMARY_MAX_OUTPUT_TOKENS = 4_096
"""Longest answer asked of a summariser; MAX_SUMMARY_CHARS bounds what is stored."""

MIN_MESSAGES_TO_SPLIT = 4
"""Fewer messages are summarised in one go (OC)."""

MAX_FOCUS_CHARS = 4_000
EXTRACT_MAX_LINES = 12
EXTRACT_MAX_IDENTIFIERS = 40
EXTRACT_REQUEST_CHARS = 300
KEPT_USER_TEXT_CHARS = 2_000
"""Most characters of one user message kept word for word beside the summary (ours)."""

KEPT_USER_TOTAL_CHARS = 6_000
RETENTION_MAX_IDENTIFIERS = 60
"""Identifiers of the covered text the retention check looks for (ours)."""

RETENTION_MAX_LISTED = 40
RETENTION_RETRY_LOST = 41
"""Missing identifiers from which on the summariser is asked once more: as many as fit are simply listed."""

RECENT_TURNS_CHARS = 1_500
RECENT_TURN_LINE_CHARS = 600
"""Turns before the kept tail that a summary quotes: all of them together (ours), and one message (OC)."""

UNASKED_NAMES_LISTED = 8
"""Names in a summary's asks that are listed because the user never used them (ours)."""

COMPACTION_BACKOFF_GROWTH = 1.05
"""After an automatic compaction that failed, the next waits until the context has grown by this factor (ours)."""

TAIL_WHOLE_RESULTS = 1
"""Newest read results that a compaction leaves whole in the kept tail, with those not read yet (ours)."""

TAIL_OLDER_RESULT_CHARS = 800
"""What it leaves of each older one; the whole is one `recall` away (ours)."""

COMPACTION_TAIL_SHARES = (1.0, 0.5, 0.25, 0.0)
"""Shares of `keepRecentTokens` that are tried, one after the other, until something is covered and the rest fits."""

TAIL_MAX_OVERSHOOT = 1.5
"""A tail that would be larger than this many times `keepRecentTokens` begins after the message that is to blame."""

TAIL_RESULT_MIN_CHARS = 1_000
"""A result in the kept tail is not shortened below this when the tail must meet its limit (ours)."""

MIN_COVERED_TOKENS = 1_000
"""Least talk that is worth a summary; with less to cover a smaller tail is tried (ours)."""

MIN_NEW_TOKENS_TO_COMPACT_AGAIN = 1_000
"""With less new talk than this since the last compaction, a further one is skipped while the context fits (ours)."""

COMPACTION_IDLE_SECONDS = 300.0
"""Silence of a summariser after which it is given up, within the safety timeout (ours)."""

SUMMARY_ATTEMPTS = 3
"""Tries of one summary call, the first included (OC); once they were used up, later calls get one try."""

STANDING_RULES_CHARS = 1_500
STANDING_RULE_CHARS = 300
"""Rules the user gave once and for all, kept word for word: all together, and one of them (ours)."""

APPENDIX_MAX_SHARE = 0.6
"""Share of the stored summary that lists beside the model's words may take (ours)."""

PREVIEW_MESSAGES_SHOWN = 12
PREVIEW_LINE_CHARS = 100
"""Messages of each kind that `/compact preview` names, half from each end, and how much of each (ours)."""

LOST_ITEMS_KEPT = 200
"""Names that a look at a compaction lists as missing in its summary. Count; more is no help to a reader."""
LOST_COMMAND_CHARS = 200
"""Of a lost command, characters that are shown and put back."""
COMPACTION_ROW_SECONDS = 120
"""A row of a ledger that names no entry belongs to the compaction entry at most so far from it in time."""

FILES_REMEMBERED = 200
"""Paths of each kind that are carried from compaction to compaction (ours)."""
TOOL_FAILURES_LISTED = 8
"""Failed calls listed under a summary (OC)."""

FILE_LIST_CHARS = 900
CRITICAL_RULES_CHARS = 2_000

# ── Budget ────────────────────────────────────────────────────────────────────────────────────────────────────────
DEFAULT_CONTEXT_TOKENS = 32_000
"""Window of a model that nobody knows (A2)."""

WARN_CONTEXT_TOKENS = 32_000
"""Below this window the start warns (OC)."""

MIN_CONTEXT_TOKENS = 16_000
"""Below this window the program does not start a turn (OC); `minContextTokens` changes it."""

RESERVE_TOKENS = 20_000
"""Room kept for the answer (OC's floor); at most RESERVE_MAX_SHARE, at least RESERVE_MIN_SHARE of the window."""

RESERVE_MAX_SHARE = 0.25
RESERVE_MIN_SHARE = 0.05
MESSAGE_OVERHEAD_TOKENS = 4
"""Tokens a message costs beside its content: role and separators (ours)."""

MAX_OUTPUT_TOKENS = 64_000
"""Longest answer asked for unless the user sets more: every current model takes it (ours)."""

KEEP_RECENT_TOKENS = 20_000
"""Tail of the talk that compaction keeps word for word (OC); at most KEEP_RECENT_MAX_SHARE of the window."""

KEEP_RECENT_MAX_SHARE = 0.25
SUMMARY_MAX_SHARE = 0.1
"""Share of the window a summary is planned with, where MAX_SUMMARY_CHARS would be more (ours: tiny windows)."""

OUTPUT_MARGIN_SHARE = 0.02
"""Share of the prompt's size kept free beside the answer, since that size is an estimate (ours)."""

MEMORY_FLUSH_SOFT_THRESHOLD_TOKENS = 4_000
"""The flush runs this far before compaction (A2); at most MEMORY_FLUSH_MAX_SHARE of the window."""

MEMORY_FLUSH_MAX_SHARE = 0.05
MEMORY_FLUSH_TRANSCRIPT_BYTES = 2 * 1024 * 1024

# ── Layer 4: session files ────────────────────────────────────────────────────────────────────────────────────────
SESSION_FORMAT_VERSION = 3
"""Version of the family's tree format that is written."""

FILE_LOCK_WAIT_SECONDS = 3.0
"""How long one lock is waited for before the write counts as failed (what is new waits in memory). Higher: a
screen that stands still longer beside a stopped process."""

FILE_LOCK_POLL_SECONDS = 0.005
"""Pause between two looks at a lock that somebody else holds."""

KEEP_WARM_ANSWER_TOKENS = 16
"""Longest answer to a ping that keeps a cache warm; the smallest that all providers take."""

KEEP_WARM_LONGEST_SECONDS = 3600.0
"""How long after the last call of the talk a cache is kept warm at most. Higher: more paid for an absent user."""

SESSION_KEEPER_SECONDS = 20.0
"""How often an open session renews its lease, writes what waits, and looks whether its folder is still there."""

LEASE_STALE_SECONDS = 1800.0
"""Age of a session's lease whose owner cannot be looked up before it is taken over (OC); a heartbeat renews it."""

SESSION_SUMMARIES_KEPT = 5_000
"""Rows of session lists kept in memory while their files do not change (ours)."""

SESSION_PEEK_BYTES = 64 * 1024
"""What the session list reads at each end of a file; whole files are never read for it (ours)."""

SESSION_TITLE_CHARS = 120
"""Longest title made of a first prompt (ours)."""

SESSION_NAMES_SHOWN = 5
"""How many sessions are named when the beginning of an id fits several (ours)."""

SESSION_SEARCH_MAX_HITS = 50
SESSION_SEARCH_MAX_PER_SESSION = 10
SESSION_SEARCH_SNIPPET_CHARS = 160
"""Places one search over all sessions shows, of all and of one session, and the text around each (ours)."""

SESSION_SCAN_MAX_BYTES = 512 * 1024 * 1024
"""Most session files one search goes through, newest first (ours: about a second)."""

SESSION_SCAN_CHUNK_BYTES = 4 * 1024 * 1024
RECALLED_SESSIONS_MAX_HITS = 12
RECALLED_SESSIONS_SNIPPET_CHARS = 700
"""What the agent is shown of a search in earlier sessions (OC: its snippets of notes)."""

ENTRY_ID_TRIES = 100
"""Tries for a free short entry id before a long one is taken (OC)."""

TRUNCATE_ABOVE_BYTES = 10_000_000
"""Session file size above which summarised entries are moved to the archive (ours; 0 = never)."""

# ── Bootstrap files and skills ────────────────────────────────────────────────────────────────────────────────────
BOOTSTRAP_MAX_CHARS = 20_000
BOOTSTRAP_TOTAL_MAX_CHARS = 150_000
BOOTSTRAP_WINDOW_SHARE = 0.25
"""Bootstrap text may fill this share of the window at most (ours)."""

BOOTSTRAP_HEAD_SHARE = 0.7
BOOTSTRAP_TAIL_SHARE = 0.2
BOOTSTRAP_MIN_CHARS = 64
"""With less budget left a file is skipped with a warning (OC)."""

BOOTSTRAP_MAX_FILE_BYTES = 2 * 1024 * 1024
BOOTSTRAP_FILES_KEPT = 64
"""Texts of unchanged files kept in memory between two turns (ours)."""

WORKSPACE_FILES_TO_MISS = 2
"""Files of a workspace that must stand in a directory before the others are told as missing (ours: one is chance)."""

IMPORT_MAX_DEPTH = 4
IMPORT_MAX_FILES = 20
"""How deep and how many files `@path` brings into one guide (ours)."""

NESTED_GUIDE_MAX_CHARS = 8_000
"""Most characters of a subdirectory's guide in a tool result (ours: less than a result of its own may take)."""

MAX_SKILLS_IN_PROMPT = 150
MAX_SKILLS_PROMPT_CHARS = 30_000
MIN_SKILL_DESCRIPTION_CHARS = 80
MAX_SKILL_FILE_BYTES = 256_000
MAX_SKILL_NAME_CHARS = 64
MAX_SKILL_DESCRIPTION_CHARS = 1_024
"""Longest name and description of a skill (the convention of SKILL.md)."""

SKILL_FILES_LOOKED_AT = 2_000
"""Files of one skill's folder that are read for the trust of a project, so that a huge one cannot stop the start."""

TRUST_TEXT_CHARS = 1_000
"""Longest line of what a project's file would do; a longer one says how much of it is not shown."""

SKILL_LISTING_NOTE_CHARS = 300
"""Characters of the listing kept free for the line that tells what was left out (ours)."""

SKILL_CACHE_VERSION = 1
SKILL_CACHE_MAX_ROWS = 5_000
"""Skills of all projects that are remembered; with more, those of the current project stay (ours)."""

FILE_CLOCK_SECONDS = 2
"""A file younger than this may change again without its times telling; it is compared by content (ours)."""

# ── Transcript ────────────────────────────────────────────────────────────────────────────────────────────────────
TRANSCRIPT_FOLDS_KEPT = 8
"""Sessions and sub-agents whose prepared transcripts are remembered side by side. Lower: work is done again."""

MAX_STORED_JSON_DEPTH = 150
"""Nesting of a stored value that cannot be written as it is (half a character in it); the interpreter's stack bounds
what may be read again."""

MAX_ARGUMENT_DEPTH = 100
"""Nesting of a call's arguments; deeper ones are told to the model as invalid. Tools need three or four levels."""

IMAGES_LEFT_OUT_TOGETHER = 20
"""Oldest pictures left out at once where a request holds more than its provider takes. Lower: more cache rewrites."""

QUARANTINES_PER_TURN = 3
"""Different parts of one request that a provider may refuse in a turn before it is given up; each is retried once."""

TOOL_ID_DIGEST_CHARS = 8
"""Hex digits that keep cleaned tool call ids apart (OC)."""

# ── Providers ─────────────────────────────────────────────────────────────────────────────────────────────────────
CONNECT_TIMEOUT_SECONDS = 15.0
CONNECTION_KEEPALIVE_SECONDS = 15.0
"""An idle connection older than this is not used again: after a laptop's sleep it is dead without notice (ours)."""

STREAM_IDLE_TIMEOUT_SECONDS = 120.0
"""A stream that brings no content for this long has failed; bytes that carry nothing do not count (ours)."""

LOCAL_STREAM_IDLE_TIMEOUT_SECONDS = 1800.0
"""Local models may read a long prompt for minutes before the first token."""

MAX_PROVIDER_ATTEMPTS = 6
"""Tries of one model call, the first included."""

RETRY_BASE_SECONDS = 1.0
RETRY_MAX_SECONDS = 32.0
MAX_RETRY_AFTER_SECONDS = 120.0
"""A server that asks for a longer wait stops the turn at once and the time is shown (ours)."""

RETRY_JITTER_SHARE = 0.25
"""A wait of our own choosing is shortened by up to this share, so that many clients do not return together (ours)."""

MAX_ERROR_MESSAGE_CHARS = 400
"""Longest provider message that is shown in one line (ours)."""

MAX_ERROR_BODY_BYTES = 256 * 1024
"""How much is read of a document that came where a stream was asked for (ours)."""

STREAM_DRAIN_SECONDS = 0.2
"""How long the rest of a finished stream is awaited, so that its connection can be used again (ours)."""

OPENAI_RESPONSES_ID_MAX_CHARS = 64
"""Longest call id and cache key of the Responses API; a longer one is refused (OpenAI)."""

OPENAI_CHAT_ID_MAX_CHARS = 40
"""Longest call id of Chat Completions; a longer one is refused (OpenAI)."""

OPENAI_MIN_OUTPUT_TOKENS = 16
"""Smallest `max_output_tokens` that the Responses API takes (OpenAI)."""

SUSPECT_PROMPT_SHARE = 0.6
"""A local server that counts less than this share of our estimate may have cut the prompt (facts; our estimator is
right within 0.72 to 1.26)."""

SUSPECT_PROMPT_MIN_TOKENS = 2_048
"""Shorter prompts fit every window and are never suspected (ours: the smallest default window in use)."""

SUSPECT_SILENCE_WINDOW_SHARE = 0.5
"""An empty answer of a local server to a prompt above this share of the window is taken for an overflow (ours)."""

CONVERTED_MESSAGES_KEPT = 20_000
"""Messages whose wire form an adapter remembers, so that an unchanged prefix is not encoded again (ours)."""

DEFAULT_OUTPUT_TOKENS = 8_192
"""Longest answer asked of a model that no table knows: small servers take it from the window (ours)."""

GUIDE_POLL_SECONDS = 4.0
"""How long the offline guide leaves a running command alone before it looks again (ours; far below the idle limit)."""

LOCAL_PROBE_SECONDS = 0.15
"""Time one loopback server gets to answer when local servers are looked for (interface.md 8)."""

LOCAL_PROBE_MAX_BYTES = 4 * 1024 * 1024
"""Largest answer of a local server that is read when it is asked what it is (ours)."""

LIVE_LIMITS_TIMEOUT_SECONDS = 5.0
"""Time a server gets to tell a model's limits; without them the table's figures stay (ours)."""

ESTIMATE_FACTOR_MIN = 0.7
ESTIMATE_FACTOR_MAX = 2.0
CALIBRATION_SAVE_EVERY = 8
"""Calls between two stored corrections of the estimate: frequent enough after a crash, too rare to fill a file."""

ESTIMATE_FACTOR_SMOOTHING = 0.3
"""Weight of the newest report in the running correction of the estimator."""

# ── Tools ─────────────────────────────────────────────────────────────────────────────────────────────────────────
TOOL_OUTPUT_MAX_BYTES = 10_240
"""Most bytes one tool result brings into the context at its source: head and tail, the rest in a private file."""

TOOL_OUTPUT_MAX_LINES = 2_000
MAX_LINE_CHARS = 2_000
"""Longer lines are cut with a marker that gives the real length."""

TOOL_OUTPUT_MIN_BYTES = 400
"""No smaller budget is honoured: the marker that tells what was cut must itself fit."""

BINARY_CONTROL_SHARE = 0.1
"""More control characters than this in a sample and it is no text (ours; escape sequences of a log stay below)."""

FILE_SAMPLE_BYTES = 1024 * 1024
"""How much of a file is looked at to tell its kind and encoding."""

HIDDEN_RUN_SPELLED_CHARS = 2
"""Invisible characters in a row that are spelled one by one; a longer run is told by its ends and length."""

READ_MAX_LINES = 2_000
READ_MAX_BYTES = 10_240
READ_MAX_IMAGE_BYTES = 5 * 1024 * 1024
IMAGE_MAX_SIDE_PIXELS = 2_000
"""Strictest side limit among the providers once a request holds many pictures."""

READ_SCAN_MAX_BYTES = 64 * 1024 * 1024
"""A file up to this size is counted and hashed to its end; of a larger one only the part asked for is read (ours)."""

EDIT_MAX_FILE_BYTES = 64 * 1024 * 1024
"""Largest file that is changed in memory (ours); READ_SCAN_MAX_BYTES at most, so that its hash is known."""

EDIT_MIN_CANDIDATE_SCORE = 55.0
"""Likeness in percent below which a passage is no help after a failed match (ours)."""

EDIT_MAX_CANDIDATES = 3
DIFF_CONTEXT_LINES = 3
DIFF_MAX_COMPARED_LINES = 4_000
"""A changed region longer than this is shown as removed and added, not compared line by line (quadratic work)."""

EDIT_RESULT_DIFF_LINES = 40
"""Lines of the diff that come back to the model after an edit; the screen gets all of it."""

NEW_FILE_MODE = 0o666
"""Mode of a new file of the workspace before the umask, as any editor asks for."""

IO_CHUNK_BYTES = 1024 * 1024
"""One piece of a file read or packed at a time (ours)."""

NEAR_NAME_MIN_SCORE = 60.0
"""Likeness in percent from which another file name is offered for a missing one (ours)."""

LS_MAX_ENTRIES = 500
FIND_MAX_RESULTS = 1_000
GREP_MAX_MATCHES = 100
GREP_MAX_LINE_CHARS = 500
GREP_LINE_WINDOWS = 3
"""Matches of one long line that are shown, each with a piece of the line around it (ours)."""

SEARCH_TIMEOUT_SECONDS = 30.0
SEARCH_COUNT_SECONDS = 1.0
"""Time for counting ignored files after a search without result."""

SEARCH_COUNT_MAX_FILES = 100_000
SEARCH_ERROR_BYTES = 16 * 1024
"""What a search program says on its error channel is kept up to here."""

SEARCH_MAX_RECORD_BYTES = 8 * 1024 * 1024
"""A found line longer than this is counted, not taken into memory (ours)."""

EXEC_YIELD_SECONDS = 10.0
"""A command that still runs after this goes to the background."""

EXEC_TIMEOUT_SECONDS = 1800.0
EXEC_KEEP_CHARS = 200_000
"""Characters of one command's output that stay in memory; the whole is on disk."""

EXEC_SPILL_MAX_BYTES = 256 * 1024 * 1024
PROCESS_DRAIN_SECONDS = 0.3
"""How long output is still read after a shell has ended while a child holds the pipe."""

PROCESS_SCAN_SECONDS = 0.03
"""Between two looks whether a process group is gone."""

PROCESS_READ_BYTES = 65_536
PROCESS_KEEP_FINISHED_SECONDS = 1800.0
"""How long a finished background process can still be asked about (OC)."""

PROCESS_POLL_MAX_SECONDS = 120.0
PROCESS_LOG_LINES = 200
EXEC_TAIL_CHARS = 2_000
"""Latest output shown when a command goes to the background (OC)."""

EXEC_MAX_YIELD_SECONDS = 120.0
EXEC_PROGRESS_SECONDS = 0.1
"""Least time between two pieces of live output of one command (ours)."""

SHELL_PARSE_MAX_CHARS = 100_000
"""Longer command lines are not judged part by part: they are asked about as a whole (ours)."""

SHELL_PARSE_MAX_DEPTH = 8
"""Command lines inside command lines (`sh -c`, `eval`) that are still taken apart (ours)."""

SHELL_GLOB_MAX_NAMES = 2_000
"""Names a pattern of a command line is expanded to when its paths are judged (ours)."""

PERMISSION_RECENT_VERDICTS = 50
"""Last decisions `/permissions` can show (ours)."""

SANDBOX_STALE_SECONDS = 86_400.0
"""Age after which the temporary folder a killed run left behind is removed (ours)."""

SANDBOX_PROBE_SECONDS = 5.0
"""Longest time the trial run of the sandbox may take (ours)."""

PROCESS_TERM_GRACE_SECONDS = 1.0
"""Between TERM and KILL to a process group."""

WEB_FETCH_MAX_CHARS = 50_000
WEB_FETCH_MAX_BYTES = 2_000_000
WEB_FETCH_TIMEOUT_SECONDS = 30.0
WEB_FETCH_MAX_REDIRECTS = 3
WEB_FETCH_MIN_CHARS = 500
"""Least room for one page; the marker of the cut must fit."""

WEB_FETCH_ERROR_CHARS = 4_000
"""Text of an HTTP error page that is shown (OC)."""

WEB_MAIN_MIN_CHARS = 200
"""A page's main part is taken for the whole only when it holds this much text (ours)."""

MAX_CONSECUTIVE_TOOL_FAULTS = 8
"""Malformed or unknown calls in a row before the turn stops with a plain message."""

REPEAT_WARN_COUNT = 5
REPEAT_STOP_COUNT = 10
"""The same call with the same result this many times in a row: warn, then stop and ask."""

REPEAT_LONGEST_ROUND = 4
"""Rounds of up to this many calls are seen as repeats too (ours)."""

# ── Memory, artifacts, sub-agents ─────────────────────────────────────────────────────────────────────────────────
MEMORY_CHUNK_TOKENS = 400
MEMORY_CHUNK_OVERLAP_TOKENS = 80
MEMORY_SNIPPET_CHARS = 700
MEMORY_MAX_RESULTS = 6
MEMORY_SLUG_CHARS = 40
MEMORY_MAX_FILE_BYTES = 2 * 1024 * 1024
"""A larger file of notes is told and left out (ours: as bootstrap files)."""

MEMORY_INDEX_VERSION = 1
MEMORY_CANDIDATES_FACTOR = 4
MEMORY_MAX_CANDIDATES = 200
MEMORY_MAX_SCANNED_PARTS = 40
"""Pieces looked at for one search: results times the factor, at most so many (OC)."""

MEMORY_COVERAGE_WEIGHT = 0.5
"""Weight of the share of words found beside the word score (ours: scores say something in small collections)."""

MEMORY_VECTOR_WEIGHT = 0.7
MEMORY_TEXT_WEIGHT = 0.3
MEMORY_MIN_SCORE = 0.35
"""With embeddings: weight of meaning and of words, and the least score of a hit that shares no word (OC)."""

EMBEDDING_BATCH = 64
EMBEDDING_MAX_NEW = 1_024
"""Texts of one call, and most texts one search has turned into vectors; the rest waits for the next one (ours)."""

EMBEDDING_TIMEOUT_SECONDS = 30.0
EMBEDDING_PAUSE_SECONDS = 300.0
"""Longest wait for an embeddings server, and how long one that failed is left alone (ours)."""

EMBEDDING_LOOKUP_ROWS = 500
EMBEDDINGS_KEPT = 50_000
"""Vectors asked of the cache at once, and kept in it: the oldest go first (ours: some 100 MB at most)."""

MEMORY_BUSY_SECONDS = 5.0
"""How long another process's write to the search index is waited for (ours)."""

MEMORY_GET_MAX_CHARS = 16_000
"""Most characters of a note one call returns (ours)."""

TRIGRAM_CHARS = 3
"""Shortest text the trigram index finds (SQLite)."""

FLUSH_MAX_STEPS = 6
"""Model calls of one memory flush (ours)."""

FLUSH_MAX_OUTPUT_TOKENS = 4_096
FLUSH_MIN_ROOM_TOKENS = 2_000
"""Longest answer of a flush call, and the room it needs beside the prompt to be tried (ours)."""

FLUSH_MIN_USER_TURNS = 2
"""Messages of the user since the last flush that are worth another call (ours): a long turn of tools decides little,
and what the user said stands in the summary until the next flush. `/compact` always asks."""

FLUSH_NOTE_MAX_CHARS = 4_000
"""Most characters one flush may add to one file (ours)."""

FLUSH_EXTRACT_LINES = 12
FLUSH_EXTRACT_LINE_CHARS = 300
"""Lines noted without a model, and the length of one (ours)."""
ARTIFACT_QUOTA_BYTES = 512 * 1024 * 1024
PICKER_SEARCH_SECONDS = 0.25
SESSION_PREVIEW_MESSAGES = 4
PALETTE_SESSIONS = 20
"""Rest after a typed letter before texts are searched, last messages in a preview, sessions in the palette (ours)."""
KEY_HINT_MAX_CHARS = 20_000
"""Longest draft that is looked through for keys while it is typed (ours)."""

SECRET_MIN_CHARS = 12
SECRET_NAMED_MIN_CHARS = 6
SECRET_MIN_ENTROPY_BITS = 3.0
SECRET_HELD_MIN_CHARS = 8
SECRETS_REMEMBERED = 500
"""What a value must be to count as a secret: characters behind a telling name in code or data, characters in an
environment file's line, Shannon entropy for each character in the former (ours; measured on three real projects). The
shortest held key that is looked for by its value, since a shorter one may be a word. And
how many values seen before are hidden wherever they stand, in memory only."""
REWIND_LINES_SHOWN = 12
"""Files, and commands, named in the preview of a rewind before the rest is counted (ours)."""
ASIDE_MAX_OUTPUT_TOKENS = 2_000
"""Longest answer to a question beside the talk (ours): it is read in a dialog."""
DIFF_SHOWN_FILE_BYTES = 4 * 1024 * 1024
DIFF_MAX_GIT_FILES = 200
GIT_TIMEOUT_SECONDS = 10.0
"""`/diff` (ours): a larger file is only named, so are more files outside the session's own; how long git may take."""
CHECKPOINT_MAX_FILE_BYTES = 32 * 1024 * 1024
CHECKPOINT_QUOTA_BYTES = 512 * 1024 * 1024
"""Pre-images for rewinding: the largest file that is kept, and all of one session packed (ours). What is beyond is told
before a rewind; oldest contents go first."""
LEDGER_TABLE_ROWS = 20
LEDGER_REASON_CHARS = 100
"""`/events`: acts listed when no number is given, and how much of each reason (ours)."""

RECALL_LIST_ROWS = 30
"""Stored outputs that `/recall` lists when nothing is asked for (ours)."""

RECALL_MAX_CHARS = 16_000
RECALL_MAX_HITS = 30
"""Found places one answer shows; the number of all is told."""

RECALL_LINE_CHARS = 400
"""Characters of one found line that are shown, around the match."""

RECALL_PIECE_OVERLAP_BYTES = 1024
"""Pieces of one line of megabytes overlap by this, so that a text on the seam is found (ours)."""

RECALL_SCAN_MAX_BYTES = 256 * 1024 * 1024
"""Most stored text one search goes through, newest first (ours: about a second)."""

AGENT_ID_MAX_CHARS = 64
"""Longest id of an agent (OC)."""

SUBAGENT_MAX_DEPTH = 1
SUBAGENT_MAX_CHILDREN = 5
SUBAGENT_MAX_CONCURRENT = 8
SUBAGENT_LABEL_CHARS = 60
SUBAGENT_REPORT_MAX_CHARS = 20_000
"""Most of a sub-agent's last words that its parent is given; the whole stands in the sub-agent's session (ours)."""

SUBAGENT_STEER_MAX_CHARS = 4_000
"""Longest word to a running sub-agent (OC)."""

SUBAGENT_LOG_LINES = 200
SUBAGENT_LOG_LINE_CHARS = 200
"""What `/agents log` still tells of one sub-agent, and how much of each line (ours); the whole is its session."""

SUBAGENTS_REMEMBERED = 50
"""Ended sub-agents of a session that `/agents` still lists (ours)."""

AGENT_FILE_MAX_BYTES = 64 * 1024
AGENT_FILES_NAMED = 30
AGENT_DESCRIPTION_CHARS = 160
"""Agent definitions named in the prompt, and how much of each description (ours: at most about 1,500 tokens)."""

WATCH_DEBOUNCE_MS = 200
WATCH_STEP_MS = 50
"""A burst of changes is told after this; closing is noticed within a step (ours: a change shows within a second)."""

WATCH_LOOK_MS = 5_000
"""Rest after which watched files are looked at anyway: network drives, limits of the system (ours)."""

WATCH_MAX_FOLDERS = 2_000
"""Most folders the system is asked to watch; what lies in others is seen at the next look (ours)."""

STALE_SETTLE_SECONDS = 0.3
"""A file that changes while the agent works is looked at this much later: by then its own tool has noted the write."""

STALE_FILES_NAMED = 3

# ── Screen ────────────────────────────────────────────────────────────────────────────────────────────────────────
FIND_AROUND_CHARS = 40
"""Characters that `/find` shows before and behind the words (ours)."""

FIND_MAX_ROWS = 40
"""Rows of `/find`, the newest (ours)."""

WARM_FROM_CHARS = 3
"""Characters of a message after which the model's SDK is imported beside the typing (ours)."""

CRASH_REPORTS_KEPT = 20
"""Crash reports in the state directory; older ones go (ours)."""

CRASH_MESSAGE_CHARS = 500
"""Characters of an error's words in a crash report (ours)."""

CRASH_EVENTS_KEPT = 40
"""Kinds of events, the newest, that a crash report names (ours)."""

DOCTOR_SERVER_SECONDS = 3.0
"""How long `doctor` waits for a server (ours)."""

CLOCK_SKEW_SECONDS = 120
"""A clock further off than this is worth a word: caches and signatures go by it (ours)."""

DISK_LOW_BYTES = 500_000_000
"""Less free room than this is worth a word (ours)."""

TOML_MAX_DEPTH = 40
"""Tables within tables that a settings or theme file may have (ours)."""

PROBLEM_MAX_CHARS = 500
"""Characters of a line about a damaged file (ours)."""

SEARCH_PAUSE_SECONDS = 0.08
"""How long typing into the search line rests before the conversation is searched (ours)."""

UI_FRAMES_PER_SECOND = 20
ABORT_GRACE_SECONDS = 2.0
PASTE_CHIP_CHARS = 1_000
PASTE_CHIP_LINES = 12
ATTACHED_FILE_MAX_BYTES = 32 * 1024 * 1024
"""The largest file that lines are attached of: it is read whole to count them (ours)."""

ATTACHED_LINES_MAX_CHARS = 40_000
"""Most characters that `@path:10-20` brings into a message; more is what the read tool is for."""

CLIPBOARD_SECONDS = 3.0
"""How long the program that reads the system's clipboard may take."""

NOTICE_MIN_TURN_SECONDS = 10.0
"""A turn that took less is not announced: whoever sent it has hardly looked away."""

BACKGROUND_LOOK_SECONDS = 0.5
"""How often the newest output of commands in the background is brought to their cards."""

PLAN_ROWS = 8
"""Steps of the plan that are shown at once above the prompt."""

PROMPT_MAX_ROWS = 10
"""Rows the prompt grows to before it scrolls."""

COMPLETION_ROWS = 8
COMPLETION_MAX_FILES = 50_000
"""Files of a project that `@` can complete (ours: matching them stays under a tenth of a second)."""

COMPLETION_MIN_SCORE = 55.0
"""Likeness in percent below which a name is not offered."""

PROMPT_HISTORY_MAX = 2_000
"""Prompts of a project that are remembered; older lines of the file are dropped when it is read."""

LEAVE_CONFIRM_SECONDS = 1.0
"""A second Ctrl+C within this time leaves."""

DRAFT_SAVE_SECONDS = 0.4
"""Rest in typing after which the draft is put on disk."""

APPROVAL_GUARD_SECONDS = 0.5
"""A dialog that opens while one types takes no answer for this long, so that no key meant for the prompt answers it."""

TERMINAL_REPLY_MAX_CHARS = 4_096
"""Longest answer of a terminal that is waited for as a whole."""

TERMINAL_SPLIT_SECONDS = 0.02
"""How long the beginning of a key sequence waits for its rest (ours: not felt after Esc)."""

QUEUE_LINES_SHOWN = 3
HELP_KEY_CELLS = 26
"""Width of the column of keys and commands in the help."""

HINT_SECONDS = 4.0
"""How long a word about a key stays in the status line."""

# ── Line mode and log ─────────────────────────────────────────────────────────────────────────────────────────────
LINE_TOOL_NOTICE_SECONDS = 3.0
"""A tool that takes longer is announced while it runs; shorter ones get their one line at the end (ours)."""

LINE_WRITE_PAUSE_SECONDS = 0.05
"""Least time between two prints above the prompt, so that streaming does not repaint it all the time (ours)."""

LINE_ABOUT_MIN_CHARS = 20
"""Characters of what a call is about that are shown however narrow the terminal is (ours)."""

LINE_DIFF_MAX_LINES = 80
LINE_ERROR_MAX_LINES = 6
LINE_SESSIONS_SHOWN = 20
STDIN_WAIT_SECONDS = 3.0
"""How long a run with a prompt waits for the first byte of a pipe that nobody may ever write to (ours)."""

PASTE_BURST_SECONDS = 0.05
"""Lines that follow each other faster than this come from a paste, not from fingers (ours)."""

LOG_MAX_BYTES = 2 * 1024 * 1024
LOG_BACKUPS = 3

# ── Layer 5: context engine ───────────────────────────────────────────────────────────────────────────────────────
ENGINE_CALL_TIMEOUT_SECONDS = 20.0
"""Longest time one lifecycle call of a third-party engine may take before `legacy` takes over (ours)."""

ENGINE_COMPACT_TIMEOUT_SECONDS = 900.0
"""The same for `compact`, which may call a model (the safety timeout of compaction)."""

ENGINE_ADDITION_MAX_SHARE = 0.5
"""Share of the budget above which an engine's addition to the system prompt is taken for a fault (ours)."""

RETRIEVAL_MAX_TOKENS = 4_000
RETRIEVAL_MAX_SHARE = 0.05
"""Most tokens that spans brought back by the `retrieval` engine may take, and their share of the budget (ours)."""

RETRIEVAL_MAX_SPANS = 12
RETRIEVAL_SPAN_CHARS = 1_200
RETRIEVAL_MIN_SCORE_SHARE = 0.35
"""How well a span must fit, as a share of the best one's score (ours)."""

RETRIEVAL_QUERY_TERMS = 64
"""Spans brought back at most, characters of one, and words of a request that are searched for (ours)."""

KNOWLEDGE_MAX_BYTES = 32_000
KNOWLEDGE_INJECTED_CHARS = 6_000
KNOWLEDGE_NOTE_CHARS = 400
"""The `recall-memory` engine's file: most bytes, most characters put into a prompt, length of one note (ours)."""
TAB_WIDTH = 4
MIN_TEXT_CONTRAST = 4.5
"""Contrast that text has against its ground under every theme (WCAG 2, level AA)."""

FRAME_MAX_SHARE = 0.2
"""Share of the time that drawing the transcript may take: a slow frame delays the next one (ours)."""

TRANSCRIPT_CACHED_ROWS = 2_000
"""Rendered rows that stay in memory; what lies further away is rendered again when it is scrolled to (ours)."""

CODE_PART_LINES = 24
"""An open code block is finished in parts of this many lines, so that each delta costs the same (ours)."""

CODE_CONTEXT_LINES = 48
"""Lines before a finished part that are read again to colour it right (ours)."""

CODE_HIGHLIGHT_MAX_LINE_CHARS = 2_000
"""A code block with a longer line is shown without colours: lexers slow down on minified text (ours)."""

TOOL_BODY_HEAD_LINES = 60
TOOL_BODY_TAIL_LINES = 30
TOOL_BODY_LINE_CHARS = 1_000
TOOL_LIVE_TAIL_LINES = 5
"""Lines of a running tool's output that a folded card shows."""

DIFF_MAX_LINES = 300
DIFF_WORD_MAX_CHARS = 400
"""Longer lines are compared as a whole, not word by word."""

DIFF_WORD_MIN_SIMILARITY = 0.5
"""Less alike than this, a removed and an added line are shown without word marks."""

TABLE_COLUMN_MIN_CELLS = 5
"""A table whose columns would be narrower than this is shown as a list."""

USER_TEXT_MAX_LINES = 200
RUNNING_TICK_SECONDS = 1.0
"""How often the time of a running tool is drawn again. There is no such timer while nothing runs."""

GROWTH_TURNS = 5
"""Turns whose median growth tells how many are left until compaction (panels.md)."""

HEAVY_ITEMS_KEPT = 40
HEAVY_ITEMS_SHOWN = 5
HEAVY_NAME_CHARS = 60
TREE_NAME_CHARS = 100
TREE_BAR_CELLS = 16
CONTEXT_ITEMS_LISTED = 30
"""Length of a name and of a bar in the tree of the budget, and how many things `/context items` lists (ours)."""

CACHE_RECENT_CALLS = 10
"""Calls of the middle one of the three hit shares: last call, last ten, session (panels.md)."""

CACHE_COLUMNS_KEPT = 200
CACHE_BREAKS_SHOWN = 3

CACHE_CLOCK_SECONDS = 1.0
CACHE_CLOCK_SLOW_SECONDS = 5.0
CACHE_CLOCK_FAST_BELOW_SECONDS = 60.0
"""The cache's clock runs by the second in its last minute and in larger steps before, so that idling stays cheap."""

PANEL_REFRESH_SECONDS = 0.2
"""Events that come closer together than this redraw the panels once."""

PANEL_MAX_SHARE = 0.05
"""Most of the time that gathering figures may take; the larger a session, the longer the pause between two looks."""

PANEL_MIN_COLUMNS = 120
PANEL_WIDEST_COLUMNS = 160
STRIP_MIN_COLUMNS = 80
"""From the first width the panels stand beside the talk, from the second in a wider column; from the third on a strip
of three lines stands above the prompt."""

PANEL_WIDE_CELLS = 76
PANEL_LEGEND_CELLS = 19
STRIP_LABEL_CELLS = 7
"""A panel of the first width shows its longer words; a legend's entry and a strip's title take the others."""

SIDE_BY_SIDE_MIN_COLUMNS = 90
"""Two versions of a text stand beside each other from this width on, above each other below it."""

TREEMAP_LABEL_MIN_CELLS = 4
CELL_HEIGHT_TO_WIDTH = 2
"""Narrower rectangles of a treemap have no name; a terminal's cell is about twice as high as it is wide."""

CACHE_CHART_ROWS = 4
CACHE_CHART_ZOOM_ROWS = 10
TOOLBAR_BAR_CELLS = 8
STRIP_BAR_CELLS = 30
STRIP_MIN_ROWS = 18
"""Screens with fewer rows get one toolbar line instead of the strip: the talk needs the room more."""
