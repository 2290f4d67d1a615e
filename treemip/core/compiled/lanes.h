// Numbers of up to 16 cuts side by side, and the points left of them. Included in a namespace.

// A number for each lane: two of the processor's vectors, or four.
template <class T> struct Row {
  static constexpr int lanes = 64 / sizeof(T), half = lanes / 2;
  typedef T V __attribute__((vector_size(32)));
  V low, high;

  Row() : low(V{}), high(V{}) {}  // all 0
  Row(V a, V b) : low(a), high(b) {}
  Row(T one) : low(one + V{}), high(one + V{}) {}
  T operator[](int l) const { return l < half ? low[l] : high[l - half]; }
  static Row from(const T* aligned) { return {((const V*)aligned)[0], ((const V*)aligned)[1]}; }
  Row& operator+=(const Row& o) { low += o.low, high += o.high; return *this; }
  friend Row operator+(const Row& a, const Row& b) { return {a.low + b.low, a.high + b.high}; }
  friend Row operator-(const Row& a, const Row& b) { return {a.low - b.low, a.high - b.high}; }
  friend Row operator*(const Row& a, const Row& b) { return {a.low * b.low, a.high * b.high}; }
  friend Row operator/(const Row& a, const Row& b) { return {a.low / b.low, a.high / b.high}; }
};

// a where the first is less than the second, else b
template <class T>
inline Row<T> where_less(const Row<T>& x, const Row<T>& y, const Row<T>& a, const Row<T>& b) {
  return {x.low < y.low ? a.low : b.low, x.high < y.high ? a.high : b.high};
}
template <class T> inline Row<T> least_of(const Row<T>& a, const Row<T>& b) {
  return where_less(a, b, a, b);
}
template <class T> inline Row<T> most_of(const Row<T>& a, const Row<T>& b) {
  return where_less(b, a, a, b);
}

// What is left of the cut of each lane: own (n, Q) units of the points, rows (n, Q) of lanes the same
// where the point goes left and else 0, whole (Q,) and total (Q,) rows their sums. Of a subset by bins
// own and rows are of bins (B, Q), sums of their points.
template <class T> struct Inside {
  vector<T> own, whole, table;
  Row<T>* rows = nullptr;
  Row<T>* total = nullptr;
  Row<T>* scratch = nullptr;  // (Q,)

  void resize(size_t n, size_t q_count) {
    constexpr size_t L = Row<T>::lanes;
    table.resize((n + 2) * q_count * L + L);  // aligned here: not every `new` in a process does it
    T* begin = table.data();
    begin += (64 - ((uintptr_t)begin & 63)) % 64 / sizeof(T);
    total = (Row<T>*)begin;
    scratch = total + q_count;
    rows = scratch + q_count;
    own.resize(n * q_count);
    whole.assign(q_count, T(0));
    for (size_t q = 0; q < q_count; q++) total[q] = Row<T>{};
  }

  static Inside& here() {
    static thread_local Inside one;
    return one;
  }
};
