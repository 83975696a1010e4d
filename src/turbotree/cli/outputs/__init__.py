"""What commands write: files, trees in every format, and progress."""
