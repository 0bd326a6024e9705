#include "proven/spacetime/traffic_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "spacetime/scene_data.h"

namespace proven::spacetime {
namespace {

constexpr int kMaxAddedBins = 4096;

using Data = TrafficScene::Data;

Result<void> validate_obstacle(const Obstacle& obstacle) {
  const auto wrong = [&](std::string message) {
    return bad_input(std::move(message), fmt::format("obstacle '{}'", obstacle.name));
  };
  if (obstacle.is_set()) {
    for (const Occupancy& o : obstacle.occupancies)
      if (!(o.t_begin <= o.t_end && std::fabs(o.t_begin) <= kLargestTime &&
            std::fabs(o.t_end) <= kLargestTime))
        return wrong(fmt::format("an occupancy from {} to {} s", o.t_begin, o.t_end));
    return {};
  }
  if (obstacle.footprint.pieces().empty()) return wrong("no shape");
  if (obstacle.moves()) {
    const auto valid = validate(obstacle.motion);
    return valid.ok() ? Result<void>() : wrong(valid.error().text());
  }
  const Pose2& p = obstacle.pose;
  if (!(std::fabs(p.x) <= kLargestCoordinate && std::fabs(p.y) <= kLargestCoordinate &&
        std::fabs(p.heading) <= kLargestHeading))
    return wrong(fmt::format("pose ({}, {}, {}) is out of range", p.x, p.y, p.heading));
  return {};
}

// The bins follow the obstacle with the most samples, so that trajectories on the usual common grid
// match them one to one; its last step continues where others live longer.
void choose_bins(Data& data) {
  const Trajectory* densest = nullptr;
  data.t_begin = std::numeric_limits<double>::infinity();
  data.t_end = -data.t_begin;
  const auto cover = [&](double begin, double end) {
    data.t_begin = std::min(data.t_begin, begin);
    data.t_end = std::max(data.t_end, end);
  };
  for (const Obstacle& obstacle : data.obstacles) {
    for (const Occupancy& o : obstacle.occupancies) cover(o.t_begin, o.t_end);
    if (!obstacle.moves()) continue;
    const Trajectory& motion = obstacle.motion;
    cover(motion.t.front(), motion.t.back());
    if (!densest || motion.size() > densest->size()) densest = &motion;
  }
  auto bins = std::make_shared<Bins>();
  std::vector<double>& edges = bins->edges;
  data.shared_bins = bins;
  if (densest) edges = densest->t;
  for (const Obstacle& obstacle : data.obstacles)
    if (!densest)
      for (const Occupancy& o : obstacle.occupancies) edges.push_back(o.t_begin);
  if (!densest) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  }
  if (edges.size() < 2) return;
  const double step = edges.back() - edges[edges.size() - 2];
  for (int i = 0; i < kMaxAddedBins && edges.back() < data.t_end; ++i)
    edges.push_back(edges.back() + step);
  std::vector<double> before;
  const double first_step = edges[1] - edges[0];
  for (double t = edges[0]; t > data.t_begin && before.size() < kMaxAddedBins;)
    before.push_back(t -= first_step);
  edges.insert(edges.begin(), before.rbegin(), before.rend());
}

void choose_origin(Data& data) {
  double x = 0, y = 0;
  for (const Obstacle& obstacle : data.obstacles) {
    const bool moves = obstacle.moves();
    x += obstacle.is_set() ? obstacle.occupancies[0].region.box_centre().x
         : moves           ? obstacle.motion.x[0]
                           : obstacle.pose.x;
    y += obstacle.is_set() ? obstacle.occupancies[0].region.box_centre().y
         : moves           ? obstacle.motion.y[0]
                           : obstacle.pose.y;
  }
  const auto n = static_cast<double>(std::max<std::size_t>(1, data.obstacles.size()));
  data.origin_x = x / n;
  data.origin_y = y / n;
}

class Builder {
 public:
  explicit Builder(Data& data) : data_(data) {}

  void run() {
    lay_out();
    const int n = static_cast<int>(data_.obstacles.size());
    for (int o = 0; o < n; ++o) {
      const Obstacle& obstacle = data_.obstacles[static_cast<std::size_t>(o)];
      const FloatBoxes row = from(data_.leaves.arrays(), o * data_.stride);
      if (obstacle.is_set())
        add_set(o, row);
      else if (obstacle.moves())
        add_moving(o, row);
      else
        add_standing(o, row);
    }
    gather_tops(n);
  }

