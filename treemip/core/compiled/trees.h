// The best univariate tree of a separable problem: the algorithm of separable.py, two_levels.py and
// sweep.py, decision by decision, so that both find the same tree. Included once for each set of
// instructions; TREES names the namespace.
//
// A subset of the points keeps the order of its points by each feature, or sums by their bins where
// these are few. Of a branch's cuts up to LANES are evaluated at once: one pass over the points in the
// order of each feature gives the best splits of both sides for all of them, a lane each.

namespace TREES {

using std::vector;

#include "lanes.h"
#include "shares.h"

#include "subset.h"
#include "known_sets.h"

#include "leaves.h"

struct Engine : Leaves {
  Control& control;
  const int N, P;
  Clock::time_point until, told;
  vector<int> place, bins;  // scratch: global -> local; of each point of a subset
  vector<double> beside, by_cut, sum;  // scratch: the costs and stats of each; sums of each cut
  vector<double> ones;  // where points are counted
  vector<int> first_bin;  // p + 1, where bounds of a feature begin
  int root_depth = 0;
  int64_t evaluated = 0;
  bool complete = true;
  KnownSets* merged_sets = nullptr;  // by all cuts of the root that are merged
  KnownSets* own_sets = nullptr;  // by the one that is evaluated
  int64_t merges = 0;  // before it was begun
  Pool* pool = nullptr;  // where this is the engine of the whole tree
  std::deque<Engine> helpers;  // one for each thread of the pool

  Engine(const Task& t, Control& c)
      : Leaves(t), control(c), N(t.points), P(t.features), place(t.points, -1),
        first_bin(t.features + 1) {
    auto now = Clock::now();
    told = now;
    until = t.seconds < 1e8 ? now + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(t.seconds))
                            : Clock::time_point::max();
    for (int g = 0; g < P; g++) first_bin[g + 1] = first_bin[g] + t.bins[g];
  }

  void share(Pool& among) {
    pool = &among;
    for (int t = 0; t < among.threads(); t++) {
      helpers.emplace_back(task, control);
      helpers.back().until = until;
      helpers.back().root_depth = root_depth;
    }
  }

  // Takes over what a helper has counted.
  void join(int64_t trees, bool whole) {
    evaluated += trees;
    complete = complete && whole;
  }

  bool late() {
    if (control.stop || Clock::now() > until) complete = false;
    return !complete;
  }

  double price(int number, int feature) const { return task.price[(size_t)number * P + feature]; }
  bool cost_the_same(int a, int b, int levels) const {
    if (!levels) return true;
    for (int g = 0; g < P; g++)
      if (price(task.number[a], g) != price(task.number[b], g)) return false;
    return cost_the_same(task.left[a], task.left[b], levels - 1) &&
           cost_the_same(task.right[a], task.right[b], levels - 1);
  }
  int bin_of(int feature, int point) const { return task.bin[(size_t)feature * N + point]; }

  // A bound from here on shows that nothing better than `best` is to come.
  double below(double best) const {
    if (std::isinf(best) || !(task.step > 0)) return best - task.tolerance;
    double less = std::ceil((best - task.tolerance) / task.step) - 1;
    return less * task.step + task.tolerance;
  }

  // In whole numbers of tolerances, so that rounding decides no tie.
  double rank(double value) const { return std::rint(value / task.tolerance); }

  // ---------------------------------------------------------------- subsets

  const double* stat(int k) const { return task.stat + (size_t)k * N; }

