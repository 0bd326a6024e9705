// What a TrafficScene keeps.
#pragma once

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "proven/spacetime/traffic_scene.h"
#include "spacetime/boxes_kernel.h"
#include "spacetime/segment.h"

namespace proven::spacetime {

// Boxes in structure-of-arrays form, empty until set.
class BoxPool {
 public:
  void resize(int count) {
    constexpr float kFar = std::numeric_limits<float>::infinity();
    const auto n = static_cast<std::size_t>(count);
    low_.assign(2 * n, kFar);
    high_.assign(2 * n, -kFar);
    size_ = n;
  }
  // Makes room for at least so many, with whatever is in them.
  void reserve(int count) {
    if (size_ < static_cast<std::size_t>(count)) resize(count);
  }
  // Empties the boxes [first, end).
  void clear(int first, int end) {
    constexpr float kFar = std::numeric_limits<float>::infinity();
    const FloatBoxes boxes = arrays();
    for (int i = first; i < end; ++i) boxes.x_low[i] = boxes.y_low[i] = kFar;
    for (int i = first; i < end; ++i) boxes.x_high[i] = boxes.y_high[i] = -kFar;
  }
  FloatBoxes arrays() const {
    auto* low = const_cast<float*>(low_.data());
    auto* high = const_cast<float*>(high_.data());
    return {low, high, low + size_, high + size_};
  }

 private:
  std::vector<float> low_, high_;  // x, then y
  std::size_t size_ = 0;
};

inline FloatBoxes from(FloatBoxes boxes, int offset) {
  return {boxes.x_low + offset, boxes.x_high + offset, boxes.y_low + offset, boxes.y_high + offset};
}
inline PoseBoxes from(PoseBoxes boxes, int offset) {
  return {boxes.cosine + offset, boxes.sine + offset,  boxes.x_low + offset,
          boxes.x_high + offset, boxes.y_low + offset, boxes.y_high + offset};
}
inline int round_up(int v) {
  return (v + kLanes - 1) / kLanes * kLanes;
}
inline FloatBox box_at(FloatBoxes boxes, int i) {
  return {boxes.x_low[i], boxes.x_high[i], boxes.y_low[i], boxes.y_high[i]};
}
inline void include(FloatBoxes boxes, int i, FloatBox box) {
  if (box.x_low < boxes.x_low[i]) boxes.x_low[i] = box.x_low;
  if (box.x_high > boxes.x_high[i]) boxes.x_high[i] = box.x_high;
  if (box.y_low < boxes.y_low[i]) boxes.y_low[i] = box.y_low;
  if (box.y_high > boxes.y_high[i]) boxes.y_high[i] = box.y_high;
}
inline bool meets(FloatBox a, FloatBox b) {
  return a.x_low <= b.x_high && a.x_high >= b.x_low && a.y_low <= b.y_high && a.y_high >= b.y_low;
}

// Scratch for the boxes of one trajectory's poses.
class PoseScratch {
 public:
  PoseBoxes reserve(int n) {
    const auto size = static_cast<std::size_t>(n);
    if (values_.size() < 6 * size) values_.resize(6 * size);
    double* v = values_.data();
    return {v, v + n, v + 2 * n, v + 3 * n, v + 4 * n, v + 5 * n};
  }

 private:
  std::vector<double> values_;
};

BodyBox body_box(const Footprint& footprint);
// What steps need beyond the hull of their ends and core_reach turn^2/8: arcs and deviations.
// Returns false, leaving `extra` alone, if there is nothing.
bool extra_widening(const MotionView& motion, double core_reach, std::vector<double>& extra);

// Bins of time: bin j is [edge j - 1, edge j]; the first and the last reach to infinity.
struct Bins {
  std::vector<double> edges;

  int count() const { return static_cast<int>(edges.size()) + 1; }
  double begin(int bin) const {
    return bin == 0 ? -std::numeric_limits<double>::infinity()
                    : edges[static_cast<std::size_t>(bin) - 1];
  }
  double end(int bin) const {
    return bin + 1 == count() ? std::numeric_limits<double>::infinity()
                              : edges[static_cast<std::size_t>(bin)];
  }
};

// Which bins the steps of a trajectory pass through.
struct BinMap {
  std::vector<double> times;     // of the trajectory it was made for
  std::vector<int> first, last;  // of step i
  bool one_to_one = false;       // step i is exactly bin first[0] + i

  void make(const Bins& bins, const double* t, int size);
  // If it is, these times have been looked at before: they are in order.
  bool is_made_for(const double* t, int size) const {
    return times.size() == static_cast<std::size_t>(size) &&
           std::memcmp(times.data(), t, times.size() * sizeof(double)) == 0;
  }
};

struct TrafficScene::Data {
  std::vector<Obstacle> obstacles;
  double t_begin = 0, t_end = 0;
  double origin_x = 0, origin_y = 0;        // boxes are relative to it
  std::shared_ptr<const Bins> shared_bins;  // never null
  const Bins& bins() const { return *shared_bins; }
  int stride = 0;                         // bins rounded up to 16, the length of an obstacle's row
  int blocks = 0;                         // stride / 16
  int lanes = 0;                          // obstacles rounded up to 16
  BoxPool leaves;                         // [obstacle][bin]
  BoxPool tops;                           // [block][obstacle]
  std::vector<double> cosines, sines;     // of all samples, obstacle by obstacle
  std::vector<std::size_t> first_sample;  // per obstacle, into them
  std::vector<double> rounding;           // per obstacle
};

}  // namespace proven::spacetime
