"""Starts of a solve: trees and values that become a feasible solution before a solver runs."""
