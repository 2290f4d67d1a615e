// One side of a cut of a root that is swept elsewhere (on_workers.py): what Sweep::solve_side does
// with it. A header of its own, so that what workers share is seen at once.

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
                        const int32_t* rows, int64_t count, double goal, const double* known,
                        Line* lines, double* bound, int64_t* bounds) {
  try {
#ifdef HAS_AVX2
    if (__builtin_cpu_supports("avx2")) {
      SIDE(avx2_instructions)
      return 0;
    }
#endif
    SIDE(plain_instructions)
    return 0;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}
