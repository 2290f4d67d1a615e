// The numbers that cells are, as treemip/core/instance/decimals.py says and checks; and where the cells of a
// text without quotes end.

#include <charconv>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

// Whether a cell is a decimal number: digits with at most one point, and perhaps an exponent.
static bool is_number(const uint8_t* at, const uint8_t* end) {
  auto digits = [&] {
    const uint8_t* first = at;
    while (at < end && uint8_t(*at - '0') < 10) ++at;
    return at - first;
  };
  auto sign = [&] { at += at < end && (*at == '+' || *at == '-'); };
  sign();
  int64_t some = digits();
  if (at < end && *at == '.') ++at, some += digits();
  if (!some || at == end) return some;
  if (*at != 'e' && *at != 'E') return false;
  ++at;
  sign();
  return digits() && at == end;
}

// The value of digits and a point where an integer and a power of ten determine it.
static bool is_plain(const uint8_t* cell, int64_t length, double* value) {
  static constexpr double power[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  constexpr int64_t longest = 20, most = int64_t(1) << 53;
  if (length > longest) return false;
  const uint8_t* end = cell + length;
  bool negative = *cell == '-';
  cell += negative || *cell == '+';
  uint64_t mantissa = 0;
  int64_t digits = 0, behind = 0;
  for (; cell < end && uint8_t(*cell - '0') < 10; ++cell, ++digits) mantissa = mantissa * 10 + (*cell - '0');
  if (cell < end && *cell == '.')
    for (++cell; cell < end && uint8_t(*cell - '0') < 10; ++cell, ++behind)
      mantissa = mantissa * 10 + (*cell - '0');
  digits += behind;
  if (cell < end || !digits || digits > 18 || int64_t(mantissa) > most) return false;
  double size = double(mantissa) / power[behind];
  *value = negative ? -size : size;
  return true;
}

// values: NaN where a cell is no number, or where it is `open`: a number that is left to the caller.
EXPORT void treemip_numbers(const uint8_t* text, const int64_t* start, const int64_t* stop,
                            int64_t count, double* values, uint8_t* open) {
  for (int64_t row = 0; row < count; ++row) {
    const uint8_t *cell = text + start[row], *end = text + stop[row];
    values[row] = std::numeric_limits<double>::quiet_NaN();
    open[row] = 0;
    if (cell >= end || is_plain(cell, end - cell, values + row) || !is_number(cell, end)) continue;
    open[row] = 1;
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    const char *first = (const char*)cell + (*cell == '+'), *last = (const char*)end;
    double value;
    if (std::from_chars(first, last, value).ec == std::errc()) values[row] = value, open[row] = 0;
#endif
  }
}

// The places of separators and line ends, in order, and the end of the text.
struct Marks {
  const uint8_t* text;
  int64_t at, length;
  uint8_t separator;
  uint32_t found = 0;  // those among the 16 bytes before `at`, a bit each

  int64_t next() {
#ifdef __SSE2__
    const __m128i mark = _mm_set1_epi8(char(separator)), line = _mm_set1_epi8('\n');
    while (!found && at + 16 <= length) {
      const __m128i some = _mm_loadu_si128((const __m128i*)(text + at));
      const __m128i same = _mm_or_si128(_mm_cmpeq_epi8(some, mark), _mm_cmpeq_epi8(some, line));
      found = uint32_t(_mm_movemask_epi8(same));
      at += 16;
    }
    if (found) {
      const int64_t place = at - 16 + __builtin_ctz(found);
      found &= found - 1;
      return place;
    }
#endif
    while (at < length && text[at] != separator && text[at] != '\n') ++at;
    return at++;
  }
};

template <class End>
static int64_t cells(const uint8_t* text, int64_t at, int64_t length, uint8_t separator, int64_t width,
                     int64_t lines, int64_t* line, End* end, int64_t* widths) {
  constexpr int64_t most = std::numeric_limits<End>::max();
  Marks marks{text, at, length, separator};
  for (int64_t k = 0; k < lines; ++k) {
    int64_t found = 0, mark;
    do {
      mark = marks.next();
      if (mark - at > most) return -1;
      if (found < width) end[k * width + found] = End(mark - at);
      ++found;
    } while (mark < length && text[mark] != '\n');
    line[k] = at;
    widths[k] = found;
    at = mark + 1;
  }
  return at;
}

// Of `lines` lines from text[at] on: where each begins, where its first `width` cells end, counted from
// there in `bytes` bytes each, and how many it has. The place behind them, -1 for lines too long.
EXPORT int64_t treemip_cells(const uint8_t* text, int64_t at, int64_t length, int64_t separator,
                             int64_t width, int64_t lines, int64_t* line, void* end, int64_t bytes,
                             int64_t* widths) {
  const uint8_t mark = uint8_t(separator);
  if (bytes == 2) return cells(text, at, length, mark, width, lines, line, (uint16_t*)end, widths);
  return cells(text, at, length, mark, width, lines, line, (uint32_t*)end, widths);
}
