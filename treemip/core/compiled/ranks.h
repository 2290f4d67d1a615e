// How many of some ascending thresholds each value is above, added to `rank`. As many steps for each
// value, eight values side by side, so that none waits for a guess of the processor's.

EXPORT void treemip_ranks(const double* values, int64_t count, const double* thresholds,
                          int64_t many, int32_t* rank) {
  constexpr int L = 8;
  for (int64_t from = 0; from < count; from += L) {
    const int lanes = (int)std::min<int64_t>(L, count - from);
    double value[L];
    int64_t below[L] = {};
    for (int l = 0; l < L; l++) value[l] = values[from + (l < lanes ? l : 0)];
    for (int64_t left = many; left > 0;) {
      const int64_t half = (left + 1) / 2;
      for (int l = 0; l < L; l++)
        below[l] += thresholds[below[l] + half - 1] < value[l] ? half : 0;
      left -= half;
    }
    for (int l = 0; l < lanes; l++) rank[from + l] += (int32_t)below[l];
  }
}
