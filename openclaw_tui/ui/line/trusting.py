"""Line mode's questions before the first message: about the files of a folder, and about a model server found here.

Plain words, and only a clear yes is one.
"""

from collections.abc import Callable

from openclaw_tui.app.trust import trust_text
from openclaw_tui.config.paths import Paths
from openclaw_tui.safety.trust import FolderTrust, TrustStore
from openclaw_tui.tools.terminal_text import clean_terminal_text
from openclaw_tui.ui.line.reader import Reader


async def ask_trust(paths: Paths, trust: FolderTrust, reader: Reader, say: Callable[[str], None]) -> bool:
    """Show what each thing would do, and keep the answer. False where the user went away instead of answering."""
    what = "changed since you trusted it" if trust.state == "changed" else "brings files that would act here"
    say(f"{clean_terminal_text(str(paths.project))} {what}:\n{trust_text(trust)}")
    say("trust this folder as it is now? y yes · n not now · never")
    store = TrustStore(paths.trust)
    try:
        typed = (await reader.read()).text.strip().lower()
        if typed in ("y", "yes"):
            store.grant(trust)
        elif typed == "never":
            store.never_ask(paths.project)
    except EOFError:
        return False
    except OSError as error:
        say(f"{paths.trust} cannot be written ({error.strerror}); the folder is not trusted")
    return True
