// What a branch pays for the features that it uses: a charge for having any, and beyond it prices of
// which each is no less than the one before, as of budgets. Relaxed, a feature is in use by a weight between 0 and 1
// (the k-support norm in place of the 2-norm); the dual is in closed form.

class Prices {
 public:
  using State = vector<uint8_t>;  // of each feature
  static constexpr uint8_t OPEN = 0, IN = 1, OUT = 2;
  static constexpr int TURNS = 8;
  static constexpr double NEAR = 1e-4, LITTLE = 1e-6, SLIGHT = 1e-3;

  Prices() = default;
  Prices(const double* marginal, double charge, int features)
      : marginal_(marginal), charge_(charge), p(features), matter_(charge > 0) {
    for (int q = 0; q < p; q++) matter_ = matter_ || marginal[q] > 0;
  }
  bool matter() const { return matter_; }

  double charge() const { return charge_; }
  double charge(const State& state) const {  // of the sets that are left
    return may_have(state) ? charge_ : 0.0;
  }

  bool may_have(const State& state) const {
    return std::count(state.begin(), state.end(), OUT) < p;
  }

  // Whether there is one set left.
  bool is_settled(const State& state) const {
    int in = (int)std::count(state.begin(), state.end(), IN);
    return (in && (in >= p || marginal_[in] == INFINITY)) ||
           !std::count(state.begin(), state.end(), OPEN);
  }

  // Whether one more feature can be paid for, and no two of them, with so much to pay.
  bool is_single(const State& state, double pay) const {
    int in = (int)std::count(state.begin(), state.end(), IN);
    int open = (int)std::count(state.begin(), state.end(), OPEN);
    if (!open || in >= p || marginal_[in] == INFINITY) return false;
    double price = 0.0;
    for (int q = 0; q < p && q < in + 2; q++) price += marginal_[q];
    return open == 1 || price >= pay;
  }

  // The feature of a branch that can have this one alone, else -1.
  int only(const State& state) const {
    int in = (int)std::count(state.begin(), state.end(), IN);
    bool open = std::count(state.begin(), state.end(), OPEN) > 0;
    if (in != 1 || (open && p > 1 && marginal_[1] < INFINITY)) return -1;
    return (int)(std::find(state.begin(), state.end(), IN) - state.begin());
  }

  // What features by these weights cost at least.
  double cost(const vector<double>& weight) const {
    double count = 0.0;
    for (int j = 0; j < p; j++) count += weight[j];
    double sum = 0.0;
    for (int q = 0; q < p && count > SLIGHT; q++, count -= 1.0)
      sum += marginal_[q] > 0 ? marginal_[q] * std::min(1.0, count) : 0.0;
    return sum;
  }

  // The greatest sum of squares / 2 of v by features in use, less what these cost.
  double most(const State& state, const vector<double>& v) const {
    vector<double> open;
    int in = 0;
    double sum = 0.0;
    for (int j = 0; j < p; j++) {
      if (state[j] == IN) sum += v[j] * v[j] / 2 - marginal_[in++];
      if (state[j] == OPEN) open.push_back(v[j] * v[j] / 2);
    }
    std::sort(open.rbegin(), open.rend());
    for (size_t k = 0; k < open.size() && open[k] > marginal_[in + k]; k++)
      sum += open[k] - marginal_[in + k];
    return sum;
  }

  vector<double> weights(const State& state, const vector<double>* before) const {
    int in = (int)std::count(state.begin(), state.end(), IN), open = 0;
    for (int j = 0; j < p; j++) open += state[j] == OPEN;
    double share = open ? std::min(1.0, std::max(1, free_of_charge() - in) / (double)open) : 0.0;
    bool full = in >= p || marginal_[in] == INFINITY;
    vector<double> weight(p);
    for (int j = 0; j < p; j++) {
      double open_now = before ? std::max((*before)[j], LITTLE) : share;
      weight[j] = state[j] == IN ? 1.0 : state[j] == OUT || full ? 0.0 : open_now;
    }
    return weight;
  }

  // The weights that the hyperplane weight * v is cheapest with.
  vector<double> better(const State& state, const vector<double>& weight,
                        const vector<double>& v) const {
    vector<double> size(p, 0.0), next = weight;
    int in = 0, open = 0;
    for (int j = 0; j < p; j++) {
      in += state[j] == IN;
      if (state[j] == OPEN && weight[j] > 0) size[j] = weight[j] * std::fabs(v[j]), open++;
    }
    auto sum = [&](double price) {
      double s = 0.0;
      for (int j = 0; j < p; j++)
        if (size[j] > 0) s += price > 0 ? std::min(1.0, size[j] / std::sqrt(2 * price)) : 1.0;
      return s;
    };
    double price = 0.0;
    for (int q = 0; in + q < p; q++) {
      double most = marginal_[in + q];
      if (most < INFINITY && sum(most) > q + 1) continue;
      price = most < INFINITY && sum(most) >= q ? most : between(sum, q, q ? marginal_[in + q - 1] : 0.0, most);
      break;
    }
    for (int j = 0; j < p; j++)
      if (size[j] > 0)
        next[j] = price > 0 ? std::max(LITTLE, std::min(1.0, size[j] / std::sqrt(2 * price))) : 1.0;
    return next;
  }

  // 1 for the features of a hyperplane that are worth it, 0 for others.
  vector<double> rounded(const State& state, const vector<double>& w) const {
    vector<double> weight(p, 0.0);
    vector<int> order;
    int in = 0;
    for (int j = 0; j < p; j++) {
      if (state[j] == IN) weight[j] = 1.0, in++;
      if (state[j] == OPEN && w[j] != 0) order.push_back(j);
    }
    std::sort(order.begin(), order.end(),
              [&](int a, int c) { return std::fabs(w[a]) > std::fabs(w[c]); });
    for (size_t k = 0; k < order.size(); k++) {
      double price = marginal_[in + k];
      if (price > 0 && (price == INFINITY || w[order[k]] * w[order[k]] / 2 <= price)) break;
      weight[order[k]] = 1.0;
    }
    return weight;
  }

  // The open feature that is neither in use nor out of it; -1 where none is open.
  int undecided(const State& state, const Plane& plane) const {
    int best = -1;
    double most = -1.0;
    for (int j = 0; j < p; j++) {
      if (state[j] != OPEN) continue;
      double half = plane.weight.empty() ? 0.5 : std::min(plane.weight[j], 1 - plane.weight[j]);
      double score = (half + 1e-3) * std::fabs(plane.w[j]);
      if (score > most) most = score, best = j;
    }
    return best;
  }

 private:
  const double* marginal_ = nullptr;
  double charge_ = 0.0;
  int p = 0;
  bool matter_ = false;

  int free_of_charge() const {
    int q = 0;
    while (q < p && marginal_[q] == 0) q++;
    return q;
  }

  // The price between two at which so many features are in use.
  template <class Sum> static double between(Sum& sum, double count, double low, double high) {
    if (high == INFINITY) {
      high = std::max(1.0, 2 * low);
      while (sum(high) > count && high < 1e300) high *= 4;
    }
    for (int k = 0; k < 100; k++) {
      double middle = low > 0 ? std::sqrt(low * high) : (low + high) / 2;
      (sum(middle) > count ? low : high) = middle;
    }
    return high;
  }
};
