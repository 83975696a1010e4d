"""Options: each declared once, with its panel, its completion and what it fits."""
