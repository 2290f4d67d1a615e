// Bounds of margin trees where some points are known to be at a node: each branch has the points
// that are known to pass it, and its best hyperplane for these; what they pay adds up. Where the
// greatest norm of all branches has a price, it is a sum by the best shares, which add up to 1.
// Included once for each set of instructions.

struct Node {
  double bound = 0.0;
  vector<int16_t> place;   // the node where each point is known to be
  vector<PlaneP> plane;    // of each branch
  vector<double> value;    // what a branch pays at least
  vector<double> share;    // of each branch in the price of its norm
  vector<CoverP> cover;    // of each branch that pays for features
  size_t bytes = 0;
};
using NodeP = std::shared_ptr<Node>;

class MarginBounds {
 public:
  const MarginTask& T;
  const int N, p;

  MarginBounds(const MarginTask& task, const volatile int64_t& stop)
      : T(task), N(task.points), p(task.features), stop_(stop) {
    parent_.assign(T.nodes, -1);
    sided_.assign(T.nodes, 0), ordered_.assign(T.nodes, 1);
    branches_.resize(T.nodes), svm_.resize(T.nodes), prices_.resize(T.nodes), sets_.resize(T.nodes);
    for (int v = 0; v < T.nodes; v++)
      if (T.left[v] >= 0) read(v);
    side_.assign(T.nodes, vector<int>(T.nodes, -1));
    for (int u = 0; u < T.nodes; u++)
      for (int at = u, child = -1; at >= 0; child = at, at = parent_[at])
        side_[at][u] = child < 0 ? 2 : child == T.right[at];
  }

  int below(int v, int side) const { return side ? T.right[v] : T.left[v]; }
  bool is_branch(int v) const { return T.left[v] >= 0; }
  bool has_rows(int v) const { return branches_[v].rows; }
  bool is_sided(int v) const { return sided_[v]; }
  // Whether the features of a branch are settled before the sides of points.
  bool is_first(int v) const {
    bool needs = false;
    for (int u = 0; u < T.nodes; u++) needs = needs || T.needs[u] >= 0;
    return by_feature(v) && (sided_[v] || T.widest || needs);
  }
  bool by_feature(int v) const { return has_rows(v) && prices_[v].matter(); }

  // Whether it makes no difference where a point goes from a node.
  bool is_end(int v) const {
    return !is_branch(v) || (!sided_[v] && !is_branch(T.left[v]) && !is_branch(T.right[v]));
  }

  // The feature of a branch that can have this one alone and keeps its sides in order, else -1.
  int only_feature(const Node& node, int v) const {
    if (!ordered_[v] || !node.cover[v] || node.cover[v]->size() > 1) return -1;
    return prices_[v].only(*(*node.cover[v])[0].state);
  }

  size_t own_bytes() const { return sizeof(Node) + 2 * N + 64 * T.nodes; }

  // Where no value is known, `best` is infinite. `enough`: a bound that rules a node out.
  void set_goal(double best, double enough, double near) {
    best_ = best, enough_ = enough, near_ = near;
  }

  NodeP root() {
    NodeP root = std::make_shared<Node>();
    root->bytes = own_bytes();
    root->place.assign(N, 0);
    root->plane.resize(T.nodes), root->cover.resize(T.nodes), root->value.assign(T.nodes, 0.0);
    root->share.assign(T.nodes, T.widest ? 1.0 / branch_count() : 1.0);
    for (int v = 0; v < T.nodes; v++)
      if (by_feature(v)) root->cover[v] = sets_[v]->first();
    all_again(*root, INFINITY);
    return root;
  }

  // The branch's best hyperplane for what is known, or one that pays as much as rules the node out;
  // gives how much the bound rises.
  double solve_again(Node& node, int v) { return raised(node, v, enough_, STEPS, nullptr); }

  // Looks into the features of branches until their bounds are what trees pay, as far as it comes
  // in some steps; whether it came to the end.
  bool look_into(Node& node) {
    bool all = true;
    for (int v = 0; v < T.nodes; v++) {
      bool done = true;
      if (by_feature(v) && node.bound < enough_) raised(node, v, enough_, MORE_STEPS, &done);
      all = all && done;
    }
    return all;
  }

  // Shares that have a greater bound; `least`: what a difference to the best ones is worth.
  void share_again(Node& node, double least) {
    if (!T.widest) return;
    double power = 1.0, mixed = MIXED;
    for (int turn = 0; turn < SHARES && node.bound < enough_ && !stop_; turn++) {
      if (apart(node) <= least) return;
      bool by_norms = power >= 1.0;
      Node next = node;
      set_shares(next, by_norms ? power : 0.0, by_norms ? 0.0 : mixed);
      all_again(next, enough_);
      if (next.bound > node.bound) node = std::move(next), power = by_norms ? 2 * power : 1.0;
      else if (by_norms) power = power > 1.0 ? 1.0 : 0.0;
      else if ((mixed /= 10) < LEAST_MIXED) return;
    }
  }

