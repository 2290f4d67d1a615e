"""Parameters in settings, and the settings that `-p` sets by name."""

from __future__ import annotations

import pytest
from spec_texts import SOCT, faults, resolved

from treemip.core.resolve.settings.topology import heap_numbers

SPEC = """data "iris.csv" {
  label class;
  scale minmax(0, high);
  train share seed s;
  bin quantile(d + 1) petal_width;
}
param high = 2 * d;
param share = 0.5;
param s = 3;
param d = 2;
param seconds = 7;
topology complete(depth = d + 1);
split oblique by soct;
strategy { time_limit seconds; seed s; start search seconds seconds seed s; starts d seed 8; }
"""


def test_settings_take_parameters() -> None:
    spec = resolved(SPEC)
    assert spec.data is not None and spec.topology is not None
    assert (spec.data.train.share, spec.data.train.seed) == (0.5, 3)
    assert spec.data.scale[0].arguments[1] == 4.0
    assert len(heap_numbers(spec.topology)) == 2**4 - 1
    assert spec.data.bin[0].arguments == (3,)
    strategy = spec.strategy
    assert (strategy.time_limit, strategy.seed, strategy.starts) == (7.0, 8, 2)
    assert (strategy.search_seconds, strategy.search_seed) == (7.0, 3)


def test_options_reach_the_settings() -> None:
    spec = resolved(SPEC, ("d", "1"), ("s", "5"), ("share", "0.25"))
    assert spec.data is not None and spec.topology is not None
    assert (spec.data.train.share, spec.data.train.seed) == (0.25, 5)
    assert len(heap_numbers(spec.topology)) == 2**3 - 1


@pytest.mark.parametrize("train", ["0.5", "0.5 seed 2"])
def test_depth_and_seed_are_set_by_name(train: str) -> None:
    text = SOCT.replace("label class;", f"label class; train {train};")
    spec = resolved(text, ("depth", "3"), ("seed", "4"))
    assert spec.data is not None and spec.topology is not None
    assert len(heap_numbers(spec.topology)) == 2**4 - 1
    assert spec.data.train.seed == 4
    assert spec.overrides == (("depth", "3"), ("seed", "4"))


def test_a_fold_by_parameters() -> None:
    text = SOCT.replace("label class;", "label class; train fold k of n seed k;")
    spec = resolved(text + "param k = 2; param n = 5;", ("k", "4"))
    assert spec.data is not None
    fold = spec.data.train
    assert (fold.number, fold.count, fold.seed) == (4, 5, 4)


def test_a_parameter_called_seed_goes_first() -> None:
    text = SOCT.replace("label class;", "label class; train 0.5 seed 2;") + "param seed = 1;"
    spec = resolved(text, ("seed", "9"))
    assert spec.data is not None and spec.data.train.seed == 2


def test_columns_keep_names_that_are_also_parameters() -> None:
    text = SOCT.replace("label class;", "label class; drop petal_width;")
    spec = resolved(text + "param petal_width = 1;")
    assert spec.data is not None
    assert [ref.text for ref in spec.data.drop] == ["petal_width"]


def test_settings_that_the_spec_does_not_have() -> None:
    (fault,) = faults(SOCT, ("seed", "1"))
    assert (fault.code, fault.message, fault.remedy) == (
        "E902",
        "-p seed=1: the spec has no parameter 'seed' and no such setting",
        "declare the parameter, or write train 0.75 seed 1;",
    )
    (fault,) = faults(SOCT, ("depth", "0"))
    assert fault.message == "a complete tree has depth 1 to 16, not 0"
