// The best tree of depth 3 and more: feature by feature, each cut bounding its neighbours, as in
// sweep.py.

// Points whose best tree is known; those of others lack at most what the points in which they
// differ may cost.
struct Similar {
  vector<vector<char>> inside;
  vector<double> worth, total;

  void add(const Engine& e, const Subset& s, const Subset& part, double known) {
    vector<char> in(s.n, 0);
    double sum = 0.0;
    for (int row : part.rows) in[e.place[row]] = 1, sum += e.task.most[row];
    inside.push_back(std::move(in));
    worth.push_back(known);
    total.push_back(sum);
  }
};

struct Sweep {
  Engine& e;
  const Subset& s;
  const int node, depth;
  const double goal;
  int number, children[2];
  double relaxed, best;
  int feature = -1, bin = -1;
  std::shared_ptr<Found> below[2];
  Similar of_side[2];
  bool alike;  // whether splits below both children cost the same

  struct Cuts {  // of one feature
    int feature, best;
    vector<int> bin, position;
    vector<double> low, high, weight;
    vector<char> done;
    double price;
    size_t seen[2] = {0, 0};  // of the similar points of each side, whose bounds are in
    std::map<int, vector<double>> known[2];
  };
  vector<Cuts> features;

  Sweep(Engine& engine, int at, int levels, const Subset& subset, double below_goal)
      : e(engine), s(subset), node(at), depth(levels), goal(below_goal) {
    number = e.task.number[node];
    children[0] = e.task.left[node];
    children[1] = e.task.right[node];
    e.unsplit(s.total.data(), relaxed, best);
    relaxed += s.whole;
    best += s.whole;
    alike = cost_the_same(children[0], children[1], depth - 1);
  }

  bool cost_the_same(int a, int b, int levels) const {
    if (!levels) return true;
    for (int g = 0; g < e.P; g++)
      if (e.price(e.task.number[a], g) != e.price(e.task.number[b], g)) return false;
    return cost_the_same(e.task.left[a], e.task.left[b], levels - 1) &&
           cost_the_same(e.task.right[a], e.task.right[b], levels - 1);
  }

  double target() const { return std::min(e.below(best), goal); }

  double bound(const Cuts& f, size_t c) const { return f.price + f.low[c] + f.high[c]; }

  double bound(const Cuts& f) const {
    double least = INFINITY;
    for (size_t c = 0; c < f.bin.size(); c++) least = std::min(least, bound(f, c));
    return least;
  }

  Found run() {
    order_features();
    for (Cuts& f : features)
      if (!f.bin.empty() && !e.late()) {
        by_similar(f);
        if (bound(f, f.best) < target()) step(f, f.best);
      }
    for (Cuts& f : features) {
      sweep(f);
      relaxed = std::min(relaxed, bound(f));
    }
    Found found;
    found.relaxed = std::min(relaxed, best);
    found.exact = best < goal ? best : INFINITY;
    found.feature = feature;
    found.bin = bin;
    found.left = below[0];
    found.right = below[1];
    return found;
  }

  void order_features() {
    vector<std::pair<double, int>> order;
    vector<double> first(s.cuts());
    for (int g = 0; g < e.P; g++) {
      double cost = e.price(number, g), least = INFINITY;
      for (int c = s.start[g]; c < s.start[g + 1]; c++) {
        first[c] = e.rank(e.by_itself(s, c) + cost);
        least = std::min(least, first[c]);
      }
      if (std::isfinite(least)) order.push_back({least, g});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& one : order) features.push_back(cuts_of(one.second, first));
  }

  // Those that part points, and where every branch must split, one for each way to send all points
  // to one side.
  Cuts cuts_of(int g, const vector<double>& first) const {
    Cuts f;
    f.feature = g;
    f.price = e.price(number, g);
    f.best = 0;
    int from = s.start[g], to = s.start[g + 1];
    vector<double> value;
    if (e.must_split && s.bin[from] > 0) {
      f.bin.push_back(s.bin[from] - 1);
      f.position.push_back(0);
      f.weight.push_back(0.0);
      value.push_back(INFINITY);
    }
    for (int c = from; c < to; c++) {
      bool parts = !s.last(c) || (e.must_split && s.bin[c] + 1 < e.task.bins[g]);
      if (!parts) continue;
      // of cuts that part the points alike the last one, as thresholds are between values
      f.bin.push_back(c + 1 < to ? s.bin[c + 1] - 1 : e.task.bins[g] - 2);
      f.position.push_back(s.end[c]);
      f.weight.push_back(s.weight[c]);
      value.push_back(first[c]);
    }
    for (size_t c = 1; c < value.size(); c++)
      if (value[c] < value[f.best]) f.best = (int)c;
    double least = e.task.least_price * ((1 << (depth - 1)) - 1);
    f.low.assign(f.bin.size(), least);
    f.high.assign(f.bin.size(), least);
    f.done.assign(f.bin.size(), 0);
    return f;
  }

