// The best tree of depth 3 and more: the cuts of its first branch, each bounding others, as in sweep.py.

struct Sweep {
  Engine& e;
  const Subset& s;
  const int node, depth;
  const double goal;
  const vector<double>* known;  // what trees with each cut are worth at least, by bins of the task
  int number, children[2];
  double relaxed, best;
  int feature = -1, bin = -1;
  std::shared_ptr<Found> below[2];
  Similar of_side[2];
  bool alike;  // whether splits below both children cost the same

  vector<Cuts> features;
  size_t begun = 0, at = 0, merged = 0, flying = 0;
  bool parts_proven = false;
  const double* given = nullptr;  // of lists of trees (fronts.h): what each cut below it is given to
  std::function<void(const Cuts&, int, const Found&, const Found&)> each;
  std::unique_ptr<KnownSets> sets;  // where this is the whole tree
  std::unique_ptr<Slices> slices;  // where features have few bins and both sides two levels

  // The evaluation of a cut: what it starts from, and what it finds.
  struct Job {
    Cuts& f;
    int pick;
    double aim, rest, high;
    bool inherits[2];
    vector<double> near[2];
    Found left, right;
    bool both = false, complete = true;
    int64_t evaluated = 0, merges = 0;
    std::unique_ptr<KnownSets> sets;
    std::shared_ptr<Pool::Ticket> ticket;
    Job(Cuts& feature, int cut) : f(feature), pick(cut) {}
  };
  // Jobs are never left behind.
  struct Flight : std::deque<std::unique_ptr<Job>> {
    const Sweep& sweep;
    explicit Flight(const Sweep& one) : sweep(one) {}
    ~Flight() {
      if (!empty()) sweep.e.control.stop = 1;
      for (auto& job : *this)
        if (job->ticket) sweep.e.pool->settle(job->ticket);
    }
  };

  Sweep(Engine& engine, int at, int levels, const Subset& subset, double below_goal,
        const vector<double>* by_neighbours = nullptr)
      : e(engine), s(subset), node(at), depth(levels), goal(below_goal), known(by_neighbours) {
    number = e.task.number[node];
    children[0] = e.task.left[node];
    children[1] = e.task.right[node];
    e.unsplit(s.total.data(), relaxed, best);
    relaxed += s.whole;
    best += s.whole;
    alike = e.cost_the_same(children[0], children[1], depth - 1);
  }

  double target() const { return given ? *given : std::min(e.below(best), goal); }

  // Deep trees may take long for each cut of the root. So that something is proven of all cuts before
  // the end of a time limit, they are held against a part of the target first.
  bool in_parts() const {
    double steps = (double)e.evaluated * s.n * e.P;
    return whole() && depth > 3 && begun && !parts_proven && target() > 0 &&
           target() < INFINITY && steps >= e.task.patience;
  }
  double aim() const { return in_parts() ? e.task.part * target() : target(); }

  double bound(const Cuts& f, size_t c) const {
    double by_sides = f.price + f.low[c] + f.high[c];
    return known ? std::max(by_sides, f.known_bound[c]) : by_sides;
  }

  double bound(const Cuts& f) const {
    double least = INFINITY;
    for (size_t c = 0; c < f.bin.size(); c++) least = std::min(least, bound(f, c));
    return least;
  }

  bool whole() const { return !each && depth == e.root_depth; }

  // Cuts of the root are evaluated several at once, each knowing those merged before it started.
  // How many are under way depends on the number merged, never on when threads end.
  size_t window() const {
    return whole() ? std::min<size_t>(e.task.window, 1 + merged / 2) : 1;
  }

  Found run(bool bounds = false) {
    order_features();
    if (whole() && depth > 3) {
      sets = std::make_unique<KnownSets>(e.task.known_bytes / 2);
      sets->tell_kinds(e, node, depth);
    }
    if (depth == 3 && !each && few_bins(e, s) && Slices::fit(e, s)) {
      slices = std::make_unique<Slices>(e, s);
      if (slices->whole.broken) slices = nullptr;
    }
    Flight flight(*this);
    while (true) {
      while (flight.size() < window() && start(flight)) {
      }
      if (flight.empty()) break;
      std::unique_ptr<Job> job = std::move(flight.front());
      flight.pop_front();
      merge(*job);
      report();
    }
    for (Cuts& f : features) relaxed = std::min(relaxed, bound(f));
    Found found;
    found.relaxed = std::min(relaxed, best);
    found.exact = best < goal ? best : INFINITY;
    found.feature = feature;
    found.bin = bin;
    found.left = below[0];
    found.right = below[1];
    if (bounds) expand(found.bound);
    return found;
  }

