"""Stands in for CPython's `__future__`: every listed feature is already so here."""

annotations = None
