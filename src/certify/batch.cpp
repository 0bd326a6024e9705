#include "proven/certify/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

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

// Steps of one task. Of few segments the longest tasks would set the time: threads take those.
constexpr int kManySteps = 100, kFewSteps = 0;
constexpr std::size_t kManySegments = 16'384;

// What the search leaves to say of a segment that a GPU did not settle.
struct Rest {
  Verdict verdict = Verdict::undecided;
  double t = 0;
  int pair = -1;
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
        rests_(count_) {}

  // What the backend says; nothing of it is believed that is not proved there.
  Result<void> ask(batch::Backend& backend) {
    const auto start = Clock::now();
    std::vector<batch::State> states(count_, batch::State::host);
    std::vector<batch::Found> found(count_);
    batch::Counts counts;
    const auto done = backend.run(
        {segments_.from.data(), segments_.to.data(), static_cast<int>(count_),
         segments_.from_is_free ? 1 : 0, count_ < kManySegments ? kFewSteps : kManySteps},
        {states.data(), found.data()}, counts);
    if (!done.ok()) return done.error();
    stats_.asked_seconds = seconds_since(start);
    stats_.entries = counts.entries;
    stats_.tasks = counts.tasks;
    stats_.device_seconds = counts.seconds;
    // Within a tube a contact may be one of the tube alone.
    const bool tube = model_.data().without_tube() != nullptr;
    for (std::size_t i = 0; i < count_; ++i) {
      const double t = static_cast<double>(found[i].moment) / batch::kMoments;
      if (states[i] == batch::State::free) {
        rests_[i].verdict = Verdict::free;
        free_.push_back(static_cast<int>(i));
      } else if (states[i] == batch::State::contact && !tube) {
        rests_[i] = {Verdict::collision, t, found[i].pair};
      } else {
        const bool likely = states[i] == batch::State::likely && !tube;
        left_.push_back({static_cast<int>(i), likely ? found[i].pair : -1, t});
        continue;
      }
      ++stats_.settled;
    }
    return {};
  }

  void leave_all() {
    for (std::size_t i = 0; i < count_; ++i) left_.push_back({static_cast<int>(i), -1, 0});
  }

  // What is left, by the search.
  Result<void> search_rest() {
    const auto start = Clock::now();
    for (const Left& left : left_)
      if (auto valid = require_finite(row_of(segments_, left.segment, row_), left.segment);
          !valid.ok())
        return valid.error();
    std::vector<std::int64_t> confirmed(scratch_.size());
    parallel_for(static_cast<int>(left_.size()), options_.threads, [&](int item, int thread) {
      const Left& left = left_[static_cast<std::size_t>(item)];
      Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
      const SegmentQuery query = row_of(segments_, left.segment, row_);
      Rest& rest = rests_[static_cast<std::size_t>(left.segment)];
      if (left.pair >= 0 && confirm(model_, query, left.pair, left.t, scratch.state())) {
        rest = {Verdict::collision, left.t, left.pair};
        ++confirmed[static_cast<std::size_t>(thread)];
        return;
      }
      rest = search(model_, query, scratch, budget_);
    });
    for (const std::int64_t n : confirmed) stats_.confirmed += n;
    stats_.searched = static_cast<std::int64_t>(left_.size()) - stats_.confirmed;
    stats_.searched_seconds = seconds_since(start);
    return {};
  }

  // Some that are free, proved again; `seen`: how many were free in earlier batches.
  Result<void> take_samples(std::int64_t& seen) {
    const std::int64_t every = std::max(1, options_.sample_every);
    const std::int64_t first = (every - seen % every) % every;
    const auto free = static_cast<std::int64_t>(free_.size());
    const auto wanted = static_cast<std::size_t>(first < free ? (free - first - 1) / every + 1 : 0);
    seen += free;
    if (wanted == 0) return {};
    CheckOptions recording = model_.options();
    recording.certificate = true;
    const auto recorder = model_.with_options(recording);
    if (!recorder.ok()) return recorder.error();
    samples_.resize(wanted);
    std::vector<Verdict> verdicts(wanted);
    parallel_for(static_cast<int>(wanted), options_.threads, [&](int item, int thread) {
      const auto i = static_cast<std::size_t>(item);
      const int segment = free_[static_cast<std::size_t>(first + item * every)];
      const SegmentQuery query = row_of(segments_, segment, row_);
      Motion motion;
      motion.waypoints = {{query.from.begin(), query.from.end()},
                          {query.to.begin(), query.to.end()}};
      auto proved =
          recorder.value().check(motion, scratch_[static_cast<std::size_t>(thread)], budget_);
      verdicts[i] = proved.ok() ? proved.value().verdict : Verdict::undecided;
      samples_[i].segment = segment;
      if (proved.ok()) samples_[i].certificate = std::move(proved.value().certificate);
    });
    for (std::size_t i = 0; i < wanted; ++i)
      if (verdicts[i] == Verdict::collision)
        return bad_input(fmt::format(
            "segment {} was found free, and the search finds a contact{}", samples_[i].segment,
            segments_.from_is_free ? ": its first configuration may not be free, as was said"
                                   : ": ask with threads alone, and report this"));
    std::erase_if(samples_, [](const auto& sample) { return sample.certificate.empty(); });
    return {};
  }

  BatchResult result() {
    BatchResult made;
    made.verdicts.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      const Rest& rest = rests_[i];
      made.verdicts.push_back(rest.verdict);
      ++(rest.verdict == Verdict::free        ? stats_.free
         : rest.verdict == Verdict::collision ? stats_.collision
                                              : stats_.undecided);
      if (rest.verdict == Verdict::collision)
        made.contacts.push_back({static_cast<std::int64_t>(i), rest.t, rest.pair});
    }
    made.samples = std::move(samples_);
    made.stats = stats_;
    return made;
  }

 private:
  struct Left {
    int segment;
    int pair;  // of a contact that is likely, at t; or -1
    double t;
  };

  const CheckModel& model_;
  const BatchOptions& options_;
  std::vector<Scratch>& scratch_;
  const SegmentBatch& segments_;
  const Budget& budget_;
  std::size_t row_, count_;
  std::vector<Rest> rests_;
  std::vector<int> free_;  // by the backend
  std::vector<Left> left_;
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
  if (!state_->backend) {
    run.leave_all();
  } else if (auto asked = run.ask(*state_->backend); !asked.ok()) {
    return asked.error();
  }
  if (auto searched = run.search_rest(); !searched.ok()) return searched.error();
  if (state_->backend)
    if (auto sampled = run.take_samples(state_->seen); !sampled.ok()) return sampled.error();
  BatchResult result = run.result();
  result.stats.seconds = seconds_since(start);
  return result;
}

}  // namespace proven
