"""`python -m treemip` is `treemip`."""

from treemip.cli.main import run

if __name__ == "__main__":
    run()