  // Bounds of cuts for all bins of the task; nothing is known of those that part no points here.
  void expand(vector<double>& all) const {
    all.assign(e.first_bin[e.P], -INFINITY);
    for (const Cuts& f : features) {
      double* of_bin = &all[e.first_bin[f.feature]];
      for (size_t c = 0; c < f.bin.size(); c++) {
        int from = c ? f.bin[c - 1] + 1 : f.position[0] ? s.bin[s.start[f.feature]] : 0;
        std::fill(of_bin + from, of_bin + f.bin[c] + 1, bound(f, c));
      }
    }
  }

  void order_features() {
    vector<std::pair<double, int>> order;
    vector<double> first(s.cuts());
    for (int g = 0; g < e.P; g++) {
      double cost = e.price(number, g), least = INFINITY;
      for (int c = s.start[g]; c < s.start[g + 1]; c++) {
        first[c] = e.rank(e.by_itself(s, c) + cost);
        least = std::min(least, first[c]);
      }
      if (std::isfinite(least)) order.push_back({least, g});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& one : order) features.push_back(cuts_of(one.second, first));
  }

  // Those that part points, and where every branch must split, one for each way to send all points
  // to one side.
  Cuts cuts_of(int g, const vector<double>& first) const {
    Cuts f;
    f.feature = g;
    f.price = e.price(number, g);
    f.best = 0;
    int from = s.start[g], to = s.start[g + 1];
    vector<double> value;
    if (e.must_split && s.bin[from] > 0) {
      f.bin.push_back(s.bin[from] - 1);
      f.position.push_back(0);
      f.cut.push_back(-1);
      f.weight.push_back(0.0);
      value.push_back(INFINITY);
    }
    for (int c = from; c < to; c++) {
      bool parts = !s.last(c) || (e.must_split && s.bin[c] + 1 < e.task.bins[g]);
      if (!parts) continue;
      // of cuts that part the points alike the last one, as thresholds are between values
      f.bin.push_back(c + 1 < to ? s.bin[c + 1] - 1 : e.task.bins[g] - 2);
      f.position.push_back(s.end[c]);
      f.cut.push_back(c - from);
      f.weight.push_back(s.weight[c]);
      value.push_back(first[c]);
    }
    for (size_t c = 1; c < value.size(); c++)
      if (value[c] < value[f.best]) f.best = (int)c;
    f.forget_next();
    double least = e.task.least_price * ((1 << (depth - 1)) - 1);
    f.low.assign(f.bin.size(), least);
    f.high.assign(f.bin.size(), least);
    f.done.assign(f.bin.size(), 0);
    f.proven.assign(f.bin.size(), -INFINITY);
    if (known)
      for (int one : f.bin) f.known_bound.push_back((*known)[e.first_bin[g] + one]);
    return f;
  }

  // Bounds by all points whose trees are known; whether some were new.
  bool by_similar(Cuts& f) {
    bool more = false;
    for (int side = 0; side < 2; side++) {
      const Similar& similar = of_side[alike ? 0 : side];
      vector<double>& bounds = side == 0 ? f.low : f.high;
      for (size_t& k = f.seen[side]; k < similar.known.size(); k++) {
        more = true;
        const Similar::Side& one = similar.known[k];
        const vector<double> within = Similar::within(one, e, s, f, slices.get());
        for (size_t c = 0; c < f.bin.size(); c++) {
          const double lost = side == 0 ? one.total - within[c] : within[c];
          bounds[c] = std::max(bounds[c], one.worth - lost);
        }
      }
    }
    return more;
  }

  // The next cut to evaluate, false where none is left: first the best one of each feature by its
  // own leaves, then by least bound, and below the root feature by feature.
  bool next(Cuts*& f, int& pick) {
    if (in_parts()) {
      if (of_least_bound(f, pick)) return true;
      if (flying) return false;
      parts_proven = true;
      for (Cuts& one : features) one.forget_next();
    }
    while (begun < features.size()) {
      f = &features[begun++];
      if (f->bin.empty()) continue;
      by_similar(*f);
      pick = f->best;
      if (!f->done[pick] && bound(*f, pick) < target()) return true;
      if (whole()) survey(*f);
    }
    return whole() ? of_least_bound(f, pick) : of_next_feature(f, pick);
  }

  bool of_next_feature(Cuts*& f, int& pick) {
    for (; at < features.size(); at++) {
      f = &features[at];
      by_similar(*f);
      vector<int> left;
      double aim = target();
      for (size_t c = 0; c < f->bin.size(); c++)
        if (!f->done[c] && bound(*f, c) < aim) left.push_back((int)c);
      if (!left.empty()) {
        pick = left[left.size() / 2];
        return true;
      }
      for (int side = 0; side < 2; side++) f->known[side].clear(), f->kept[side].clear();
    }
    return false;
  }

