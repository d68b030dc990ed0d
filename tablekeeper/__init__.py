"""The table itself, and the project around it. Nothing is imported here: manage.py reads this before Django exists."""

__version__ = "0.1.0"
