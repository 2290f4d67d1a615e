// Which features a branch has: its least value by all sets of features. A cover has all sets,
// in parts with a bound each, and only the least one is looked into: solved again where points have been added
// since, and parted where its bound is not what some set pays. Included once for each set of
// instructions.

struct Sets {
  std::shared_ptr<const Prices::State> state;
  PlaneP plane;
  double value = -INFINITY;  // none of its sets pays less
  size_t rows = 0;           // that the plane was solved for, and
  double share = 0.0;
  bool tight = false;        // the value is what a set pays
};
using Cover = vector<Sets>;
using CoverP = std::shared_ptr<const Cover>;

class FeatureSets {
 public:
  FeatureSets(Svm& svm, const Prices& prices, int features)
      : svm_(svm), prices_(prices), p(features) {}

  // What is asked of them: for which rows, and where a value is enough; `near`: how near a bound
  // has to come to what a set pays.
  struct Asked {
    const vector<int>& act;
    double share, cut, room, near;
  };

  static CoverP only(const Prices::State& state) {
    Sets one;
    one.state = std::make_shared<const Prices::State>(state);
    return std::make_shared<const Cover>(1, one);
  }

  CoverP first() const {
    Cover all = *only(Prices::State(p, Prices::OPEN));
    if (prices_.charge() > 0) all.push_back((*only(Prices::State(p, Prices::OUT)))[0]);
    return std::make_shared<const Cover>(all);
  }

  static size_t least(const Cover& cover) {
    size_t best = 0;
    for (size_t k = 1; k < cover.size(); k++)
      if (cover[k].value < cover[best].value) best = k;
    return best;
  }

  // The cover with its least part looked into, in `steps` steps at most. done: it is what a set pays,
  // or enough.
  CoverP looked_into(const Cover& before, const Asked& asked, int steps, bool& done) const {
    auto cover = std::make_shared<Cover>(before);
    for (Sets& one : *cover)
      if (one.share != asked.share) one.value = -INFINITY;
    for (done = true;; steps--) {
      size_t k = least(*cover);
      Sets& one = (*cover)[k];
      bool fresh = one.plane && one.rows == asked.act.size() && one.share == asked.share;
      if (one.value >= asked.cut || (fresh && one.tight)) return cover;
      if (steps <= 0) return done = false, cover;
      if (!fresh) solve(one, asked);
      else if (is_tight(one, asked)) one.tight = true;
      else part(*cover, k, asked.cut);
    }
  }

  // The set of features that is nearest to a part's plane.
  Prices::State rounded(const Sets& one) const {
    vector<double> weight = prices_.rounded(*one.state, one.plane->w);
    Prices::State state(p, Prices::OUT);
    for (int j = 0; j < p; j++)
      if (weight[j] > 0) state[j] = Prices::IN;
    return state;
  }

 private:
  Svm& svm_;
  const Prices& prices_;
  const int p;

  void solve(Sets& one, const Asked& asked) const {
    const Prices::State& state = *one.state;
    bool again = one.share == asked.share;
    double charge = prices_.charge(state), before = -INFINITY;
    PlaneP best;
    Plane now;
    vector<double> weight = prices_.weights(state, one.plane ? &one.plane->weight : nullptr);
    for (int turn = 0; turn < Prices::TURNS; turn++) {
      const Plane* warm = turn ? &now : one.plane.get();
      now = svm_.solve(asked.act, warm, weight, asked.share, INFINITY, asked.room);
      double whole = now.value + prices_.cost(weight);
      vector<double> v = svm_.normal(asked.act);
      double own = 0.0;
      for (int j = 0; j < p; j++) own += weight[j] * v[j] * v[j] / 2;
      double value = now.value + asked.share * (own * (1 - 1e-12) - prices_.most(state, v));
      if (value > before || !best) before = value, best = std::make_shared<const Plane>(now);
      if (whole - before <= Prices::NEAR * std::max(1.0, std::fabs(whole)) ||
          before + charge >= asked.cut)
        break;
      weight = prices_.better(state, weight, v);
    }
    one.value = again ? std::max(one.value, before + charge) : before + charge;
    one.plane = best, one.rows = asked.act.size(), one.share = asked.share;
    one.tight = prices_.is_settled(state);
  }

  bool is_tight(const Sets& one, const Asked& asked) const {
    Sets whole;
    whole.state = std::make_shared<const Prices::State>(rounded(one));
    whole.plane = one.plane;
    solve(whole, asked);
    return whole.value - one.value <= asked.near;
  }

  void part(Cover& cover, size_t k, double pay) const {
    Sets one = cover[k];
    one.rows = SIZE_MAX;  // to be solved again
    auto with = [&](int feature, uint8_t settled, bool others) {
      auto state = std::make_shared<Prices::State>(*one.state);
      for (uint8_t& of : *state)
        if (others && of == Prices::OPEN) of = Prices::OUT;
      if (feature >= 0) (*state)[feature] = settled;
      Sets next = one;
      next.state = state;
      return next;
    };
    if (!prices_.is_single(*one.state, pay)) {
      int feature = prices_.undecided(*one.state, *one.plane);
      cover[k] = with(feature, Prices::IN, false);
      cover.push_back(with(feature, Prices::OUT, false));
      return;
    }
    cover[k] = with(-1, Prices::OUT, true);
    for (int j = 0; j < p; j++)
      if ((*one.state)[j] == Prices::OPEN) cover.push_back(with(j, Prices::IN, true));
  }
};
