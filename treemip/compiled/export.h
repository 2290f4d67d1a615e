// One line of a tree: relaxed, exact, feature, bin, and the lines of its two sides, 0 for none.
struct Line {
  double relaxed, exact;
  int64_t feature, bin, left, right;
};

template <class Found> static int64_t write(const Found& f, Line* lines, int64_t& used) {
  int64_t at = used++;
  lines[at] = {f.relaxed, f.exact, f.feature, f.bin, 0, 0};
  if (f.left) lines[at].left = write(*f.left, lines, used);
  if (f.right) lines[at].right = write(*f.right, lines, used);
  return at;
}

#define RUN(SET)                                                                         \
  {                                                                                      \
    SET::Engine engine(*task, *control);                                                 \
    engine.root_depth = (int)depth;                                                      \
    SET::Subset subset;                                                                  \
    engine.make(nullptr, std::vector<int>(rows, rows + count), subset);                  \
    SET::Found found = SET::solve(engine, (int)node, (int)depth, subset, goal, nullptr, false); \
    int64_t used = 0;                                                                    \
    write(found, lines, used);                                                           \
    SET::forget();                                                                       \
  }

// `lines` has room for a line for each branch and leaf of the tree. 0, or 1 where memory was too little.
EXPORT int treemip_solve(const Task* task, Control* control, int64_t node, int64_t depth,
                         const int32_t* rows, int64_t count, double goal, Line* lines) {
  try {
#ifdef HAS_AVX2
    if (__builtin_cpu_supports("avx2")) {
      RUN(avx2_instructions)
      return 0;
    }
#endif
    RUN(plain_instructions)
    return 0;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}

#ifndef SOURCE
#define SOURCE "unknown"
#endif
EXPORT const char* treemip_source() { return SOURCE; }
