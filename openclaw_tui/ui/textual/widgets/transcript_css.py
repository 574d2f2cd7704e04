"""The colours of the transcript: one rule per field of the palette, in the variables of the theme.

Foreground rules take the widget's background; rules that name a background paint both.
"""

TRANSCRIPT_CSS = """
Transcript, TranscriptView {
    background: $background;
    color: $foreground;
    overflow-x: hidden;
    overflow-y: scroll;
    scrollbar-size-vertical: 1;
    scrollbar-color: $foreground 18%;
    scrollbar-color-hover: $foreground 35%;
    scrollbar-color-active: $primary;
    scrollbar-background: $background;
    scrollbar-background-hover: $background;
    scrollbar-background-active: $background;
}
Transcript, TranscriptView {
    & > .transcript--text { color: $foreground; }
    & > .transcript--muted { color: $foreground 62%; }
    & > .transcript--rule { color: $foreground 24%; }
    & > .transcript--strong { text-style: bold; }
    & > .transcript--emphasis { text-style: italic; }
    & > .transcript--strike { text-style: strike; }
    & > .transcript--heading-one { color: $text-primary; text-style: bold underline; }
    & > .transcript--heading-two { color: $text-primary; text-style: bold; }
    & > .transcript--heading { color: $foreground; text-style: bold; }
    & > .transcript--link { color: $text-primary; text-style: underline; }
    & > .transcript--bullet { color: $text-primary; }
    & > .transcript--quote { color: $foreground 75%; text-style: italic; }
    & > .transcript--quote-bar { color: $primary 60%; }
    & > .transcript--inline-code { color: $text-accent; background: $foreground 7%; }

    & > .transcript--code { color: $foreground 90%; background: $foreground 5%; }
    & > .transcript--code-label { color: $foreground 60%; background: $foreground 5%; }
    & > .transcript--keyword { color: $text-primary; background: $foreground 5%; }
    & > .transcript--string { color: $text-success; background: $foreground 5%; }
    & > .transcript--number { color: $text-warning; background: $foreground 5%; }
    & > .transcript--comment { color: $foreground 60%; background: $foreground 5%; text-style: italic; }
    & > .transcript--function { color: $text-accent; background: $foreground 5%; }
    & > .transcript--type { color: $text-secondary; background: $foreground 5%; text-style: bold; }
    & > .transcript--decorator { color: $text-accent; background: $foreground 5%; }
    & > .transcript--error-token { color: $text-error; background: $foreground 5%; }

    & > .transcript--user { color: $foreground; background: $primary 12%; }
    & > .transcript--user-bar { color: $primary; background: $primary 12%; }
    & > .transcript--user-muted { color: $foreground 65%; background: $primary 12%; }
    & > .transcript--chip { color: $text-secondary; background: $primary 12%; }
    & > .transcript--thinking { color: $foreground 62%; text-style: italic; }
    & > .transcript--tool-name { color: $foreground; text-style: bold; }
    & > .transcript--tool-text { color: $foreground 75%; }
    & > .transcript--done { color: $text-success; }
    & > .transcript--running { color: $text-primary; }
    & > .transcript--warning { color: $text-warning; }
    & > .transcript--error { color: $text-error; }
    & > .transcript--info { color: $foreground 75%; }
    & > .transcript--separator { color: $foreground 62%; }

    & > .transcript--added { color: $foreground; background: $success 14%; }
    & > .transcript--added-word { color: $foreground; background: $success 34%; text-style: bold; }
    & > .transcript--removed { color: $foreground; background: $error 14%; }
    & > .transcript--removed-word { color: $foreground; background: $error 34%; text-style: bold; }
    & > .transcript--hunk { color: $foreground 62%; }

    & > .transcript--found { color: $foreground; background: $warning 30%; text-style: underline; }
    & > .transcript--found-here { color: $background; background: $warning; text-style: bold underline; }
}
"""