  bool of_least_bound(Cuts*& f, int& pick) {
    while (true) {
      f = nullptr;
      for (Cuts& one : features)
        if (one.next >= 0 && (!f || key(one) < key(*f))) f = &one;
      if (!f) return false;
      bool more = by_similar(*f);
      if (!more && f->aim == aim()) break;
      survey(*f);
    }
    pick = f->next;
    return true;
  }

  // Features of which no cut is under way come first, and of those the one of least bound.
  std::pair<int, double> key(const Cuts& f) const { return {f.flying, f.least}; }

  // The next cut of a feature: the middle of those around the first one of least bound. What is
  // under way beside them may rule out a few at once, so that they wait for it.
  void survey(Cuts& f) const {
    f.next = -1;
    f.least = INFINITY;
    f.aim = aim();
    int count = (int)f.bin.size(), from = 0;
    double least = INFINITY;
    bool beside = false;
    for (int c = 0; c <= count; c++) {
      bool flies = c < count && f.done[c] == FLYING;
      if (c < count && !f.done[c] && std::max(bound(f, c), f.proven[c]) < f.aim) {
        least = std::min(least, e.rank(bound(f, c)));
        continue;
      }
      if (least < f.least && (c - from > e.task.few || !(beside || flies))) {
        f.least = least;
        f.next = from + (c - from) / 2;
      }
      least = INFINITY;
      from = c + 1;
      beside = flies;
    }
  }

  // What is ruled out so far, where this is the whole tree.
  void report() {
    if (!whole() || Clock::now() - e.told < std::chrono::milliseconds(100)) return;
    e.told = Clock::now();
    double low = std::min(relaxed, best);
    for (const Cuts& f : features) low = std::min(low, bound(f));
    if (low > e.control.bound) e.control.bound = low;
  }

  bool start(Flight& flight) {
    Cuts* f;
    int pick;
    if (!next(f, pick) || e.late()) return false;
    auto job = std::make_unique<Job>(*f, pick);
    f->done[pick] = FLYING;
    f->flying++;
    flying++;
    if (whole()) survey(*f);
    job->high = f->high[pick];
    job->aim = aim();
    job->rest = job->aim - f->price;
    for (int side = 0; side < 2; side++)
      job->inherits[side] = inherited(*f, pick, side, job->near[side]);
    if (sets) {
      job->sets = std::make_unique<KnownSets>(e.task.known_bytes / 2 / e.task.window);
      job->merges = merged;
    }
    Job& one = *job;
    flight.push_back(std::move(job));
    if (whole())
      one.ticket = e.pool->hand_in([this, &one](int thread) { evaluate(e.helpers[thread], one); });
    else
      evaluate(e, one);
    return true;
  }

  void evaluate(Engine& by, Job& job) const {
    int64_t before = by.evaluated;
    if (sets) by.merged_sets = sets.get(), by.own_sets = job.sets.get(), by.merges = job.merges;
    solve_side(by, job, 0, job.rest - job.high, job.left);
    double room = job.rest - job.left.relaxed;
    job.both = !std::isinf(job.left.exact) && job.high < room && by.complete;
    if (job.both) solve_side(by, job, 1, room, job.right);
    job.evaluated = by.evaluated - before;
    job.complete = by.complete;
  }

  void solve_side(Engine& by, Job& job, int side, double below_goal, Found& found) const {
    if (slices && job.f.cut[job.pick] >= 0) return solve_summed(by, job, side, below_goal, found);
    const int* order = s.order.data() + (size_t)job.f.feature * s.n;
    int from = side ? job.f.position[job.pick] : 0, to = side ? s.n : job.f.position[job.pick];
    vector<int> rows(to - from);
    for (int r = from; r < to; r++) rows[r - from] = s.rows[order[r]];
    Subset part;
    const bool kept = by.own_sets && !whole() && depth > 2 && !rows.empty();
    KnownSets::Key key;
    KnownSets::Known known;
    if (kept) {
      key = by.merged_sets->key_of(e, children[side], rows);
      if (!by.own_sets->find(key, 0, known)) by.merged_sets->find(key, by.merges, known);
      if (known.answers(below_goal, e.task.tolerance)) {
        found = known.found;
        if (!(found.exact < below_goal)) found = bound_alone(found.relaxed);
        return;
      }
    }
    by.make(&s, std::move(rows), part, depth > 3);
    const vector<double>* near = job.inherits[side] ? &job.near[side] : nullptr;
    found = solve(by, children[side], depth - 1, part, below_goal, near, true);
    if (!kept || !by.complete) return;
    found.relaxed = std::max(found.relaxed, known.found.relaxed);
    by.own_sets->keep(key, depth - 1, found, below_goal);
  }

