"""Points to train on, chosen from all of a data file's: Zhu et al. (2020), section 3."""
