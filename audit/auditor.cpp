#include "audit/auditor.h"

#include <fmt/format.h>

#include <map>

#include "audit/depth.h"
#include "audit/rows.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/plan/plan.h"

namespace proven::audit {
namespace {

// The clearances between which the least one is sought: metres.
constexpr int kLevels = 11;
double level(int i) {
  return 1e-3 * static_cast<double>(1 << i);
}

}  // namespace

// A group as it is asked: its scene, prepared, or why there is none.
struct Auditor::Group {
  const PathGroup* paths = nullptr;
  std::string error, scene_hash;
  std::optional<CheckModel> model;
  std::vector<CheckModel> clearances;  // the same at each level
  std::optional<BatchChecker> batch;   // of the pre-check, with AuditOptions::swept
  std::vector<std::string> joints;
};

Auditor::Auditor(const DataSet& set, AuditOptions options, SceneLoader load, int threads)
    : set_(set), options_(std::move(options)), load_(std::move(load)) {
  scratch_.resize(static_cast<std::size_t>(threads > 0 ? threads : default_threads()));
}

Auditor::~Auditor() = default;

const Auditor::Group& Auditor::prepare(const PathGroup& paths) {
  if (group_ && group_->paths == &paths) return *group_;
  group_.reset();  // two scenes need not fit into memory
  auto group = std::make_unique<Group>();
  group->paths = &paths;
  const auto scene = load_(paths.scene);
  if (!scene.ok()) {
    group->error = scene.error().text();
  } else {
    CheckOptions check = options_.check;
    check.sweep = options_.swept;
    auto model = CheckModel::build(scene.value(), check);
    if (!model.ok()) {
      group->error = model.error().text();
    } else {
      group->model = std::move(model).value();
      if (check.sweep) group->model->prepare_sweeps();
      if (options_.swept && scene.value().timed().empty()) {
        auto batch =
            BatchChecker::build(*group->model, {.device = options_.device,
                                                .threads = static_cast<int>(scratch_.size()),
                                                .prove = false});
        if (!batch.ok())
          group->error = batch.error().text();
        else
          group->batch = std::move(batch).value();
      }
      check.certificate = false;
      for (int i = 0; options_.least_clearance && i < kLevels; ++i)
        if (auto other = group->model->with_options(with_margin(check, level(i))); other.ok()) {
          if (check.sweep) other.value().prepare_sweeps();
          group->clearances.push_back(std::move(other).value());
        }
      group->scene_hash = scene.value().hash().hex();
      for (const Coordinate& c : scene.value().tree().coordinates())
        if (!scene.value().follows_clock(
                static_cast<int>(&c - scene.value().tree().coordinates().data())))
          group->joints.push_back(c.name);
    }
  }
  group_ = std::move(group);
  return *group_;
}

std::string Auditor::scene_of(std::int64_t path) {
  const Group& group = prepare(set_.group_of(path));
  return group.error.empty() ? group.scene_hash : group.error;
}

namespace {

// By bisection: free at a larger clearance is free at a smaller one.
ClearanceBounds least_clearance(const std::vector<CheckModel>& models, double required,
                                const Motion& motion, Scratch& scratch) {
  ClearanceBounds bounds{required, std::nullopt};
  int low = 0, high = static_cast<int>(models.size());
  while (low < high) {
    const int middle = (low + high) / 2;
    const auto result = models[static_cast<std::size_t>(middle)].check(motion, scratch);
    if (result.ok() && result.value().verdict == Verdict::free) {
      bounds.at_least = std::max(bounds.at_least, level(middle));
      low = middle + 1;
    } else {
      if (result.ok() && result.value().verdict == Verdict::collision)
        bounds.at_most = level(middle);
      high = middle;
    }
  }
  return bounds;
}

}  // namespace

// Which paths the pre-check finds clear: a bit each.
std::vector<char> Auditor::find_clear(const Group& group, std::span<const PathItem> items) {
  std::vector<char> clear(items.size(), 0);
  if (!group.batch) return clear;
  const Scene& scene = group.model->scene();
  std::vector<std::optional<Motion>> motions(items.size());
  parallel_for(static_cast<int>(items.size()), static_cast<int>(scratch_.size()),
               [&](int item, int) {
                 const auto i = static_cast<std::size_t>(item);
                 auto motion = read_item(items[i], scene, options_.path);
                 if (motion.ok()) motions[i] = std::move(motion).value();
               });
  std::vector<const Motion*> read;
  for (const auto& motion : motions)
    if (motion) read.push_back(&*motion);
  const auto answered = proven::find_clear(*group.batch, read);
  if (!answered.ok()) return clear;
  auto next = answered.value().begin();
  for (std::size_t i = 0; i < items.size(); ++i)
    if (motions[i]) clear[i] = *next++;
  return clear;
}

namespace {

// By chance, and the same for any shard and any number of threads.
bool is_drawn(std::int64_t index) {
  return Random(static_cast<std::uint64_t>(index)).uniform() * kSweptSample < 1;
}

}  // namespace

Audited Auditor::judge_one(const Group& group, std::int64_t index, const PathItem& item, bool clear,
                           Scratch& scratch) const {
  Row row;
  row.index = index;
  row.group = group.paths->name;
  row.name = item.name;
  row.scene = group.scene_hash;
  if (!group.error.empty()) {
    row.error = group.error;
    return {to_line(row), {}};
  }
  const Scene& scene = group.model->scene();
  const auto motion = read_item(item, scene, options_.path);
  if (!motion.ok()) {
    row.error = motion.error().text();
    return {to_line(row), {}};
  }
  row.in = &scene;
  row.motion = &motion.value();
  if (clear && !is_drawn(index)) return {to_line(row), {}};
  Result<CheckResult> result = group.model->check(motion.value(), scratch);
  if (!result.ok()) {
    row.error = fmt::format("{}: {}", item.name, result.error().text());
    return {to_line(row), {}};
  }
  row.result = &result.value();
  row.refuted = clear && result.value().verdict == Verdict::collision;
  if (!group.clearances.empty() && result.value().verdict == Verdict::free)
    row.clearance =
        least_clearance(group.clearances, options_.check.clearance.world, motion.value(), scratch);
  if (result.value().collision)
    row.depth = depth_of(scene, motion.value(), *result.value().collision);
  Audited audited{to_line(row), {}};
  audited.certificate = std::move(result.value().certificate);
  return audited;
}

Result<std::vector<Audited>> Auditor::judge(std::span<const std::int64_t> paths) {
  std::vector<Audited> audited(paths.size());
  for (std::size_t begin = 0; begin < paths.size();) {
    const PathGroup& of = set_.group_of(paths[begin]);
    const Group& group = prepare(of);
    // Runs of neighbours are read together.
    std::vector<PathItem> items;
    std::size_t end = begin;
    while (end < paths.size() && paths[end] < of.begin + of.size) {
      std::size_t last = end + 1;
      while (last < paths.size() && paths[last] == paths[last - 1] + 1 &&
             paths[last] < of.begin + of.size)
        ++last;
      auto read =
          set_.read(of, paths[end] - of.begin, paths[last - 1] - of.begin + 1, group.joints);
      if (!read.ok()) return read.error();
      std::move(read.value().begin(), read.value().end(), std::back_inserter(items));
      end = last;
    }
    const std::vector<char> clear = find_clear(group, items);
    parallel_for(static_cast<int>(items.size()), static_cast<int>(scratch_.size()),
                 [&](int item, int thread) {
                   const auto i = static_cast<std::size_t>(item);
                   audited[begin + i] = judge_one(group, paths[begin + i], items[i], clear[i] != 0,
                                                  scratch_[static_cast<std::size_t>(thread)]);
                 });
    begin = end;
  }
  return audited;
}

}  // namespace proven::audit
