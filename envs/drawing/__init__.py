"""Pictures for every game: SVG text, pixels and windows."""
