"""Training parsers: the data as integers, the tasks of the learners, the trainer of it all."""
