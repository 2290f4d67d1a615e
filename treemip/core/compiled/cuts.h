// What a sweep of a branch's cuts keeps of them.

// The cuts of one feature at a branch.
struct Cuts {
  int feature, best;
  vector<int> bin, position, cut;  // cut: -1 for one that sends no point left
  vector<double> low, high, weight;
  vector<char> done;  // 0, FLYING while being evaluated, or DONE
  vector<double> known_bound;  // of each cut, from neighbours of the whole set, where there are such
  vector<double> proven;  // what trees with each cut are not below, by what it was held against
  double price;
  // of the next one: the rank of its bound, and by which aim it was chosen; not yet looked for
  double least = -INFINITY, aim = INFINITY;
  int next = 0, flying = 0;
  size_t seen[2] = {0, 0};  // of the similar points of each side, whose bounds are in
  std::map<int, vector<double>> known[2];
  std::deque<int> kept[2];  // whose bounds are known, the oldest first

  void forget_next() { least = -INFINITY, aim = INFINITY, next = bin.empty() ? -1 : 0; }
};

// Points whose best tree is known; those of others lack at most what the points in which they
// differ may cost.
struct Similar {
  struct Side {
    int feature, cut, side;  // the number of the cut within the feature
    vector<char> inside;     // unless the points of both sides are summed
    double worth, total;     // what the points cost at most
  };
  vector<Side> known;

  // One side of a cut.
  void add(const Engine& e, const Subset& s, const Cuts& f, int pick, int side, double worth,
           const Slices* sums) {
    Side one{f.feature, f.cut[pick], side, {}, worth, 0.0};
    if (sums && one.cut >= 0) {
      const PairSums<double>& of = sums->whole;
      const double left = of.left(Slices::MOST, f.feature, one.cut);
      one.total = side ? of.whole(Slices::MOST) - left : left;
    } else {
      const int* order = s.order.data() + (size_t)f.feature * s.n;
      one.inside.assign(s.n, 0);
      for (int r = side ? f.position[pick] : 0; r < (side ? s.n : f.position[pick]); r++)
        one.inside[order[r]] = 1, one.total += e.task.most[s.rows[order[r]]];
    }
    known.push_back(std::move(one));
  }

  // What the points of a known side left of each cut may cost.
  static vector<double> within(const Side& one, const Engine& e, const Subset& s, const Cuts& f,
                               const Slices* sums) {
    vector<double> costs;
    const int* order = s.order.data() + (size_t)f.feature * s.n;
    double sum = 0.0;
    for (size_t c = 0, r = 0; c < f.bin.size(); c++) {
      if (one.inside.empty() && f.cut[c] >= 0) {
        const PairSums<double>& of = sums->whole;
        sum = of.left(Slices::MOST, one.feature, one.cut, f.feature, f.cut[c]);
        if (one.side) sum = of.left(Slices::MOST, f.feature, f.cut[c]) - sum;
      }
      for (; !one.inside.empty() && (int)r < f.position[c]; r++)
        if (one.inside[order[r]]) sum += e.task.most[s.rows[order[r]]];
      costs.push_back(sum);
    }
    return costs;
  }
};
