"""The best split of one branch, all others fixed: by one feature, a hyperplane or categories."""
