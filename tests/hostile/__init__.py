"""Hostile and broken submissions, as data: each module holds CASES of one kind, and none of them needs the others.

The numbers in `row` group the variants of one kind of attack.
"""