  // Bounds by all points whose trees are known.
  void by_similar(Cuts& f) {
    const int* order = s.order.data() + (size_t)f.feature * s.n;
    for (int side = 0; side < 2; side++) {
      Similar& similar = of_side[alike ? 0 : side];
      vector<double>& bounds = side == 0 ? f.low : f.high;
      for (size_t& k = f.seen[side]; k < similar.worth.size(); k++) {
        const char* in = similar.inside[k].data();
        double within = 0.0, whole = similar.total[k], worth = similar.worth[k];
        int r = 0;
        for (size_t c = 0; c < f.bin.size(); c++) {
          for (; r < f.position[c]; r++)
            if (in[order[r]]) within += e.task.most[s.rows[order[r]]];
          double lost = side == 0 ? whole - within : within;
          bounds[c] = std::max(bounds[c], worth - lost);
        }
      }
    }
  }

  void sweep(Cuts& f) {
    if (f.bin.empty()) return;
    by_similar(f);
    vector<int> left;
    while (true) {
      left.clear();
      double aim = target();
      for (size_t c = 0; c < f.bin.size(); c++)
        if (!f.done[c] && bound(f, c) < aim) left.push_back((int)c);
      if (left.empty()) break;
      report();
      if (e.late()) return;
      step(f, left[left.size() / 2]);
    }
    f.known[0].clear();
    f.known[1].clear();
  }

  // What is ruled out so far, where this is the whole tree.
  void report() {
    if (depth != e.root_depth || Clock::now() - e.told < std::chrono::milliseconds(100)) return;
    e.told = Clock::now();
    double low = std::min(relaxed, best);
    for (const Cuts& f : features) low = std::min(low, bound(f));
    if (low > e.control.bound) e.control.bound = low;
  }

  void step(Cuts& f, int pick) {
    const int* order = s.order.data() + (size_t)f.feature * s.n;
    auto rows = [&](int from, int to) {
      vector<int> some(to - from);
      for (int r = from; r < to; r++) some[r - from] = s.rows[order[r]];
      return some;
    };
    f.done[pick] = 1;
    double rest = target() - f.price;
    Subset part;
    e.make(&s, rows(0, f.position[pick]), part);
    Found left = solve_side(f, pick, 0, part, rest - f.high[pick]);
    for (size_t c = 0; c < f.bin.size(); c++) {
      double moved = (int)c < pick ? f.weight[pick] - f.weight[c] : 0.0;
      f.low[c] = std::max(f.low[c], left.relaxed - moved);
    }
    double room = rest - left.relaxed;
    if (std::isinf(left.exact) || f.high[pick] >= room || !e.control.complete) return;
    Subset other;
    e.make(&s, rows(f.position[pick], s.n), other);
    Found right = solve_side(f, pick, 1, other, room);
    for (size_t c = 0; c < f.bin.size(); c++) {
      double moved = (int)c > pick ? f.weight[c] - f.weight[pick] : 0.0;
      f.high[c] = std::max(f.high[c], right.relaxed - moved);
    }
    double value = f.price + left.exact + right.exact;
    if (!(value < best - 0.5 * e.task.tolerance)) return;
    best = value;
    feature = f.feature;
    bin = f.bin[pick];
    left.bound.clear();
    right.bound.clear();
    below[0] = std::make_shared<Found>(std::move(left));
    below[1] = std::make_shared<Found>(std::move(right));
    if (depth == e.root_depth && best < e.control.best) e.control.best = best;
  }

  Found solve_side(Cuts& f, int pick, int side, const Subset& part, double below_goal) {
    vector<double> near;
    bool known = inherited(f, pick, side, near);
    Found found =
        solve(e, children[side], depth - 1, part, below_goal, known ? &near : nullptr, true);
    for (int i = 0; i < s.n; i++) e.place[s.rows[i]] = i;
    of_side[alike ? 0 : side].add(e, s, part, found.relaxed);
    for (int i = 0; i < s.n; i++) e.place[s.rows[i]] = -1;
    if (!found.bound.empty()) f.known[side][pick] = std::move(found.bound);
    return found;
  }

  // What trees with each cut at the child are worth at least, from neighbouring cuts.
  bool inherited(const Cuts& f, int pick, int side, vector<double>& best_of) const {
    const auto& known = f.known[side];
    if (known.empty()) return false;
    vector<std::pair<int, const vector<double>*>> near;
    auto at = known.lower_bound(pick);
    auto back = at;
    for (int k = 0; k < NEIGHBOURS && back != known.begin(); k++) {
      --back;
      near.insert(near.begin(), {back->first, &back->second});
    }
    for (int k = 0; k < NEIGHBOURS && at != known.end(); k++, ++at)
      near.push_back({at->first, &at->second});
    std::stable_sort(near.begin(), near.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.first - pick) < std::abs(b.first - pick);
    });
    if (near.size() > NEIGHBOURS) near.resize(NEIGHBOURS);
    best_of.assign(e.first_bin[e.P], -INFINITY);
    for (auto& one : near) {
      bool larger = (one.first > pick) == (side == 0);
      double moved = larger ? std::fabs(f.weight[one.first] - f.weight[pick]) : 0.0;
      const double* bound = one.second->data();
      for (size_t b = 0; b < best_of.size(); b++) best_of[b] = std::max(best_of[b], bound[b] - moved);
    }
    return true;
  }
};
