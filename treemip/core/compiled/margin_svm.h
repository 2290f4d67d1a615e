// The hyperplane of one branch of a margin tree: min share * |w|^2 / 2 + sum of price * shortfall
// over rows sign * (w . x + b) >= least, by an active-set method on the dual (Scheinberg 2006). Its
// iterates are dual feasible and rise, so that it may begin anywhere and end at any time: what it
// returns is a bound by its multipliers alone. Included once for each set of instructions.

// Rows that are in the program with all their multipliers, and what follows from these.
struct Plane {
  double value = 0.0;       // a bound: by multipliers, rounded down
  double share = 1.0;       // of |w|^2 / 2
  double half = 0.0;        // |w|^2 / 2, by the weights of features
  double b = 0.0;
  bool endless = false;     // no hyperplane keeps the rows
  vector<double> w;         // of x as it is scaled for the branch
  vector<double> weight;    // how much of each feature is in use, empty for all of it
  vector<uint64_t> full;    // rows at their price, a bit each
  vector<std::pair<int, double>> between;  // other rows with a multiplier above 0
  int in = 0;               // of those, how many are the free set
  bool is_full(int r) const { return full[r / 64] >> (r % 64) & 1; }
  size_t bytes() const {
    return sizeof(*this) + 64 + 8 * (w.size() + weight.size() + full.size()) + 16 * between.size();
  }
};
using PlaneP = std::shared_ptr<const Plane>;

struct Branch {
  int rows = 0, N = 0, p = 0;
  const int32_t *point = nullptr, *side = nullptr;
  const double *sign = nullptr, *least = nullptr, *price = nullptr;
  vector<double> x;              // N x p
  vector<int> first, of_point;   // N + 1, rows: the rows of each point
  double longest = 0.0, most_least = 0.0;  // of points and of `least`
};

class Svm {
 public:
  Svm(const Branch& branch, const volatile int64_t& stop)
      : B(branch), stop_(stop), N(B.N), x(B.x), columns(B.x), price_(B.price, B.price + B.rows),
        alpha(B.rows), w(B.p), h(N),
        base((B.p + 2) * B.p), corner((B.p + 2) * (B.p + 2)), perp(B.p), part(B.p + 2),
        move(B.p + 3), back(B.p + 2) {
    weigh({});
  }

  // The rows `act` with the features by `weight`, each from 0 to 1, or all of them where it is
  // empty. `cut`: a value that is enough. `room`: how long w may be in what is looked for.
  Plane solve(const vector<int>& act, const Plane* warm, const vector<double>& weight, double share,
              double cut, double room) {
    weigh(weight);
    divide(share);
    begin(act, warm);
    improve(act, cut / share, room);
    return result(act, room);
  }

  // sum of sign * x * multipliers / share, in features as they are; of the last solve.
  vector<double> normal(const vector<int>& act) const { return normal_of(act, B.x, B.p); }

 private:
  const Branch& B;
  const volatile int64_t& stop_;
  const int N;
  int p = 0;                                   // features that are in use
  vector<int> used_;
  vector<double> x, columns, weight_;          // N x p and p x N of these, as weighed
  double share_ = 1.0;
  vector<double> price_, alpha;                // of rows, both divided by the share
  vector<double> w, h;                         // h: w . x of the points
  vector<double> base, corner, perp, part;     // orthonormal, of x[free] - x[free[0]]; triangular
  vector<double> move, back;
  vector<int> free_;
  double b = 0.0, dual = 0.0;
  bool endless_ = false;                       // no hyperplane keeps the rows
  static constexpr double TIGHT = 1e-10, GAP = 1e-9, FLAT = 1e-13;

  const double* at(int row) const { return &x[(size_t)B.point[row] * p]; }

  double dot(const double* a, const double* c) const {
    double s[4] = {0, 0, 0, 0};
    int j = 0;
    for (; j + 4 <= p; j += 4)
      for (int k = 0; k < 4; k++) s[k] += a[j + k] * c[j + k];
    for (; j < p; j++) s[0] += a[j] * c[j];
    return (s[0] + s[1]) + (s[2] + s[3]);
  }

  void weigh(const vector<double>& weight) {
    if (weight == weight_ && !used_.empty()) return;
    weight_ = weight;
    used_.clear();
    for (int j = 0; j < B.p; j++)
      if (weight.empty() || weight[j] > 0) used_.push_back(j);
    p = (int)used_.size();
    for (int k = 0; k < p; k++) {
      double f = weight.empty() ? 1.0 : std::sqrt(weight[used_[k]]);
      const double* from = &B.x[used_[k]];
      for (int i = 0; i < N; i++)
        columns[(size_t)k * N + i] = x[(size_t)i * p + k] = f * from[(size_t)i * B.p];
    }
    w.resize(p);
  }

  void divide(double share) {
    if (share == share_) return;
    share_ = share;
    for (int r = 0; r < B.rows; r++) price_[r] = B.price[r] / share;
  }

