// Margin trees by branch and bound: which side of a branch a point takes, and which features a
// branch has. At a node each branch has the points that are known to pass it, and its best
// hyperplane for these is a bound; the bounds add up. Numpy says the same in
// treemip/engines/margin/sides.py. Included once for each set of instructions, in TREES.

namespace TREES {

using std::vector;

#include "margin_svm.h"
#include "feature_prices.h"

// The hyperplanes of a branch that can pay for one more feature, by that feature: each for the first
// `rows` rows that it had, and a bound for more of them.
struct Single {
  struct One {
    PlaneP plane;
    size_t rows = 0;
  };
  vector<One> by;
};

struct Node {
  double bound = 0.0;
  vector<int16_t> place;                            // the node where each point is known to be
  vector<PlaneP> plane;                             // of each branch
  vector<std::shared_ptr<const Prices::State>> of;  // of each branch: which features are settled
  vector<std::shared_ptr<const Single>> single;     // of each branch, where it has come to that
  size_t bytes = 0;
};
using NodeP = std::shared_ptr<Node>;

// What a node is parted by: a point's side, or whether a branch has a feature.
struct Choice {
  int point = -1, branch = -1, feature = -1;
  double score = 0.0;
};

class MarginTrees {
 public:
  MarginTrees(const MarginTask& task, MarginControl& control)
      : T(task), C(control), N(task.points), p(task.features), best_(task.goal) {
    double most = std::min(task.seconds, 1e8);
    until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(most));
    C.best = best_, C.bound = -INFINITY;
    parent_.assign(T.nodes, -1);
    sided_.assign(T.nodes, 0), ordered_.assign(T.nodes, 1);
    branches_.resize(T.nodes), svm_.resize(T.nodes), prices_.resize(T.nodes);
    for (int v = 0; v < T.nodes; v++)
      if (T.left[v] >= 0) read(v);
    side_.assign(T.nodes, vector<int>(T.nodes, -1));
    for (int u = 0; u < T.nodes; u++)
      for (int at = u, child = -1; at >= 0; child = at, at = parent_[at])
        side_[at][u] = child < 0 ? 2 : child == T.right[at];
    int choices = N + (int)T.nodes * p;
    for (int s = 0; s < 2; s++) gain_[s].assign(choices, 0.0), seen_[s].assign(choices, 0);
  }

  // place (points,) and uses (nodes, features) of the best tree, where one is better than `goal`.
  void run(int32_t* place, uint8_t* uses) {
    NodeP root = std::make_shared<Node>();
    root->place.assign(N, 0);
    root->plane.resize(T.nodes), root->of.resize(T.nodes), root->single.resize(T.nodes);
    for (int v = 0; v < T.nodes; v++)
      if (branches_[v].rows) {
        if (prices_[v].matter()) root->of[v] = std::make_shared<const Prices::State>(p, Prices::OPEN);
        root->plane[v] = solved(*root, v, nullptr, INFINITY);
        root->bound += root->plane[v]->value;
      }
    C.bound = root->bound;
    complete(*root);
    keep(root);
    while (!late() && !heap_.empty()) {
      NodeP node = next();
      if (node->bound >= enough()) continue;
      C.nodes++;
      part(*node);
      tell();
    }
    if (late() && (!heap_.empty() || !stack_.empty())) C.complete = 0;
    tell();
    C.best = best_;
    C.found = !best_place_.empty();
    std::copy(best_place_.begin(), best_place_.end(), place);
    std::copy(best_uses_.begin(), best_uses_.end(), uses);
  }

