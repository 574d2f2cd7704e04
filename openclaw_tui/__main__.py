"""`python -m openclaw_tui` is the same program as the console script."""

import sys

from openclaw_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