  vector<double> normal_of(const vector<int>& act, const vector<double>& points, int width) const {
    vector<double> v(width, 0.0);
    for (int r : act)
      if (alpha[r] != 0) {
        double f = alpha[r] * B.sign[r];
        const double* xi = &points[(size_t)B.point[r] * width];
        for (int j = 0; j < width; j++) v[j] += f * xi[j];
      }
    return v;
  }

  void place(const vector<int>& act) {  // w and h from the multipliers
    w = normal_of(act, x, p);
    std::fill(h.begin(), h.end(), 0.0);
    for (int j = 0; j < p; j++) lift(j, w[j]);
  }

  void lift(int j, double by) {
    if (by == 0) return;
    const double* column = &columns[(size_t)j * N];
    for (int i = 0; i < N; i++) h[i] += by * column[i];
  }

  void begin(const vector<int>& act, const Plane* warm) {
    std::fill(alpha.begin(), alpha.end(), 0.0);
    free_.clear();
    b = 0.0;
    if (warm) {
      for (int r : act)
        if (warm->is_full(r)) alpha[r] = price_[r];
      for (auto& one : warm->between)
        alpha[one.first] = std::min(one.second / share_, price_[one.first]);
      if (warm->weight == weight_ && warm->share == share_)
        for (int k = 0; k < warm->in; k++) free_.push_back(warm->between[k].first);
      b = warm->b;
    }
    place(act);
    rebuild(1);
    dual = -dot(w.data(), w.data()) / 2;
    for (int r : act) dual += alpha[r] * B.least[r];
  }

  double short_by(int r) const { return B.least[r] - B.sign[r] * (h[B.point[r]] + b); }

  // `perp`: what x[row] - x[free[0]] is beside the first m of the base, `part` what it is along it.
  double project(int row, int m) {
    const double *a = at(row), *o = at(free_[0]);
    for (int j = 0; j < p; j++) perp[j] = a[j] - o[j];
    std::fill(part.begin(), part.begin() + m, 0.0);
    for (int twice = 0; twice < 2; twice++)
      for (int k = 0; k < m; k++) {
        const double* e = &base[(size_t)k * p];
        double t = dot(e, perp.data());
        part[k] += t;
        for (int j = 0; j < p; j++) perp[j] -= t * e[j];
      }
    return dot(perp.data(), perp.data());
  }

  bool is_flat(int row, double norm) const {
    const double *a = at(row), *o = at(free_[0]);
    double whole = 0.0;
    for (int j = 0; j < p; j++) whole += (a[j] - o[j]) * (a[j] - o[j]);
    return norm <= FLAT * whole;
  }

  bool join(int j) {  // free_[j], the last one of the base
    double norm = project(free_[j], j - 1);
    if (is_flat(free_[j], norm)) return false;
    double size = std::sqrt(norm);
    for (int q = 0; q < p; q++) base[(size_t)(j - 1) * p + q] = perp[q] / size;
    for (int k = 0; k < j - 1; k++) corner[k * (p + 2) + j - 1] = part[k];
    corner[(j - 1) * (p + 2) + j - 1] = size;
    return true;
  }

  void rebuild(int from) {
    for (int j = std::max(1, from); j < (int)free_.size();)
      if (join(j)) j++;
      else free_.erase(free_.begin() + j);
  }

  void enter(int k) {
    free_.push_back(k);
    if (free_.size() > 1 && !join((int)free_.size() - 1)) free_.pop_back();
  }

  bool is_free(int r) const { return std::find(free_.begin(), free_.end(), r) != free_.end(); }

  // Without a free set the rows leave b an interval, or two of them contradict each other.
  void settle_b(const vector<int>& act) {
    if (!free_.empty()) {
      int r = free_[0];
      b = B.sign[r] * B.least[r] - h[B.point[r]];
      return;
    }
    double low = -INFINITY, high = INFINITY;
    int lowest = -1;
    for (int r : act) {
      double s = B.sign[r], where = s * B.least[r] - h[B.point[r]];
      bool up = alpha[r] < price_[r], down = alpha[r] > 0;
      if (((s > 0 && up) || (s < 0 && down)) && where > low) low = where, lowest = r;
      if ((s > 0 && down) || (s < 0 && up)) high = std::min(high, where);
    }
    if (low > high + TIGHT) {
      free_.push_back(lowest);
      b = low;
    } else if (low == -INFINITY) {
      b = high == INFINITY ? 0.0 : high;
    } else {
      b = high == INFINITY ? low : (low + high) / 2;
    }
  }

  void improve(const vector<int>& act, double cut, double room) {
    long most = 200 + 20L * (long)act.size(), count = 0, since = 0;
    endless_ = false;
    while (count < most && !stop_ && !endless_) {
      if (since >= 60) place(act), since = 0;
      settle_b(act);
      int worst = -1;
      double miss = TIGHT, gap = 0.0;
      bool hard = false;
      for (int r : act) {
        double g = short_by(r), price = price_[r], v = alpha[r] < price ? g : 0.0;
        if (alpha[r] > 0) v = std::max(v, -g);
        gap += (price < INFINITY && g > 0 ? price * g : 0.0) - alpha[r] * g;
        hard = hard || (price == INFINITY && g > TIGHT * 10);
        if (v > miss && !is_free(r)) miss = v, worst = r;
      }
      if (worst < 0 || (!hard && gap <= GAP * std::max(1e-3, std::fabs(dual)))) return;
      if (dual >= cut && bound(act, room) >= cut) return;
      long before = count;
      push(worst, cut, count, most);
      since += count - before;
    }
  }