  // By how much a tree of the node's hyperplanes is above its bound, where shares are not the best.
  double apart(const Node& node) const {
    double most = 0.0, sum = 0.0;
    for (int v = 0; v < T.nodes && T.widest; v++)
      if (has_rows(v)) {
        most = std::max(most, node.plane[v]->half);
        sum += node.share[v] * node.plane[v]->half;
      }
    return std::max(0.0, most - sum);
  }

  // Whether a branch can have features only where one that has none pays for them.
  bool lacks(const Node& node) const {
    for (int v = 0; v < T.nodes; v++) {
      int u = T.needs[v];
      if (u < 0 || node.cover[v]->size() > 1 || node.cover[u]->size() > 1) continue;
      if (!is_out(node, u)) continue;
      if (!is_out(node, v)) return true;
    }
    return false;
  }

  // The node with the features that its hyperplanes come nearest to, and no others.
  Node rounded(const Node& node) {
    Node whole = node;
    for (int v = 0; v < T.nodes; v++)
      if (by_feature(v)) {
        const Cover& cover = *node.cover[v];
        const Sets& least = cover[FeatureSets::least(cover)];
        whole.cover[v] = FeatureSets::only(sets_[v]->rounded(least));
        raised(whole, v, INFINITY, 1, nullptr);
      }
    return whole;
  }

  // What its tree pays, where all points are known to be at an end; not less than `best` where that
  // is what it comes to.
  double paid(Node& node) {
    double sum = 0.0;
    for (int v = 0; v < T.nodes; v++)
      if (has_rows(v)) {
        raised(node, v, INFINITY, 1, nullptr);
        if (node.plane[v]->endless) return INFINITY;
        sum += node.value[v];
        if (!T.widest && sum >= best_) return INFINITY;
      }
    share_again(node, near_ / 4);
    return node.bound + apart(node) + needed(node);
  }

  // The features of each branch of a node that is `rounded`, uint8 (nodes, p).
  vector<uint8_t> uses(const Node& node) const {
    vector<uint8_t> uses(T.nodes * p, 1);
    for (int v = 0; v < T.nodes; v++)
      for (int j = 0; j < p && by_feature(v); j++)
        uses[v * p + j] = (*(*node.cover[v])[0].state)[j] == Prices::IN;
    return uses;
  }

  struct Step {
    double own = 0.0, next = 0.0;  // missed at the branch, and at the one below
    bool free() const { return own <= ZERO && next <= ZERO; }
  };

  // By how much a point misses what its rows ask for that come with a side.
  Step step(const Node& node, int v, int i, int side) const {
    Step s;
    s.own = missed(v, *node.plane[v], i, side);
    int child = below(v, side);
    if (is_branch(child)) s.next = missed(child, *node.plane[child], i, 2);
    return s;
  }

  int side_of(int v, int at) const { return side_[v][at]; }

  double rest_of(const Node& node, int v) const {  // the bounds of the other branches
    double sum = 0.0;
    for (int u = 0; u < T.nodes; u++)
      if (u != v) sum += node.value[u];
    return sum;
  }

  static constexpr double ZERO = 1e-9;

 private:
  const volatile int64_t& stop_;
  double best_ = INFINITY, enough_ = INFINITY, near_ = 0.0;
  vector<int> parent_;
  vector<char> sided_;    // whether rows of a branch depend on the side
  vector<char> ordered_;  // whether left points are below 0, and right ones not
  vector<vector<int>> side_;  // on which side of a branch each node is, 2 for itself, -1 for none
  vector<Branch> branches_;
  vector<std::unique_ptr<Svm>> svm_;
  vector<Prices> prices_;
  vector<std::unique_ptr<FeatureSets>> sets_;
  static constexpr int STEPS = 8, MORE_STEPS = 64;  // into the features of a branch at once
  static constexpr int SHARES = 30;                 // turns towards the best shares
  static constexpr double LEAST_SHARE = 1e-8, MIXED = 0.3, LEAST_MIXED = 1e-4;

  void read(int v) {
    Branch& b = branches_[v];
    int from = T.start[v];
    b.rows = T.start[v + 1] - from, b.N = N, b.p = p;
    b.point = T.point + from, b.side = T.side + from;
    b.sign = T.sign + from, b.least = T.least + from, b.price = T.price + from;
    b.x.resize((size_t)N * p);
    for (int i = 0; i < N; i++) {
      double size = 0.0;
      for (int j = 0; j < p; j++) {
        double value = b.x[(size_t)i * p + j] = T.x[(size_t)i * p + j] * T.scale[v * p + j];
        size += value * value;
      }
      b.longest = std::max(b.longest, std::sqrt(size));
    }
    b.first.assign(N + 1, 0), b.of_point.resize(b.rows);
    for (int r = 0; r < b.rows; r++) {
      b.first[b.point[r] + 1]++;
      b.most_least = std::max(b.most_least, std::fabs(b.least[r]));
      sided_[v] |= b.side[r] != 2;
      if (b.price[r] == INFINITY)
        ordered_[v] &= b.side[r] != 2 && b.least[r] >= 0 && (b.sign[r] > 0) == (b.side[r] == 1);
    }
    for (int i = 0; i < N; i++) b.first[i + 1] += b.first[i];
    vector<int> next(b.first.begin(), b.first.end() - 1);
    for (int r = 0; r < b.rows; r++) b.of_point[next[b.point[r]]++] = r;
    svm_[v] = std::make_unique<Svm>(b, stop_);
    prices_[v] = Prices(T.marginal + v * p, T.charge[v], p);
    sets_[v] = std::make_unique<FeatureSets>(*svm_[v], prices_[v], p);
    parent_[T.left[v]] = parent_[T.right[v]] = v;
  }

