"""Small programs to read from top to bottom and to copy."""
