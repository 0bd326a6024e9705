#include "proven/certify/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "batch_backend.h"
#include "directional_search.h"
#include "proven/base/gpu.h"
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

BatchVerdict as_batch(Verdict verdict) {
  switch (verdict) {
    case Verdict::free:
      return BatchVerdict::free;
    case Verdict::collision:
      return BatchVerdict::collision;
    case Verdict::undecided:
      break;
  }
  return BatchVerdict::undecided;
}

BatchVerdict as_batch(PreVerdict verdict) {
  switch (verdict) {
    case PreVerdict::clear:
      return BatchVerdict::clear;
    case PreVerdict::contact:
      return BatchVerdict::collision;
    case PreVerdict::open:
      break;
  }
  return BatchVerdict::undecided;
}

// What threads find of a segment.
struct Rest {
  BatchVerdict verdict = BatchVerdict::undecided;
  double t = 0;
  int pair = -1;
  bool confirmed = false;        // a contact that the GPU took for likely
  Certificate certificate = {};  // of one that is proved again
  std::optional<Error> failure = {};
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
  State(const CheckModel& given, const BatchOptions& wanted)
      : asked(given),
        options(wanted),
        workers(wanted.threads > 0 ? wanted.threads : default_threads()) {
    scratch.resize(static_cast<std::size_t>(workers.threads()));
  }

  // Whether all of the segment lies in one batch's terms.
  bool can_batch() const {
    const CheckOptions& check = asked.options();
    return check.checker == Checker::directional && !check.first && !check.explain &&
           asked.scene().timed().empty();
  }

  // Segments from which on the backend is asked.
  std::size_t least() const {
    if (options.least >= 0) return static_cast<std::size_t>(options.least);
    return options.device == BatchDevice::emulated ? 0 : kFewPerThread * scratch.size();
  }

