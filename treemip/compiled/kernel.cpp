// Optimal univariate trees where a tree's value is a sum over leaves and splits, compiled. What it
// computes is said, and checked against, by treemip/engines/separable.py. Line searches of the search
// are in line_search.h.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "task.h"

using Clock = std::chrono::steady_clock;
static constexpr size_t AT_ONCE = 256;  // cuts of a branch evaluated in one round
static constexpr size_t EXACT = 16;      // of those whose relaxed value is good enough
static constexpr int MANY = 8;          // label sums that are kept beside each other without a vector
static constexpr int NEIGHBOURS = 4;    // whose bounds a cut inherits

#define TREES plain_instructions
#include "trees.h"
#undef TREES

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_AVX2 1
#pragma GCC push_options
#pragma GCC target("avx2")
#define TREES avx2_instructions
#include "trees.h"
#undef TREES
#pragma GCC pop_options
#endif

#ifdef _WIN32
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

#include "export.h"
#include "line_search.h"
