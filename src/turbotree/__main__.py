"""``python -m turbotree`` is the command ``turbotree``."""

from turbotree.cli import main

if __name__ == "__main__":
    main()
