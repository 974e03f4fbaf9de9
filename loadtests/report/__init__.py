"""What came of a load test: as text, JSON and a picture."""
