"""`python -m loadtests.life.collecting COMMAND …`: `rapid COMMAND …` that collects its garbage at SIGUSR1.

What is measured behind it is what is held, not what merely has not been looked at yet.
"""

from __future__ import annotations

import gc
import signal
import sys

from rapid.cli import main

if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, lambda *_: gc.collect())
    sys.exit(main(sys.argv[1:]))
