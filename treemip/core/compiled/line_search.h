// Line searches for the hyperplane of a branch. What they compute is said, and checked against, by
// treemip/answers/search/splits/line_search.py.

// Constant + linear . sums, and what sums beyond low and high cost, each (rows,).
struct RowValue {
  int64_t rows;
  const double *linear, *low, *high, *steep;
  double constant;

  double operator()(const double* sums) const {
    double value = constant;
    for (int64_t r = 0; r < rows; r++) {
      double s = sums[r];
      value += linear[r] * s;
      if (s < low[r]) value += steep[r] * (low[r] - s);
      if (s > high[r]) value += steep[r] * (s - high[r]);
    }
    return value;
  }
};

// The points of a branch: change (points, rows), what the sums gain when a point goes right.
struct Branch {
  int64_t points;
  const double *change, *all_left;
  RowValue value;
  double price;  // of a point in the band
};

struct LineSearch {
  static constexpr double ROUNDING = 1e-12, SAME_WORTH = 1e-9, SAME_STEP = 1e-9;
  static constexpr int64_t FEW = 16, MOST = 512, EACH = 8, SAMPLED = 64;

  struct Bucket {
    double low, high, varied;  // its steps' ends, and how far the value moves within, at most
    int64_t band, count;
  };
  struct Event {
    double step;
    int64_t point;  // -1 and -2 where a point comes into the band, and leaves it
  };

  const Branch& b;
  const int64_t R;
  std::vector<double> reach_of;  // how far a point moves the value at most, (points,)
  std::vector<double> step, sums, at_start, bucket_sums;
  std::vector<int32_t> place;  // of each event: three for each point, its own and the band's
  std::vector<Bucket> buckets;
  std::vector<std::pair<double, int64_t>> order;  // of buckets, by what they may be worth
  std::vector<Event> events;
  double best, from, to;  // the best value, and the interval that has it
  double limit;

  explicit LineSearch(const Branch& branch) : b(branch), R(branch.value.rows) {
    reach_of.resize(b.points);
    for (int64_t i = 0; i < b.points; i++) {
      double reach = 0.0;
      for (int64_t r = 0; r < R; r++)
        reach += (std::fabs(b.value.linear[r]) + b.value.steep[r]) * std::fabs(b.change[i * R + r]);
      reach_of[i] = reach;
    }
    sums.resize(R);
    at_start.resize(R);
  }

  // The best value no greater than `below` along position + step * slope, and a step; infinite
  // where there is none.
  double run(const double* position, const double* slope, double clearance, double below,
             double& found) {
    const int64_t n = b.points, kinds = clearance > 0 ? 3 : 1;
    int64_t band_start = 0;
    std::copy(b.all_left, b.all_left + R, at_start.begin());
    step.resize(n);
    int64_t moving = 0;
    for (int64_t i = 0; i < n; i++) {
      bool moves = std::fabs(slope[i]) > ROUNDING;
      step[i] = moves ? -position[i] / slope[i] : NAN;
      moving += moves;
      if (moves ? slope[i] < 0 : position[i] > 0)
        for (int64_t r = 0; r < R; r++) at_start[r] += b.change[i * R + r];
      if (!moves && std::fabs(position[i]) < clearance) band_start++;
    }
    found = 0.0;
    if (!moving) {
      double value = worth(at_start.data(), band_start);
      return value <= below + SAME_WORTH ? value : INFINITY;
    }
    fill(slope, clearance, kinds);
    limit = best = below;
    from = 0.0, to = -1.0;
    rank(band_start);
    gather(slope, clearance, kinds);
    for (auto& one : order) {
      if (one.first > std::min(best, limit) + SAME_WORTH) break;
      sweep(one.second, slope);
    }
    if (to < from) return INFINITY;
    found = (from + to) / 2;
    return best;
  }

  double worth(const double* at, int64_t band) const {
    return b.value(at) + (band > 0 ? b.price * (double)band : 0.0);
  }

  // A bucket's number grows with the step.
  int64_t bucket_of(double s, double scale, int64_t count) const {
    double share = 1.0 - scale / (scale + std::fabs(s));
    double at = (s < 0 ? 1.0 - share : 1.0 + share) * 0.5 * (double)count;
    return std::min((int64_t)at, count - 1);
  }

  double middle() const {
    std::vector<double> some;
    int64_t stride = std::max<int64_t>(1, b.points / SAMPLED);
    for (int64_t i = 0; i < b.points; i += stride)
      if (!std::isnan(step[i])) some.push_back(std::fabs(step[i]));
    if (some.empty()) return 1.0;
    std::nth_element(some.begin(), some.begin() + some.size() / 2, some.end());
    return std::max(some[some.size() / 2], 1e-300);
  }

