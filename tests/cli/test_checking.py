def test_a_formulation_is_checked_as_in_a_spec_that_names_it(run, tmp_path):
    path = tmp_path / "mine.tree"
    path.write_text('formulation mine splits univariate "Me";\nuse univariate_routing;\n')
    said = run("check", path)
    fine = "fine; a formulation, checked as in a spec that names it"
    assert (said.code, said.out, said.err) == (0, f"{path}: {fine}\n", "")
    path.write_text(path.read_text() + "minimize price: 3 * splitz;\n")
    said = run("check", path)
    assert said.code == 2
    assert f"error[E201]: unknown name 'splitz'\n --> {path}:3:21\n" in said.err
    path.write_text(
        'formulation mine splits univariate "Me";\nuse univariate_routing;\n'
        "minimize price: sum {i in points} cost_of[i];\n"
    )
    said = run("check", path)
    assert said.out == f"{path}: {fine}; the spec has to declare 'cost_of'\n"
