// The rows that couple leaves, as Python passes them: the fields are those of `_Rows` in
// compiled_fronts.py, in their order. R rows, the objective first; K labels.

struct Rows {
  int64_t width, labels, by_feature, dominance, folds, most;  // `most` trees of a list
  const double* points;              // (N, K, R)
  const double* by_split;            // (branches, P, R)
  const double *by_leaf, *anywhere;  // (R,), (P, R)
  const double *rest, *low, *high, *scale;  // (R,): rest is what the tree adds elsewhere
  const int32_t *way, *counted;      // (R,), (P,): features that count once they are used
  const int32_t *function, *results, *offsets, *arguments;  // of each fold, its groups of rows
  const double* to;                  // (all results, R)
  double offset;                     // of the value of a tree over what the sums of the task say
  double unit, known_row;            // objectives are whole multiples of the unit, 0 for none
};

enum FoldFunction { GREATEST, LEAST, GREATEST_SIZE };