  void add(int64_t event, double s, double scale, int64_t band) {
    int64_t at = bucket_of(s, scale, (int64_t)buckets.size());
    place[event] = (int32_t)at;
    Bucket& one = buckets[at];
    one.low = std::min(one.low, s);
    one.high = std::max(one.high, s);
    one.band += band;
    one.count++;
  }

  void fill(const double* slope, double clearance, int64_t kinds) {
    const int64_t n = b.points;
    int64_t count = std::min(MOST, std::max(FEW, n / EACH));
    const double scale = middle();
    buckets.assign(count, Bucket{INFINITY, -INFINITY, 0.0, 0, 0});
    bucket_sums.assign(count * R, 0.0);
    place.assign(n * kinds, -1);
    for (int64_t i = 0; i < n; i++) {
      if (std::isnan(step[i])) continue;
      add(i, step[i], scale, 0);
      int64_t at = place[i];
      buckets[at].varied += reach_of[i];
      double sign = slope[i] > 0 ? 1.0 : -1.0;
      for (int64_t r = 0; r < R; r++) bucket_sums[at * R + r] += sign * b.change[i * R + r];
      if (kinds == 3) {
        double reach = clearance / std::fabs(slope[i]);
        add(n + i, step[i] - reach, scale, 1);
        add(2 * n + i, step[i] + reach, scale, -1);
      }
    }
  }

  std::vector<int64_t> band_before, next_filled, filled_before, start, filled;

  // What each bucket may be worth, the best first. Sums become those before each bucket.
  void rank(int64_t band) {
    const int64_t count = (int64_t)buckets.size();
    band_before.resize(count);
    filled_before.resize(count);
    next_filled.resize(count);
    order.clear();
    std::vector<double>& now = sums;
    now = at_start;
    int64_t last = -1;
    double before = b.value(now.data());
    for (int64_t k = 0; k < count; k++) {
      band_before[k] = band;
      filled_before[k] = last;
      if (!buckets[k].count) continue;
      double* own = &bucket_sums[k * R];
      for (int64_t r = 0; r < R; r++) {
        double added = own[r];
        own[r] = now[r];
        now[r] += added;
      }
      double after = b.value(now.data());
      int64_t left = band + buckets[k].band;
      // Within the bucket at least this many points are in the band.
      int64_t in_band = std::max<int64_t>(0, (band + left - buckets[k].count) / 2);
      double least = (before + after - buckets[k].varied) / 2;
      if (in_band > 0) least += b.price * (double)in_band;
      order.push_back({least, k});
      before = after;
      band = left;
      last = k;
    }
    int64_t next = -1;
    for (int64_t k = count - 1; k >= 0; k--) {
      next_filled[k] = next;
      if (buckets[k].count) next = k;
    }
    double goal = limit + SAME_WORTH;
    auto end = std::remove_if(order.begin(), order.end(),
                              [goal](const auto& one) { return one.first > goal; });
    order.erase(end, order.end());
    std::sort(order.begin(), order.end());
  }

  // The intervals before, within and behind the events of a bucket.
  void sweep(int64_t k, const double* slope) {
    auto first = events.begin() + start[k], last = first + buckets[k].count;
    std::stable_sort(first, last, [](const Event& x, const Event& y) { return x.step < y.step; });
    std::copy(&bucket_sums[k * R], &bucket_sums[k * R] + R, sums.begin());
    int64_t band = band_before[k], previous = filled_before[k], next = next_filled[k];
    double low = previous < 0 ? -INFINITY : buckets[previous].high;
    for (auto at = first; at != last; ++at) {
      const Event& event = *at;
      take(low, event.step, band);
      low = event.step;
      if (event.point < 0) {
        band += event.point == -1 ? 1 : -1;
        continue;
      }
      double sign = slope[event.point] > 0 ? 1.0 : -1.0;
      for (int64_t r = 0; r < R; r++) sums[r] += sign * b.change[event.point * R + r];
    }
    take(low, next < 0 ? INFINITY : buckets[next].low, band);
  }

  // The events of the buckets that count, bucket by bucket.
  void gather(const double* slope, double clearance, int64_t kinds) {
    const int64_t n = b.points;
    start.assign(buckets.size(), -1);
    int64_t total = 0;
    for (auto& one : order) {
      start[one.second] = total;
      total += buckets[one.second].count;
    }
    events.resize(total);
    filled = start;
    for (int64_t i = 0; i < n; i++) {
      put(i, step[i], i);
      if (kinds == 3 && place[i] >= 0) {
        double reach = clearance / std::fabs(slope[i]);
        put(n + i, step[i] - reach, -1);
        put(2 * n + i, step[i] + reach, -2);
      }
    }
  }

  void put(int64_t event, double s, int64_t point) {
    int64_t k = place[event];
    if (k >= 0 && start[k] >= 0) events[filled[k]++] = {s, point};
  }

