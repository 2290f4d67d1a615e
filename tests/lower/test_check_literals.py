"""Names that the data do not have: all of them, each as lowering says it."""

from __future__ import annotations

import pytest

from treemip.api.program import loads
from treemip.core.lower.check_literals import check_literals
from treemip.core.source.diagnostic import TreemipError

DATA = 'data "t" { label class; group sex; id name; encode onehot; scale minmax; }\n'
HEAD = DATA + "topology complete(depth = 1);\nsplit oblique by soct;\n"
TABLE = {
    "name": ["p", "q", "r", "s"],
    "sex": ["f", "m", "f", "m"],
    "age": [30, 41, 52, 63],
    "home": ["own", "rent", "own", "free"],
    "class": ["bad", "good", "bad", "good"],
}
WRONG = [
    ('subject to r {t in branches}: uses[t,"aeg"] = 0;', '"aeg"'),
    ('subject to r: sum {t in branches, j in features_of("hom")} uses[t,j] <= 1;', '"hom"'),
    ('subject to r: sum {i in points : sex[i] = "w"} correct[i] >= 1;', '"w"'),
    ('subject to r {i in points : y[i] = "god"}: correct[i] = 1;', '"god"'),
    ('subject to r: correct["t"] = 1;', '"t"'),
    ("subject to r: correct[point(5)] = 1;", "point(5)"),
    ('minimize misclassified + uses[root,"home=rant"];', '"home=rant"'),
    ('term own = uses[root,"home=onw"]; minimize own;', '"home=onw"'),
    ('let own {k in classes} = if k = "bda" then 1 else 2; minimize own["bad"];', '"bda"'),
    ('param own = if 1 = 1 then class_count["odd"] else 0;', '"odd"'),
    ('set few = {i in points : sex[i] != "x"};', '"x"'),
    ('var v {k in classes : k != "bed"} binary; minimize sum {t in branches} active[t];', '"bed"'),
    ('var v >= class_count["bud"]; minimize v;', '"bud"'),
    (
        'subject to r: let few = {i in points : sex[i] = "n"} in sum {i in few} correct[i] = 1;',
        '"n"',
    ),
    ('subject to r: uses[root,"oge"] = 1 ==> uses[root,"age"] = 0;', '"oge"'),
]


@pytest.mark.parametrize(("line", "text"), WRONG, ids=[text for _, text in WRONG])
def test_each_is_what_lowering_says(line, text):
    program = loads(HEAD + line, TABLE)
    found = check_literals(program.spec, program.data)
    with pytest.raises(TreemipError) as error:
        program.compile()
    assert [d.span.text for d in found] == [text]
    assert tuple(found) == error.value.diagnostics


def test_all_are_found_in_the_order_of_the_text_and_each_once():
    line = 'term own = uses[root,"b"];\nminimize own + uses[root,"a"] + own;\n'
    line += 'subject to r: correct["w"] + uses[root,"c"] = 1;\ncut u: uses[root,"d"] = 0;\n'
    program = loads(HEAD + line, TABLE)
    found = check_literals(program.spec, program.data)
    assert [d.span.text for d in found] == ['"b"', '"a"', '"w"', '"c"', '"d"']


def test_good_names_are_not_complained_of():
    line = 'subject to r: uses[root,"home=own"] + correct["q"] + correct[point(4)] >= 1;\n'
    line += 's {i in points : y[i] = "good" and sex[i] = "m"}: correct[i] = 1;\n'
    program = loads(HEAD + line, TABLE)
    assert check_literals(program.spec, program.data) == []
    assert check_literals(program.spec, None) == []