  // Of many points it may be cut short, as soon as the time is over. ordered: whether the order of its
  // points is asked for, as by trees of more than two levels and by subsets of it.
  void make(const Subset* parent, vector<int>&& rows, Subset& s, bool ordered) {
    s.rows = std::move(rows);
    const int n = s.n = (int)s.rows.size(), S = Q + E;
    s.by_bins = !ordered && n >= task.per_bin * first_bin[P];
    if (s.by_bins) {
      s.cut_at.assign(first_bin[P], -1);
    } else {
      for (int i = 0; i < n; i++) place[s.rows[i]] = i;
      s.order.resize((size_t)P * n);
    }
    s.start.assign(1, 0);
    s.total.assign(S, 0.0);
    beside.resize((size_t)n * (S + 2));
    double* of_point = beside.data();
    for (int row : s.rows) {
      *of_point++ = task.most[row];
      *of_point++ = task.base[row];
      for (int k = 0; k < S; k++) *of_point++ = stat(k)[row];
      s.whole += task.base[row];
    }
    for (int k = 0; k < S; k++)
      for (int i = 0; i < n; i++) s.total[k] += beside[(size_t)i * (S + 2) + 2 + k];
    by_cut.clear();
    for (int g = 0; g < P && !s.broken; g++) {
      if (s.by_bins)
        by_bins(g, s);
      else if (n)
        by_feature(parent, g, s);
      s.start.push_back(s.cuts());
      s.broken = n > UNHEEDED && late();
    }
    if (!s.by_bins)
      for (int i = 0; i < n; i++) place[s.rows[i]] = -1;
    const size_t cuts = s.cuts();
    for (size_t c = 0; s.by_bins && c <= cuts; c++) s.each.push_back((int)c);
    s.sums.resize(S * cuts);
    for (int k = 0; k < S; k++)
      for (size_t c = 0; c < cuts; c++) s.sums[k * cuts + c] = by_cut[c * S + k];
  }

  // The order of a feature, its cuts, and the sums of each.
  void by_feature(const Subset* parent, int g, Subset& s) {
    const int n = s.n, S = Q + E, from = parent ? parent->n : N;
    int* order = s.order.data() + (size_t)g * n;
    const int* given = (parent ? parent->order.data() : task.order) + (size_t)g * from;
    int at = 0;
    for (int r = 0; r < from && at < n; r++) {
      int local = place[parent ? parent->rows[given[r]] : given[r]];
      order[at] = local;
      at += local >= 0;
    }
    bins.resize(n);
    for (int i = 0; i < n; i++) bins[i] = bin_of(g, s.rows[i]);
    sum.assign(S + 2, 0.0);
    for (int r = 0, bin = bins[order[0]]; r < n; r++) {
      const double* own = &beside[(size_t)order[r] * (S + 2)];
      for (int k = 0; k < S + 2; k++) sum[k] += own[k];
      const int next = r + 1 < n ? bins[order[r + 1]] : -1;
      if (next == bin) continue;
      end_cut(s, g, bin, r + 1);
      bin = next;
    }
  }

  // The cuts of a feature, and the sums of each, without an order.
  void by_bins(int g, Subset& s) {
    const int S = Q + E, count = task.bins[g];
    const int* bin = task.bin + (size_t)g * N;
    vector<double> of_bin((size_t)count * (S + 2), 0.0);
    vector<int> points(count, 0);
    const double* own = beside.data();
    for (int row : s.rows) {
      points[bin[row]]++;
      double* to = &of_bin[(size_t)bin[row] * (S + 2)];
      for (int k = 0; k < S + 2; k++) to[k] += *own++;
    }
    sum.assign(S + 2, 0.0);
    for (int b = 0, end = 0; b < count; b++) {
      if (!points[b]) continue;
      for (int k = 0; k < S + 2; k++) sum[k] += of_bin[(size_t)b * (S + 2) + k];
      s.cut_at[first_bin[g] + b] = s.cuts();
      end_cut(s, g, b, end += points[b]);
    }
  }

  void end_cut(Subset& s, int g, int bin, int points) {
    s.end.push_back(points);
    s.bin.push_back(bin);
    s.feature.push_back(g);
    s.weight.push_back(sum[0]);
    s.base.push_back(sum[1]);
    by_cut.insert(by_cut.end(), sum.begin() + 2, sum.end());
  }

  // What a cut is worth by its own leaves, relaxed, but for the costs of label 0.
  double by_itself(const Subset& s, int cut) const {
    size_t cuts = s.cuts();
    double low[64], high[64];
    vector<double> many;
    double *a = low, *b = high;
    if (Q > 64) {
      many.resize(2 * Q);
      a = many.data();
      b = a + Q;
    }
    for (int q = 0; q < Q; q++) {
      a[q] = s.sums[q * cuts + cut];
      b[q] = s.total[q] - a[q];
    }
    return leaf(a, 1) + leaf(b, 1);
  }

  // ---------------------------------------------------------------- both sides of many cuts

  template <class T> const T* units() const;

