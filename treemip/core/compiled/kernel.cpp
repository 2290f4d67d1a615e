// Exact engines, compiled: univariate trees whose value is a sum over leaves and splits, and margin
// trees. What they compute is said, and checked against, by treemip/answers/engines/separable.py and
// treemip/answers/engines/margin/sides.py. Line searches of the search are in line_search.h.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "margin_task.h"
#include "task.h"
#include "pool.h"
#include "rows.h"

using Clock = std::chrono::steady_clock;
static constexpr size_t AT_ONCE = 256;  // cuts of a branch evaluated in one round
static constexpr size_t EXACT = 16;      // of those whose relaxed value is good enough
static constexpr int UNHEEDED = 1 << 14; // points for which no step looks at the time
static constexpr double FEW_BINS = 4, MANY_BINS = 64;  // of a feature, for all cuts at once
static constexpr double PAIR_STEP = 0.4;  // time of a step for two features, in that of one for many cuts
static constexpr double MOST_OF_SLICES = 1 << 28;  // bytes
static constexpr int MANY = 8;          // label sums that are kept beside each other without a vector
static constexpr int NEIGHBOURS = 4;    // whose bounds a cut inherits
enum Curve { PARABOLA = 1, LOG_LINEAR, QUADRATIC_SHARES, LOG_SHARES };  // as in search/curves/
static constexpr char FLYING = 1, DONE = 2;

#define TREES plain_instructions
#include "trees.h"
#include "parts.h"
#include "fronts.h"
#include "margin_trees.h"
#undef TREES

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_AVX2 1
#pragma GCC push_options
#pragma GCC target("avx2")
#define TREES avx2_instructions
#include "trees.h"
#include "parts.h"
#include "fronts.h"
#include "margin_trees.h"
#undef TREES
#pragma GCC pop_options
#endif

#include "export.h"
#include "decimals.h"
#include "ranks.h"
#include "line_search.h"
