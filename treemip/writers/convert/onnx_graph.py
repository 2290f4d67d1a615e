"""An ONNX graph under construction: operators, constants and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treemip.core.source.diagnostic import Diagnostic, TreemipError
from treemip.core.source.extras import pip_install

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto

OPERATORS, ML_OPERATORS, IR_VERSION = 17, 3, 8
"""Versions of ONNX 1.12 (2022): the oldest that has all operators in double precision."""

ML = "ai.onnx.ml"


def demand_onnx() -> None:
    """Raises E602 where the package is missing."""
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        message = f"the package 'onnx' is not installed or does not load: {error}"
        raise TreemipError(Diagnostic.outside("E602", message, pip_install("onnx"))) from None


@dataclass
class Graph:
    """Values are the names of tensors. `taken` are names that no operator's result may have."""

    taken: Iterable[str]
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)
    inputs: list[ValueInfoProto] = field(default_factory=list)
    outputs: list[ValueInfoProto] = field(default_factory=list)
    prefix: str = "value"
    _known: dict[tuple[Any, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        while any(name.startswith(self.prefix) for name in self.taken):
            self.prefix += "_"

    def apply(self, operator: str, *operands: str, domain: str = "", **attributes: Any) -> str:
        """The result of an operator; the same one for the same call."""
        from onnx import helper

        key = (operator, operands, domain, repr(sorted(attributes.items())))
        if key not in self._known:
            self._known[key] = name = f"{self.prefix}{len(self.nodes)}"
            node = helper.make_node(operator, operands, [name], domain=domain, **attributes)
            self.nodes.append(node)
        return self._known[key]

    def fold(self, operator: str, values: Sequence[str]) -> str:
        """The values from left to right, combined two by two; there is at least one."""
        result, *others = values
        for value in others:
            result = self.apply(operator, result, value)
        return result

    def constant(self, values: Any, kind: Any = np.float64) -> str:
        """A tensor of numbers, truth values or texts; the same one for equal values."""
        from onnx import helper, numpy_helper

        array = np.array(values, object if kind is str else kind)
        content = tuple(array.ravel().tolist()) if kind is str else array.tobytes()
        key = ("constant", str(array.dtype), array.shape, content)
        if key not in self._known:
            self._known[key] = name = f"{self.prefix}_c{len(self.constants)}"
            if kind is str:
                texts = [text.encode() for text in array.ravel().tolist()]
                tensor = helper.make_tensor(name, helper.TensorProto.STRING, array.shape, texts)
            else:
                tensor = numpy_helper.from_array(array, name)
            self.constants.append(tensor)
        return self._known[key]

    def add_input(self, name: str, kind: Any) -> str:
        self.inputs.append(_tensor(name, kind, ("rows", 1)))
        return name

    def add_output(self, name: str, value: str, kind: Any, shape: Sequence[str | int]) -> None:
        from onnx import helper

        while name in self.taken:
            name += "_"
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(_tensor(name, kind, shape))

    def model(self, name: str, description: str) -> ModelProto:
        """The checked model. Raises onnx.checker.ValidationError."""
        from onnx import checker, helper

        parts = (self.nodes, name, self.inputs, self.outputs, self.constants)
        model = helper.make_model(
            helper.make_graph(*parts),
            opset_imports=[
                helper.make_opsetid("", OPERATORS),
                helper.make_opsetid(ML, ML_OPERATORS),
            ],
            ir_version=IR_VERSION,
            producer_name="treemip",
            doc_string=description,
        )
        checker.check_model(model, full_check=True)
        return model


def _tensor(name: str, kind: Any, shape: Sequence[str | int]) -> ValueInfoProto:
    from onnx import helper

    types = helper.TensorProto
    number = types.STRING if kind is str else helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    return helper.make_tensor_value_info(name, number, shape)
