// What a sweep of a branch's cuts keeps of them.

// Points whose best tree is known; those of others lack at most what the points in which they
// differ may cost.
struct Similar {
  vector<vector<char>> inside;
  vector<double> worth, total;

  // Those from one position of an order to another.
  void add(const Engine& e, const Subset& s, const int* order, int from, int to, double known) {
    vector<char> in(s.n, 0);
    double sum = 0.0;
    for (int r = from; r < to; r++) in[order[r]] = 1, sum += e.task.most[s.rows[order[r]]];
    inside.push_back(std::move(in));
    worth.push_back(known);
    total.push_back(sum);
  }
};

// The cuts of one feature at a branch.
struct Cuts {
  int feature, best;
  vector<int> bin, position;
  vector<double> low, high, weight;
  vector<char> done;  // 0, FLYING while being evaluated, or DONE
  vector<double> known_bound;  // of each cut, from neighbours of the whole set, where there are such
  vector<double> proven;  // what trees with each cut are not below, by what it was held against
  double price;
  // of the next one: the rank of its bound, and by which aim it was chosen; not yet looked for
  double least = -INFINITY, aim = INFINITY;
  int next = 0, flying = 0;
  size_t seen[2] = {0, 0};  // of the similar points of each side, whose bounds are in
  std::map<int, vector<double>> known[2];
  std::deque<int> kept[2];  // whose bounds are known, the oldest first

  void forget_next() { least = -INFINITY, aim = INFINITY, next = bin.empty() ? -1 : 0; }
};
