#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "plan/final_proof.h"
#include "plan/margin.h"
#include "plan/smooth_stages.h"
#include "plan/smoother.h"

namespace proven {
namespace {

using Clock = std::chrono::steady_clock;

// A path on its way: shortcuts, then waypoints that are not needed.
class PathInquiry : public Inquiry {
 public:
  PathInquiry(const Scene& scene, const Path& path, const SmoothOptions& options,
              const Budget& budget)
      : space_(scene, {path.waypoints.front(), path.waypoints.back(), {}, {}}),
        path_(space_, path.waypoints, options.waypoint_cost),
        shortcuts_(options, space_, budget, path_) {
    if (options.waypoint_cost > 0) drops_.emplace(space_, budget, path_);
  }

  const MotionQuestion* next() override {
    if (!shortened_)
      if (const MotionQuestion* asked = shortcuts_.next()) return asked;
    shortened_ = true;
    return drops_ ? drops_->next() : nullptr;
  }
  void take(bool proved) override { shortened_ ? drops_->take(proved) : shortcuts_.take(proved); }

  const JointSpace& space() const { return space_; }
  void tell(SmoothResult& result) const {
    result.steps = shortcuts_.steps();
    result.converged = shortcuts_.converged();
    take_shortened(path_, result);
  }

 private:
  JointSpace space_;
  ShortcutPath path_;
  Shortcuts shortcuts_;
  std::optional<Drops> drops_;
  bool shortened_ = false;
};

class SmoothAll {
 public:
  SmoothAll(const CheckModel& model, std::span<const Path> paths, const SmoothOptions& options,
            const BatchOptions& batch, const Budget& budget)
      : model_(model),
        paths_(paths),
        options_(options),
        many_(batch, "paths", budget),
        results_(paths.size(), SmoothResult{}) {}

  Result<std::vector<Result<SmoothResult>>> run() {
    const auto start = Clock::now();
    bool together =
        options_.constraints.empty() && options_.rounds == 0 && many_.worth_batches(paths_.size());
    if (together) {
      const auto checker = many_.checker(model_);
      if (!checker.ok()) return checker.error();
      together = checker.value().device() != BatchDevice::threads;
    }
    if (!together) {
      many_.each(paths_.size(), [&](std::size_t i) {
        results_[i] = smooth(own_model(model_), paths_[i], options_, many_.budget());
      });
      return std::move(results_);
    }
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (auto able = require_smoothable(model_.scene(), paths_[i], options_); !able.ok()) {
        results_[i] = able.error();
        continue;
      }
      results_[i] = begin_smoothing(model_.scene(), paths_[i], options_);
      active_.push_back(i);
    }
    if (!options_.input_is_proved) {
      if (auto checked = check_inputs(); !checked.ok()) return checked.error();
      if (auto found = find_margins(); !found.ok()) return found.error();
    }
    std::map<double, std::vector<std::size_t>> by_margin;
    for (const std::size_t i : active_) by_margin[result(i).margin_kept].push_back(i);
    for (const auto& [margin, group] : by_margin)
      if (auto done = shorten(margin, group); !done.ok()) return done.error();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    for (Result<SmoothResult>& one : results_)
      if (one.ok()) one.value().seconds = seconds;
    return std::move(results_);
  }

 private:
  SmoothResult& result(std::size_t i) { return results_[i].value(); }

  // Paths as given, in the order of `which`. With `pre_check` nothing is searched for those that a
  // batch finds clear: they have no result.
  Result<std::vector<std::optional<Result<CheckResult>>>> check(
      const std::vector<std::size_t>& which, const CheckOptions& check, bool pre_check) {
    const auto model = model_.with_options(for_input(check));
    if (!model.ok()) return model.error();
    std::vector<char> clear(which.size(), 0);
    if (pre_check) {
      const auto checker = many_.checker(model.value());
      if (!checker.ok()) return checker.error();
      std::vector<const Motion*> motions;
      for (const std::size_t i : which) motions.push_back(&paths_[i]);
      auto found = find_clear(checker.value(), motions, many_.budget());
      if (!found.ok()) return found.error();
      clear = std::move(found).value();
    }
    std::vector<std::optional<Result<CheckResult>>> checked(which.size());
    many_.each(which.size(), [&](std::size_t k) {
      Scratch scratch;
      if (!clear[k]) checked[k] = model.value().check(paths_[which[k]], scratch, many_.budget());
    });
    return checked;
  }

