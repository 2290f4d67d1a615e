"""Node-based decomposition: Amaldi, Consolo and Manno (2023), section 6."""
