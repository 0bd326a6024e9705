#include "proven/certify/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "batch_backend.h"
#include "directional_search.h"
#include "proven/base/parallel.h"
#include "scratch_state.h"

namespace proven {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Steps of one task of the search: what takes more is left to threads.
constexpr int kMostSteps = 100;
// A GPU takes a millisecond for any batch, in which threads ask about so many segments each.
constexpr std::size_t kFewPerThread = 100;

// What the search leaves to say of a segment that a GPU did not settle.
struct Rest {
  Verdict verdict = Verdict::undecided;
  double t = 0;
  int pair = -1;
  bool confirmed = false;  // a contact that the GPU took for likely
};

int pair_of(const Scene& scene, const std::array<int, 2>& bodies) {
  const auto pairs = scene.pairs();
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if ((pairs[i].a == bodies[0] && pairs[i].b == bodies[1]) ||
        (pairs[i].a == bodies[1] && pairs[i].b == bodies[0]))
      return static_cast<int>(i);
  return -1;
}

}  // namespace

struct BatchChecker::State {
  State(const CheckModel& given, const BatchOptions& wanted) : asked(given), options(wanted) {
    if (options.threads <= 0) options.threads = default_threads();
    scratch.resize(static_cast<std::size_t>(options.threads));
  }

  // Whether all of the segment lies in one batch's terms.
  bool can_batch() const {
    const CheckOptions& check = asked.options();
    return check.checker == Checker::directional && !check.first && !check.explain &&
           asked.scene().timed().empty();
  }

  CheckModel asked;  // with sweeps, without certificates
  BatchOptions options;
  std::optional<BatchModel> model;
  std::unique_ptr<batch::Backend> backend;  // null: threads alone
  std::vector<Scratch> scratch;
  std::int64_t seen = 0;  // segments that the backend found free
};

namespace {

SegmentQuery row_of(const SegmentBatch& segments, std::int64_t index, std::size_t row) {
  const std::size_t at = static_cast<std::size_t>(index) * row;
  return {segments.from.subspan(at, row), segments.to.subspan(at, row), segments.from_is_free};
}

// Whether the pair really meets at t: pieces are looked at as the search does.
bool confirm(const CheckModel& model, const SegmentQuery& query, int pair, double t,
             Scratch::State& scratch) {
  const SegmentMotion motion{{query.from, query.to, {}}, -1};
  scratch.begin(model.scene());
  auto search = scratch.take_search();
  search->begin(model.data(), model.options(), motion, query.from_is_free);
  search->try_moment(pair, t, scratch);
  const bool found = search->collision().has_value();
  scratch.give_back(std::move(search));
  return found;
}

Rest search(const CheckModel& model, const SegmentQuery& query, Scratch& scratch,
            const Budget& budget) {
  const CheckResult result = model.check_segment(query, scratch, budget);
  Rest rest{result.verdict};
  if (!result.collision) return rest;
  rest.t = result.collision->t;
  rest.pair = pair_of(model.scene(), result.collision->bodies);
  return rest;
}

Result<void> validate(const CheckModel& model, const SegmentBatch& segments) {
  const std::size_t row = model.scene().home().size();
  if (!model.scene().timed().empty())
    return bad_input("in a scene where things move by the clock only timed motions mean anything");
  if (row == 0) return bad_input("nothing moves in this scene");
  if (segments.from.size() != segments.to.size() || segments.from.size() % row != 0)
    return bad_input(fmt::format(
        "a batch needs two equal tables with {} values in a row; it has {} and {} values", row,
        segments.from.size(), segments.to.size()));
  if (segments.from.size() / row > std::numeric_limits<int>::max() / 2)
    return bad_input("a batch has at most 2^30 segments: ask in parts");
  return {};
}

// A backend leaves values that are not finite: they are in no range.
Result<void> require_finite(const SegmentQuery& query, int segment) {
  for (const auto values : {query.from, query.to})
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        return bad_input(fmt::format("value {} in row {} is not finite", i, segment));
  return {};
}

// Work on another thread that is waited for, whatever happens.
class Joined {
 public:
  Joined() = default;
  ~Joined() { join(); }
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

