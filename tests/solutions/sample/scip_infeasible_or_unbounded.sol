solution status: infeasible or unbounded
no solution available