  // SIZE: Q where it is known to the compiler, else 0. What the best trees of depth 1 on both
  // sides of up to LANES cuts are worth, conditions and prices of leaves aside.
  template <class T, int SIZE, int CURVE>
  void sides_of(const Subset& s, const int* cuts, int k, const int* numbers, double* left,
                double* right) {
    constexpr int L = Row<T>::lanes;
    const int q_count = SIZE ? SIZE : Q;
    Inside<T>& in = Inside<T>::here();
    if (s.by_bins)
      fill_bins<T, SIZE>(s, cuts, k, in);
    else
      fill<T, SIZE>(s, cuts, k, in);
    double best[2][L], neither[2][L], low[L], high[L];
    vector<double> t(std::max(q_count, 2)), u(std::max(q_count, 2));
    for (int l = 0; l < L; l++) {
      for (int q = 0; q < q_count; q++) {
        t[q] = (double)in.total[q][l] * task.unit;
        u[q] = (double)(in.whole[q] - in.total[q][l]) * task.unit;
      }
      neither[0][l] = leaf(t.data(), 1);
      neither[1][l] = leaf(u.data(), 1);
      for (int side = 0; side < 2; side++) best[side][l] = must_split ? INFINITY : neither[side][l];
    }
    for (int g = 0; g < P; g++) {
      double price_left = price(numbers[0], g), price_right = price(numbers[1], g);
      if (std::isinf(price_left) && std::isinf(price_right)) continue;
      for (int l = 0; l < L; l++) low[l] = neither[0][l], high[l] = neither[1][l];
      if constexpr (CURVE)
        by_curve<SIZE, CURVE>(s, g, in, low, high);
      else if (SIZE == 1)
        by_extremes<T>(s, g, in, low, high);
      else
        by_labels<T, SIZE>(s, g, in, low, high);
      for (int l = 0; l < L; l++) {
        best[0][l] = std::min(best[0][l], price_left + low[l]);
        best[1][l] = std::min(best[1][l], price_right + high[l]);
      }
    }
    for (int l = 0; l < k; l++) {
      left[l] = s.base[cuts[l]] + best[0][l];
      right[l] = s.whole - s.base[cuts[l]] + best[1][l];
    }
  }

  // The units of the points left of each lane's cut.
  template <class T, int SIZE>
  void fill(const Subset& s, const int* cuts, int k, Inside<T>& in) const {
    constexpr int L = Row<T>::lanes;
    const int n = s.n, q_count = SIZE ? SIZE : Q;
    const T* unit_of = units<T>();
    in.resize(n, q_count);
    for (int q = 0; q < q_count; q++)
      for (int i = 0; i < n; i++) in.own[(size_t)i * q_count + q] = unit_of[(size_t)q * N + s.rows[i]];
    for (int i = 0; i < n; i++)
      for (int q = 0; q < q_count; q++) in.whole[q] += in.own[(size_t)i * q_count + q];
    const Goes<T> goes(*this, s, cuts, k);
    Row<T>* to_row = in.rows;
    for (int i = 0; i < n; i++) {
      for (int q = 0; q < q_count; q++) {
        const Row<T> kept = goes.left(s.rows[i], in.own[(size_t)i * q_count + q]);
        *to_row++ = kept;
        in.total[q] += kept;
      }
    }
  }

  // The same of bins, block by block.
  template <class T, int SIZE>
  void fill_bins(const Subset& s, const int* cuts, int k, Inside<T>& in) const {
    constexpr int BLOCK = 256;
    const int q_count = SIZE ? SIZE : Q;
    const T* unit_of = units<T>();
    in.resize(s.cuts() + BLOCK, q_count);
    std::fill(in.own.begin(), in.own.end(), T(0));
    std::fill(in.rows, in.rows + (size_t)s.cuts() * q_count, Row<T>());
    Row<T>* const block = in.rows + (size_t)s.cuts() * q_count;
    T* const own = &in.own[(size_t)s.cuts() * q_count];
    const Goes<T> goes(*this, s, cuts, k);
    for (int from = 0; from < s.n; from += BLOCK) {
      const int* rows = &s.rows[from];
      const int size = std::min(BLOCK, s.n - from);
      for (int i = 0; i < size; i++)
        for (int q = 0; q < q_count; q++) {
          const size_t at = (size_t)i * q_count + q;
          own[at] = unit_of[(size_t)q * N + rows[i]];
          block[at] = goes.left(rows[i], own[at]);
          in.whole[q] += own[at];
          in.total[q] += block[at];
        }
      for (int g = 0; g < P; g++) {
        const int *bin = task.bin + (size_t)g * N, *cut_at = &s.cut_at[first_bin[g]];
        for (int i = 0; i < size; i++) {
          const size_t at = (size_t)i * q_count, to = (size_t)cut_at[bin[rows[i]]] * q_count;
          for (int q = 0; q < q_count; q++)
            in.own[to + q] += own[at + q], in.rows[to + q] += block[at + q];
        }
      }
    }
  }

