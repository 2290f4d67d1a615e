"""What is refused with the text alone would have been refused with the data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite import class_formulations
from test_mutations import SPEC, exchanges, kind_of, through

from treemip.core.resolve import resolve as resolving
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source
from treemip.core.syntax import nodes as n
from treemip.core.syntax.parse import parse

EARLY = ("check_places", "check_constants")


@given(data=st.data())
def test_numbers_and_indices_of_the_text(data) -> None:
    name = data.draw(st.sampled_from(class_formulations()))
    text = data.draw(exchanges(SPEC.format(kind=kind_of(name), name=name)))
    try:
        file = parse(Source("a.tree", text))
    except TreemipError:
        return
    with pytest.MonkeyPatch.context() as patch:
        for check in EARLY:
            patch.setattr(resolving, check, lambda *_: None)
        late = refused(file)
    assert refused(file) == late


def refused(file: n.File) -> bool:
    try:
        through(file)
    except TreemipError:
        return True
    return False
