// Batches on the host: the programs of the GPU, one segment after the other.
#include <algorithm>
#include <vector>

#include "batch_backend.h"
#include "batch_search.h"
#include "proven/base/parallel.h"

namespace proven::batch {
namespace {

// The memory of one thread.
class Room {
 public:
  explicit Room(const Tables& tables)
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
  HostBackend(const BatchModel& model, Workers& workers) : model_(model), workers_(workers) {
    for (int i = 0; i < workers.threads(); ++i) rooms_.emplace_back(model.tables());
  }

  Result<void> run(const Question& question, const Listener& listener, Counts& counts) override {
    const int row = model_.tables().num_coordinates;
    std::vector<Counts> own(rooms_.size());
    std::vector<State> states(static_cast<std::size_t>(question.count));
    std::vector<Found> found(states.size());
    workers_.each(question.count, [&](int i, int thread) {
      const auto at = static_cast<std::size_t>(i), mine = static_cast<std::size_t>(thread);
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(i) * row;
      Room& room = rooms_[mine];
      states[at] = room.run({question.from + first, question.to + first, i}, question, found[at]);
      own[mine].entries += static_cast<std::int64_t>(room.num_entries());
      own[mine].tasks += static_cast<std::int64_t>(room.num_tasks());
    });
    for (const Counts& c : own) counts.entries += c.entries, counts.tasks += c.tasks;
    listener.take(listener.self, {0, question.count, states.data(), found.data()});
    return {};
  }

 private:
  const BatchModel& model_;
  Workers& workers_;
  std::vector<Room> rooms_;
};

}  // namespace

std::unique_ptr<Backend> host_backend(const BatchModel& model, Workers& workers) {
  return std::make_unique<HostBackend>(model, workers);
}

}  // namespace proven::batch
