"""The process: signals, standard streams that are closed, errors in one line."""