  // Which of some cuts a point goes left of; lanes without a cut repeat the first.
  template <class T> struct Goes {
    static constexpr int L = Row<T>::lanes;
    const int* bins[L];
    Row<T> limit;

    Goes(const Engine& e, const Subset& s, const int* cuts, int k) {
      alignas(64) T to[L];
      for (int l = 0; l < L; l++) {
        int cut = cuts[l < k ? l : 0];
        bins[l] = e.task.bin + (size_t)s.feature[cut] * e.N;
        to[l] = (T)(s.bin[cut] + 1);
      }
      limit = Row<T>::from(to);
    }

    // What a point adds left of each.
    Row<T> left(int row, T own) const {
      alignas(64) T at[L];
      for (int l = 0; l < L; l++) at[l] = (T)bins[l][row];
      return where_less(Row<T>::from(at), limit, Row<T>(own), {});
    }
  };

  // For two labels: min(a, 0) + min(t - a, 0) is the least of 0, t, a and t - a, so that the least
  // and greatest a of a feature say what its best cut is worth.
  template <class T>
  void by_extremes(const Subset& s, int g, const Inside<T>& in, double* low, double* high) const {
    const Subset::Places by = s.places(g);
    const int first = s.start[g], stop = s.start[g + 1] - 1;  // the last cut parts nothing
    const Row<T>* rows = in.rows;
    const T* own = in.own.data();
    Row<T> a, least, most, least_r, most_r;
    T before = 0;
    int r = by.from;
    bool few = !s.by_bins && stop - first == 1 && 2 * s.end[first] > s.n;  // right of the only cut
    if (few) r = s.end[first];
    for (int c = first; c < stop; c++) {
      for (int end = few ? s.n : by.end[c]; r < end; r++) {
        before += own[by.order[r]];
        a += rows[by.order[r]];
      }
      if (few) {
        before = in.whole[0] - before;
        a = in.total[0] - a;
      }
      const Row<T> rest = Row<T>(before) - a;
      least = least_of(least, a);
      most = most_of(most, a);
      least_r = least_of(least_r, rest);
      most_r = most_of(most_r, rest);
    }
    const Row<T> one = least_of(least, in.total[0] - most);
    const Row<T> other = least_of(least_r, Row<T>(in.whole[0]) - in.total[0] - most_r);
    for (int l = 0; l < Row<T>::lanes; l++) {
      low[l] = std::min(low[l], (double)one[l] * task.unit);
      high[l] = std::min(high[l], (double)other[l] * task.unit);
    }
  }

  template <class T, int SIZE>
  void by_labels(const Subset& s, int g, const Inside<T>& in, double* low, double* high) const {
    const int q_count = SIZE ? SIZE : Q;
    const Subset::Places by = s.places(g);
    vector<T> before(q_count, T(0));
    Row<T> fixed[SIZE ? SIZE : MANY], *a = SIZE || q_count <= MANY ? fixed : in.scratch;
    std::fill(a, a + q_count, Row<T>());
    Row<T> least(std::numeric_limits<T>::max()), least_r = least;
    for (int c = s.start[g], r = by.from; c < s.start[g + 1] - 1; c++) {
      for (; r < by.end[c]; r++) {
        const Row<T>* from = in.rows + (size_t)by.order[r] * q_count;
        const T* own = &in.own[(size_t)by.order[r] * q_count];
        for (int q = 0; q < q_count; q++) before[q] += own[q], a[q] += from[q];
      }
      Row<T> w, x, y, z;
      for (int q = 0; q < q_count; q++) {
        const Row<T> v = a[q], o = Row<T>(before[q]) - v, t = in.total[q];
        w = least_of(w, v);
        x = least_of(x, t - v);
        y = least_of(y, o);
        z = least_of(z, Row<T>(in.whole[q]) - t - o);
      }
      least = least_of(least, w + x);
      least_r = least_of(least_r, y + z);
    }
    if (s.start[g + 1] - s.start[g] < 2) return;
    for (int l = 0; l < Row<T>::lanes; l++) {
      low[l] = std::min(low[l], (double)least[l] * task.unit);
      high[l] = std::min(high[l], (double)least_r[l] * task.unit);
    }
  }

