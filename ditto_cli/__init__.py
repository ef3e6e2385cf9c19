"""The command line of Ditto."""