  // Those that are not free are at their end.
  Result<void> check_inputs() {
    auto checked = check(active_, options_.check, false);
    if (!checked.ok()) return checked.error();
    std::vector<std::size_t> free;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const std::size_t i = active_[k];
      Result<CheckResult>& one = *checked.value()[k];
      if (!one.ok()) {
        results_[i] = one.error();
        continue;
      }
      result(i).input = std::move(one).value();
      result(i).check = result(i).input.stats;
      if (result(i).input.verdict == Verdict::free) free.push_back(i);
    }
    active_ = std::move(free);
    return {};
  }

  // What each keeps of the margin, as the pre-check sees it.
  Result<void> find_margins() {
    std::vector<std::size_t> open = active_;
    for (const double margin : margins_to_try(options_.margin, options_.check.clearance)) {
      for (const std::size_t i : open) result(i).margin_kept = margin;
      const CheckOptions stricter = with_margin(options_.check, margin);
      if (stricter.clearance == options_.check.clearance) break;
      auto checked = check(open, stricter, true);
      if (!checked.ok()) return checked.error();
      std::vector<std::size_t> left;
      for (std::size_t k = 0; k < open.size(); ++k) {
        const std::size_t i = open[k];
        if (!checked.value()[k]) continue;
        const Result<CheckResult>& one = *checked.value()[k];
        if (!one.ok()) {
          results_[i] = one.error();
        } else {
          result(i).check += one.value().stats;
          if (one.value().verdict == Verdict::free) continue;
          result(i).margin_reason = describe_closest(model_.scene(), one.value());
          left.push_back(i);
        }
      }
      open = std::move(left);
    }
    std::erase_if(active_, [&](std::size_t i) { return !results_[i].ok(); });
    return {};
  }

  // Of paths that keep the same margin.
  Result<void> shorten(double margin, const std::vector<std::size_t>& group) {
    const auto model = model_.with_options(for_shortcuts(options_, margin));
    if (!model.ok()) return model.error();
    CoveredValues values;
    std::vector<std::unique_ptr<PathInquiry>> inquiries(group.size());
    std::vector<Inquiry*> asking;
    for (std::size_t k = 0; k < group.size(); ++k) {
      const Path& path = paths_[group[k]];
      if (path.num_segments() <= 1) continue;
      inquiries[k] = std::make_unique<PathInquiry>(model_.scene(), path, options_, many_.budget());
      values.add(inquiries[k]->space());
      values.add(path);
      asking.push_back(inquiries[k].get());
    }
    const auto checker = many_.checker(values.cover(model.value()));
    if (!checker.ok()) return checker.error();
    if (auto asked = many_.ask(asking, checker.value()); !asked.ok()) return asked;
    many_.each(group.size(), [&](std::size_t k) {
      const std::size_t i = group[k];
      if (inquiries[k]) inquiries[k]->tell(result(i));
      if (auto ended = end_smoothing(checker.value().model(), paths_[i], options_, many_.budget(),
                                     result(i));
          !ended.ok())
        results_[i] = ended.error();
    });
    return {};
  }

  const CheckModel& model_;
  std::span<const Path> paths_;
  const SmoothOptions& options_;
  Together many_;
  std::vector<Result<SmoothResult>> results_;
  std::vector<std::size_t> active_;  // paths that are free, so far as is known
};

}  // namespace

Result<std::vector<Result<SmoothResult>>> smooth_all(const CheckModel& model,
                                                     std::span<const Path> paths,
                                                     const SmoothOptions& options,
                                                     const BatchOptions& batch,
                                                     const Budget& budget) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  return SmoothAll(model, paths, options, batch, budget).run();
}

}  // namespace proven
