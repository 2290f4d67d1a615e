import os
import signal

import numpy as np
from trying import IRIS

from treemip import loads
from treemip.core.solving.interrupt import stoppable
from treemip.core.solving.solve import solve

seen = []


def on_progress(progress):
    seen.append(progress.objective)
    if len(seen) == 3:
        os.kill(os.getpid(), signal.SIGINT)


model = loads(IRIS, base="specs/data").compile().model
with stoppable():
    answer = solve(model, "waiting", start=np.zeros(model.column_count), on_progress=on_progress)
assert answer.status == "interrupted" and len(seen) >= 3, answer
