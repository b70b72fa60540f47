"""Notes, tasks and skills that people and agents write: create, change, link, list, recall.

The Markdown files are the record; what is kept beside them can be made from them again. Given
out by a Collection as `notes`, `tasks` and `skills`.
"""
