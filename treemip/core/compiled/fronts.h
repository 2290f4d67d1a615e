// The best tree where rows couple its leaves, by lists of the trees below each cut that a Lagrangian
// bound allows and no other tree makes superfluous: what fronts.py says. Included once for each set
// of instructions, as trees.h is.

namespace TREES {

static constexpr double ROUNDED = 1e-4;  // of a unit, by which sums of multiples of it may be none

struct Fronts {
  Engine& e;
  const Rows& r;
  const size_t R, K;
  double limit, goal, room;  // room: what the task's sums of a better tree are below
  double best = INFINITY;
  vector<int32_t> best_plan;
  vector<int> feature_of;
  vector<double> scratch, total;
  vector<int32_t> plan;

  Fronts(Engine& engine, const Rows& rows, double at_most, double below_goal)
      : e(engine), r(rows), R(rows.width), K(rows.labels), limit(at_most), goal(below_goal) {
    for (int g = 0; g < e.P; g++) feature_of.insert(feature_of.end(), e.task.bins[g], g);
    scratch.resize(R + 64);
    total.resize(R);
    set_room();
  }

  void set_room() { room = std::min(limit, goal) - r.offset + e.task.tolerance; }

  // ---------------------------------------------------------------- whole trees

  // The objective of the rows in `total`, and whether they keep their limits.
  bool holds(double& objective) {
    const int32_t *offset = r.offsets, *argument = r.arguments;
    const double* to = r.to;
    for (int64_t f = 0; f < r.folds; f++) {
      int many = r.results[f];
      scratch.resize(many);
      for (int k = 0; k < many; k++) {
        double value = r.function[f] == LEAST ? INFINITY : -INFINITY;
        for (int a = offset[k]; a < offset[k + 1]; a++) {
          double one = total[argument[a]];
          if (r.function[f] == GREATEST_SIZE) one = std::fabs(one);
          value = r.function[f] == LEAST ? std::min(value, one) : std::max(value, one);
        }
        scratch[k] = value;
      }
      for (int k = 0; k < many; k++, to += R)
        for (size_t q = 0; q < R; q++) total[q] += scratch[k] * to[q];
      offset += many + 1;
    }
    objective = total[0];
    double off = 0.0;
    for (size_t q = 0; q < R; q++)
      off += (std::max(r.low[q] - total[q], 0.0) + std::max(total[q] - r.high[q], 0.0)) / r.scale[q];
    return off <= r.known_row;
  }

  // Keeps a whole tree where it is better; `total` holds its rows but for features that count.
  void judge() {
    if (r.by_feature) add_features();
    double objective;
    if (!holds(objective) || !(objective < limit)) return;
    best = objective;
    best_plan = plan;
    double size = std::max(e.task.equal * std::max(1.0, std::fabs(best)), ROUNDED * r.unit);
    limit = best - size;
    if (r.unit > 2 * size)
      limit = r.rest[0] + (std::ceil((limit - r.rest[0]) / r.unit) - 1) * r.unit + size;
    set_room();
  }

  void add_features() {
    vector<char> used(e.P, 0);
    for (size_t k = 0; k < plan.size() / 2; k++)
      if (plan[k] >= 0) used[feature_of[plan[k]]] = 1;
    for (int g = 0; g < e.P; g++)
      if (used[g] && r.counted[g])
        for (size_t q = 0; q < R; q++) total[q] += r.anywhere[g * R + q];
  }

  void judge_all(const Parts& parts) {
    for (size_t k = 0; k < parts.size() && parts.bound[k] < room; k++) {
      for (size_t q = 0; q < R; q++) total[q] = r.rest[q] + parts.rows[k * R + q];
      plan.assign(&parts.plan[k * parts.length], &parts.plan[k * parts.length] + parts.length);
      judge();
    }
  }

  // ---------------------------------------------------------------- lists

  const double* split_rows(int number, int g) const {
    return r.by_split + ((size_t)number * e.P + g) * R;
  }

  // All points of a subset in one leaf, with each label, and no points in the others.
  void single(const Subset& s, int depth, double below, Table& table) {
    if (e.must_split && depth) return;
    vector<double> none(e.Q + e.E, 0.0), sums(K * R, 0.0);
    if (std::isinf(e.leaf_exact(s.total.data(), 0.0))) return;
    if (depth && std::isinf(e.leaf_exact(none.data(), 0.0))) return;
    add_points(s, 0, s.n, nullptr, sums);
    vector<int32_t> leaf((size_t(2) << depth) - 1, -1);
    for (size_t k = 0; k < K; k++) {
      double bound = s.whole + (k ? s.total[k - 1] : 0.0);
      if (!(bound < below)) continue;
      for (size_t q = 0; q < R; q++) sums[k * R + q] += s.n ? r.by_leaf[q] : 0.0;
      std::fill(leaf.begin(), leaf.end(), -1 - (int32_t)k);
      table.add(&sums[k * R], bound, leaf.data());
    }
  }

