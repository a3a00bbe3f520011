"""The garden: tiles on the table, the paths they join and the rings these close."""
