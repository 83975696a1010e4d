"""Showing what happens: the progress of training, reports and pictures of selections."""