 private:
  void lay_out() {
    const int n = static_cast<int>(data_.obstacles.size());
    data_.stride = round_up(data_.bins().count());
    data_.blocks = data_.stride / kLanes;
    data_.lanes = round_up(n);
    data_.leaves.resize(n * data_.stride);
    data_.tops.resize(data_.blocks * data_.lanes);
    std::size_t samples = 0;
    for (const Obstacle& obstacle : data_.obstacles) {
      data_.first_sample.push_back(samples);
      samples += static_cast<std::size_t>(obstacle.motion.size());
    }
    data_.cosines.resize(samples);
    data_.sines.resize(samples);
    data_.rounding.resize(data_.obstacles.size());
  }

  void add_moving(int o, FloatBoxes row) {
    const auto index = static_cast<std::size_t>(o);
    const Obstacle& obstacle = data_.obstacles[index];
    const Footprint& footprint = obstacle.footprint;
    const MotionView motion = view(obstacle.motion);
    const int n = motion.size;
    PoseBoxes poses = scratch_.reserve(n);
    poses.cosine = data_.cosines.data() + data_.first_sample[index];
    poses.sine = data_.sines.data() + data_.first_sample[index];
    boxes_kernel->place(n, {motion.x, motion.y, motion.heading}, body_box(footprint),
                        data_.origin_x, data_.origin_y, poses);
    const double size = std::max(largest(motion.x, n), largest(motion.y, n)) + footprint.reach();
    data_.rounding[index] =
        rounding_bound(size, largest(motion.heading, n), footprint.core_reach());
    const double* extra =
        extra_widening(motion, footprint.core_reach(), extra_) ? extra_.data() : nullptr;
    if (o == 0 || map_.times != obstacle.motion.t) map_.make(data_.bins(), motion.t, n);
    if (map_.one_to_one) {
      sweep(motion, poses, footprint, extra, index, from(row, map_.first[0]));
    } else {
      steps_.resize(n);
      sweep(motion, poses, footprint, extra, index, steps_.arrays());
      for (int i = 0; i + 1 < n; ++i)
        for (int bin = map_.first[static_cast<std::size_t>(i)];
             bin <= map_.last[static_cast<std::size_t>(i)]; ++bin)
          include(row, bin, box_at(steps_.arrays(), i));
    }
    reach_out(motion.t[0], motion.t[n - 1], map_.first.front(), map_.last.back(), row);
  }

  void sweep(const MotionView& motion, PoseBoxes poses, const Footprint& footprint,
             const double* extra, std::size_t o, FloatBoxes out) {
    boxes_kernel->sweep(motion.size, motion.heading, poses, footprint.core_reach(), extra,
                        data_.rounding[o], out);
  }

  // An object that appears or vanishes exactly between two bins belongs to both at that instant.
  void reach_out(double t_first, double t_last, int first, int last, FloatBoxes row) {
    if (first > 0 && t_first == data_.bins().begin(first))
      include(row, first - 1, box_at(row, first));
    if (last + 1 < data_.bins().count() && t_last == data_.bins().end(last))
      include(row, last + 1, box_at(row, last));
  }

  FloatBox box_around(const Footprint& footprint, const Pose2& pose, double pad) {
    PoseBoxes poses = scratch_.reserve(2);
    const double x[2] = {pose.x, pose.x}, y[2] = {pose.y, pose.y};
    const double heading[2] = {pose.heading, pose.heading};
    boxes_kernel->place(2, {x, y, heading}, body_box(footprint), data_.origin_x, data_.origin_y,
                        poses);
    steps_.resize(1);
    boxes_kernel->sweep(2, heading, poses, 0, nullptr, pad, steps_.arrays());
    return box_at(steps_.arrays(), 0);
  }

