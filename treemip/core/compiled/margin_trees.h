// Margin trees by branch and bound: which side of a branch a point takes. Features of branches that
// send points to sides are settled first; those of others are looked into branch by branch. Numpy
// says the same in treemip/answers/engines/margin/sides.py. Included once for each set of instructions, in
// TREES.

namespace TREES {

using std::vector;

#include "margin_svm.h"
#include "feature_prices.h"
#include "margin_features.h"
#include "margin_bounds.h"

// A point whose side a node is parted by.
struct Choice {
  int point = -1;
  double score = 0.0;
};

class MarginTrees {
 public:
  MarginTrees(const MarginTask& task, MarginControl& control)
      : T(task), C(control), N(task.points), p(task.features), B(task, control.stop),
        best_(task.goal) {
    double most = std::min(task.seconds, 1e8);
    until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(most));
    C.best = best_, C.bound = -INFINITY;
    for (int s = 0; s < 2; s++) gain_[s].assign(N, 0.0), seen_[s].assign(N, 0);
    set_goal();
  }

  // place (points,), uses (nodes, features) and share (nodes,) of the best tree, where one is better
  // than `goal`.
  void run(int32_t* place, uint8_t* uses, double* share) {
    NodeP root = B.root();
    C.bound = root->bound;
    complete(*root);
    keep(root);
    while (!late() && !(heap_.empty() && stack_.empty())) {
      NodeP node = next();
      if (node->bound >= enough()) continue;
      C.nodes++;
      part(node);
      tell();
    }
    if (late() && (!heap_.empty() || !stack_.empty())) C.complete = 0;
    tell();
    C.best = best_;
    C.found = !best_place_.empty();
    std::copy(best_place_.begin(), best_place_.end(), place);
    std::copy(best_uses_.begin(), best_uses_.end(), uses);
    std::copy(best_share_.begin(), best_share_.end(), share);
  }

 private:
  const MarginTask& T;
  MarginControl& C;
  const int N, p;
  MarginBounds B;
  Clock::time_point until_;
  vector<NodeP> heap_, stack_;  // by bound; the stack where memory is short
  size_t bytes_ = 0;
  double best_, closed_ = INFINITY;  // the least bound of nodes whose tree is complete
  vector<int16_t> best_place_;
  vector<uint8_t> best_uses_;
  vector<double> best_share_;
  vector<double> gain_[2];  // by point and side, of the bound, and how often
  vector<int> seen_[2];
  struct Rate {  // of a bound that rises, by what a point missed
    double gained = 0.0, missed = 0.0;
    void learn(double miss, double gain) { gained += gain, missed += miss; }
    double rate() const { return missed > 0 ? gained / missed : 1.0; }
  } own_, next_;
  static constexpr int TRIED = 8, KNOWN = 4;  // choices tried at a node; and after so many, not
  static constexpr int DIVE = 200;            // nodes between two dives
  static constexpr double ZERO = MarginBounds::ZERO, LEAST = 1e-6;
  static constexpr double SHARED = 0.1;  // of what a node is to rise by: shares that are worth it

  bool late() const { return C.stop || Clock::now() > until_; }
  double near() const { return T.tolerance * std::max(1.0, std::fabs(best_)); }
  double enough() const { return best_ - near(); }