  template <class Work>
  void begin(Work work) {
    thread_ = std::thread(std::move(work));
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

class BatchRun {
 public:
  BatchRun(const CheckModel& model, const BatchOptions& options, std::vector<Scratch>& scratch,
           const SegmentBatch& segments, const Budget& budget)
      : model_(model),
        options_(options),
        scratch_(scratch),
        segments_(segments),
        budget_(budget),
        row_(model.scene().home().size()),
        count_(segments.from.size() / row_),
        verdicts_(count_, Verdict::undecided) {}

  std::size_t size() const { return count_; }

  // What the backend says; nothing of it is believed that is not proved there. Threads take what it
  // leaves of one part while it works on the next. `seen`: how many it found free in earlier
  // batches.
  Result<void> ask(batch::Backend& backend, std::int64_t& seen) {
    states_.resize(std::min(count_, kPart));
    found_.resize(states_.size());
    Result<void> searched;
    Joined threads;
    for (std::size_t first = 0; first < count_; first += kPart) {
      const std::size_t count = std::min(kPart, count_ - first);
      if (auto asked = ask_part(backend, first, count); !asked.ok()) return asked.error();
      threads.join();
      if (!searched.ok()) return searched.error();
      take_answers(first, count, seen);
      threads.begin([&, left = std::exchange(left_, {})]() mutable {
        searched = search_rest(std::move(left));
      });
    }
    threads.join();
    if (!searched.ok()) return searched.error();
    return take_samples();
  }

  Result<void> search_all() {
    std::vector<Left> all;
    for (std::size_t i = 0; i < count_; ++i) all.push_back({static_cast<int>(i), -1, 0});
    return search_rest(std::move(all));
  }

  BatchResult result() {
    BatchResult made;
    for (const Verdict verdict : verdicts_)
      ++(verdict == Verdict::free        ? stats_.free
         : verdict == Verdict::collision ? stats_.collision
                                         : stats_.undecided);
    // Those of the backend are in order already.
    std::ranges::sort(rest_contacts_, {}, &BatchResult::Contact::segment);
    const auto middle = static_cast<std::ptrdiff_t>(contacts_.size());
    contacts_.insert(contacts_.end(), rest_contacts_.begin(), rest_contacts_.end());
    std::ranges::inplace_merge(contacts_, contacts_.begin() + middle, {},
                               &BatchResult::Contact::segment);
    made.verdicts = std::move(verdicts_);
    made.contacts = std::move(contacts_);
    made.samples = std::move(samples_);
    made.stats = stats_;
    return made;
  }

 private:
  // Segments that are asked together.
  static constexpr std::size_t kPart = std::size_t{1} << 19;

  struct Left {
    int segment;
    int pair;  // of a contact that is likely, at t; or -1
    double t;
  };

  Result<void> ask_part(batch::Backend& backend, std::size_t first, std::size_t count) {
    const auto start = Clock::now();
    batch::Counts counts;
    const auto done =
        backend.run({segments_.from.data() + first * row_, segments_.to.data() + first * row_,
                     static_cast<int>(count), segments_.from_is_free ? 1 : 0, kMostSteps},
                    {states_.data(), found_.data()}, counts);
    if (!done.ok()) return done.error();
    stats_.asked_seconds += seconds_since(start);
    stats_.entries += counts.entries;
    stats_.tasks += counts.tasks;
    stats_.device_seconds += counts.seconds;
    return {};
  }

  void take_answers(std::size_t first, std::size_t count, std::int64_t& seen) {
    // Within a tube a contact may be one of the tube alone.
    const bool tube = model_.data().without_tube() != nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      const auto segment = static_cast<int>(first + i);
      const batch::State state =
          tube && states_[i] != batch::State::free ? batch::State::host : states_[i];
      const double t = static_cast<double>(found_[i].moment) / batch::kMoments;
      if (state == batch::State::free) {
        verdicts_[first + i] = Verdict::free;
        if (seen++ % std::max(1, options_.sample_every) == 0) samples_.push_back({segment, {}});
      } else if (state == batch::State::contact) {
        verdicts_[first + i] = Verdict::collision;
        contacts_.push_back({segment, t, found_[i].pair});
      } else {
        left_.push_back({segment, state == batch::State::likely ? found_[i].pair : -1, t});
      }
    }
    stats_.settled += static_cast<std::int64_t>(count - left_.size());
  }

  // What is left, by the search.
  Result<void> search_rest(std::vector<Left> left) {
    const auto start = Clock::now();
    std::vector<Rest> rests(left.size());
    for (const Left& one : left)
      if (auto valid = require_finite(row_of(segments_, one.segment, row_), one.segment);
          !valid.ok())
        return valid.error();
    parallel_for(static_cast<int>(left.size()), options_.threads, [&](int item, int thread) {
      const Left& one = left[static_cast<std::size_t>(item)];
      Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
      const SegmentQuery query = row_of(segments_, one.segment, row_);
      Rest& rest = rests[static_cast<std::size_t>(item)];
      if (one.pair >= 0 && confirm(model_, query, one.pair, one.t, scratch.state()))
        rest = {Verdict::collision, one.t, one.pair, true};
      else
        rest = search(model_, query, scratch, budget_);
    });
    for (std::size_t i = 0; i < left.size(); ++i) {
      verdicts_[static_cast<std::size_t>(left[i].segment)] = rests[i].verdict;
      if (rests[i].verdict == Verdict::collision)
        rest_contacts_.push_back({left[i].segment, rests[i].t, rests[i].pair});
      ++(rests[i].confirmed ? stats_.confirmed : stats_.searched);
    }
    stats_.searched_seconds += seconds_since(start);
    return {};
  }

  // Some that are free, proved again.
  Result<void> take_samples() {
    if (samples_.empty()) return {};
    CheckOptions recording = model_.options();
    recording.certificate = true;
    const auto recorder = model_.with_options(recording);
    if (!recorder.ok()) return recorder.error();
    std::vector<Verdict> verdicts(samples_.size());
    parallel_for(static_cast<int>(samples_.size()), options_.threads, [&](int item, int thread) {
      BatchResult::Sample& sample = samples_[static_cast<std::size_t>(item)];
      const SegmentQuery query = row_of(segments_, sample.segment, row_);
      Motion motion;
      motion.waypoints = {{query.from.begin(), query.from.end()},
                          {query.to.begin(), query.to.end()}};
      auto proved =
          recorder.value().check(motion, scratch_[static_cast<std::size_t>(thread)], budget_);
      verdicts[static_cast<std::size_t>(item)] =
          proved.ok() ? proved.value().verdict : Verdict::undecided;
      if (proved.ok()) sample.certificate = std::move(proved.value().certificate);
    });
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (verdicts[i] == Verdict::collision)
        return bad_input(fmt::format(
            "segment {} was found free, and the search finds a contact{}", samples_[i].segment,
            segments_.from_is_free ? ": its first configuration may not be free, as was said"
                                   : ": ask with threads alone, and report this"));
    std::erase_if(samples_, [](const auto& sample) { return sample.certificate.empty(); });
    return {};
  }

  const CheckModel& model_;
  const BatchOptions& options_;
  std::vector<Scratch>& scratch_;
  const SegmentBatch& segments_;
  const Budget& budget_;
  std::size_t row_, count_;
  std::vector<batch::State> states_;  // of the part that was asked last
  std::vector<batch::Found> found_;
  std::vector<Left> left_;
  std::vector<Verdict> verdicts_;
  std::vector<BatchResult::Contact> contacts_, rest_contacts_;
  std::vector<BatchResult::Sample> samples_;
  BatchResult::Stats stats_;
};

}  // namespace

Result<BatchChecker> BatchChecker::build(const CheckModel& model, const BatchOptions& options) {
  CheckOptions check = model.options();
  check.sweep = check.checker == Checker::directional;
  check.certificate = false;
  const auto asked = model.with_options(check);
  if (!asked.ok()) return asked.error();
  auto state = std::make_shared<State>(asked.value(), options);
  BatchDevice device = options.device;
  if (!state->can_batch() || device == BatchDevice::threads) return BatchChecker(state);
  state->model.emplace(asked.value().data().sweep());
  if (!state->model->usable()) return BatchChecker(state);
  if (device == BatchDevice::emulated) {
    state->backend = batch::host_backend(*state->model, state->options.threads);
    return BatchChecker(state);
  }
  auto backend = batch::cuda_backend(*state->model);
  if (backend.ok())
    state->backend = std::move(backend.value());
  else if (device == BatchDevice::gpu)
    return backend.error();
  return BatchChecker(state);
}

const CheckModel& BatchChecker::model() const {
  return state_->asked;
}

BatchDevice BatchChecker::device() const {
  if (!state_->backend) return BatchDevice::threads;
  return state_->options.device == BatchDevice::emulated ? BatchDevice::emulated : BatchDevice::gpu;
}

Result<BatchResult> BatchChecker::check(const SegmentBatch& segments, const Budget& budget) const {
  const auto start = Clock::now();
  if (auto valid = validate(state_->asked, segments); !valid.ok()) return valid.error();
  BatchRun run(state_->asked, state_->options, state_->scratch, segments, budget);
  const bool few = device() == BatchDevice::gpu &&
                   run.size() < kFewPerThread * static_cast<std::size_t>(state_->options.threads);
  const auto done =
      state_->backend && !few ? run.ask(*state_->backend, state_->seen) : run.search_all();
  if (!done.ok()) return done.error();
  BatchResult result = run.result();
  result.stats.seconds = seconds_since(start);
  return result;
}

}  // namespace proven
