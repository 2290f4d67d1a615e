"""`python -m treemip` is `treemip`."""

from treemip.cli.entry import run

if __name__ == "__main__":
    run()
