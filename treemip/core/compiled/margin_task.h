// What Python passes for margin trees: the fields are those of compiled_margin.py, in their order.

struct MarginTask {
  int64_t points, features, nodes;
  const int32_t *left, *right;         // of each node, -1 at leaves
  const int32_t* start;                // nodes + 1: where the rows of each node begin
  const int32_t *point, *side;         // of each row; a side is 0 for left, 1 for right, 2 for both
  const double *sign, *least, *price;  // sign * (w . x + b) >= least, or a price for each unit short
  const double* x;                     // (points, features)
  const double* scale;                 // (nodes, features): x is multiplied by it
  const double* marginal;              // (nodes, features): price of one more feature, not falling
  const double* charge;                // (nodes,): beyond it, for having any feature
  const int32_t* needs;                // (nodes,): the branch that has to pay where this one has a
                                       // feature, else -1
  int64_t widest;                      // whether only the greatest |w|^2 / 2 of all branches is paid
  double goal, tolerance, seconds, bytes;
};

struct MarginControl {
  volatile int64_t stop;
  int64_t complete, nodes, found;
  volatile double best, bound;
};