  // The same without the points.
  void solve_summed(Engine& by, Job& job, int side, double below_goal, Found& found) const {
    const int g = job.f.feature, c = job.f.cut[job.pick];
    Subset part;
    slices->make(g, c, side, part);
    if (!part.n) {
      found = by.empty(children[side], depth - 1);
      return;
    }
    const Tables tables = slices->of_side(by, g, c, side);
    if (tables.broken() || by.late()) {
      found = by.unknown(depth - 1, part);
      return;
    }
    TwoLevels two(by, children[side], part, below_goal, job.inherits[side] ? &job.near[side] : nullptr);
    two.tables = &tables;
    found = two.run(true);
  }

  static Found bound_alone(double relaxed) {
    Found found;
    found.relaxed = relaxed;
    return found;
  }

  void merge(Job& job) {
    if (job.ticket) {
      e.pool->wait(job.ticket);
      e.join(job.evaluated, job.complete);
    }
    merged++;
    if (job.sets) sets->publish(*job.sets, merged);
    Cuts& f = job.f;
    f.flying--;
    flying--;
    bool solved = job.both && std::isfinite(job.right.exact);
    f.done[job.pick] = solved || job.aim >= target() ? DONE : 0;
    f.proven[job.pick] = job.aim;
    learn(f, job.pick, 0, job.left);
    if (job.both) learn(f, job.pick, 1, job.right);
    if (whole()) survey(f);
    if (!job.both) return;
    if (each) {
      double least = f.price + job.left.exact + job.right.exact;
      if (least < target()) each(f, job.pick, job.left, job.right);
      return;
    }
    double value = f.price + job.left.exact + job.right.exact;
    if (!(value < best - 0.5 * e.task.tolerance)) return;
    best = value;
    feature = f.feature;
    bin = f.bin[job.pick];
    below[0] = std::make_shared<Found>(std::move(job.left));
    below[1] = std::make_shared<Found>(std::move(job.right));
    if (whole() && best < e.control.best) e.control.best = best;
  }

  // Bounds of other cuts by one side of a cut.
  void learn(Cuts& f, int pick, int side, Found& found) {
    vector<double>& bounds = side == 0 ? f.low : f.high;
    for (size_t c = 0; c < f.bin.size(); c++) {
      bool shrinks = side == 0 ? (int)c < pick : (int)c > pick;
      double moved = shrinks ? std::fabs(f.weight[c] - f.weight[pick]) : 0.0;
      bounds[c] = std::max(bounds[c], found.relaxed - moved);
    }
    of_side[alike ? 0 : side].add(e, s, f, pick, side, found.relaxed, slices.get());
    if (found.bound.empty()) return;
    if (f.known[side].count(pick)) {  // held against a part of the target before
      f.known[side][pick] = std::move(found.bound);
      return;
    }
    if ((int64_t)f.kept[side].size() == e.task.kept) {
      f.known[side].erase(f.kept[side].front());
      f.kept[side].pop_front();
    }
    f.known[side][pick] = std::move(found.bound);
    f.kept[side].push_back(pick);
  }

  // What trees with each cut at the child are worth at least, from neighbouring cuts.
  bool inherited(const Cuts& f, int pick, int side, vector<double>& best_of) const {
    const auto& known = f.known[side];
    if (known.empty()) return false;
    vector<std::pair<int, const vector<double>*>> near;
    auto at = known.lower_bound(pick);
    auto back = at;
    for (int k = 0; k < NEIGHBOURS && back != known.begin(); k++) {
      --back;
      near.insert(near.begin(), {back->first, &back->second});
    }
    for (int k = 0; k < NEIGHBOURS && at != known.end(); k++, ++at)
      near.push_back({at->first, &at->second});
    std::stable_sort(near.begin(), near.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.first - pick) < std::abs(b.first - pick);
    });
    if (near.size() > NEIGHBOURS) near.resize(NEIGHBOURS);
    best_of.assign(e.first_bin[e.P], -INFINITY);
    for (auto& one : near) {
      bool larger = (one.first > pick) == (side == 0);
      double moved = larger ? std::fabs(f.weight[one.first] - f.weight[pick]) : 0.0;
      const double* bound = one.second->data();
      for (size_t b = 0; b < best_of.size(); b++) best_of[b] = std::max(best_of[b], bound[b] - moved);
    }
    return true;
  }
};