  // An interval of steps, where it is the best or the first of the widest of the best.
  void take(double low, double high, int64_t band) {
    bool outer = std::isinf(low) || std::isinf(high);
    if (!outer && high <= low + SAME_STEP) return;
    double value = worth(sums.data(), band);
    if (value > best + SAME_WORTH) return;
    if (std::isinf(low)) low = high - 1.0;
    if (std::isinf(high)) high = low + 1.0;
    bool better = value < best - SAME_WORTH || to < from;
    double wide = std::min(high - low, 1.0), known = std::min(to - from, 1.0);
    if (better || wide > known || (wide == known && low < from)) {
      best = std::min(best, value);
      from = low, to = high;
    }
  }
};

// A hyperplane and its line searches: columns (features, points), slopes (directions, points).
struct HyperplaneTask {
  int64_t features, directions, lines;
  const double *columns, *slopes, *direction;  // (directions, features)
  const int64_t* axis;  // (lines,): a feature, the threshold, or a direction behind these
  double gap, clearly, seconds;
  double *weights, *threshold;
};

struct HyperplaneSearch {
  const Branch& b;
  const HyperplaneTask& task;
  LineSearch line;
  std::vector<double> position, moved, slope_of_threshold, sums;

  HyperplaneSearch(const Branch& branch, const HyperplaneTask& t)
      : b(branch), task(t), line(branch), position(b.points), moved(b.points),
        slope_of_threshold(b.points, -1.0), sums(b.value.rows) {}

  double norm(const double* w, int64_t axis, double s) const {
    const int64_t p = task.features;
    double size = 0.0;
    for (int64_t j = 0; j < p; j++) {
      double rate = axis == j ? 1.0 : axis > p ? task.direction[(axis - p - 1) * p + j] : 0.0;
      size += std::fabs(w[j] + s * rate);
    }
    return size;
  }

  double worth(const std::vector<double>& at, double size) {
    const int64_t R = b.value.rows;
    std::copy(b.all_left, b.all_left + R, sums.begin());
    int64_t band = 0;
    double near = task.gap / 2 * size;
    for (int64_t r = 0; r < R; r++) {
      double sum = 0.0;
      for (int64_t i = 0; i < b.points; i++) sum += at[i] > 0 ? b.change[i * R + r] : 0.0;
      sums[r] += sum;
    }
    for (int64_t i = 0; near > 0 && i < b.points; i++) band += std::fabs(at[i]) < near;
    return line.worth(sums.data(), band);
  }

  double run() {
    auto began = std::chrono::steady_clock::now();
    const int64_t p = task.features, n = b.points;
    double* w = task.weights;
    for (int64_t i = 0; i < n; i++) position[i] = -*task.threshold;
    for (int64_t j = 0; j < p; j++)
      for (int64_t i = 0; w[j] != 0 && i < n; i++) position[i] += w[j] * task.columns[j * n + i];
    double size = norm(w, p, 0.0), value = worth(position, size);
    for (int64_t k = 0; k < task.lines; k++) {
      std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
      if (spent.count() > task.seconds) break;
      const int64_t axis = task.axis[k];
      const double* slope = axis < p    ? task.columns + axis * n
                            : axis == p ? slope_of_threshold.data()
                                        : task.slopes + (axis - p - 1) * n;
      double wide = size;
      for (int turn = 0; turn < 2; turn++) {
        double s, clearance = task.gap / 2 * std::max(wide, 1e-3) * (1.0 + task.clearly);
        if (std::isinf(line.run(position.data(), slope, clearance, value, s))) break;
        double other = norm(w, axis, s);
        for (int64_t i = 0; i < n; i++) moved[i] = position[i] + s * slope[i];
        double reached = worth(moved, other);
        if (reached <= value + LineSearch::SAME_WORTH) {
          move(axis, s);
          value = reached, size = other;
          position.swap(moved);
          break;
        }
        if (other <= wide) break;
        wide = other;
      }
    }
    return value;
  }

  void move(int64_t axis, double s) {
    const int64_t p = task.features;
    if (axis == p) *task.threshold += s;
    if (axis < p) task.weights[axis] += s;
    for (int64_t j = 0; axis > p && j < p; j++)
      task.weights[j] += s * task.direction[(axis - p - 1) * p + j];
  }
};

// The best step, as `best_step`. 0, or 1 where memory was too little.
EXPORT int treemip_best_step(const Branch* branch, const double* position, const double* slope,
                             double clearance, double below, double* value, double* step) {
  return within_memory([&] {
    LineSearch line(*branch);
    *value = line.run(position, slope, clearance, below, *step);
  });
}

// Line searches in turn, as `searched`; weights and threshold are improved in place.
EXPORT int treemip_search_lines(const Branch* branch, const HyperplaneTask* task, double* value) {
  return within_memory([&] {
    HyperplaneSearch search(*branch, *task);
    *value = search.run();
  });
}
