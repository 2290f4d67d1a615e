#ifdef _WIN32
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

// Runs BODY(SET) with the best instructions that the processor has; 1 where memory was too little.
#ifdef HAS_AVX2
#define WITH_AVX2(BODY)                    \
  if (__builtin_cpu_supports("avx2")) {    \
    BODY(avx2_instructions)                \
    return 0;                              \
  }
#else
#define WITH_AVX2(BODY)
#endif
#define BY_PROCESSOR(BODY)                 \
  try {                                    \
    WITH_AVX2(BODY)                        \
    BODY(plain_instructions)               \
    return 0;                              \
  } catch (const std::bad_alloc&) {        \
    return 1;                              \
  }

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
    Pool pool((int)task->threads);                                                       \
    engine.share(pool);                                                                  \
    SET::Subset subset;                                                                  \
    engine.make(nullptr, std::vector<int>(rows, rows + count), subset);                  \
    SET::Found found = SET::solve(engine, (int)node, (int)depth, subset, goal, nullptr, false); \
    control->evaluated = engine.evaluated;                                               \
    control->complete = engine.complete;                                                 \
    int64_t used = 0;                                                                    \
    write(found, lines, used);                                                           \
    SET::forget();                                                                       \
  }

// `lines` has room for a line for each branch and leaf of the tree. 0, or 1 where memory was too little.
EXPORT int treemip_solve(const Task* task, Control* control, int64_t node, int64_t depth,
                         const int32_t* rows, int64_t count, double goal, Line* lines) {
  BY_PROCESSOR(RUN)
}

#define SIDE(SET)                                                                        \
  {                                                                                      \
    SET::Engine engine(*task, *control);                                                 \
    engine.root_depth = (int)depth + 1;                                                  \
    SET::Subset subset;                                                                  \
    engine.make(nullptr, std::vector<int>(rows, rows + count), subset);                  \
    std::vector<double> near;                                                            \
    if (known) near.assign(known, known + engine.first_bin[engine.P]);                   \
    SET::Found found = SET::solve(engine, (int)node, (int)depth, subset, goal,           \
                                  known ? &near : nullptr, true);                        \
    control->evaluated = engine.evaluated;                                               \
    control->complete = engine.complete;                                                 \
    std::copy(found.bound.begin(), found.bound.end(), bound);                            \
    *bounds = (int64_t)found.bound.size();                                               \
    int64_t used = 0;                                                                    \
    write(found, lines, used);                                                           \
    SET::forget();                                                                       \
  }

// The best tree below `node`, as treemip_solve has it. known (bins,), or none: what trees with each
// cut are at least worth; bound (bins,): the same as found, `bounds` of them, 0 where not known.
EXPORT int treemip_side(const Task* task, Control* control, int64_t node, int64_t depth,
                        const int32_t* rows, int64_t count, double goal, Line* lines,
                        const double* known, double* bound, int64_t* bounds) {
  BY_PROCESSOR(SIDE)
}

#define FRONTS(SET)                                                                      \
  {                                                                                      \
    SET::Engine engine(*task, *control);                                                 \
    engine.root_depth = (int)depth;                                                      \
    SET::Subset subset;                                                                  \
    engine.make(nullptr, std::vector<int>(points, points + count), subset);              \
    SET::Fronts fronts(engine, *rows, limit, goal);                                      \
    fronts.run((int)node, (int)depth, subset);                                           \
    control->evaluated = engine.evaluated;                                               \
    control->complete = control->complete && engine.complete;                            \
    if (!fronts.best_plan.empty()) control->best = fronts.best;                          \
    std::copy(fronts.best_plan.begin(), fronts.best_plan.end(), plan);                   \
    SET::forget();                                                                       \
  }

// The best tree whose objective is below both `limit` and `goal`, where rows couple its leaves.
// `plan` has room for 2^(depth + 1) - 1 numbers, see Parts; control.best says whether there is one.
EXPORT int treemip_fronts(const Task* task, Control* control, const Rows* rows, int64_t node,
                          int64_t depth, const int32_t* points, int64_t count, double limit,
                          double goal, int32_t* plan) {
  BY_PROCESSOR(FRONTS)
}

#define MARGIN(SET) SET::MarginTrees(*task, *control).run(place, uses, share);

// place (points,), uses (nodes, features) and share (nodes,) of the best margin tree that was found,
// if any.
EXPORT int treemip_margin(const MarginTask* task, MarginControl* control, int32_t* place,
                          uint8_t* uses, double* share) {
  BY_PROCESSOR(MARGIN)
}

#ifndef SOURCE
#define SOURCE "unknown"
#endif
EXPORT const char* treemip_source() { return SOURCE; }
