// What points cost in a leaf that has the best shares of classes for them, less what does not depend on
// the shares: search/curves/class_shares.py says it. Included in a namespace; of_class are sums over points by class.

// x log(x); of whole numbers up to some number it is looked up.
struct TimesLog {
  std::shared_ptr<vector<double>> known;

  // Of a task's sums by class, in all points together.
  static TimesLog of(const Task& task) {
    TimesLog one;
    double whole = 0.0;
    for (int64_t k = 0; k < task.stats * task.points; k++) {
      whole += task.stat[k];
      if (std::fabs(task.stat[k] - std::rint(task.stat[k])) > 1e-9 || whole > 1 << 20) return one;
    }
    one.known = std::make_shared<vector<double>>((size_t)(whole + 2.5), 0.0);
    for (size_t n = 1; n < one.known->size(); n++) (*one.known)[n] = n * std::log((double)n);
    return one;
  }

  double operator()(double x) const {
    if (known) return (*known)[(size_t)(std::max(x, 0.0) + 0.5)];
    return x > 0 ? x * std::log(x) : 0.0;
  }

  Row<double> operator()(const Row<double>& x) const {
    alignas(64) double result[Row<double>::lanes];
    for (int l = 0; l < Row<double>::lanes; l++) result[l] = (*this)(x[l]);
    return Row<double>::from(result);
  }
};

inline double divided(double a, double b) { return b > 0 ? a / b : 0.0; }
inline Row<double> divided(const Row<double>& a, const Row<double>& b) {
  const Row<double> none;
  return where_less(none, b, a / where_less(none, b, b, Row<double>(1.0)), none);
}
inline double not_negative(double x) { return std::max(x, 0.0); }
inline Row<double> not_negative(const Row<double>& x) { return most_of(x, Row<double>()); }

// of_class(q): the sum of class q, of `classes`.
template <class R, class OfClass>
R quadratic_shares(int classes, const OfClass& of_class) {
  R squares(0.0), whole(0.0);
  for (int q = 0; q < classes; q++) {
    const R some = not_negative(of_class(q));
    squares += some * some;
    whole += some;
  }
  return R(0.0) - divided(squares, whole);
}

template <class R, class OfClass>
R log_shares(int classes, const TimesLog& times_log, const OfClass& of_class) {
  R each(0.0), whole(0.0);
  for (int q = 0; q < classes; q++) {
    const R some = not_negative(of_class(q));
    each += times_log(some);
    whole += some;
  }
  return times_log(whole) - each;
}
