// Sums by the bins of each two features, where features have few bins: those of the points left of any
// two cuts follow, and of such tables those of a side of a third cut.

// Where the sums of a subset's cuts are, which are numbered within their features. Sums of two features
// are kept of those that come after `after` alone.
struct Layout {
  int features, after;
  vector<int> first, within;  // (P + 1,): a feature's first cut; of each bin of the task
  vector<size_t> begin;       // (P, P): where the sums of two features are, g < h
  size_t cells = 0;

  template <class E> Layout(const E& e, const Subset& s, int after_feature = -1)
      : features(e.P), after(after_feature), first(s.start), within(e.first_bin[e.P], -1), begin((size_t)e.P * e.P) {
    for (int c = 0; c < s.cuts(); c++)
      within[e.first_bin[s.feature[c]] + s.bin[c]] = c - s.start[s.feature[c]];
    for (int g = after + 1; g < features; g++)
      for (int h = g + 1; h < features; h++) {
        begin[(size_t)g * features + h] = cells;
        cells += (size_t)cuts(g) * cuts(h);
      }
  }
  int cuts(int g) const { return first[g + 1] - first[g]; }
  int all() const { return first[features]; }
};

// Of S stats: the sums left of each cut, (S, cuts), and of each two of different features.
template <class T> struct PairSums {
  static constexpr int BLOCK = 4096;  // points whose bins stay in the processor's cache
  std::shared_ptr<const Layout> layout;
  int S;
  vector<T> single, both;
  bool broken = false;  // there was no time for all points

  PairSums(std::shared_ptr<const Layout> by, int stats)
      : layout(by), S(stats), single((size_t)stats * by->all()), both((size_t)stats * by->cells) {}

  T* table(int k, int g, int h) {
    return &both[k * layout->cells + layout->begin[(size_t)g * layout->features + h]];
  }
  const T* table(int k, int g, int h) const { return const_cast<PairSums*>(this)->table(k, g, h); }

  // stats: S arrays by points of the task. e: looks at the time.
  template <class E> void fill(E& e, const int* rows, int n, const vector<const T*>& stats) {
    const int P = layout->features;
    vector<uint16_t> at((size_t)P * BLOCK);
    vector<T> of_point((size_t)S * BLOCK);
    for (int from = 0; from < n && !broken; from += BLOCK, rows += BLOCK) {
      const int size = std::min(BLOCK, n - from);
      for (int k = 0; k < S; k++)
        for (int i = 0; i < size; i++) of_point[(size_t)k * BLOCK + i] = stats[k][rows[i]];
      for (int g = 0; g < P; g++) {
        const int *bin = e.task.bin + (size_t)g * e.N, *number = &layout->within[e.first_bin[g]];
        for (int i = 0; i < size; i++) at[(size_t)g * BLOCK + i] = (uint16_t)number[bin[rows[i]]];
      }
      for (int k = 0; k < S; k++)
        for (int g = 0; g < P; g++) add(&at[0], &of_point[(size_t)k * BLOCK], size, k, g);
      broken = e.late();
    }
    accumulate();
  }

  // Some points by the bins of a feature, and of it and those after it: several of these at a time,
  // as the next point is often in the same two bins and would have to wait.
  void add(const uint16_t* at, const T* point, int size, int k, int g) {
    const uint16_t* first = at + (size_t)g * BLOCK;
    T* alone = &single[(size_t)k * layout->all() + layout->first[g]];
    for (int i = 0; i < size; i++) alone[first[i]] += point[i];
    if (g <= layout->after) return;
    int h = g + 1;
    for (; h + 2 <= layout->features; h += 2) add_with<2>(at, point, size, k, g, h);
    for (; h < layout->features; h++) add_with<1>(at, point, size, k, g, h);
  }

  template <int SOME>
  void add_with(const uint16_t* at, const T* point, int size, int k, int g, int h) {
    const uint16_t *first = at + (size_t)g * BLOCK, *second[SOME];
    T* to[SOME];
    int width[SOME];
    for (int j = 0; j < SOME; j++) {
      second[j] = at + (size_t)(h + j) * BLOCK;
      width[j] = layout->cuts(h + j);
      to[j] = table(k, g, h + j);
    }
    for (int i = 0; i < size; i++) {
      const T more = point[i];
      const int row = first[i];
      for (int j = 0; j < SOME; j++) to[j][row * width[j] + second[j][i]] += more;
    }
  }

  // Sums of bins become sums left of cuts.
  void accumulate() {
    const int P = layout->features;
    for (int k = 0; k < S; k++)
      for (int g = 0; g < P; g++) {
        T* alone = &single[(size_t)k * layout->all() + layout->first[g]];
        for (int c = 1; c < layout->cuts(g); c++) alone[c] += alone[c - 1];
        for (int h = g + 1; g > layout->after && h < P; h++) {
          const int width = layout->cuts(h);
          T* to = table(k, g, h);
          for (int c = 0; c < layout->cuts(g); c++)
            for (int d = 1; d < width; d++) to[c * width + d] += to[c * width + d - 1];
          for (int at = width; at < layout->cuts(g) * width; at++) to[at] += to[at - width];
        }
      }
  }

  // In all, of the points of one subset.
  T whole(int k) const {
    return single[(size_t)k * layout->all() + layout->cuts(0) - 1];
  }

  // Left of cut d of h.
  T left(int k, int h, int d) const {
    return single[(size_t)k * layout->all() + layout->first[h] + d];
  }

  // Left of cut c of g and of cut d of h.
  T left(int k, int g, int c, int h, int d) const {
    if (g == h) return left(k, g, std::min(c, d));
    return g < h ? table(k, g, h)[c * layout->cuts(h) + d] : table(k, h, g)[d * layout->cuts(g) + c];
  }

  void add(const PairSums& other) {
    for (size_t c = 0; c < single.size(); c++) single[c] += other.single[c];
    for (size_t c = 0; c < both.size(); c++) both[c] += other.both[c];
    broken = broken || other.broken;
  }

  // What is left of other points when these go.
  void take_from(const PairSums& other) {
    for (size_t c = 0; c < single.size(); c++) single[c] = other.single[c] - single[c];
    for (size_t c = 0; c < both.size(); c++) both[c] = other.both[c] - both[c];
  }
};

