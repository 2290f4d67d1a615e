"""A compiled spec as files: for solvers, with a start and priorities beside, and as a script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from treemip.api.live import SolverModels
from treemip.core.files.profiles import profile_named
from treemip.core.source.diagnostic import Diagnostic, refused

if TYPE_CHECKING:
    from treemip.api.compiled import Compiled
    from treemip.core.files.model_files import WriteReport


class WrittenModel(SolverModels):
    """The part of `Compiled` that writes its model to files, beside handing it over in memory."""

    @property
    def target(self) -> str:
        raise NotImplementedError

    def write(
        self,
        path: str | Path,
        *,
        names: Literal["spec", "short"] = "spec",
        map_path: str | Path | None = None,
        cuts: Literal["rows", "lazy", "user"] = "rows",
        fixed: bool = False,
    ) -> WriteReport:
        """Write a model file for `target`: .mps, .lp, .nl or .mof.json, compressed with .gz.

        cuts: what becomes of rows of `cut` families: ordinary rows, lazy constraints or user
        cuts. fixed: MPS in fixed columns, for old readers. Raises E902 for another suffix, E601
        for what the target's reader lacks, E603.
        """
        self.require_one_objective()
        from treemip.core.files.model_files import write_model

        profile = profile_named(self.target)
        return write_model(
            self.model,
            path,
            names=names,
            map_path=map_path,
            profile=profile,
            cuts=cuts,
            fixed=fixed,
        )

    def write_start(
        self,
        path: str | Path,
        start: str | None = None,
        *,
        names: Literal["spec", "short"] = "spec",
        time_limit: float = 60.0,
    ) -> list[Diagnostic]:
        """Write a start for the model's file, in the form that `target` reads.

        The start is that of `start_values`, in at most `time_limit` seconds. Returns warnings;
        where there is no solution to begin with, no file is written. Raises E601 for a target
        without start files, E603, E902 for the start "none".
        """
        self.require_one_objective()
        from treemip.core.files.search_hints import require_start, write_start

        profile = profile_named(self.target)
        require_start(profile)
        if start == "none":
            raise refused("the start 'none' has no values to write", 'such as start="cart"')
        values, notes = self.start_values(start, time_limit=time_limit)
        if values is not None:
            write_start(self.model, values, path, profile, names)
        return notes

    def write_priorities(
        self, path: str | Path, *, names: Literal["spec", "short"] = "spec"
    ) -> int:
        """Write the strategy's branching priorities as `target` reads them; how many there are.

        Raises E601 for a target without such files and for a model without priorities, E603.
        """
        self.require_one_objective()
        from treemip.core.files.search_hints import write_order

        return write_order(self.model, path, profile_named(self.target), names)

    def to_script(self, target: str, file_name: str = "model.py") -> tuple[str, str]:
        """A program over indexed sets that needs no treemip, and the text of its data.

        target: "pyomo", "gurobipy", "pyscipopt", "cvxpy" or "ampl". The data go beside the script:
        a model.py takes them from model_data.json, AMPL's model.mod from model.dat. Raises E601
        for what the target cannot state exactly, E602, E902.
        """
        from treemip.api.exporting import to_script

        return to_script(cast("Compiled", self), target, file_name)
