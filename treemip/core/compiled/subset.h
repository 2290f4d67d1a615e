// Some of the points, and what is found of a tree of theirs.

// Points of a subset. A cut is behind a bin that has points; a feature's last one parts nothing.
struct Subset {
  int n = 0;
  vector<int> rows;            // local -> global
  vector<int> order;           // p x n, local numbers by increasing bin
  vector<int> start;           // p + 1: the first cut of each feature
  vector<int> end, bin, feature;  // of each cut: points left of it, the bin, the feature
  vector<double> sums;         // (Q + E) x cuts: stats left of each cut
  vector<double> weight, base; // of each cut: greatest cost and cost of label 0 left of it
  vector<double> total;        // Q + E
  double whole = 0.0;          // cost of label 0
  bool broken = false;         // there was no time for all features
  int cuts() const { return (int)end.size(); }
  bool last(int cut) const { return end[cut] == n; }
};

struct Found {
  double relaxed = INFINITY, exact = INFINITY;
  int feature = -1, bin = -1;
  vector<double> bound;  // of each bin of the task, where asked for
  std::shared_ptr<Found> left, right;
  Found without_bounds() const { return {relaxed, exact, feature, bin, {}, left, right}; }
};
