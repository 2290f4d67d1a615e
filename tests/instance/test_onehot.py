import numpy as np

from treemip.instance.encodings import OneHot


def test_a_column_for_each_level() -> None:
    coding = OneHot((0, 1, 2))
    assert coding.names("a", ("x", "y", "z")) == ("a=x", "a=y", "a=z")
    assert coding.apply(np.array([2.0, 0, 1, -1])).tolist() == [
        [0, 0, 1],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 0],
    ]


def test_the_second_of_two() -> None:
    coding = OneHot((1,))
    assert coding.names("a", ("no", "yes")) == ("a=yes",)
    assert coding.apply(np.array([0.0, 1.0])).tolist() == [[0], [1]]
