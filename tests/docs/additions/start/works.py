from trying import IRIS, solved

seen = []
result = solved(
    IRIS.replace("binoct", "oct"),
    start="one_class",
    solver="highs",
    on_progress=lambda progress: seen.append((progress.stage, progress.objective)),
)
assert result.answer.start_accepted, seen
