"""Terms written out with what is given for their parameters."""

from __future__ import annotations

from exported import ONE, SMALL

import treemip
from treemip.render.ampl.dialect import substituted
from treemip.resolve import typed as t


def objective(text):
    spec = treemip.loads(text).spec
    return spec.objective.value


def test_every_mention_is_replaced_and_the_rest_kept():
    text = SMALL + ONE + "split oblique by octh; term tilt(most) ="
    text += " sum {t in branches : depth(t) < most} max(0, active[t] - most);"
    text += " minimize misclassified + tilt(0.5);"
    mention = objective(text).right
    assert mention.symbol.parameters == ("most",)
    value = mention.symbol.value
    found = substituted(value, {"most": mention.arguments[0]})
    assert "most" in value.free
    assert not found.free
    assert found.binders[0].conditions[0].right == t.Const(value=0.5, span=value.span)
    assert substituted(value, {}) is value
    assert substituted(value, {"least": mention.arguments[0]}) is value
