"""The report of an evaluation, in every form."""
