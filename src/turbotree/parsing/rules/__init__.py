"""Rules of your own about trees: what a parse has to obey, or pays for."""

from turbotree.parsing.rules.compiled import ParserRules, compile_rules, shipped_rules
from turbotree.parsing.rules.learning import learn_rule_weights

__all__ = ["ParserRules", "compile_rules", "learn_rule_weights", "shipped_rules"]
