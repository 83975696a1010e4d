"""Sparse learning: penalties that groups of weights pay, budgets, the sparse learner."""
