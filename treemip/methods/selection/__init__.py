"""Selection of training points among all points of the data: Zhu et al. (2020), section 3."""
