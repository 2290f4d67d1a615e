// What leaves are worth by the sums of their points: relaxed, and with conditions and prices of leaves.

struct Leaves {
  const Task& task;
  const int Q, E;
  const bool must_split, plain;
  TimesLog times_log;
  explicit Leaves(const Task& t)
      : task(t), Q(t.stats), E(t.extra), must_split(t.must_split), plain(t.plain) {
    if (t.curve == LOG_SHARES) times_log = TimesLog::of(t);
  }

  double place_of(double slope, double bend, double size) const {
    double at = bend > size ? -slope / (2 * bend)
                            : (std::fabs(slope) > size ? (slope > 0 ? -1.0 : 1.0) : 0.0);
    return std::min(std::max(at, task.low_place), task.high_place);
  }

  double parabola(double middle, double last) const {
    double slope = last / 2, bend = last / 2 - middle;
    double size = task.equal * std::max(std::fabs(middle), std::fabs(last));
    double at = place_of(slope, bend, size);
    return middle + slope * at + bend * at * at;
  }

  // a + b v - c log v where it is least.
  double log_linear(double middle, double last) const {
    const double* by = task.parts;
    double a = by[0] * middle + by[1] * last, b = by[2] * middle + by[3] * last;
    double c = by[4] * middle + by[5] * last;
    double at = b > 0 ? std::max(c, 0.0) / b : INFINITY;
    at = std::min(std::max(at, task.low_place), task.high_place);
    return a + b * at - c * std::log(at);
  }

  // The cost of the best label but for that of label 0; sums with a stride.
  double leaf(const double* sums, size_t stride) const {
    if (task.curve == PARABOLA) return parabola(sums[0], sums[stride]);
    if (task.curve == LOG_LINEAR) return log_linear(sums[0], sums[stride]);
    auto of_class = [&](int q) { return sums[q * stride]; };
    if (task.curve == QUADRATIC_SHARES) return quadratic_shares<double>(Q, of_class);
    if (task.curve == LOG_SHARES) return log_shares<double>(Q, times_log, of_class);
    double least = 0.0;
    for (int q = 0; q < Q; q++) least = std::min(least, sums[q * stride]);
    return least;
  }

  double leaf_exact(const double* sums, double relaxed) const {  // sums of Q + E
    if (plain) return relaxed;
    bool some = sums[Q + E - 1] > 0.5;
    for (int k = 0; k + 1 < E; k++) {
      double value = sums[Q + k] + (some ? task.jump[k] : 0.0);
      if (!(value >= task.low[k] - task.size[k] && value <= task.high[k] + task.size[k]))
        return INFINITY;
    }
    return relaxed + (some ? task.leaf_price : 0.0);
  }

  // All points in one leaf, where a branch may be without a split.
  void unsplit(const double* total, double& relaxed, double& exact) const {
    relaxed = exact = INFINITY;
    if (must_split) return;
    relaxed = leaf(total, 1);
    exact = leaf_exact(total, relaxed);
    vector<double> none(Q + E, 0.0);
    if (std::isinf(leaf_exact(none.data(), leaf(none.data(), 1)))) exact = INFINITY;
  }

  // Of many at once, a lane each.
  static Row<double> size_of(const Row<double>& v) { return most_of(v, Row<double>() - v); }

  Row<double> parabola(const Row<double>& middle, const Row<double>& last) const {
    typedef Row<double> R;
    const R slope = last * R(0.5), bend = slope - middle, none;
    const R size = R(task.equal) * most_of(size_of(middle), size_of(last));
    const R down = where_less(none, slope, R(-1.0), R(1.0));
    const R flat = where_less(size, size_of(slope), down, none);
    const R at = where_less(size, bend, (none - slope) / (bend + bend), flat);
    const R kept = least_of(most_of(at, R(task.low_place)), R(task.high_place));
    return middle + slope * kept + bend * kept * kept;
  }

  Row<double> log_linear(const Row<double>& middle, const Row<double>& last) const {
    alignas(64) double least[Row<double>::lanes];
    for (int l = 0; l < Row<double>::lanes; l++) least[l] = log_linear(middle[l], last[l]);
    return Row<double>::from(least);
  }

  // What the best answer of a leaf costs, by sums(q) of its points. SIZE: Q where it is known.
  template <int SIZE, int CURVE, class Sums> Row<double> curve_at(const Sums& sums) const {
    if constexpr (CURVE == PARABOLA) return parabola(sums(0), sums(1));
    if constexpr (CURVE == LOG_LINEAR) return log_linear(sums(0), sums(1));
    if constexpr (CURVE == QUADRATIC_SHARES)
      return quadratic_shares<Row<double>>(SIZE ? SIZE : Q, sums);
    return log_shares<Row<double>>(SIZE ? SIZE : Q, times_log, sums);
  }
};
