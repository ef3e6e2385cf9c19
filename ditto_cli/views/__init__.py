"""The ways to show a run: text, json, ndjson."""