  template <int SIZE, int CURVE>
  void by_curve(const Subset& s, int g, const Inside<double>& in, double* low,
                double* high) const {
    typedef Row<double> R;
    const int q_count = SIZE ? SIZE : Q;
    const Subset::Places by = s.places(g);
    vector<double> before(q_count, 0.0);
    R fixed[SIZE ? SIZE : MANY], *a = SIZE || q_count <= MANY ? fixed : in.scratch;
    std::fill(a, a + q_count, R());
    R least(INFINITY), least_r(INFINITY);
    for (int c = s.start[g], r = by.from; c < s.start[g + 1] - 1; c++) {
      for (; r < by.end[c]; r++) {
        const size_t at = q_count * (size_t)by.order[r];
        for (int q = 0; q < q_count; q++) before[q] += in.own[at + q], a[q] += in.rows[at + q];
      }
      auto best = [&](auto sums) { return curve_at<SIZE, CURVE>(sums); };
      auto beside = [&](int q) { return R(before[q]) - a[q]; };
      least = least_of(least, best([&](int q) { return a[q]; }) +
                                  best([&](int q) { return in.total[q] - a[q]; }));
      least_r = least_of(least_r, best(beside) + best([&](int q) {
                                    return R(in.whole[q]) - in.total[q] - beside(q);
                                  }));
    }
    for (int l = 0; l < R::lanes; l++) {
      low[l] = std::min(low[l], least[l]);
      high[l] = std::min(high[l], least_r[l]);
    }
  }

  template <class T>
  void sides(const Subset& s, const int* cuts, int k, const int* numbers, double* l, double* r) {
    if (task.curve == PARABOLA) return sides_of<double, 2, PARABOLA>(s, cuts, k, numbers, l, r);
    if (task.curve == LOG_LINEAR) return sides_of<double, 2, LOG_LINEAR>(s, cuts, k, numbers, l, r);
    if (task.curve == QUADRATIC_SHARES)
      return Q == 2 ? sides_of<double, 2, QUADRATIC_SHARES>(s, cuts, k, numbers, l, r)
                    : sides_of<double, 0, QUADRATIC_SHARES>(s, cuts, k, numbers, l, r);
    if (task.curve == LOG_SHARES)
      return Q == 2 ? sides_of<double, 2, LOG_SHARES>(s, cuts, k, numbers, l, r)
                    : sides_of<double, 0, LOG_SHARES>(s, cuts, k, numbers, l, r);
    switch (Q) {
      case 1: return sides_of<T, 1, 0>(s, cuts, k, numbers, l, r);
      case 2: return sides_of<T, 2, 0>(s, cuts, k, numbers, l, r);
      case 3: return sides_of<T, 3, 0>(s, cuts, k, numbers, l, r);
      default: return sides_of<T, 0, 0>(s, cuts, k, numbers, l, r);
    }
  }

  int lanes() const { return task.whole ? Row<int32_t>::lanes : Row<double>::lanes; }

  // Of any number of cuts; false where time was too short for all of them.
  bool both_sides(const Subset& s, const vector<int>& picks, const int* numbers,
                  vector<double>& left, vector<double>& right) {
    const size_t step = lanes();
    left.resize(picks.size());
    right.resize(picks.size());
    auto evaluate = [&](Engine& by, size_t at) {
      int k = (int)std::min<size_t>(step, picks.size() - at);
      if (task.whole)
        by.sides<int32_t>(s, &picks[at], k, numbers, &left[at], &right[at]);
      else
        by.sides<double>(s, &picks[at], k, numbers, &left[at], &right[at]);
    };
    size_t done = 0;
    if (pool && pool->threads() > 1) {
      vector<char> skipped(picks.size() / step + 1, 0);
      pool->each((picks.size() + step - 1) / step, [&](size_t k, int thread) {
        if (k && helpers[thread].late())
          skipped[k] = 1;
        else
          evaluate(helpers[thread], k * step);
      });
      while (done < picks.size() && !skipped[done / step]) done += step;
    } else {
      for (; done < picks.size() && !(done && late()); done += step) evaluate(*this, done);
    }
    if (done < picks.size()) left.resize(done), right.resize(done), complete = false;
    evaluated += 2 * left.size();
    return complete;
  }

