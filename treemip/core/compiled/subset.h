// Some of the points, and what is found of a tree of theirs.

// Points of a subset. A cut is behind a bin that has points; a feature's last one parts nothing. Of
// many points in few bins no order is kept: sums are made bin by bin.
struct Subset {
  int n = 0;
  vector<int> rows;            // local -> global
  vector<int> order;           // p x n, local numbers by increasing bin; none `by_bins`
  vector<int> cut_at, each;    // `by_bins`: the cut behind each bin of the task; 0, 1, 2, ...
  vector<int> start;           // p + 1: the first cut of each feature
  vector<int> end, bin, feature;  // of each cut: points left of it, the bin, the feature
  vector<double> sums;         // (Q + E) x cuts: stats left of each cut
  vector<double> weight, base; // of each cut: greatest cost and cost of label 0 left of it
  vector<double> total;        // Q + E
  double whole = 0.0;          // cost of label 0
  bool by_bins = false;
  bool broken = false;         // there was no time for all features
  int cuts() const { return (int)end.size(); }
  bool last(int cut) const { return end[cut] == n; }

  // What is to be added for one cut of a feature after the other: order[from] up to order[end[cut]],
  // numbers of points, or `by_bins` of cuts.
  struct Places {
    const int *order, *end;
    int from;
  };
  Places places(int g) const {
    if (by_bins) return {each.data(), each.data() + 1, start[g]};
    return {order.data() + (size_t)g * n, end.data(), 0};
  }
};

struct Found {
  double relaxed = INFINITY, exact = INFINITY;
  int feature = -1, bin = -1;
  vector<double> bound;  // of each bin of the task, where asked for
  std::shared_ptr<Found> left, right;
  Found without_bounds() const { return {relaxed, exact, feature, bin, {}, left, right}; }
};
