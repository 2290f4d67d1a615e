"""Files of predictions in the format of their name: text with commas or tabs, or Parquet."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from treemip.cli.streaming import Batch, as_text
from treemip.core.files.atomic import replacing
from treemip.core.files.undo import undoing
from treemip.core.resolve.settings.data_spec import is_parquet
from treemip.core.source.diagnostic import Diagnostic, TreemipError, refused
from treemip.core.source.extras import pip_install

TABS = (".tsv", ".tab")
OTHERS = re.compile(
    r"\.(jsonl?|ndjson|geojson|ya?ml|toml|xml|html?|md|pdf|tex|xls[xmb]?|ods|feather|arrow|ipc|avro"
    r"|orc|pkl|pickle|joblib|np[yz]|h5|hdf5?|mat|rds|rdata|sav|dta|sas7bdat|db|duckdb|sqlite3?|sql"
    r"|arff|zip|bz2|xz|zst|7z|tar)"
)
"""Suffixes of files that are no table of text, which are not written."""


def demand_format(output: Path, what: str = "predictions are") -> None:
    """E902 where the name is that of another format, E602 for Parquet without polars."""
    if is_parquet(output.name):
        _polars()
        return
    packed = output.suffix.lower() == ".gz"
    inner = Path(output.stem) if packed else output
    suffix = inner.suffix.lower()
    if OTHERS.fullmatch(suffix) or (packed and is_parquet(inner.name)):
        message = f"'{output}' cannot be written: {what} CSV or Parquet, not {suffix}"
        raise refused(message, f"name it '{inner.stem}.csv' or '{inner.stem}.parquet'")


def write_predictions(output: Path, batches: Iterator[Batch]) -> None:
    """The table in the format of the output's name, or no file after an error.

    Raises TreemipError: E603, and what `batches` raises.
    """
    with replacing(output) as file:
        if is_parquet(output.name):
            _write_parquet(file, output.resolve().parent, batches)
            return
        name = output.stem if output.suffix.lower() == ".gz" else output.name
        separator = "\t" if Path(name).suffix.lower() in TABS else ","
        file.writelines(text.encode() for text in as_text(batches, separator))


def _write_parquet(file: BinaryIO, folder: Path, batches: Iterator[Batch]) -> None:
    """Each batch to a file of its own beside the output, and these into one as a stream, so that
    memory does not grow with the number of rows."""
    polars = _polars()
    parts = TemporaryDirectory(prefix=".treemip-", dir=folder)
    with undoing(parts.cleanup), parts as name:
        try:
            paths = []
            for k, batch in enumerate(batches):
                frame = polars.DataFrame(batch.columns)
                paths.append(Path(name, f"{k:08}.parquet"))
                (frame if batch.which is None else frame[batch.which]).write_parquet(paths[-1])
            whole = Path(name, "whole.parquet")
            polars.scan_parquet(paths, glob=False).sink_parquet(whole)
        except polars.exceptions.PolarsError as error:  # such as a full disk
            raise OSError(str(error)) from error
        with whole.open("rb") as written:
            shutil.copyfileobj(written, file)


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        remedy = f"{pip_install('parquet')}, or name the output .csv"
        message = "writing Parquet needs polars"
        raise TreemipError(Diagnostic.outside("E602", message, remedy)) from None
    return polars
