"""Factors as arrays, the checks of new ones, and what each kind of factor means."""
