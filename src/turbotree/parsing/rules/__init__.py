"""Rules of your own about trees: what a parse has to obey, or pays for."""

from turbotree.parsing.rules.compiled import ParserRules, compile_rules, shipped_rules

__all__ = ["ParserRules", "compile_rules", "shipped_rules"]
