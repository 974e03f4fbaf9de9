"""`python -m rapid` is `rapid`."""

import sys

from rapid.cli import main

sys.exit(main())
