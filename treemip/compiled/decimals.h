// The digits of cells as one integer each, and how many are behind the point; `plain` where these two
// determine the value. What it computes is said, and checked against, by treemip/instance/decimals.py.

EXPORT void treemip_scan(const uint8_t* text, const int64_t* start, const int64_t* stop,
                         int64_t count, int64_t* mantissa, int64_t* decimals, uint8_t* plain) {
  constexpr int64_t longest = 20, most = int64_t(1) << 53;
  for (int64_t row = 0; row < count; ++row) {
    int64_t length = stop[row] - start[row], digits = 0, behind = 0;
    uint64_t value = 0;
    bool known = length > 0 && length <= longest, point = false;
    const uint8_t* cell = text + start[row];
    for (int64_t k = 0; known && k < length; ++k) {
      uint8_t digit = uint8_t(cell[k] - '0');
      if (digit < 10) {
        value = value * 10 + digit;
        ++digits;
        behind += point;
      } else if (cell[k] == '.' && !point) {
        point = true;
      } else {
        known = k == 0 && (cell[k] == '+' || cell[k] == '-');
      }
    }
    plain[row] = known && digits > 0 && digits <= 18 && int64_t(value) <= most;
    mantissa[row] = plain[row] ? int64_t(value) : 0;
    decimals[row] = plain[row] ? behind : 0;
  }
}
