#ifdef _WIN32
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

// 0, or 1 where memory was too little.
template <class Body> static int within_memory(const Body& body) {
  try {
    body();
    return 0;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}

// CALL in the namespace of the best instructions that the processor has.
#ifdef HAS_AVX2
#define BY_PROCESSOR(CALL)                                                                 \
  return within_memory([&] {                                                               \
    __builtin_cpu_supports("avx2") ? avx2_instructions::CALL : plain_instructions::CALL;   \
  });
#else
#define BY_PROCESSOR(CALL) return within_memory([&] { plain_instructions::CALL; });
#endif

// The best tree below `node`, to be written as `lines`, which has room for a line for each branch and
// leaf. Returns 0, or 1 where memory was too little.
EXPORT int treemip_solve(const Task* task, Control* control, int64_t node, int64_t depth,
                         const int32_t* rows, int64_t count, double goal, Line* lines) {
  BY_PROCESSOR(solve_whole(*task, *control, (int)node, (int)depth, {rows, rows + count}, goal, lines))
}

// The same of a part of a tree. known (bins,), or none: what trees with each cut are at least worth;
// bound (bins,): the same as found, `bounds` of them, 0 where not known.
EXPORT int treemip_side(const Task* task, Control* control, int64_t node, int64_t depth,
                        const int32_t* rows, int64_t count, double goal, Line* lines,
                        const double* known, double* bound, int64_t* bounds) {
  BY_PROCESSOR(solve_side(*task, *control, (int)node, (int)depth, {rows, rows + count}, goal, lines,
                          known, bound, bounds))
}

// The best tree whose objective is below both `limit` and `goal`, where rows couple its leaves.
// `plan` has room for 2^(depth + 1) - 1 numbers, see Parts; control.best says whether there is one.
EXPORT int treemip_fronts(const Task* task, Control* control, const Rows* rows, int64_t node,
                          int64_t depth, const int32_t* points, int64_t count, double limit,
                          double goal, int32_t* plan) {
  BY_PROCESSOR(solve_coupled(*task, *control, *rows, (int)node, (int)depth, {points, points + count},
                             limit, goal, plan))
}

// place (points,), uses (nodes, features) and share (nodes,) of the best margin tree that was found,
// if any.
EXPORT int treemip_margin(const MarginTask* task, MarginControl* control, int32_t* place,
                          uint8_t* uses, double* share) {
  BY_PROCESSOR(MarginTrees(*task, *control).run(place, uses, share))
}

#ifndef SOURCE
#define SOURCE "unknown"
#endif
EXPORT const char* treemip_source() { return SOURCE; }
