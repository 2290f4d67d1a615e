"""Variables that concepts name mean what the concepts mean."""

from __future__ import annotations

import treemip
from treemip.core.resolve.spec import Spec

OWN = """data "t" { label c; } topology complete(depth = 1);
formulation mine splits univariate;
var a {t in branches, j in features} binary;
var b {t in branches} >= 0, <= 1;
var z {i in points, l in leaves} binary;
var p {l in leaves, k in classes} binary;
var d {t in branches} binary;
var e {t in branches} binary;
let coef {t in branches, j in features} = a[t,j];
let bias {t in branches} = b[t];
let reach {i in points, l in leaves} = z[i,l];
let label {l in leaves, k in classes} = p[l,k];
let active {t in branches} = d[t];
%s
minimize misclassified + splits + sum {t in branches} e[t];
subject to one {t in branches}: sum {j in features} a[t,j] = d[t];
route left when dot(coef[t,*], x[i,*]) < bias[t];
"""


def spec(more: str = "") -> Spec:
    data = {"u": [0.0, 1.0], "c": ["n", "y"]}
    return treemip.loads(OWN % more, data=data).instance.spec


def meaningful(one: Spec) -> set[str]:
    return {v.name for v in one.variables if v.means is not None}


def test_a_variable_that_a_concept_names_means_the_concept() -> None:
    own = spec()
    assert meaningful(own) == {"z", "p", "d"}
    (d,) = (v for v in own.variables if v.name == "d")
    assert d.means is own.concepts["active"].means


def test_coefficients_by_which_uses_are_said_have_no_meaning() -> None:
    """`uses` means that a coefficient is not 0, so a coefficient cannot mean a use."""
    assert "a" not in meaningful(spec("let uses {t in branches, j in features} = a[t,j];"))


def test_what_is_more_than_another_name_says_nothing() -> None:
    own = spec("let occupied {l in leaves} = sum {i in points} z[i,l];")
    assert meaningful(own) == {"z", "p", "d"}
