"""Models as CasADi expressions, their derivatives, and Ipopt from its wheel."""
