// What Python passes: the fields are those of `_Task` and `_Control` in library.py, in their order.

struct Task {
  int64_t points, features, stats, extra;  // N, P, Q label sums, E sums for conditions of leaves
  int64_t must_split, plain, whole, curve;  // curve: 0 or one of Curve
  int64_t threads, window, few, kept;  // as in separable.py
  const int32_t *bin, *bins, *order;  // (P, N) within features, (P,), (P, N)
  const int32_t* short_units;         // (Q, N) where `whole`
  const double* stat;                 // (Q + E, N)
  const double *most, *base;          // (N,)
  const double* price;                // (branches, P)
  const int32_t *left, *right, *number;  // of each node
  const double *low, *high, *jump, *size;  // of each condition
  double unit, step, tolerance, least_price, leaf_price;
  double low_place, high_place, equal;  // of a curve
  double parts[6];  // (3, 2): a, b and c of a log-linear curve, by two sums
  double patience, part, known_bytes, per_pair, per_bin;  // as in separable.py
  double seconds;
};

// One line of a tree: relaxed, exact, feature, bin, and the lines of its two sides, 0 for none.
struct Line {
  double relaxed, exact;
  int64_t feature, bin, left, right;
};

struct Control {
  volatile int64_t stop;
  int64_t complete, evaluated;
  volatile double best, bound;
};
