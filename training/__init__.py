"""The steps that make the static model; not part of the wheel."""
