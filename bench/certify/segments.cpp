#include "bench/certify/segments.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/kinematics/statistics.h"
#include "proven/base/parallel.h"
#include "proven/kinematics/interpolation.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

// Draws per segment before giving up: the environments need a few dozen.
constexpr int kMaxDraws = 20000;

class SegmentSource {
 public:
  SegmentSource(const Scene& scene, const SegmentWish& wish)
      : scene_(scene), wish_(wish), model_(CheckModel::build(scene, of_any(wish)).value()) {}

  std::optional<Path> draw(Random random, Scratch& scratch) const {
    for (int draws = 0; draws < kMaxDraws; ++draws) {
      Path path;
      for (int end = 0; end < 2; ++end) path.waypoints.push_back(draw_end(random));
      if (is_free(path.waypoints[0], scratch) && is_free(path.waypoints[1], scratch) &&
          wanted(path, scratch))
        return path;
    }
    return std::nullopt;
  }

 private:
  static CheckOptions of_any(const SegmentWish& wish) {
    CheckOptions options = wish.selection;
    options.limits = Limits::ignore;  // random values go where they like
    return options;
  }
  std::vector<double> draw_end(Random& random) const {
    const std::vector<double> q = random_configuration(scene_.tree(), random);
    if (wish_.spread == 1) return q;
    std::vector<double> end(q.size());
    interpolate(scene_.tree(), scene_.home(), q, wish_.spread, end);
    return end;
  }

  bool is_free(const std::vector<double>& q, Scratch& scratch) const {
    return model_.check_configuration(q, scratch).verdict == Verdict::free;
  }

  bool wanted(const Path& path, Scratch& scratch) const {
    if (!wish_.verdict) return true;
    const auto result = model_.check(path, scratch);
    return result.ok() && result.value().verdict == *wish_.verdict;
  }

  const Scene& scene_;
  const SegmentWish& wish_;
  const CheckModel model_;
};

}  // namespace

Result<Scene> built_in_scene(const std::string& name) {
  const Result<SceneSource> source = make_scene(name);
  if (!source.ok()) return source.error();
  return build_scene(source.value());
}

Result<std::vector<Path>> random_segments(const Scene& scene, const SegmentWish& wish, int count,
                                          std::uint64_t seed, int threads) {
  if (threads <= 0) threads = default_threads();
  const SegmentSource source(scene, wish);
  std::vector<Scratch> workspaces(static_cast<std::size_t>(threads));
  std::vector<std::optional<Path>> drawn(static_cast<std::size_t>(count));
  parallel_for(count, threads, [&](int item, int thread) {
    drawn[static_cast<std::size_t>(item)] =
        source.draw(Random(case_seed(seed, 0, item)), workspaces[static_cast<std::size_t>(thread)]);
  });
  std::vector<Path> segments;
  for (std::optional<Path>& path : drawn) {
    if (!path) return bad_input("found no random segment of the kind that was asked for");
    segments.push_back(std::move(*path));
  }
  return segments;
}

Result<MeasuredWork> measure(const Scene& scene, const std::vector<Path>& segments,
                             const CheckOptions& options, int threads) {
  const auto results = check_all(scene, segments, options, threads);
  CheckStats total;
  MeasuredWork work;
  for (const Result<CheckResult>& result : results) {
    if (!result.ok()) return result.error();
    total += result.value().stats;
    const Verdict verdict = result.value().verdict;
    ++(verdict == Verdict::free        ? work.free
       : verdict == Verdict::collision ? work.collision
                                       : work.undecided);
  }
  const auto n = static_cast<double>(std::max<std::size_t>(1, segments.size()));
  work.mean = {static_cast<double>(total.box_tests) / n,
               static_cast<double>(total.triangle_tests) / n, 1e3 * total.seconds / n,
               static_cast<double>(total.configurations) / n};
  return work;
}

void add_work(Row& row, const MeasuredWork& ours, const Work* paper) {
  row.add("free", ours.free).add("collision", ours.collision).add("undecided", ours.undecided);
  const auto pair = [&](const std::string& quantity, double Work::*member) {
    row.add(quantity + ": ours", ours.mean.*member);
    if (paper) row.add(quantity + ": paper", paper->*member);
  };
  pair("boxes", &Work::boxes);
  pair("triangles", &Work::triangles);
  pair("ms", &Work::milliseconds);
}

WorkPlot::WorkPlot(std::string title, const std::vector<std::string>& checkers) {
  plot_.title = std::move(title);
  plot_.x_label = "environment";
  plot_.y_label = "box tests per segment";
  plot_.log_y = true;
  for (const std::string& checker : checkers)
    for (const char* source : {": ours", ": paper"})
      plot_.series.push_back({checker + source, Series::Style::points, {}, {}, {}});
}

void WorkPlot::add_scene(const std::string& name) {
  plot_.categories.push_back(name);
}

void WorkPlot::add(std::size_t checker, const Work& ours, const Work* paper) {
  const auto point = [&](Series& series, double y) {
    series.x.push_back(static_cast<double>(plot_.categories.size()) - 1);
    series.y.push_back(y);
  };
  point(plot_.series[2 * checker], ours.boxes);
  if (paper) point(plot_.series[2 * checker + 1], paper->boxes);
}

}  // namespace proven::bench