  void set_goal() {
    double near_enough = best_ < INFINITY ? near() / (4 * T.nodes) : T.tolerance;
    B.set_goal(best_, enough(), near_enough);
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
    if (node->bound >= enough()) return;
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

  // ---------------------------------------------------------------------------- parting

  NodeP child(const Node& node, int i, int side) {
    NodeP one = std::make_shared<Node>(node);
    one->bytes = B.own_bytes();
    int v = node.place[i], next = B.below(v, side);
    MarginBounds::Step s = B.step(node, v, i, side);
    one->place[i] = next;
    auto below_it = [&] {
      if (s.next > ZERO && one->bound < enough()) next_.learn(s.next, B.solve_again(*one, next));
    };
    if (s.next > s.own) below_it();
    if (s.own > ZERO && one->bound < enough()) own_.learn(s.own, B.solve_again(*one, v));
    if (s.next <= s.own) below_it();
    if (one->bound < enough()) order(*one, v);
    B.share_again(*one, SHARED * (enough() - one->bound));
    return one;
  }

  // At a branch of one feature, points between those of a side are on that side, and so are points
  // beyond them where the other side is known.
  void order(Node& node, int v) {
    int feature = B.only_feature(node, v);
    if (feature < 0) return;
    auto at = [&](int i) { return T.x[(size_t)i * p + feature]; };
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < N; i++) {
      int side = B.side_of(v, node.place[i]);
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
        if (low[s] <= at(i) && at(i) <= high[s]) node.place[i] = B.below(v, s), moved = true;
    if (!moved) return;
    for (int u : {(int)T.left[v], (int)T.right[v], v})
      if (B.is_branch(u) && node.bound < enough()) B.solve_again(node, u);
  }

  // A node for each part of the features of a branch that sends points to sides, or has a share;
  // false where there is no such branch.
  bool part_by_feature(const Node& node) {
    for (int v = 0; v < T.nodes; v++) {
      if (!B.is_first(v) || node.cover[v]->size() < 2) continue;
      for (const Sets& part : *node.cover[v]) {
        NodeP one = std::make_shared<Node>(node);
        one->bytes = B.own_bytes();
        one->cover[v] = std::make_shared<const Cover>(1, part);
        one->value[v] = std::max(part.value, node.value[v]);
        one->bound = B.rest_of(*one, v) + one->value[v];
        if (one->bound >= enough() || B.lacks(*one)) continue;
        B.solve_again(*one, v);
        order(*one, v);
        keep(one);
      }
      return true;
    }
    return false;
  }

  double promised(int i, int side, double otherwise) const {
    return seen_[side][i] ? gain_[side][i] / seen_[side][i] : otherwise;
  }

  // What missing something has raised bounds by so far.
  double usual(const MarginBounds::Step& s) const {
    return s.own * own_.rate() + s.next * next_.rate();
  }

  static double product(double a, double b) { return std::max(a, LEAST) * std::max(b, LEAST); }

  // What a node may be parted by, the most promising first; none where the hyperplanes that it has
  // are those of a tree.
  vector<Choice> choices(const Node& node) {
    vector<Choice> found;
    double left = best_ < INFINITY ? best_ - node.bound : 1e300;
    for (int i = 0; i < N; i++) {
      int v = node.place[i];
      if (B.is_end(v)) continue;
      MarginBounds::Step to[2] = {B.step(node, v, i, 0), B.step(node, v, i, 1)};
      if (to[0].free() || to[1].free()) continue;
      double gain[2];
      for (int s = 0; s < 2; s++) gain[s] = std::min(left, promised(i, s, usual(to[s])));
      found.push_back({i, product(gain[0], gain[1])});
    }
    std::sort(found.begin(), found.end(),
              [](const Choice& a, const Choice& b) { return a.score > b.score; });
    return found;
  }

  void part(NodeP node) {
    bool all = B.look_into(*node);
    if (node->bound >= enough()) return;
    if (part_by_feature(*node)) return;
    if (!all) return keep(node);
    vector<Choice> found = choices(*node);
    if (found.empty()) {
      B.share_again(*node, near() / 8);
      all = B.look_into(*node);  // by other shares other features may be the best
      if (node->bound >= enough() || part_by_feature(*node)) return;
      if (!all) return keep(node);
      if (is_closed(*node)) return;
      found = choices(*node);
      if (found.empty()) found = any(*node);
      if (found.empty()) return void(closed_ = std::min(closed_, node->bound));
    }
    by_point(*node, found);
  }

  // Whether its tree pays no more than its bound.
  bool is_closed(const Node& node) {
    complete(node);
    if (best_ > node.bound + near()) return false;
    closed_ = std::min(closed_, node.bound);
    return true;
  }

  void by_point(const Node& node, const vector<Choice>& found) {
    NodeP best[2];
    int chosen = -1, tried = 0, since = 0;
    double most = -1.0;
    for (const Choice& one : found) {
      if (tried >= TRIED || since >= TRIED || late()) break;
      int i = one.point;
      if (seen_[0][i] >= KNOWN && seen_[1][i] >= KNOWN) {
        since++;
        if (one.score > most) most = one.score, chosen = i, best[0] = nullptr, since = 0;
        continue;
      }
      tried++, since++;
      NodeP both[2];
      double score = parted(node, i, both);
      if (score > most) {
        most = score, chosen = i, since = 0;
        best[0] = both[0], best[1] = both[1];
      }
      if (score >= INFINITY) break;
    }
    if (chosen < 0) return keep(std::make_shared<Node>(node));  // time is up
    if (!best[0]) parted(node, chosen, best);
    for (int s = 0; s < 2; s++) keep(best[s]);
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
      parted(*node, found[0].point, both);
      node = both[both[1]->bound < both[0]->bound];
    }
  }

  double parted(const Node& node, int i, NodeP both[2]) {
    double gain[2];
    for (int s = 0; s < 2; s++) {
      both[s] = child(node, i, s);
      gain[s] = both[s]->bound - node.bound;
      gain_[s][i] += gain[s], seen_[s][i]++;
    }
    bool ends = both[0]->bound >= enough() || both[1]->bound >= enough();
    return ends ? INFINITY : product(gain[0], gain[1]);
  }

  // Any point that is not at an end yet.
  vector<Choice> any(const Node& node) const {
    for (int i = 0; i < N; i++)
      if (!B.is_end(node.place[i])) return {{i, 0.0}};
    return {};
  }

  // The tree that a node's hyperplanes make of it, where that is better than the best one.
  void complete(const Node& node) {
    Node whole = B.rounded(node);
    for (int i = 0; i < N; i++)
      while (!B.is_end(whole.place[i])) {
        int v = whole.place[i];
        MarginBounds::Step to[2] = {B.step(whole, v, i, 0), B.step(whole, v, i, 1)};
        double cost[2];
        for (int s = 0; s < 2; s++) cost[s] = to[s].own > ZERO ? 1e18 + to[s].own : to[s].next;
        whole.place[i] = B.below(v, cost[1] < cost[0]);
      }
    double total = B.paid(whole);
    if (C.stop || !(total < best_)) return;
    best_ = total;
    best_place_ = whole.place, best_uses_ = B.uses(whole), best_share_ = whole.share;
    set_goal();
  }
};

}  // namespace TREES
