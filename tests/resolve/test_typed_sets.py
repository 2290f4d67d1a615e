"""Domains with tuples as texts, whole tuples together."""

from __future__ import annotations

import pytest

from treemip.api.program import loads
from treemip.core.resolve.typed_sets import domain_text

HEAD = (
    'data "points.csv" { label y; }\ntopology complete(depth = 1); split univariate by oct;\n'
    "set pairs = {i in points, k in points : ord(i) < ord(k)};\n"
    "set rows {t in branches} = {i in points, r in 1..2, j in features : r != depth(t)};\n"
)


@pytest.mark.parametrize(
    "domain",
    [
        "{(i, k) in pairs}",
        "{l in leaves, (i, k) in pairs, (a, b) in pairs : ord(i) = 1 and a = k}",
        "{t in branches, (i, r, j) in rows[t], h in 1..r : h < 2}",
        "{i in points : 1 < 2}",
    ],
)
def test_a_domain_is_written_as_it_was(domain: str) -> None:
    spec = loads(f"{HEAD}param p {domain} = 1;").spec
    parameter = next(s for s in spec.parameters if s.name == "p")
    written = domain_text(parameter.domain)
    assert written == domain