// What the best trees of depth 1 left and right of some cuts are worth.
struct Sides {
  vector<double> relaxed[2], exact[2];
};

// That of a subset whose points are summed in a table, which may be of more bins than it has points in.
template <class T> struct ByPairs {
  const Engine& e;
  const Subset& s;
  const PairSums<T>& of;
  const int S;
  vector<double> scratch;

  ByPairs(const Engine& engine, const Subset& subset, const PairSums<T>& sums)
      : e(engine), s(subset), of(sums), S(sums.S), scratch(std::max(sums.S, 2)) {}

  int number(int cut) const { return of.layout->within[e.first_bin[s.feature[cut]] + s.bin[cut]]; }

  struct Worth {
    double relaxed = INFINITY, exact = INFINITY;
    void least(double lower, double value) {
      relaxed = std::min(relaxed, lower);
      exact = std::min(exact, value);
    }
  };

  // A leaf by its sums.
  Worth leaf(const T* sums) {
    if (std::is_integral<T>::value) {
      T least = 0;
      for (int q = 0; q < S; q++) least = std::min(least, sums[q]);
      const double value = (double)least * e.task.unit;
      return {value, value};
    }
    std::copy(sums, sums + S, scratch.begin());
    const double relaxed = e.leaf(scratch.data(), 1);
    return {relaxed, S > e.Q ? e.leaf_exact(scratch.data(), relaxed) : relaxed};
  }

  // What the best trees of depth 1 on both sides of a cut are worth, but for the costs of label 0.
  void judge(int cut, const int* numbers, Worth* best) {
    const int g = s.feature[cut], c = number(cut);
    vector<T> side[2], sum(S), rest(S), none(S, T(0));
    for (int k = 0; k < S; k++) {
      side[0].push_back(of.left(k, g, c));
      side[1].push_back(of.whole(k) - side[0][k]);
    }
    const bool may_be_empty = !std::isinf(leaf(none.data()).exact);
    for (int one = 0; one < 2; one++) {
      const Worth neither = leaf(side[one].data());
      if (!e.must_split) best[one].least(neither.relaxed, may_be_empty ? neither.exact : INFINITY);
      for (int h = 0; h < e.P; h++) {
        const double price = e.price(numbers[one], h);
        if (std::isinf(price)) continue;
        best[one].least(neither.relaxed + price, INFINITY);
        for (int at = s.start[h]; at < s.start[h + 1]; at++) {
          if (s.last(at) && !beyond(h)) continue;
          const int d = number(at);
          for (int k = 0; k < S; k++) {
            const T left = of.left(k, g, c, h, d);
            sum[k] = one ? of.left(k, h, d) - left : left;
            rest[k] = side[one][k] - sum[k];
          }
          const Worth low = leaf(sum.data()), high = leaf(rest.data());
          best[one].least(low.relaxed + high.relaxed + price, low.exact + high.exact + price);
        }
      }
    }
  }

  // Whether a threshold beyond all points of a feature counts as a split.
  bool beyond(int h) const {
    const int last = s.start[h + 1] - 1;
    return e.must_split && (s.bin[last] + 1 < e.task.bins[h] || s.bin[s.start[h]] > 0);
  }

  void run(const vector<int>& picks, const int* numbers, Sides& to) {
    for (int cut : picks) {
      Worth best[2];
      judge(cut, numbers, best);
      const double base[2] = {s.base[cut], s.whole - s.base[cut]};
      for (int side = 0; side < 2; side++) {
        to.relaxed[side].push_back(base[side] + best[side].relaxed);
        to.exact[side].push_back(base[side] + best[side].exact);
      }
    }
  }
};

