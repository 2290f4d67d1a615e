import numpy as np
import pytest

from treemip.core.instance.row_location import RowLocation
from treemip.core.source.diagnostic import TreemipError
from treemip.core.source.span import Source

SOURCE = Source("a.tree", "data block, scale a")
BLOCK, SCALE = SOURCE.span(0, 10), SOURCE.span(12, 19)


def test_rows_are_counted_as_the_user_does() -> None:
    assert RowLocation("a.csv").row(0) == "row 1 of a.csv"
    place = RowLocation("a.csv", np.array([3, 7]))
    assert place.row(1) == "row 7 of a.csv"
    assert place.row_at(np.array([1, 0, 1])).tolist() == [7, 3, 7]
    assert RowLocation().row_at(np.array([4])).tolist() == [5]


@pytest.mark.parametrize(
    ("column", "text"), [("a", "scale a"), ("b", "data block"), ("", "data block")]
)
def test_a_fault_stands_at_its_setting(column: str, text: str) -> None:
    place = RowLocation("a.csv", span=BLOCK, spans={"a": SCALE})
    with pytest.raises(TreemipError) as caught:
        place.fail("E304", "a fault", "a remedy", "a caret", column=column)
    (fault,) = caught.value.diagnostics
    assert fault.span is not None and fault.span.text == text
    assert (fault.code, fault.message, fault.remedy, fault.caret) == (
        "E304",
        "a fault",
        "a remedy",
        "a caret",
    )
