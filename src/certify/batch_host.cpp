// Batches on the host: the programs of the GPU, one segment after the other.
#include <algorithm>
#include <vector>

#include "batch_backend.h"
#include "batch_search.h"
#include "proven/base/parallel.h"

namespace proven::batch {
namespace {

// The memory of one thread.
class Worker {
 public:
  explicit Worker(const Tables& tables)
      : tables_(tables),
        frames_(static_cast<std::size_t>(tables.num_joints) * SweepRoom::kFrame),
        boxes_(static_cast<std::size_t>(tables.num_bodies) * 6),
        bends_(static_cast<std::size_t>(tables.num_bodies)),
        slots_(static_cast<std::size_t>(tables.num_slots) * SweepRoom::kFrame),
        poses_(SearchRoom::kPoses),
        records_(SearchRoom::kRecords) {}

  State run(const Segment& segment, const Question& question, Found& found) {
    entries_.clear();
    tasks_.clear();
    auto list = [&](const Entry& entry) {
      entries_.push_back(entry);
      return true;
    };
    BallSweep sweep(tables_, {frames_.data(), slots_.data(), boxes_.data(), bends_.data()},
                    question.starts_free != 0, list);
    const Outcome swept = sweep.run(segment);
    found = swept.found;
    if (swept.state != State::open) return swept.state;
    for (const Entry& entry : entries_) {
      const Narrowed narrowed = OutlineStage(tables_).run(entry, segment);
      if (narrowed.found.pair >= 0) {
        found = narrowed.found;
        return State::contact;
      }
      if (narrowed.open != 0) tasks_.push_back(task_of(tables_, entry, narrowed.open));
    }
    return search(segment, question.most_steps, found);
  }
  std::size_t num_entries() const { return entries_.size(); }
  std::size_t num_tasks() const { return tasks_.size(); }

 private:
  State search(const Segment& segment, int most_steps, Found& found) {
    State state = State::free;
    PieceSearch search(tables_, {poses_.data(), records_.data()});
    for (const Task& task : tasks_) {
      const SearchOutcome searched = search.run(task, segment, most_steps);
      if (searched.result == Searched::free) continue;
      if (searched.result == Searched::unknown) {
        state = std::max(state, State::host);
        continue;
      }
      found = {scene_pair(tables_, task), searched.moment};
      if (searched.result == Searched::contact) return State::contact;
      state = State::likely;
    }
    return state;
  }

  const Tables& tables_;
  std::vector<float> frames_, boxes_, bends_;
  std::vector<double> slots_, poses_;
  std::vector<Record> records_;
  std::vector<Entry> entries_;
  std::vector<Task> tasks_;
};

class HostBackend : public Backend {
 public:
  HostBackend(const BatchModel& model, int threads) : model_(model), threads_(threads) {
    for (int i = 0; i < threads; ++i) workers_.emplace_back(model.tables());
  }

  Result<void> run(const Question& question, const Answer& answer, Counts& counts) override {
    const int row = model_.tables().num_coordinates;
    std::vector<Counts> own(workers_.size());
    parallel_for(question.count, threads_, [&](int i, int thread) {
      Worker& worker = workers_[static_cast<std::size_t>(thread)];
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * row;
      const Segment segment = {question.from + at, question.to + at, i};
      answer.states[i] = worker.run(segment, question, answer.found[i]);
      own[static_cast<std::size_t>(thread)].entries +=
          static_cast<std::int64_t>(worker.num_entries());
      own[static_cast<std::size_t>(thread)].tasks += static_cast<std::int64_t>(worker.num_tasks());
    });
    for (const Counts& c : own) counts.entries += c.entries, counts.tasks += c.tasks;
    return {};
  }

 private:
  const BatchModel& model_;
  int threads_;
  std::vector<Worker> workers_;
};

}  // namespace

std::unique_ptr<Backend> host_backend(const BatchModel& model, int threads) {
  return std::make_unique<HostBackend>(model, threads);
}

}  // namespace proven::batch
