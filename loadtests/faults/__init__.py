"""Real processes really killed while people race: see `python -m loadtests.faults --help`."""
