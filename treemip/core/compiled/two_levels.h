// The best tree of depth 2: rounds of cuts of its first branch, as in two_levels.py, or all at once
// where features have few bins.

struct TwoLevels {
  Engine& e;
  const Subset& s;
  const int node;
  const double goal;
  int number, numbers[2], children[2];
  double relaxed, best;
  int feature = -1, bin = -1;
  vector<double> low, high, price, known;
  vector<char> open;
  const Tables* tables = nullptr;  // of the points, where these are summed
  const double* aim = nullptr;  // of lists of trees (fronts.h): what each cut below it is given to
  std::function<void(int, double, double)> each;

  TwoLevels(Engine& engine, int at, const Subset& subset, double below, const vector<double>* given)
      : e(engine), s(subset), node(at), goal(below) {
    number = e.task.number[node];
    children[0] = e.task.left[node];
    children[1] = e.task.right[node];
    for (int side = 0; side < 2; side++) numbers[side] = e.task.number[children[side]];
    e.unsplit(s.total.data(), relaxed, best);
    relaxed += s.whole;
    best += s.whole;
    int cuts = s.cuts();
    low.assign(cuts, e.task.least_price);
    high.assign(cuts, e.task.least_price);
    price.resize(cuts);
    for (int c = 0; c < cuts; c++) price[c] = e.price(number, s.feature[c]);
    if (given) {
      known.resize(cuts);
      for (int c = 0; c < cuts; c++) known[c] = (*given)[e.first_bin[s.feature[c]] + s.bin[c]];
    }
    open.resize(cuts);
    for (int c = 0; c < cuts; c++) open[c] = !s.last(c) && std::isfinite(price[c]);
  }

  double target() const { return aim ? *aim : std::min(e.below(best), goal); }

  double bound(int c) const {
    double b = price[c] + low[c] + high[c];
    return known.empty() ? b : std::max(b, known[c]);
  }

  Found run(bool bounds) {
    one_sided();
    vector<char> allowed = open;
    rounds();
    for (int c = 0; c < s.cuts(); c++)
      if (allowed[c]) relaxed = std::min(relaxed, bound(c));
    Found f;
    f.relaxed = std::min(relaxed, best);
    f.exact = best < goal ? best : INFINITY;
    f.feature = feature;
    f.bin = bin;
    if (bounds) expand(f.bound);
    return f;
  }

  // Bounds of cuts for all bins of the task; one without points cuts as the one before it.
  void expand(vector<double>& all) const {
    all.assign(e.first_bin[e.P], -INFINITY);
    for (int g = 0; g < e.P; g++)
      for (int c = s.start[g]; c < s.start[g + 1]; c++) {
        int stop = c + 1 < s.start[g + 1] ? s.bin[c + 1] : e.task.bins[g];
        std::fill(&all[e.first_bin[g]] + s.bin[c], &all[e.first_bin[g]] + stop, bound(c));
      }
  }

  void rounds() {
    if (few_bins(e, s)) {
      vector<int> picks;
      for (int c = 0; c < s.cuts(); c++)
        if (open[c] && bound(c) < target()) picks.push_back(c);
      if (!picks.empty()) evaluate(picks);
      return;
    }
    vector<int> picks = starts();
    while (!picks.empty()) {
      if (e.late() || !evaluate(picks)) return;
      picks = middles();
    }
  }

  // The best cut of each feature that is not ruled out.
  vector<int> starts() const {
    vector<int> picks;
    double aim = target();
    for (int g = 0; g < e.P; g++) {
      double least = INFINITY;
      int at = -1;
      for (int c = s.start[g]; c < s.start[g + 1]; c++) {
        if (!open[c] || !(bound(c) < aim)) continue;
        double first = e.rank(s.whole + price[c] + 2 * e.task.least_price + e.by_itself(s, c));
        if (first < least) least = first, at = c;
      }
      if (at >= 0) picks.push_back(at);
    }
    return picks;
  }

  // The middle of each run of cuts that are left, those of the least bounds.
  vector<int> middles() const {
    vector<int> picks;
    double aim = target();
    for (int g = 0; g < e.P; g++)
      for (int c = s.start[g]; c < s.start[g + 1]; c++) {
        if (!open[c] || !(bound(c) < aim)) continue;
        int begin = c;
        while (c + 1 < s.start[g + 1] && open[c + 1] && bound(c + 1) < aim) c++;
        picks.push_back(begin + (c + 1 - begin) / 2);
      }
    if (picks.size() > AT_ONCE) {
      std::stable_sort(picks.begin(), picks.end(), [&](int a, int b) { return e.rank(bound(a)) < e.rank(bound(b)); });
      picks.resize(AT_ONCE);
      std::sort(picks.begin(), picks.end());
    }
    return picks;
  }

