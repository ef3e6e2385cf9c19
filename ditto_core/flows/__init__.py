"""The five predefined flows: functions that compose Nodes."""
