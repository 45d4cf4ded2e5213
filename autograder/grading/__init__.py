"""Grading a class: release, submissions, batch, report. Nothing here is imported by a notebook."""
