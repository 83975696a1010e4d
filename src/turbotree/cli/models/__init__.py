"""What ``turbotree parse`` does with each kind of model, and with many files."""