  // What points from a place in an order to another add to the rows with each label.
  void add_points(const Subset& s, int from, int to, const int* order, vector<double>& sums) const {
    for (int i = from; i < to; i++) {
      const double* own = r.points + (size_t)s.rows[order ? order[i] : i] * K * R;
      for (size_t q = 0; q < K * R; q++) sums[q] += own[q];
    }
  }

  bool may_send_all(const Subset& s, int g) const {
    if (!s.n) return e.task.bins[g] > 1;
    return s.bin[s.start[g]] > 0 || s.bin[s.start[g + 1] - 1] + 1 < e.task.bins[g];
  }

  // A cut that sends all points to one side; `left` says to which.
  int one_sided_bin(const Subset& s, int g, bool left) const {
    if (!s.n) return 0;
    int first = s.bin[s.start[g]], last = s.bin[s.start[g + 1] - 1];
    if (left) return last + 1 < e.task.bins[g] ? last : -1;
    return first - 1;
  }

  // Trees of depth at most 1 with a bound below `below`.
  Parts of_one(int node, const Subset& s, double below) {
    Parts parts(R, 1);
    Table table(parts, r, feature_of);
    single(s, 1, below, table);
    const int number = e.task.number[node], S = e.Q + e.E;
    const size_t cuts = s.cuts();
    vector<double> whole(K * R, 0.0), left, sum(S), rest(S), low(K), high(K);
    bool summed = false;
    auto sums_of = [&](int cut) {
      for (int k = 0; k < S; k++) {
        sum[k] = cut < 0 ? s.total[k] : s.sums[k * cuts + cut];
        rest[k] = s.total[k] - sum[k];
      }
      double base = cut < 0 ? s.whole : s.base[cut];
      for (size_t k = 0; k < K; k++) {
        low[k] = base + (k ? sum[k - 1] : 0.0);
        high[k] = s.whole - base + (k ? rest[k - 1] : 0.0);
      }
      return *std::min_element(low.begin(), low.end()) + *std::min_element(high.begin(), high.end());
    };
    auto add = [&](int g, int bin, bool many_left, bool many_right) {
      if (std::isinf(e.leaf_exact(sum.data(), 0.0)) || std::isinf(e.leaf_exact(rest.data(), 0.0)))
        return;
      const double cost = e.price(number, g), *own = split_rows(number, g);
      vector<double>& rows = total;
      for (size_t a = 0; a < K; a++)
        for (size_t b = 0; b < K; b++) {
          double bound = low[a] + high[b] + cost;
          if (!(bound < below)) continue;
          for (size_t q = 0; q < R; q++)
            rows[q] = left[a * R + q] + (whole[b * R + q] - left[b * R + q]) + own[q] +
                      r.by_leaf[q] * (many_left + many_right);
          int32_t tree[3] = {e.first_bin[g] + bin, -1 - (int32_t)a, -1 - (int32_t)b};
          table.add(rows.data(), bound, tree);
        }
    };
    for (int g = 0; g < e.P; g++) {
      const double cost = e.price(number, g);
      if (std::isinf(cost)) continue;
      int done = 0;
      bool begun = false;
      auto begin = [&]() {
        if (!summed) add_points(s, 0, s.n, nullptr, whole);
        summed = true;
        if (!begun) left.assign(K * R, 0.0);
        begun = true;
      };
      for (int c = s.start[g]; c + 1 < s.start[g + 1]; c++) {
        if (!(sums_of(c) + cost < below)) continue;
        begin();
        add_points(s, done, s.end[c], s.order.data() + (size_t)g * s.n, left);
        done = s.end[c];
        add(g, s.bin[c], true, true);
      }
      if (!e.must_split || !may_send_all(s, g) || !(sums_of(-1) + cost < below)) continue;
      begin();
      left = whole;
      int bin = one_sided_bin(s, g, true);
      if (bin >= 0) {
        add(g, bin, s.n > 0, false);
        continue;
      }
      std::swap(low, high);
      std::swap(sum, rest);
      left.assign(K * R, 0.0);
      add(g, one_sided_bin(s, g, false), false, s.n > 0);
    }
    finish(parts);
    return parts;
  }