// Whether all cuts of a branch are judged at once, as in bins.py.
template <class E> bool few_bins(const E& e, const Subset& s) {
  const double cuts = s.cuts(), features = e.P;
  return cuts >= FEW_BINS * features && cuts <= MANY_BINS * features &&
         s.n * features * features >= e.task.per_pair * cuts * cuts;
}

// By units where these are whole and no leaf has conditions, else by stats.
struct Tables {
  std::shared_ptr<PairSums<int32_t>> units;
  std::shared_ptr<PairSums<double>> stats;

  static bool in_units(const Engine& e) { return e.plain && e.task.whole; }
  static vector<const int32_t*> all_units(const Engine& e) { return arrays(e.task.short_units, e.Q, e.N); }
  static vector<const double*> all_stats(const Engine& e) {
    return arrays(e.task.stat, e.plain ? e.Q : e.Q + e.E, e.N);
  }
  template <class T> static vector<const T*> arrays(const T* begin, int count, int N) {
    vector<const T*> all;
    for (int k = 0; k < count; k++) all.push_back(begin + (size_t)k * N);
    return all;
  }

  bool broken() const { return units ? units->broken : stats->broken; }

  void run(const Engine& e, const Subset& s, const vector<int>& picks, const int* numbers, Sides& to) const {
    if (units)
      ByPairs<int32_t>(e, s, *units).run(picks, numbers, to);
    else
      ByPairs<double>(e, s, *stats).run(picks, numbers, to);
  }
};

// Sums left of each three cuts of different features, the last two in tables by the first.
template <class T> struct Triples {
  struct OfFeature {
    std::once_flag once;
    vector<PairSums<T>> left;  // of each cut
  };
  const Subset& s;
  const vector<const T*> stats;
  std::shared_ptr<const Layout> layout;
  std::deque<OfFeature> features;

  Triples(const Engine& e, const Subset& subset, vector<const T*> all)
      : s(subset), stats(all), layout(std::make_shared<Layout>(e, subset)), features(e.P) {}

  void fill(Engine& by, int f) {
    auto own = std::make_shared<const Layout>(by, s, f);
    const int* order = s.order.data() + (size_t)f * s.n;
    vector<PairSums<T>>& left = features[f].left;
    for (int c = s.start[f], from = 0; c < s.start[f + 1]; from = s.end[c++]) {
      vector<int> rows(s.end[c] - from);
      for (size_t r = 0; r < rows.size(); r++) rows[r] = s.rows[order[from + r]];
      left.emplace_back(own, (int)stats.size());
      left.back().fill(by, rows.data(), (int)rows.size(), stats);
      if (left.size() > 1) left.back().add(left[left.size() - 2]);
    }
  }

  // The table of the points left of cut c of f.
  std::shared_ptr<PairSums<T>> left_of(Engine& by, int f, int c) {
    auto to = std::make_shared<PairSums<T>>(layout, (int)stats.size());
    for (int g = 0; g <= f; g++) {
      std::call_once(features[g].once, [&] { fill(by, g); });
      to->broken = to->broken || features[g].left.back().broken;
    }
    const vector<PairSums<T>>& own = features[f].left;
    to->single = own[c].single;
    for (int k = 0; k < to->S; k++)
      for (int g = 0; g < layout->features; g++)
        for (int h = g + 1; h < layout->features; h++) {
          T* one = to->table(k, g, h);
          for (int a = 0; a < layout->cuts(g); a++)
            for (int d = 0; d < layout->cuts(h); d++)
              *one++ = f == g   ? own[std::min(a, c)].left(k, h, d)
                       : f == h ? own[std::min(d, c)].left(k, g, a)
                       : f < g  ? own[c].left(k, g, a, h, d)
                                : features[g].left[a].left(k, f, c, h, d);
        }
    return to;
  }

  std::shared_ptr<PairSums<T>> of_side(Engine& by, int f, int c, int side) {
    auto left = left_of(by, f, c);
    if (side) left->take_from(*left_of(by, f, layout->cuts(f) - 1));
    return left;
  }
};

