"""Running a solver, in memory or as a process; what all of them share."""