  // Trees of depth at most `depth` with a bound below `below`. given: bounds of cuts by bins.
  Parts of(int node, int depth, const Subset& s, double below, const vector<double>* given) {
    if (depth == 1) return of_one(node, s, below);
    Parts parts(R, depth);
    Table table(parts, r, feature_of);
    single(s, depth, below, table);
    cuts(node, depth, s, below, given, &table);
    finish(parts);
    return parts;
  }

  // All cuts of a node whose bounds leave room: trees of both sides are joined into the table, or
  // judged as whole trees where there is none.
  void cuts(int node, int depth, const Subset& s, const double& below, const vector<double>* given,
            Table* table) {
    if (depth == 2) {
      TwoLevels two(e, node, s, INFINITY, given);
      two.aim = &below;
      two.each = [&](int c, double left, double right) {
        cut(node, depth, s, s.feature[c], s.bin[c], below, {left, right}, nullptr, table);
      };
      two.rounds();
    }
    if (depth > 2 && s.n) {
      Sweep sweep(e, node, depth, s, INFINITY);
      sweep.given = &below;
      sweep.each = [&](const Cuts& f, int pick, const Found& left, const Found& right) {
        const vector<double>* known[2] = {nullptr, nullptr};
        for (int side = 0; side < 2; side++) {
          auto at = f.known[side].find(pick);
          if (at != f.known[side].end()) known[side] = &at->second;
        }
        cut(node, depth, s, f.feature, f.bin[pick], below, {left.exact, right.exact}, known, table);
      };
      sweep.run();
    }
    if (e.must_split && (depth == 2 || !s.n)) one_sided(node, depth, s, below, table);
  }

  // All points on one side, by one of those features whose splits add the same.
  void one_sided(int node, int depth, const Subset& s, const double& below, Table* table) {
    const int number = e.task.number[node];
    const double least = e.task.least_price * ((1 << (depth - 1)) - 1);
    for (int side = 0; side < 2; side++)
      for (int g = 0; g < e.P; g++) {
        if (std::isinf(e.price(number, g))) continue;
        int bin = may_send_all(s, g) ? one_sided_bin(s, g, side == 0) : -1;
        if (bin < 0) continue;
        bool known = false;
        for (int h = 0; h < g && !known; h++)
          known = !r.counted[g] && !r.counted[h] && std::isfinite(e.price(number, h)) &&
                  may_send_all(s, h) && one_sided_bin(s, h, side == 0) >= 0 &&
                  std::equal(split_rows(number, g), split_rows(number, g) + R, split_rows(number, h));
        if (!known) cut(node, depth, s, g, bin, below, {least, least}, nullptr, table);
      }
  }

  // One cut, with what the trees of its two sides are worth at least.
  void cut(int node, int depth, const Subset& s, int g, int bin, const double& below,
           std::pair<double, double> sides, const vector<double>** known, Table* table) {
    const int number = e.task.number[node];
    const double price = e.price(number, g);
    const double low = sides.first, high = sides.second;
    if (!(low + high + price < below) || e.late()) return;
    vector<int> rows[2];
    for (int row : s.rows) rows[e.bin_of(g, row) > bin].push_back(row);
    Subset left, right;
    e.make(&s, std::move(rows[0]), left, true);
    if (left.broken) return;
    Parts first = of(e.task.left[node], depth - 1, left, below - price - high,
                     known ? known[0] : nullptr);
    if (!first.size()) return;
    e.make(&s, std::move(rows[1]), right, true);
    if (right.broken) return;
    Parts second = of(e.task.right[node], depth - 1, right, below - price - first.bound[0],
                      known ? known[1] : nullptr);
    join(depth, number, g, bin, first, second, below, table);
  }