  int branch_count() const {
    int count = 0;
    for (int v = 0; v < T.nodes; v++) count += has_rows(v);
    return std::max(1, count);
  }

  // Less for branches with lesser norms, by a power of these; then a part for the greatest one,
  // which gains whatever it had.
  void set_shares(Node& node, double power, double mixed) const {
    int widest = -1;
    for (int v = 0; v < T.nodes; v++)
      if (has_rows(v) && (widest < 0 || node.plane[v]->half > node.plane[widest]->half)) widest = v;
    double most = node.plane[widest]->half, sum = 0.0;
    for (int v = 0; v < T.nodes; v++)
      if (has_rows(v)) {
        double by = std::pow(node.plane[v]->half / most, power / 2);
        sum += node.share[v] = std::max(node.share[v] * by, LEAST_SHARE);
      }
    for (int v = 0; v < T.nodes; v++)
      node.share[v] = (1 - mixed) * node.share[v] / sum + (v == widest ? mixed : 0.0);
  }

  bool is_out(const Node& node, int v) const {
    return !prices_[v].may_have(*(*node.cover[v])[0].state);
  }

  // What branches pay that have no features for others that have, where features are settled.
  double needed(const Node& node) const {
    double sum = 0.0;
    vector<char> active(T.nodes, 0);
    for (int v = 0; v < T.nodes; v++) {
      bool has = by_feature(v) && !is_out(node, v);
      for (int u = has ? v : -1; u >= 0; u = T.needs[u], has = false) {
        if (!has && !active[u] && is_out(node, u)) sum += prices_[u].charge();
        active[u] = 1;
      }
    }
    return sum;
  }

  double room() const { return best_ < INFINITY ? std::sqrt(2 * std::max(0.0, best_)) : 1e8; }

  vector<int> rows(const vector<int16_t>& place, int v) const {
    vector<int> act;
    const Branch& b = branches_[v];
    const vector<int>& side = side_[v];
    for (int r = 0; r < b.rows; r++) {
      int of = side[place[b.point[r]]];
      if (of >= 0 && (b.side[r] == 2 || b.side[r] == of)) act.push_back(r);
    }
    return act;
  }

  // The bound with a branch's hyperplane for what is known, or one that brings it to `enough`.
  double raised(Node& node, int v, double enough, int steps, bool* done) {
    double rest = rest_of(node, v), before = node.value[v];
    PlaneP plane = found(node, v, enough - rest, steps, done);
    if (plane != node.plane[v]) node.bytes += plane->bytes();
    node.plane[v] = plane;
    node.value[v] = std::max(node.value[v], by_feature(v) ? least(node, v).value : plane->value);
    node.bound = rest + node.value[v];
    return node.value[v] - before;
  }

  const Sets& least(const Node& node, int v) const {
    return (*node.cover[v])[FeatureSets::least(*node.cover[v])];
  }

  PlaneP found(Node& node, int v, double cut, int steps, bool* done) {
    vector<int> act = rows(node.place, v);
    double share = node.share[v];
    if (!by_feature(v)) {
      const Plane* warm = node.plane[v].get();
      return std::make_shared<const Plane>(svm_[v]->solve(act, warm, {}, share, cut, room()));
    }
    bool ended = false;
    FeatureSets::Asked asked{act, share, cut, room(), near_};
    node.cover[v] = sets_[v]->looked_into(*node.cover[v], asked, steps, ended);
    node.bytes += sizeof(Sets) * node.cover[v]->size();
    if (done) *done = ended;
    return least(node, v).plane;
  }

  void all_again(Node& node, double enough) {
    std::fill(node.value.begin(), node.value.end(), 0.0);
    for (int v = 0; v < T.nodes; v++)
      if (has_rows(v)) raised(node, v, enough, STEPS, nullptr);
  }

  double missed(int v, const Plane& plane, int i, int side) const {
    const Branch& b = branches_[v];
    double height = plane.b, most = 0.0;
    for (int j = 0; j < p; j++) height += plane.w[j] * b.x[(size_t)i * p + j];
    for (int k = b.first[i]; k < b.first[i + 1]; k++) {
      int r = b.of_point[k];
      double g = b.side[r] == side ? b.least[r] - b.sign[r] * height : 0.0;
      most = std::max(most, g);
    }
    return most;
  }
};