  // The same of one side of a cut, with conditions and prices of leaves.
  double exact_side(const Subset& s, int cut, int side, int number) const {
    int S = Q + E, n = s.n;
    const int* bins = task.bin + (size_t)s.feature[cut] * N;
    vector<char> in(n);
    for (int i = 0; i < n; i++) in[i] = (bins[s.rows[i]] <= s.bin[cut]) == (side == 0);
    vector<double> total(S, 0.0), sum(S), rest(S), of_cut;
    for (int i = 0; i < n; i++)
      if (in[i])
        for (int k = 0; k < S; k++) total[k] += stat(k)[s.rows[i]];
    if (s.by_bins) of_cut = sums_behind(s, in);
    double relaxed, best;
    unsplit(total.data(), relaxed, best);
    for (int g = 0; g < P; g++) {
      double cost = price(number, g);
      if (std::isinf(cost)) continue;
      std::fill(sum.begin(), sum.end(), 0.0);
      const Subset::Places by = s.places(g);
      for (int c = s.start[g], r = by.from; c < s.start[g + 1]; c++) {
        for (; r < by.end[c]; r++) {
          const int at = by.order[r];
          if (s.by_bins)
            for (int k = 0; k < S; k++) sum[k] += of_cut[(size_t)at * S + k];
          else if (in[at])
            for (int k = 0; k < S; k++) sum[k] += stat(k)[s.rows[at]];
        }
        if (s.last(c) && !(must_split && (s.bin[c] + 1 < task.bins[g] || s.bin[s.start[g]] > 0)))
          continue;
        for (int k = 0; k < S; k++) rest[k] = total[k] - sum[k];
        double value = leaf_exact(sum.data(), leaf(sum.data(), 1)) +
                       leaf_exact(rest.data(), leaf(rest.data(), 1)) + cost;
        best = std::min(best, value);
      }
    }
    double base = side == 0 ? s.base[cut] : s.whole - s.base[cut];
    return base + best;
  }

  // Of a subset by bins: the stats of the points in some of its bins, (cuts, S).
  vector<double> sums_behind(const Subset& s, const vector<char>& in) const {
    const int S = Q + E;
    vector<double> sums((size_t)s.cuts() * S, 0.0);
    for (int g = 0; g < P; g++) {
      const int *bin = task.bin + (size_t)g * N, *cut_at = &s.cut_at[first_bin[g]];
      for (int i = 0; i < s.n; i++)
        if (in[i])
          for (int k = 0; k < S; k++)
            sums[(size_t)cut_at[bin[s.rows[i]]] * S + k] += stat(k)[s.rows[i]];
    }
    return sums;
  }

  // ---------------------------------------------------------------- depth 0 and 1, no points

  Found empty(int node, int depth) const {
    vector<double> none(Q + E, 0.0);
    double leaf_of = leaf_exact(none.data(), 0.0);
    Found f;
    f.relaxed = 0.0;
    f.exact = std::isinf(leaf_of) ? INFINITY : 0.0;
    if (!must_split || depth == 0) return f;
    f.left = std::make_shared<Found>(empty(task.left[node], depth - 1));
    f.right = std::make_shared<Found>(empty(task.right[node], depth - 1));
    double least = INFINITY;
    for (int g = 0; g < P; g++)
      if (task.bins[g] > 1 && price(task.number[node], g) < least) {
        least = price(task.number[node], g);
        f.feature = g;
        f.bin = 0;
      }
    f.relaxed = least + f.left->relaxed + f.right->relaxed;
    f.exact = least + f.left->exact + f.right->exact;
    return f;
  }

  // Of points for which there was no time: all in one leaf, and what costs, at least 0, leave room for.
  Found unknown(int depth, const Subset& s) const {
    Found f;
    unsplit(s.total.data(), f.relaxed, f.exact);
    f.exact += s.whole;
    f.relaxed = task.least_price * ((1 << depth) - 1);
    return f;
  }