 private:
  const MarginTask& T;
  MarginControl& C;
  const int N, p;
  Clock::time_point until_;
  vector<int> parent_;
  vector<char> sided_;    // whether rows of a branch depend on the side
  vector<char> ordered_;  // whether left points are below 0, and right ones not
  vector<vector<int>> side_;  // on which side of a branch each node is, 2 for itself, -1 for none
  vector<Branch> branches_;
  vector<std::unique_ptr<Svm>> svm_;
  vector<Prices> prices_;
  vector<NodeP> heap_, stack_;  // by bound; the stack where memory is short
  size_t bytes_ = 0;
  double best_, closed_ = INFINITY;  // the least bound of nodes whose tree is complete
  vector<int16_t> best_place_;
  vector<uint8_t> best_uses_;
  vector<double> gain_[2];  // by choice and side, of the bound, and how often
  vector<int> seen_[2];
  struct Rate {  // of a bound that rises, by what a point missed
    double gained = 0.0, missed = 0.0;
    void learn(double miss, double gain) { gained += gain, missed += miss; }
    double rate() const { return missed > 0 ? gained / missed : 1.0; }
  } own_, next_;
  static constexpr int TRIED = 8, KNOWN = 4;  // choices tried at a node; and after so many, not
  static constexpr int DIVE = 200;            // nodes between two dives
  static constexpr double ZERO = 1e-9, LEAST = 1e-6;

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
    svm_[v] = std::make_unique<Svm>(b, C.stop);
    prices_[v] = Prices(T.marginal + v * p, p);
    parent_[T.left[v]] = parent_[T.right[v]] = v;
  }

  bool late() const { return C.stop || Clock::now() > until_; }
  double enough() const { return best_ - T.tolerance * std::max(1.0, std::fabs(best_)); }
  double room() const { return best_ < INFINITY ? std::sqrt(2 * std::max(0.0, best_)) : 1e8; }
  int below(int v, int side) const { return side ? T.right[v] : T.left[v]; }
  bool is_branch(int v) const { return T.left[v] >= 0; }

  // Whether it makes no difference where a point goes from a node.
  bool is_end(int v) const {
    return !is_branch(v) || (!sided_[v] && !is_branch(T.left[v]) && !is_branch(T.right[v]));
  }

  void tell() {
    double low = std::min(closed_, enough());
    for (const NodeP& one : stack_) low = std::min(low, one->bound);
    if (!heap_.empty()) low = std::min(low, heap_[0]->bound);
    if (low > C.bound) C.bound = low;
    C.best = best_;
  }

  static bool after(const NodeP& a, const NodeP& b) { return a->bound > b->bound; }

  void keep(NodeP node) {
    bytes_ += node->bytes;
    if (bytes_ > T.bytes) return stack_.push_back(std::move(node));
    heap_.push_back(std::move(node));
    std::push_heap(heap_.begin(), heap_.end(), after);
  }

  NodeP next() {
    NodeP node;
    if (!stack_.empty()) {
      node = std::move(stack_.back()), stack_.pop_back();
    } else {
      std::pop_heap(heap_.begin(), heap_.end(), after);
      node = std::move(heap_.back()), heap_.pop_back();
    }
    bytes_ -= std::min(bytes_, node->bytes);
    return node;
  }

  // ------------------------------------------------------------------------ hyperplanes

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

  // The best hyperplane of a branch for what is known, or one that pays `cut`.
  PlaneP solved(Node& node, int v, const Plane* warm, double cut) {
    vector<int> act = rows(node.place, v);
    Svm& svm = *svm_[v];
    auto plane = std::make_shared<Plane>();
    if (!prices_[v].matter()) {
      *plane = svm.solve(act, warm, {}, cut, room());
      return plane;
    }
    const Prices::State& state = *node.of[v];
    const Prices& prices = prices_[v];
    double rest = rest_of(node, v);
    if (prices.is_single(state, enough() - rest)) return by_feature(node, v, act, cut);
    vector<double> weight = prices.weights(state, warm ? &warm->weight : nullptr);
    double before = -INFINITY;
    Plane now;
    for (int turn = 0; turn < Prices::TURNS; turn++) {
      now = svm.solve(act, turn ? &now : warm, weight, INFINITY, room());
      double whole = now.value;  // with these weights, which stand for a solution
      vector<double> v2 = svm.normal(act);
      double own = 0.0;
      for (int j = 0; j < p; j++) own += weight[j] * v2[j] * v2[j] / 2;
      now.value += own * (1 - 1e-12) - prices.most(state, v2);
      whole += prices.cost(weight);
      if (now.value > before) before = now.value, *plane = now;
      if (whole - before <= Prices::NEAR * std::max(1.0, std::fabs(whole)) || before >= cut) break;
      weight = prices.better(state, weight, v2);
    }
    return plane;
  }

  // The best of all hyperplanes with one more feature, or none: those that are behind are solved
  // again only where they may be the best.
  PlaneP by_feature(Node& node, int v, const vector<int>& act, double cut) {
    const Prices::State& state = *node.of[v];
    auto single = std::make_shared<Single>();
    if (node.single[v]) *single = *node.single[v];
    single->by.resize(p + 1);
    int best = -1;
    while (true) {
      double least = INFINITY;
      for (int j = 0; j <= p; j++) {
        if (j < p && state[j] != Prices::OPEN) continue;
        double value = single->by[j].plane ? single->by[j].plane->value : -INFINITY;
        if (value < least) least = value, best = j;
      }
      Single::One& one = single->by[best];
      if (least >= cut || (one.plane && one.rows == act.size())) break;
      vector<double> weight(p, 0.0);
      for (int j = 0; j < p; j++) weight[j] = state[j] == Prices::IN || j == best;
      double price = prices_[v].cost(weight), before = least;
      auto plane = std::make_shared<Plane>();
      *plane = svm_[v]->solve(act, one.plane.get(), weight, cut - price, room());
      plane->value = std::max(before, plane->value + price);
      one.plane = plane, one.rows = act.size();
      node.bytes += plane->bytes();
    }
    node.bytes += sizeof(Single) + 24 * (p + 1);
    node.single[v] = single;
    return single->by[best].plane;
  }

  // The branch with the features that its weights come nearest to, and no others.
  PlaneP rounded(const Node& node, int v, vector<uint8_t>* uses = nullptr) {
    if (!prices_[v].matter()) return node.plane[v];
    if (node.single[v]) {
      if (uses)
        for (int j = 0; j < p; j++) (*uses)[v * p + j] = node.plane[v]->weight[j] > 0;
      return node.plane[v];
    }
    vector<double> weight = prices_[v].rounded(*node.of[v], node.plane[v]->w);
    if (uses)
      for (int j = 0; j < p; j++) (*uses)[v * p + j] = weight[j] > 0;
    auto plane = std::make_shared<Plane>();
    *plane = svm_[v]->solve(rows(node.place, v), node.plane[v].get(), weight, INFINITY, room());
    plane->value += prices_[v].cost(weight);
    return plane;
  }

  // By how much a point misses what its rows ask for that come with a side.
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

  struct Step {
    double own = 0.0, next = 0.0;  // missed at the branch, and at the one below
    bool free() const { return own <= ZERO && next <= ZERO; }
  };

  Step step(const vector<PlaneP>& plane, int v, int i, int side) const {
    Step s;
    s.own = missed(v, *plane[v], i, side);
    int child = below(v, side);
    if (is_branch(child)) s.next = missed(child, *plane[child], i, 2);
    return s;
  }

  // ------------------------------------------------------------------------------ nodes

  double rest_of(const Node& node, int v) const {  // the bounds of the other branches
    double sum = 0.0;
    for (int u = 0; u < T.nodes; u++)
      if (u != v && node.plane[u]) sum += node.plane[u]->value;
    return sum;
  }

  double solve_again(Node& node, int v, double cut) {  // gives how much the bound rises
    double rest = rest_of(node, v);
    PlaneP plane = solved(node, v, node.plane[v].get(), cut - rest);
    node.bytes += plane->bytes();
    if (plane->value < node.plane[v]->value) {  // a bound that was known stays
      Plane same = *plane;
      same.value = node.plane[v]->value;
      plane = std::make_shared<const Plane>(std::move(same));
    }
    node.plane[v] = plane;
    double before = node.bound;
    node.bound = rest + plane->value;
    return node.bound - before;
  }

  NodeP child(const Node& node, const Choice& choice, int side) {
    NodeP one = std::make_shared<Node>(node);
    one->bytes = sizeof(Node) + 2 * N + 48 * T.nodes;
    double cut = enough();
    if (choice.point < 0) {
      auto state = std::make_shared<Prices::State>(*node.of[choice.branch]);
      (*state)[choice.feature] = side ? Prices::IN : Prices::OUT;
      one->of[choice.branch] = state;
      solve_again(*one, choice.branch, cut);
      return one;
    }
    int i = choice.point, v = node.place[i], next = below(v, side);
    Step s = step(node.plane, v, i, side);
    one->place[i] = next;
    auto below_it = [&] {
      if (s.next > ZERO && one->bound < cut) next_.learn(s.next, solve_again(*one, next, cut));
    };
    if (s.next > s.own) below_it();
    if (s.own > ZERO && one->bound < cut) own_.learn(s.own, solve_again(*one, v, cut));
    if (s.next <= s.own) below_it();
    if (one->bound < cut) order(*one, v, cut);
    return one;
  }

  // At a branch of one feature, points between those of a side are on that side, and so are points
  // beyond them where the other side is known.
  void order(Node& node, int v, double cut) {
    int feature = prices_[v].matter() && ordered_[v] ? prices_[v].only(*node.of[v]) : -1;
    if (feature < 0) return;
    auto at = [&](int i) { return T.x[(size_t)i * p + feature]; };
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < N; i++) {
      int side = side_[v][node.place[i]];
      if (side < 0 || side > 1) continue;
      low[side] = std::min(low[side], at(i)), high[side] = std::max(high[side], at(i));
    }
    if (low[0] <= high[0] && low[1] <= high[1]) {
      if (high[0] < low[1]) low[0] = -INFINITY, high[1] = INFINITY;
      else if (high[1] < low[0]) high[0] = INFINITY, low[1] = -INFINITY;
      else return void(node.bound = INFINITY);
    }
    bool moved = false;
    for (int i = 0; i < N; i++)
      for (int s = 0; s < 2 && node.place[i] == v; s++)
        if (low[s] <= at(i) && at(i) <= high[s]) node.place[i] = below(v, s), moved = true;
    if (!moved) return;
    for (int u : {(int)T.left[v], (int)T.right[v], v})
      if (is_branch(u) && node.bound < cut) solve_again(node, u, cut);
  }

  // A node for each feature of a branch that sends points to sides and has one more of them; false
  // where there is no such branch.
  bool part_by_feature(const Node& node) {
    for (int v = 0; v < T.nodes; v++) {
      if (!sided_[v] || !node.single[v] || prices_[v].only(*node.of[v]) >= 0) continue;
      if (!std::count(node.of[v]->begin(), node.of[v]->end(), Prices::OPEN)) continue;
      for (int j = 0; j <= p; j++) {
        if (j < p && (*node.of[v])[j] != Prices::OPEN) continue;
        NodeP one = std::make_shared<Node>(node);
        one->bytes = sizeof(Node) + 2 * N + 48 * T.nodes;
        auto state = std::make_shared<Prices::State>(*node.of[v]);
        for (uint8_t& of : *state) of = of == Prices::OPEN ? Prices::OUT : of;
        if (j < p) (*state)[j] = Prices::IN;
        one->of[v] = state, one->single[v] = nullptr;
        one->plane[v] = node.single[v]->by[j].plane;
        one->bound = rest_of(node, v) + one->plane[v]->value;
        if (one->bound < enough()) solve_again(*one, v, enough());
        if (one->bound < enough()) keep(one);
      }
      return true;
    }
    return false;
  }

  int number(const Choice& c) const { return c.point >= 0 ? c.point : N + c.branch * p + c.feature; }

  double promised(const Choice& c, int side, double otherwise) const {
    int k = number(c);
    return seen_[side][k] ? gain_[side][k] / seen_[side][k] : otherwise;
  }

  // What missing something has raised bounds by so far.
  double usual(const Step& s) const { return s.own * own_.rate() + s.next * next_.rate(); }

  static double product(double a, double b) { return std::max(a, LEAST) * std::max(b, LEAST); }

  // What a node may be parted by, the most promising first; none where the hyperplanes that it has
  // are those of a tree.
  vector<Choice> choices(const Node& node) {
    vector<Choice> found;
    double left = best_ < INFINITY ? best_ - node.bound : 1e300;
    for (int i = 0; i < N; i++) {
      int v = node.place[i];
      if (is_end(v)) continue;
      Choice one;
      one.point = i;
      Step to[2] = {step(node.plane, v, i, 0), step(node.plane, v, i, 1)};
      if (to[0].free() || to[1].free()) continue;
      double gain[2];
      for (int s = 0; s < 2; s++) gain[s] = std::min(left, promised(one, s, usual(to[s])));
      one.score = product(gain[0], gain[1]);
      found.push_back(one);
    }
    for (int v = 0; v < T.nodes; v++)
      if (prices_[v].matter() && branches_[v].rows) of_features(node, v, left, found);
    std::sort(found.begin(), found.end(),
              [](const Choice& a, const Choice& b) { return a.score > b.score; });
    return found;
  }

  void of_features(const Node& node, int v, double left, vector<Choice>& found) {
    Choice one;
    one.branch = v;
    one.feature = prices_[v].undecided(*node.of[v], *node.plane[v]);
    if (one.feature < 0 || node.single[v]) return;
    double apart = rounded(node, v)->value - node.plane[v]->value;
    if (apart <= T.tolerance * std::max(1.0, std::fabs(best_)) / (4 * T.nodes)) return;
    double gain[2];
    for (int s = 0; s < 2; s++) gain[s] = std::min({left, apart, promised(one, s, apart)});
    one.score = product(gain[0], gain[1]);
    found.push_back(one);
  }

  void part(const Node& node) {
    if (part_by_feature(node)) return;
    vector<Choice> found = choices(node);
    if (found.empty()) {
      complete(node);
      if (best_ <= node.bound + (best_ - enough()) || !any(node, found)) {
        closed_ = std::min(closed_, node.bound);
        return;
      }
    }
    NodeP best[2];
    const Choice* chosen = nullptr;
    double most = -1.0;
    int tried = 0, since = 0;
    for (const Choice& one : found) {
      if (tried >= TRIED || since >= TRIED || late()) break;
      int k = number(one);
      if (seen_[0][k] >= KNOWN && seen_[1][k] >= KNOWN) {
        since++;
        if (one.score > most) most = one.score, chosen = &one, best[0] = nullptr, since = 0;
        continue;
      }
      tried++, since++;
      NodeP both[2];
      double score = parted(node, one, both);
      if (score > most) {
        most = score, chosen = &one, since = 0;
        best[0] = both[0], best[1] = both[1];
      }
      if (score >= INFINITY) break;
    }
    if (!chosen) return keep(std::make_shared<Node>(node));  // time is up
    if (!best[0]) parted(node, *chosen, best);
    for (int s = 0; s < 2; s++)
      if (best[s]->bound < enough()) keep(best[s]);
    const NodeP& better = best[best[1]->bound < best[0]->bound];
    if (C.nodes < 20 || C.nodes % 50 == 0) complete(*better);
    if (C.nodes % DIVE == 1) dive(better);
  }

  // The better child of the better child, down to a tree.
  void dive(NodeP node) {
    while (node->bound < enough() && !late()) {
      vector<Choice> found = choices(*node);
      if (found.empty()) return complete(*node);
      NodeP both[2];
      parted(*node, found[0], both);
      node = both[both[1]->bound < both[0]->bound];
    }
  }

  double parted(const Node& node, const Choice& one, NodeP both[2]) {
    double gain[2];
    int k = number(one);
    for (int s = 0; s < 2; s++) {
      both[s] = child(node, one, s);
      gain[s] = both[s]->bound - node.bound;
      gain_[s][k] += gain[s], seen_[s][k]++;
    }
    bool ends = both[0]->bound >= enough() || both[1]->bound >= enough();
    return ends ? INFINITY : product(gain[0], gain[1]);
  }

  // Anything that is not settled yet.
  bool any(const Node& node, vector<Choice>& found) const {
    Choice one;
    for (int i = 0; i < N && found.empty(); i++)
      if (!is_end(node.place[i])) one.point = i, found.push_back(one);
    for (int v = 0; v < T.nodes && found.empty(); v++)
      for (int j = 0; prices_[v].matter() && branches_[v].rows && j < p && found.empty(); j++)
        if ((*node.of[v])[j] == Prices::OPEN)
          one.branch = v, one.feature = j, found.push_back(one);
    return !found.empty();
  }

  // The tree that a node's hyperplanes make of it, where that is better than the best one.
  void complete(const Node& node) {
    Node whole = node;
    vector<uint8_t> uses(T.nodes * p, 1);
    for (int v = 0; v < T.nodes; v++)
      if (branches_[v].rows) whole.plane[v] = rounded(node, v, &uses);
    for (int i = 0; i < N; i++)
      while (!is_end(whole.place[i])) {
        int v = whole.place[i];
        Step to[2] = {step(whole.plane, v, i, 0), step(whole.plane, v, i, 1)};
        double cost[2];
        for (int s = 0; s < 2; s++) cost[s] = to[s].own > ZERO ? 1e18 + to[s].own : to[s].next;
        whole.place[i] = below(v, cost[1] < cost[0]);
      }
    double total = 0.0;
    for (int v = 0; v < T.nodes; v++) {
      if (!branches_[v].rows) continue;
      const vector<double>& weight = whole.plane[v]->weight;
      Plane plane = svm_[v]->solve(rows(whole.place, v), whole.plane[v].get(), weight, best_ - total,
                                   room());
      total += plane.value;
      if (prices_[v].matter()) total += prices_[v].cost(weight);
      if (plane.endless || total >= best_ || C.stop) return;
    }
    best_ = total;
    best_place_ = whole.place, best_uses_ = uses;
  }
};

}  // namespace TREES
