// Work on threads of their own. Without any, work is done where it is handed in.

class Pool {
 public:
  using Work = std::function<void(int)>;  // of the thread with that number

  // As many threads as the system allows, and none for a single one.
  explicit Pool(int threads) {
    try {
      for (int t = 0; threads > 1 && t < threads; t++)
        workers_.emplace_back([this, t] { serve(t); });
    } catch (const std::system_error&) {
    }
  }

  ~Pool() {
    {
      std::lock_guard<std::mutex> hold(lock_);
      ending_ = true;
    }
    handed_in_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  int threads() const { return std::max<int>(1, (int)workers_.size()); }

  struct Ticket {
    Work work;
    bool done = false;
    std::exception_ptr failed;
  };

  std::shared_ptr<Ticket> hand_in(Work work) {
    auto ticket = std::make_shared<Ticket>();
    if (workers_.empty()) {
      work(0);
      ticket->done = true;
      return ticket;
    }
    ticket->work = std::move(work);
    {
      std::lock_guard<std::mutex> hold(lock_);
      waiting_.push_back(ticket);
    }
    handed_in_.notify_one();
    return ticket;
  }

  // Until the work is done; throws what it has thrown.
  void wait(const std::shared_ptr<Ticket>& ticket) {
    std::unique_lock<std::mutex> hold(lock_);
    done_.wait(hold, [&] { return ticket->done; });
    if (ticket->failed) std::rethrow_exception(ticket->failed);
  }

  // Until the work is done, however it ends.
  void settle(const std::shared_ptr<Ticket>& ticket) {
    std::unique_lock<std::mutex> hold(lock_);
    done_.wait(hold, [&] { return ticket->done; });
  }

  // The numbers below count, each as work of its own: work(number, thread).
  void each(size_t count, const std::function<void(size_t, int)>& work) {
    std::vector<std::shared_ptr<Ticket>> tickets;
    std::exception_ptr failed;
    tickets.reserve(count);
    try {
      for (size_t k = 0; k < count; k++)
        tickets.push_back(hand_in([&work, k](int thread) { work(k, thread); }));
    } catch (...) {
      failed = std::current_exception();
    }
    for (auto& ticket : tickets) settle(ticket);  // none may outlive `work`
    if (failed) std::rethrow_exception(failed);
    for (auto& ticket : tickets) wait(ticket);
  }

 private:
  void serve(int number) {
    std::unique_lock<std::mutex> hold(lock_);
    while (true) {
      handed_in_.wait(hold, [&] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      std::shared_ptr<Ticket> ticket = waiting_.front();
      waiting_.pop_front();
      hold.unlock();
      try {
        ticket->work(number);
      } catch (...) {
        ticket->failed = std::current_exception();
      }
      ticket->work = nullptr;
      hold.lock();
      ticket->done = true;
      done_.notify_all();
    }
  }

  std::mutex lock_;
  std::condition_variable handed_in_, done_;
  std::deque<std::shared_ptr<Ticket>> waiting_;
  bool ending_ = false;
  std::vector<std::thread> workers_;
};