// Tables of both sides of each cut of a subset.
struct Slices {
  enum { COUNT, MOST, BASE, STATS };
  const Subset& s;
  std::shared_ptr<const Layout> layout;
  PairSums<double> whole;  // the number of points, what they cost at most and by label 0, and stats
  std::unique_ptr<Triples<int32_t>> units;
  std::unique_ptr<Triples<double>> stats;

  Slices(Engine& e, const Subset& subset)
      : s(subset), layout(std::make_shared<Layout>(e, subset)), whole(layout, STATS + e.Q + e.E) {
    e.ones.resize(e.N, 1.0);
    vector<const double*> all{e.ones.data(), e.task.most, e.task.base};
    for (int k = 0; k < e.Q + e.E; k++) all.push_back(e.stat(k));
    whole.fill(e, s.rows.data(), s.n, all);
    if (Tables::in_units(e))
      units = std::make_unique<Triples<int32_t>>(e, s, Tables::all_units(e));
    else
      stats = std::make_unique<Triples<double>>(e, s, Tables::all_stats(e));
  }

  // Whether they take no more memory than they may.
  static bool fit(const Engine& e, const Subset& s) {
    const double cuts = s.cuts(), each = Tables::in_units(e) ? 4.0 * e.Q : 8.0 * (e.Q + e.E);
    return cuts * cuts / 2 * (cuts / 3 * each + 8.0 * (STATS + e.Q + e.E)) < MOST_OF_SLICES;
  }

  Tables of_side(Engine& by, int g, int c, int side) {
    if (units) return {units->of_side(by, g, c, side), nullptr};
    return {nullptr, stats->of_side(by, g, c, side)};
  }

  // The points of a side as a subset without rows.
  void make(int g, int c, int side, Subset& part) const {
    const int S = whole.S - STATS;
    auto left = [&](int k, int h, int d) {
      const double sum = whole.left(k, g, c, h, d);
      return side ? whole.left(k, h, d) - sum : sum;
    };
    part.start.assign(1, 0);
    vector<double> sums;
    for (int h = 0; h < layout->features; h++) {
      for (int d = 0, before = 0; d < layout->cuts(h); d++) {
        const int points = (int)left(COUNT, h, d);
        if (points == before) continue;
        part.end.push_back(before = points);
        part.bin.push_back(s.bin[s.start[h] + d]);
        part.feature.push_back(h);
        part.weight.push_back(left(MOST, h, d));
        part.base.push_back(left(BASE, h, d));
        for (int k = 0; k < S; k++) sums.push_back(left(STATS + k, h, d));
      }
      part.start.push_back(part.cuts());
    }
    const int last = layout->cuts(0) - 1;
    part.n = (int)left(COUNT, 0, last);
    part.whole = left(BASE, 0, last);
    for (int k = 0; k < S; k++) part.total.push_back(left(STATS + k, 0, last));
    const size_t cuts = part.cuts();
    part.sums.resize(S * cuts);
    for (int k = 0; k < S; k++)
      for (size_t at = 0; at < cuts; at++) part.sums[k * cuts + at] = sums[at * S + k];
  }
};