  // Moves the multiplier of a row, and those of the free set with it so that their rows stay tight,
  // until the row holds or has its price.
  void push(int k, double cut, long& count, long most) {
    double s = B.sign[k], g = short_by(k), way = g > 0 ? 1.0 : -1.0;
    while (count++ < most && !free_.empty()) {
      int f = (int)free_.size(), m = f - 1, hit = -1;
      double norm = project(k, m), rate = std::fabs(g);
      bool flat = is_flat(k, norm);
      direction(m, way * s);
      double far = flat ? INFINITY : rate / norm;
      double own = way > 0 ? price_[k] - alpha[k] : alpha[k];
      if (own < far) far = own, hit = f;
      for (int i = 0; i < f; i++) {
        double d = move[i];
        if (std::fabs(d) < FLAT) continue;
        double most_far = d < 0 ? alpha[free_[i]] / -d : (price_[free_[i]] - alpha[free_[i]]) / d;
        if (most_far < far) far = std::max(0.0, most_far), hit = i;
      }
      bool endless = far == INFINITY;  // no hyperplane keeps these rows
      if (endless) far = 2 * (std::fabs(cut < INFINITY ? cut : 1e9) + std::fabs(dual) + 1) / rate;
      alpha[k] += way * far;
      for (int i = 0; i < f; i++) alpha[free_[i]] += move[i] * far;
      dual += rate * far;
      if (!flat) turn(way * s * far, norm * far * far / 2);
      if (endless) return endless_ = true, free_.clear();
      if (hit < 0) return enter(k);
      if (hit == f) {
        alpha[k] = way > 0 ? price_[k] : 0.0;
        return;
      }
      alpha[free_[hit]] = move[hit] > 0 ? price_[free_[hit]] : 0.0;
      free_.erase(free_.begin() + hit);
      bool between = alpha[k] > 0 && alpha[k] < price_[k];
      if (free_.empty()) return between ? enter(k) : void();
      rebuild(hit);
      g = short_by(k);
      if (g * way <= TIGHT) return between ? enter(k) : void();
      if (dual >= cut) return;
    }
  }

  void direction(int m, double way) {  // of the free set's multipliers
    double sum = 0.0;
    for (int i = m - 1; i >= 0; i--) {
      double t = part[i];
      for (int q = i + 1; q < m; q++) t -= corner[i * (p + 2) + q] * back[q];
      sum += back[i] = t / corner[i * (p + 2) + i];
    }
    move[0] = -way * B.sign[free_[0]] * (1 - sum);
    for (int i = 1; i <= m; i++) move[i] = -way * B.sign[free_[i]] * back[i - 1];
  }

  void turn(double by, double less) {  // the hyperplane along `perp`
    const double* o = at(free_[0]);
    dual -= less;
    for (int j = 0; j < p; j++) {
      double q = by * perp[j];
      w[j] += q;
      b -= q * o[j];
      lift(j, q);
    }
  }

  // What the multipliers prove. Their sum by sign should be 0, and is up to rounding: |b| need not
  // be greater than most_least + longest * |w|, since beyond it all losses are linear in b.
  double bound(const vector<int>& act, double room) const {
    double linear = 0.0, off = 0.0, size = 0.0, mass = 0.0;
    for (int r : act)
      if (alpha[r] != 0) {
        linear += alpha[r] * B.least[r];
        size += std::fabs(alpha[r] * B.least[r]);
        off += alpha[r] * B.sign[r];
        mass += alpha[r];
      }
    vector<double> v = normal_of(act, x, p);
    double square = dot(v.data(), v.data());
    double rounding = 1e-12 * (size + square) + 1e-14 * mass * B.longest * std::sqrt(square);
    off = std::fabs(off) + 1e-14 * mass;
    return linear - square / 2 - off * (B.most_least + B.longest * room) - rounding;
  }

  Plane result(const vector<int>& act, double room) {
    Plane out;
    out.value = share_ * bound(act, room);
    out.share = share_;
    out.half = dot(w.data(), w.data()) / 2;
    out.weight = weight_;
    out.w.assign(B.p, 0.0);
    for (int k = 0; k < p; k++)
      out.w[used_[k]] = w[k] * (weight_.empty() ? 1.0 : std::sqrt(weight_[used_[k]]));
    out.b = b, out.endless = endless_;
    out.full.assign((B.rows + 63) / 64, 0);
    auto between = [&](int r) { return alpha[r] > 0 && alpha[r] < price_[r]; };
    for (int r : free_)
      if (between(r)) out.between.push_back({r, share_ * alpha[r]});
    out.in = (int)out.between.size();
    for (int r : act) {
      if (alpha[r] >= price_[r]) out.full[r / 64] |= 1ULL << (r % 64);
      else if (between(r) && !is_free(r)) out.between.push_back({r, share_ * alpha[r]});
    }
    return out;
  }
};
