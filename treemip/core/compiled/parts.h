// Lists of trees below one node, as parts.py has them. Included once for each set of instructions.

namespace TREES {

// Trees below one node. plan: the bin of each cut, in the order of a heap, or -1 - k for label k.
struct Parts {
  size_t width, length;
  vector<double> rows, bound;
  vector<int32_t> plan;

  Parts(size_t rows_of, int depth) : width(rows_of), length((size_t(2) << depth) - 1) {}
  size_t size() const { return bound.size(); }

  void sort() {
    vector<int> order(size());
    for (size_t k = 0; k < size(); k++) order[k] = (int)k;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return bound[a] < bound[b]; });
    take(order);
  }

  void take(const vector<int>& some) {
    Parts taken(*this);
    rows.resize(some.size() * width);
    plan.resize(some.size() * length);
    bound.resize(some.size());
    for (size_t k = 0; k < some.size(); k++) {
      bound[k] = taken.bound[some[k]];
      std::copy_n(&taken.rows[some[k] * width], width, &rows[k * width]);
      std::copy_n(&taken.plan[some[k] * length], length, &plan[k * length]);
    }
  }
};

// Copies the plan of a child into that of its parent, in the order of a heap.
inline void place_below(const int32_t* child, size_t length, int side, int32_t* parent) {
  for (size_t level = 0, from = 0; from < length; level++) {
    size_t many = size_t(1) << level, to = 2 * many - 1 + side * many;
    std::copy_n(child + from, many, parent + to);
    from += many;
  }
}

// Trees with the same rows beside the objective, and the same features where they count, are one.
struct Table {
  Parts& parts;
  const Rows& r;
  const vector<int>& feature_of;  // of each bin
  vector<double> keys;
  vector<int32_t> slots;
  size_t key_width;
  vector<double> key;

  Table(Parts& to, const Rows& rows, const vector<int>& features)
      : parts(to), r(rows), feature_of(features), slots(64, -1) {
    key_width = parts.width - 1 + (r.by_feature ? parts.length / 2 : 0);
    key.resize(key_width);
  }

  void make_key(const double* rows, const int32_t* plan) {
    for (size_t k = 1; k < parts.width; k++)
      key[k - 1] = std::rint(rows[k] / r.scale[k] * 1e9) + 0.0;
    if (!r.by_feature) return;
    double* used = &key[parts.width - 1];
    size_t most = parts.length / 2;
    for (size_t k = 0; k < most; k++) {
      int g = plan[k] < 0 ? -1 : feature_of[plan[k]];
      used[k] = g >= 0 && r.counted[g] ? g : -1;
    }
    std::sort(used, used + most);
    for (size_t k = most; k-- > 1;)
      if (used[k] == used[k - 1]) used[k - 1] = -1;
    std::sort(used, used + most);
  }

  size_t hash(const double* of) const {
    uint64_t h = 1469598103934665603ull;
    for (size_t k = 0; k < key_width; k++) {
      uint64_t bits;
      std::memcpy(&bits, of + k, 8);
      h = (h ^ bits) * 0x9E3779B97F4A7C15ull;
      h ^= h >> 29;
    }
    return (size_t)h;
  }

  void add(const double* rows, double bound, const int32_t* plan) {
    make_key(rows, plan);
    size_t mask = slots.size() - 1, at = hash(key.data()) & mask;
    for (; slots[at] >= 0; at = (at + 1) & mask) {
      size_t k = slots[at];
      if (!std::equal(key.begin(), key.end(), keys.begin() + k * key_width)) continue;
      if (!(rows[0] < parts.rows[k * parts.width])) return;
      std::copy_n(rows, parts.width, &parts.rows[k * parts.width]);
      std::copy_n(plan, parts.length, &parts.plan[k * parts.length]);
      parts.bound[k] = bound;
      return;
    }
    slots[at] = (int32_t)parts.size();
    keys.insert(keys.end(), key.begin(), key.end());
    parts.rows.insert(parts.rows.end(), rows, rows + parts.width);
    parts.plan.insert(parts.plan.end(), plan, plan + parts.length);
    parts.bound.push_back(bound);
    if (2 * parts.size() > slots.size()) grow();
  }

  void grow() {
    slots.assign(2 * slots.size(), -1);
    size_t mask = slots.size() - 1;
    for (size_t k = 0; k < parts.size(); k++) {
      size_t at = hash(&keys[k * key_width]) & mask;
      while (slots[at] >= 0) at = (at + 1) & mask;
      slots[at] = (int32_t)k;
    }
  }
};

}  // namespace TREES
