"""Builds the compiled kernel with the package, where there is a C++ compiler. Without one, treemip
is installed all the same and computes by numpy."""

from __future__ import annotations

import importlib.util
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILD = Path(__file__).parent / "treemip" / "core" / "compiled" / "build.py"


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """A wheel with the library is one for this platform and any Python."""
        if self.target_name != "wheel":
            return
        found = importlib.util.spec_from_file_location("kernel_build", BUILD)
        assert found is not None and found.loader is not None
        module = importlib.util.module_from_spec(found)
        found.loader.exec_module(module)
        why = module.build()
        if why:
            self.app.display_warning(f"treemip is built without its compiled kernel: {why}")
            return
        library = module.built_library()
        build_data["artifacts"].append(library.relative_to(self.root).as_posix())
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"], build_data["tag"] = False, f"py3-none-{platform}"