  bool evaluate(vector<int>& picks) {
    Sides sides;
    vector<double>&left = sides.relaxed[0], &right = sides.relaxed[1];
    bool whole = evaluated(picks, sides);
    picks.resize(left.size());
    if (picks.empty()) return false;
    for (size_t j = 0; j < picks.size(); j++) {
      int c = picks[j];
      low[c] = std::max(low[c], left[j]);
      high[c] = std::max(high[c], right[j]);
      open[c] = 0;
    }
    spread(picks);
    vector<double> value(picks.size());
    for (size_t j = 0; j < picks.size(); j++) value[j] = price[picks[j]] + left[j] + right[j];
    vector<int> order = by_rank(value);
    if (each) {
      for (int j : order)
        if (value[j] < target()) each(picks[j], left[j], right[j]);
      return whole;
    }
    if (e.plain) {
      judge(picks[order[0]], value[order[0]]);
      return whole;
    }
    for (size_t at = 0; at < order.size(); at += EXACT) {  // the next judged by those before
      vector<int> some;
      vector<double> exact;
      double aim = target();
      for (size_t k = at; k < std::min(order.size(), at + EXACT); k++) {
        int c = picks[order[k]];
        if (!(value[order[k]] < aim)) continue;
        some.push_back(c);
        exact.push_back(price[c] + exact_of(sides, order[k], c));
        if (e.late()) whole = false;
      }
      if (some.empty()) break;
      int first = by_rank(exact)[0];
      judge(some[first], exact[first]);
      if (!whole) break;
    }
    return whole;
  }

  double exact_of(const Sides& sides, int number, int cut) const {
    if (!sides.exact[0].empty()) return sides.exact[0][number] + sides.exact[1][number];
    return e.exact_side(s, cut, 0, numbers[0]) + e.exact_side(s, cut, 1, numbers[1]);
  }

  bool evaluated(const vector<int>& picks, Sides& sides) {
    if (!tables && !pairs_pay(picks)) return e.both_sides(s, picks, numbers, sides.relaxed[0], sides.relaxed[1]);
    Tables own;
    if (!tables) own = summed();
    const Tables& by = tables ? *tables : own;
    if (by.broken()) return false;
    by.run(e, s, picks, numbers, sides);
    e.evaluated += 2 * picks.size();
    return !e.late();
  }

  // Whether one pass for each two features takes less than one for each feature and some cuts.
  bool pairs_pay(const vector<int>& picks) const {
    if (!few_bins(e, s)) return false;
    return PAIR_STEP * e.P / 2 < std::ceil((double)picks.size() / e.lanes());
  }

  Tables summed() {
    Tables to;
    auto layout = std::make_shared<const Layout>(e, s);
    if (Tables::in_units(e)) {
      to.units = std::make_shared<PairSums<int32_t>>(layout, e.Q);
      to.units->fill(e, s.rows.data(), s.n, Tables::all_units(e));
    } else {
      const auto stats = Tables::all_stats(e);
      to.stats = std::make_shared<PairSums<double>>(layout, (int)stats.size());
      to.stats->fill(e, s.rows.data(), s.n, stats);
    }
    return to;
  }

  vector<int> by_rank(const vector<double>& value) const {
    vector<int> order(value.size());
    for (size_t j = 0; j < order.size(); j++) order[j] = (int)j;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return e.rank(value[a]) < e.rank(value[b]); });
    return order;
  }

  void judge(int c, double value) {
    if (!(value < best - 0.5 * e.task.tolerance)) return;
    best = value;
    feature = s.feature[c];
    bin = s.bin[c];
    if (e.root_depth == 2 && value < e.control.best) e.control.best = value;
  }

  // Sides that grow cost no less, and those that lose points at most what these may cost.
  void spread(const vector<int>& picks) {
    for (size_t j = 0; j < picks.size(); j++) {
      int g = s.feature[picks[j]], from = s.start[g], to = s.start[g + 1];
      if (j && s.feature[picks[j - 1]] == g) continue;
      const double* w = s.weight.data();
      for (int c = from + 1; c < to; c++) low[c] = std::max(low[c], low[c - 1]);
      for (int c = to - 2; c >= from; c--) {
        low[c] = std::max(low[c], low[c + 1] - (w[c + 1] - w[c]));
        high[c] = std::max(high[c], high[c + 1]);
      }
      for (int c = from + 1; c < to; c++) high[c] = std::max(high[c], high[c - 1] - (w[c] - w[c - 1]));
    }
  }

  // Where every branch must split: all points on one side, by a threshold beyond them.
  void one_sided() {
    if (!e.must_split) return;
    for (int side = 0; side < 2; side++) {
      double least = INFINITY;
      int at = -1;
      for (int g = 0; g < e.P; g++) {
        int first = s.start[g], last = s.start[g + 1] - 1;
        bool possible = side == 0 ? s.bin[last] + 1 < e.task.bins[g] : s.bin[first] > 0;
        if (possible && e.price(number, g) < least) least = e.price(number, g), at = g;
      }
      if (at < 0) continue;
      Found all = e.single(children[side], s), none = e.empty(children[1 - side], 1);
      relaxed = std::min(relaxed, least + all.relaxed + none.relaxed);
      double value = least + all.exact + none.exact;
      if (value < best - 0.5 * e.task.tolerance) {
        best = value;
        feature = at;
        bin = side == 0 ? s.bin[s.start[at + 1] - 1] : s.bin[s.start[at]] - 1;
      }
    }
  }
};