  // The best tree of depth 1 below a branch: its value alone.
  Found single(int node, const Subset& s) const {
    Found f;
    unsplit(s.total.data(), f.relaxed, f.exact);
    int S = Q + E, number = task.number[node];
    size_t cuts = s.cuts();
    vector<double> sum(S), rest(S), none(S, 0.0);
    double aside = leaf_exact(none.data(), leaf(none.data(), 1));
    double all = leaf(s.total.data(), 1), all_exact = leaf_exact(s.total.data(), all) + aside;
    for (int g = 0; g < P; g++) {
      double cost = price(number, g);
      if (std::isinf(cost)) continue;
      int first = s.start[g], last = s.start[g + 1] - 1;
      if (s.bin[first] > 0 || s.bin[last] + 1 < task.bins[g]) {
        f.relaxed = std::min(f.relaxed, all + cost);
        f.exact = std::min(f.exact, all_exact + cost);
      }
      for (int c = first; c < last; c++) {
        for (int k = 0; k < S; k++) {
          sum[k] = s.sums[k * cuts + c];
          rest[k] = s.total[k] - sum[k];
        }
        double low = leaf(sum.data(), 1), high = leaf(rest.data(), 1);
        f.relaxed = std::min(f.relaxed, low + high + cost);
        f.exact = std::min(f.exact, leaf_exact(sum.data(), low) + leaf_exact(rest.data(), high) + cost);
      }
    }
    f.relaxed += s.whole;
    f.exact += s.whole;
    return f;
  }
};

template <> inline const int32_t* Engine::units<int32_t>() const { return task.short_units; }
template <> inline const double* Engine::units<double>() const { return task.stat; }

Found solve(Engine& engine, int node, int depth, const Subset& s, double goal,
            const vector<double>* known, bool bounds);

#include "pairs.h"
#include "two_levels.h"
#include "cuts.h"
#include "sweep.h"

// The best tree of some depth below a branch, if below `goal`.
inline Found solve(Engine& engine, int node, int depth, const Subset& s, double goal,
                   const vector<double>* known, bool bounds) {
  if (s.broken) return engine.unknown(depth, s);
  if (!s.n) return engine.empty(node, depth);
  if (depth == 0) {
    Found f;
    engine.unsplit(s.total.data(), f.relaxed, f.exact);
    f.relaxed += s.whole;
    f.exact += s.whole;
    return f;
  }
  if (depth == 1) return engine.single(node, s);
  if (depth == 2) return TwoLevels(engine, node, s, goal, known).run(bounds);
  return Sweep(engine, node, depth, s, goal, known).run(bounds);
}

// Memory that a thread keeps between calls.
inline void forget() {
  Inside<int32_t>::here() = {};
  Inside<double>::here() = {};
}

inline int64_t write(const Found& f, Line* lines, int64_t& used) {
  int64_t at = used++;
  lines[at] = {f.relaxed, f.exact, f.feature, f.bin, 0, 0};
  if (f.left) lines[at].left = write(*f.left, lines, used);
  if (f.right) lines[at].right = write(*f.right, lines, used);
  return at;
}

// An engine for some points, and what it says of itself in the end.
struct Call {
  Engine engine;
  Subset subset;

  Call(const Task& task, Control& control, int levels, vector<int> rows, bool ordered)
      : engine(task, control) {
    engine.root_depth = levels;
    engine.make(nullptr, std::move(rows), subset, ordered);
  }

  void end() {
    engine.control.evaluated = engine.evaluated;
    engine.control.complete = engine.control.complete && engine.complete;
    forget();
  }

  Found end(const Found& found, Line* lines) {
    int64_t used = 0;
    write(found, lines, used);
    end();
    return found;
  }
};

// The best tree below a node by threads of its own.
inline void solve_whole(const Task& task, Control& control, int node, int depth, vector<int> rows,
                        double goal, Line* lines) {
  Call call(task, control, depth, std::move(rows), depth > 2);
  Pool pool((int)task.threads);
  call.engine.share(pool);
  call.end(solve(call.engine, node, depth, call.subset, goal, nullptr, false), lines);
}

// The same on this thread, by what trees with each cut are at least worth; and that as found.
inline void solve_side(const Task& task, Control& control, int node, int depth, vector<int> rows,
                       double goal, Line* lines, const double* known, double* bound,
                       int64_t* bounds) {
  Call call(task, control, depth + 1, std::move(rows), depth > 2);
  vector<double> near;
  if (known) near.assign(known, known + call.engine.first_bin[call.engine.P]);
  const Found found = call.end(
      solve(call.engine, node, depth, call.subset, goal, known ? &near : nullptr, true), lines);
  std::copy(found.bound.begin(), found.bound.end(), bound);
  *bounds = (int64_t)found.bound.size();
}

}  // namespace TREES
