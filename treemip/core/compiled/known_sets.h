// Sets of points that many branches come to, so that each is solved once. Sets are compared point by
// point: a hash that met another one would be a false proof.

struct KnownSets {
  // The points, a bit each, and what trees of which depth and prices are asked of them.
  struct Key {
    int kind = 0;
    vector<uint64_t> bits;
    bool operator==(const Key& other) const { return kind == other.kind && bits == other.bits; }
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      uint64_t h = 1469598103934665603ull + (uint64_t)key.kind;
      for (uint64_t word : key.bits) {
        h = (h ^ word) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 29;
      }
      return (size_t)h;
    }
  };
  // found: the best tree, or without one a bound alone; no tree is below `none_below`.
  struct Known {
    Found found;
    double none_below = -INFINITY;
    int64_t since = 0;  // merges before it was known
    std::shared_ptr<Known> before;
    Known() { found.relaxed = -INFINITY; }
    // Goals that different branches come to are the same but for rounding.
    bool answers(double goal, double tolerance) const {
      double least = goal - 0.5 * tolerance;
      return std::isfinite(found.exact) || none_below >= least || found.relaxed >= least;
    }
  };

  double bytes = 0.0, most;
  std::map<int, int> kind;  // of each node: the first one of its level with the same prices below it
  std::unordered_map<Key, Known, Hash> sets;
  std::shared_mutex lock;

  explicit KnownSets(double bytes_at_most) : most(bytes_at_most) {}

  template <class E> void tell_kinds(const E& e, int root, int depth) {
    vector<int> level{root};
    for (int left = depth; left > 0; left--) {
      vector<int> next;
      for (int node : level) {
        kind[node] = *std::find_if(level.begin(), level.end(), [&](int other) {
          return e.cost_the_same(node, other, left);
        });
        next.push_back(e.task.left[node]), next.push_back(e.task.right[node]);
      }
      level = next;
    }
  }

  template <class E> Key key_of(const E& e, int node, const vector<int>& rows) const {
    Key key;
    key.kind = kind.at(node);
    key.bits.resize((e.N + 63) / 64);
    for (int row : rows) key.bits[row >> 6] |= uint64_t(1) << (row & 63);
    return key;
  }

  // About what is held of a set, its tree with it.
  static double size_of(const Key& key, int depth) {
    return 8.0 * key.bits.size() + (256 << (depth - 2));
  }

  // What was known after so many merges.
  bool find(const Key& key, int64_t merges, Known& known) {
    std::shared_lock<std::shared_mutex> hold(lock);
    auto at = sets.find(key);
    if (at == sets.end()) return false;
    const Known* one = &at->second;
    while (one && one->since > merges) one = one->before.get();
    if (one) known = *one;
    return one;
  }

  // What was found for a goal.
  void keep(const Key& key, int depth, const Found& found, double goal) {
    double size = size_of(key, depth);
    if (!sets.count(key)) {
      if (bytes + size > most) return;
      bytes += size;
    }
    Known& known = sets[key];
    known.found = found.without_bounds();
    known.none_below = std::isfinite(found.exact) ? found.exact : goal;
  }

  // Takes in what a cut of the root has found, all or nothing, so that the order within is nothing.
  void publish(KnownSets& own, int64_t merges) {
    std::unique_lock<std::shared_mutex> hold(lock);
    if (bytes + own.bytes > most) return;
    bytes += own.bytes;
    for (auto& one : own.sets) {
      Known& now = sets[one.first];
      Known& more = one.second;
      more.since = merges;
      if (now.since) {
        if (std::isfinite(now.found.exact) || more.none_below <= now.none_below) continue;
        more.before = std::make_shared<Known>(std::move(now));
      }
      now = std::move(more);
    }
  }
};
