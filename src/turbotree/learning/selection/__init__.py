"""Selecting templates and features for a budget, and refitting what survives."""
