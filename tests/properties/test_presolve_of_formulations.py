"""Every formulation has the same optimum with equal points merged as without, also with rows of
its own on leaves, groups and labels; univariate ones that of the enumeration of all trees."""

from __future__ import annotations

import numpy as np
import pytest
from enumerated import least_errors
from formulations import compiled, errors_of, table
from margins import KINDS as MARGIN_KINDS
from suite import one_in

from treemip.api.compiled import Compiled
from treemip.reform.presolve.presolve import presolved