  CheckModel asked;  // with sweeps, without certificates
  BatchOptions options;
  Workers workers;
  std::optional<BatchModel> model;
  std::unique_ptr<batch::Backend> backend;  // null: threads alone
  std::vector<Scratch> scratch;
  std::int64_t seen = 0;  // segments that the backend found clear
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

Rest pre_check(const CheckModel& model, const SegmentQuery& query, Scratch& scratch,
               const Budget& budget) {
  const PreCheck found = model.pre_check(query, CheckModel::Effort::thorough, scratch, budget);
  Rest rest{.verdict = as_batch(found.verdict)};
  if (found.verdict != PreVerdict::contact) return rest;
  rest.t = found.t;
  rest.pair = pair_of(model.scene(), found.bodies);
  return rest;
}

Rest search(const CheckModel& model, const SegmentQuery& query, Scratch& scratch,
            const Budget& budget) {
  const CheckResult result = model.check_segment(query, scratch, budget);
  Rest rest{.verdict = as_batch(result.verdict)};
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
  BatchRun(const CheckModel& model, const BatchOptions& options, Workers& workers,
           std::vector<Scratch>& scratch, const SegmentBatch& segments, const Budget& budget)
      : model_(model),
        options_(options),
        workers_(workers),
        scratch_(scratch),
        segments_(segments),
        budget_(budget),
        row_(model.scene().home().size()),
        count_(segments.from.size() / row_),
        verdicts_(count_, BatchVerdict::undecided) {}

  std::size_t size() const { return count_; }

  ~BatchRun() {
    if (under_way_) workers_.finish();
  }
  BatchRun(const BatchRun&) = delete;
  BatchRun& operator=(const BatchRun&) = delete;

  // Asks the backend. Threads take what it leaves while it works on, and prove what it finds clear.
  // `seen`: how many it found clear in earlier batches.
  Result<void> ask(batch::Backend& backend, std::int64_t& seen) {
    const auto start = Clock::now();
    seen_ = &seen;
    batch::Counts counts;
    const auto take = [](void* self, const batch::Answer& answer) {
      static_cast<BatchRun*>(self)->take_answer(answer);
    };
    const auto done =
        backend.run({segments_.from.data(), segments_.to.data(), static_cast<int>(count_),
                     segments_.from_is_free ? 1 : 0, kMostSteps},
                    {this, take}, counts);
    if (!done.ok()) return done.error();
    stats_.asked_seconds = seconds_since(start);
    stats_.entries = counts.entries;
    stats_.tasks = counts.tasks;
    stats_.device_seconds = counts.seconds;
    return search_rest();
  }

  Result<void> search_all() {
    for (std::size_t i = 0; i < count_; ++i) left_.push_back({static_cast<int>(i)});
    return search_rest();
  }

  BatchResult result() {
    BatchResult made;
    std::array<std::int64_t, 4> counts = {};
    for (const BatchVerdict verdict : verdicts_) ++counts[static_cast<std::size_t>(verdict)];
    stats_.free = counts[static_cast<std::size_t>(BatchVerdict::free)];
    stats_.clear = counts[static_cast<std::size_t>(BatchVerdict::clear)];
    stats_.collision = counts[static_cast<std::size_t>(BatchVerdict::collision)];
    stats_.undecided = counts[static_cast<std::size_t>(BatchVerdict::undecided)];
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
  // Work for threads.
  struct Left {
    enum class Work { whole, prove, sample };
    int segment;
    int pair = -1;  // of a contact that is likely, at t; or -1
    double t = 0;
    Work work = Work::whole;  // what is clear is to be proved, a sample with its certificate
  };

  void take_answer(const batch::Answer& answer) {
    // Within a tube a contact may be one of the tube alone.
    const bool tube = model_.data().without_tube() != nullptr;
    std::int64_t settled = 0;
    for (int i = 0; i < answer.count; ++i) {
      const int segment = answer.first + i;
      BatchVerdict& verdict = verdicts_[static_cast<std::size_t>(segment)];
      const batch::State state =
          tube && answer.states[i] != batch::State::free ? batch::State::host : answer.states[i];
      const double t = static_cast<double>(answer.found[i].moment) / batch::kMoments;
      if (state == batch::State::free) {
        ++settled;
        verdict = BatchVerdict::clear;
        if ((*seen_)++ % std::max(1, options_.sample_every) == 0)
          left_.push_back({.segment = segment, .work = Left::Work::sample});
        else if (options_.prove)
          left_.push_back({.segment = segment, .work = Left::Work::prove});
      } else if (state == batch::State::contact) {
        ++settled;
        verdict = BatchVerdict::collision;
        contacts_.push_back({segment, t, answer.found[i].pair});
      } else {
        left_.push_back({segment, state == batch::State::likely ? answer.found[i].pair : -1, t});
      }
    }
    stats_.settled += settled;
    if (workers_.idle()) hand_out();
  }

  // Threads begin with what is left so far.
  void hand_out() {
    take_rests();
    begun_ = Clock::now();
    under_way_ = true;
    searched_ = std::exchange(left_, {});
    rests_.assign(searched_.size(), {});
    workers_.begin(static_cast<int>(searched_.size()), work_);
  }

  // What they found.
  void take_rests() {
    if (!std::exchange(under_way_, false)) return;
    workers_.finish();
    stats_.searched_seconds += seconds_since(begun_);
    for (std::size_t i = 0; i < searched_.size(); ++i) {
      const Left& one = searched_[i];
      Rest& rest = rests_[i];
      if (rest.failure) {
        if (!failure_) failure_ = std::move(rest.failure);
        continue;
      }
      verdicts_[static_cast<std::size_t>(one.segment)] = rest.verdict;
      if (rest.verdict == BatchVerdict::collision)
        rest_contacts_.push_back({one.segment, rest.t, rest.pair});
      if (!rest.certificate.empty()) samples_.push_back({one.segment, std::move(rest.certificate)});
      if (one.work == Left::Work::whole)
        ++(rest.confirmed ? stats_.confirmed : stats_.searched);
      else
        stats_.refuted += rest.verdict == BatchVerdict::collision;
    }
  }

  Result<void> search_rest() {
    hand_out();
    take_rests();
    if (failure_) return *failure_;
    return {};
  }

  Rest settle(const Left& one, Scratch& scratch) const {
    const SegmentQuery query = row_of(segments_, one.segment, row_);
    switch (one.work) {
      case Left::Work::sample:
        return prove_sample(query, one.segment, scratch);
      case Left::Work::prove:
        return search(model_, query, scratch, budget_);
      case Left::Work::whole:
        break;
    }
    if (auto valid = require_finite(query, one.segment); !valid.ok())
      return {.failure = valid.error()};
    if (one.pair >= 0 && confirm(model_, query, one.pair, one.t, scratch.state()))
      return {BatchVerdict::collision, one.t, one.pair, true};
    return options_.prove ? search(model_, query, scratch, budget_)
                          : pre_check(model_, query, scratch, budget_);
  }

  Rest prove_sample(const SegmentQuery& query, int segment, Scratch& scratch) const {
    CheckOptions recording = model_.options();
    recording.certificate = true;
    const auto recorder = model_.with_options(recording);
    if (!recorder.ok()) return {.failure = recorder.error()};
    Motion motion;
    motion.waypoints = {{query.from.begin(), query.from.end()}, {query.to.begin(), query.to.end()}};
    auto proved = recorder.value().check(motion, scratch, budget_);
    if (!proved.ok()) return {.failure = proved.error()};
    if (proved.value().verdict == Verdict::collision)
      return {.failure = bad_input(fmt::format(
                  "the pre-check finds segment {} clear, and the search finds a contact{}", segment,
                  segments_.from_is_free ? ": its first configuration may not be free, as was said"
                                         : ": use threads alone, and report this"))};
    Rest rest{.verdict = as_batch(proved.value().verdict)};
    if (!options_.prove) rest.verdict = BatchVerdict::clear;
    if (proved.value().verdict == Verdict::free)
      rest.certificate = std::move(proved.value().certificate);
    return rest;
  }

  const CheckModel& model_;
  const BatchOptions& options_;
  Workers& workers_;
  std::vector<Scratch>& scratch_;
  const SegmentBatch& segments_;
  const Budget& budget_;
  std::size_t row_, count_;
  std::int64_t* seen_ = nullptr;
  std::vector<Left> left_;  // to hand out
  // Handed out, and what threads found.
  bool under_way_ = false;
  Clock::time_point begun_;
  std::vector<Left> searched_;
  std::vector<Rest> rests_;
  const ParallelWork work_ = [this](int item, int thread) {
    const auto at = static_cast<std::size_t>(item);
    rests_[at] = settle(searched_[at], scratch_[static_cast<std::size_t>(thread)]);
  };
  std::optional<Error> failure_;
  std::vector<BatchVerdict> verdicts_;
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
  // What a GPU needs takes up to a second to prepare.
  if (device != BatchDevice::emulated)
    if (auto found = find_gpu(); !found.ok()) {
      if (device == BatchDevice::gpu) return found.error();
      return BatchChecker(state);
    }
  state->model.emplace(asked.value().data().sweep());
  if (!state->model->usable()) return BatchChecker(state);
  if (device == BatchDevice::emulated) {
    state->backend = batch::host_backend(*state->model, state->workers);
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
  BatchRun run(state_->asked, state_->options, state_->workers, state_->scratch, segments, budget);
  const bool asks = state_->backend && run.size() >= state_->least();
  const auto done = asks ? run.ask(*state_->backend, state_->seen) : run.search_all();
  if (!done.ok()) return done.error();
  BatchResult result = run.result();
  result.stats.seconds = seconds_since(start);
  return result;
}

Result<std::vector<char>> find_clear(const BatchChecker& checker,
                                     std::span<const Motion* const> motions, const Budget& budget) {
  const KinematicTree& tree = checker.model().scene().tree();
  std::vector<char> clear(motions.size(), 0);
  std::vector<double> from, to;
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const Motion& motion = *motions[i];
    clear[i] = motion.num_segments() > 0 && motion.inner.empty() && check_motion(tree, motion).ok();
    for (int k = 0; clear[i] && k < motion.num_segments(); ++k) {
      const MotionPiece piece = motion.piece(k);
      from.insert(from.end(), piece.from.begin(), piece.from.end());
      to.insert(to.end(), piece.to.begin(), piece.to.end());
    }
  }
  if (from.empty()) return clear;
  const auto answered = checker.check({from, to, false}, budget);
  if (!answered.ok()) return answered.error();
  auto verdict = answered.value().verdicts.begin();
  for (std::size_t i = 0; i < motions.size(); ++i)
    for (int k = 0, count = clear[i] ? motions[i]->num_segments() : 0; k < count; ++k)
      switch (*verdict++) {
        case BatchVerdict::free:
        case BatchVerdict::clear:
          break;
        case BatchVerdict::collision:
        case BatchVerdict::undecided:
          clear[i] = 0;
      }
  return clear;
}

}  // namespace proven