  void join(int depth, int number, int g, int bin, const Parts& left, const Parts& right,
            const double& below, Table* table) {
    const double price = e.price(number, g), *own = split_rows(number, g);
    vector<int32_t> tree((size_t(2) << depth) - 1);
    vector<double> base(R);
    tree[0] = e.first_bin[g] + bin;
    size_t seen = 0;
    for (size_t i = 0; i < left.size(); i++) {
      for (size_t q = 0; q < R; q++)
        base[q] = left.rows[i * R + q] + own[q] + (table ? 0.0 : r.rest[q]);
      place_below(&left.plan[i * left.length], left.length, 0, tree.data());
      for (size_t j = 0; j < right.size(); j++) {
        double bound = price + left.bound[i] + right.bound[j];
        if (!(bound < below)) break;
        if ((++seen & 1023) == 0 && e.late()) return;
        const double* other = &right.rows[j * R];
        for (size_t q = 0; q < R; q++) total[q] = base[q] + other[q];
        if (!table && !r.folds && !r.by_feature && !may_hold()) continue;
        place_below(&right.plan[j * right.length], right.length, 1, tree.data());
        if (table) {
          table->add(total.data(), bound, tree.data());
          if (table->parts.size() > (size_t)r.most) {
            e.control.complete = 0;
            e.control.stop = 1;
            return;
          }
        } else {
          plan = tree;
          judge();
        }
      }
    }
  }

  // Whether the rows in `total` are better and keep their limits, where nothing else is added.
  bool may_hold() const {
    if (!(total[0] < limit)) return false;
    for (size_t q = 1; q < R; q++) {
      double size = r.known_row * r.scale[q];
      if (total[q] > r.high[q] + size || total[q] < r.low[q] - size) return false;
    }
    return true;
  }

  // ---------------------------------------------------------------- dominance

  // Without trees that another is never worse than, those of the least bounds first.
  void finish(Parts& parts) const {
    if (r.dominance && parts.size() > 1) R == 2 ? stairs(parts) : pivots(parts);
    parts.sort();
  }

  void stairs(Parts& parts) const {
    const double way = r.way[1];
    vector<int> order(parts.size()), kept;
    for (size_t k = 0; k < order.size(); k++) order[k] = (int)k;
    auto rows = [&](int k) { return &parts.rows[(size_t)k * R]; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      double one = way * rows(a)[1], other = way * rows(b)[1];
      return one < other || (one == other && rows(a)[0] < rows(b)[0]);
    });
    double least = INFINITY;
    for (int k : order)
      if (rows(k)[0] < least) {
        least = rows(k)[0];
        kept.push_back(k);
      }
    parts.take(kept);
  }

  static constexpr size_t PIVOTS = 200, TRIED = 16;

  void pivots(Parts& parts) const {
    vector<std::pair<double, int>> order;
    for (size_t k = 0; k < parts.size(); k++) {
      double sum = parts.rows[k * R] / r.scale[0];
      for (size_t q = 1; q < R; q++) sum += r.way[q] * parts.rows[k * R + q] / r.scale[q];
      order.push_back({sum, (int)k});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    vector<int> left, kept;
    for (auto& one : order) left.push_back(one.second);
    const size_t all = left.size();
    while (!left.empty() && kept.size() < PIVOTS) {
      int pivot = left[0];
      kept.push_back(pivot);
      size_t at = 0;
      for (size_t k = 1; k < left.size(); k++)
        if (!never_worse(&parts.rows[pivot * R], &parts.rows[left[k] * R])) left[at++] = left[k];
      left.resize(at);
      if (kept.size() == TRIED && 10 * (kept.size() + left.size()) > 9 * all) break;
    }
    kept.insert(kept.end(), left.begin(), left.end());
    parts.take(kept);
  }

  bool never_worse(const double* one, const double* other) const {
    if (one[0] > other[0]) return false;
    for (size_t q = 1; q < R; q++) {
      double more = one[q] - other[q];
      if (r.way[q] ? r.way[q] * more > 0 : more != 0.0) return false;
    }
    return true;
  }

  // ---------------------------------------------------------------- the whole

  void run(int node, int depth, const Subset& s) {
    if (s.broken) return;
    if (depth == 1) return judge_all(of_one(node, s, room));
    Parts parts(R, depth);
    Table table(parts, r, feature_of);
    single(s, depth, room, table);
    parts.sort();
    judge_all(parts);
    cuts(node, depth, s, room, nullptr, nullptr);
  }
};

// The best tree where rows couple its leaves, as a plan; control.best says whether there is one.
inline void solve_coupled(const Task& task, Control& control, const Rows& rows, int node, int depth,
                          vector<int> points, double limit, double goal, int32_t* plan) {
  Call call(task, control, depth, std::move(points), true);
  Fronts fronts(call.engine, rows, limit, goal);
  fronts.run(node, depth, call.subset);
  if (!fronts.best_plan.empty()) control.best = fronts.best;
  std::copy(fronts.best_plan.begin(), fronts.best_plan.end(), plan);
  call.end();
}

}  // namespace TREES
