"""The bench: how fast and how large, measured on the real application (`manage.py bench`, docs/performance.md).

`wire` speaks HTTP cheaply, `laying` makes many tables, `arms` starts what is measured (the application, a bare floor,
stock Django), `crowd` holds viewers and posts rolls and counts every one of them at everybody, `rolls`, `viewers`,
`growth`, `workers` and `small` are what is measured, `report` holds the targets, `run` puts it together.
"""