  void add_standing(int o, FloatBoxes row) {
    const Obstacle& obstacle = data_.obstacles[static_cast<std::size_t>(o)];
    const Pose2& pose = obstacle.pose;
    const Footprint& footprint = obstacle.footprint;
    const double size = std::max(std::fabs(pose.x), std::fabs(pose.y)) + footprint.reach();
    double& rounding = data_.rounding[static_cast<std::size_t>(o)];
    rounding = rounding_bound(size, std::fabs(pose.heading), footprint.core_reach());
    const FloatBox box = box_around(footprint, pose, rounding);
    for (int bin = 0; bin < data_.bins().count(); ++bin) include(row, bin, box);
  }

  void add_set(int o, FloatBoxes row) {
    double& rounding = data_.rounding[static_cast<std::size_t>(o)];
    for (const Occupancy& part : data_.obstacles[static_cast<std::size_t>(o)].occupancies)
      rounding = std::max(rounding, rounding_bound(part.region.reach(), 0, part.region.reach()));
    for (const Occupancy& part : data_.obstacles[static_cast<std::size_t>(o)].occupancies) {
      const FloatBox box = box_around(part.region, {}, rounding);
      for (int bin = 0; bin < data_.bins().count(); ++bin)
        if (part.t_begin <= data_.bins().end(bin) && part.t_end >= data_.bins().begin(bin))
          include(row, bin, box);
    }
  }

  void gather_tops(int n) {
    BoxPool column;
    column.resize(data_.blocks);
    for (int o = 0; o < n; ++o) {
      boxes_kernel->gather(data_.blocks, from(data_.leaves.arrays(), o * data_.stride),
                           column.arrays());
      for (int block = 0; block < data_.blocks; ++block)
        include(data_.tops.arrays(), block * data_.lanes + o, box_at(column.arrays(), block));
    }
  }

  Data& data_;
  PoseScratch scratch_;
  std::vector<double> extra_;
  BoxPool steps_;
  BinMap map_;
};

}  // namespace

BodyBox body_box(const Footprint& footprint) {
  const Vec2 centre = footprint.box_centre(), half = footprint.box_half();
  return {centre.x, centre.y, half.x, half.y, footprint.core_reach()};
}

bool extra_widening(const MotionView& motion, double core_reach, std::vector<double>& extra) {
  if (motion.between == Interpolation::linear && motion.is_exact()) return false;
  extra.resize(static_cast<std::size_t>(motion.size));
  for (int i = 0; i + 1 < motion.size; ++i) {
    Segment segment = make_segment(motion, i, core_reach);
    // The arc of the origin alone; the turn about it is the kernel's part.
    const double arc =
        segment.arc ? sagitta_upper(segment, 0, segment.t0, segment.start, segment.t1, segment.end)
                    : 0;
    extra[static_cast<std::size_t>(i)] = arc + deviation_upper(segment, segment.t0, segment.t1);
  }
  return true;
}

void BinMap::make(const Bins& bins, const double* t, int size) {
  times.assign(t, t + size);
  first.resize(static_cast<std::size_t>(size) - 1);
  last.resize(static_cast<std::size_t>(size) - 1);
  const std::vector<double>& edges = bins.edges;
  const auto n = edges.size();
  std::size_t bin =
      static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), t[0]) - edges.begin());
  one_to_one = true;
  for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(size); ++i) {
    first[i] = static_cast<int>(bin);
    while (bin < n && edges[bin] < t[i + 1]) ++bin;
    last[i] = static_cast<int>(bin);
    one_to_one = one_to_one && first[i] == last[i] && first[i] == first[0] + static_cast<int>(i);
    if (bin < n && edges[bin] == t[i + 1]) ++bin;
  }
}

Result<TrafficScene> TrafficScene::build(std::vector<Obstacle> obstacles) {
  for (const Obstacle& obstacle : obstacles)
    if (auto valid = validate_obstacle(obstacle); !valid.ok()) return valid.error();
  auto data = std::make_shared<Data>();
  data->obstacles = std::move(obstacles);
  choose_bins(*data);
  choose_origin(*data);
  Builder(*data).run();
  return TrafficScene(std::move(data));
}

const std::vector<Obstacle>& TrafficScene::obstacles() const {
  return data_->obstacles;
}
double TrafficScene::t_begin() const {
  return data_->t_begin;
}
double TrafficScene::t_end() const {
  return data_->t_end;
}
int TrafficScene::num_bins() const {
  return data_->bins().count();
}

}  // namespace proven::spacetime
