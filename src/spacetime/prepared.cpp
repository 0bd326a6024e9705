#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spacetime/checker.h"

namespace proven::spacetime {

// Every step has an oriented box in P around all that the object does on it, along its mean
// heading: a turn of the whole motion turns the boxes, and they stay as tight.
struct PreparedMotion::Data {
  Footprint footprint;
  Trajectory motion;
  std::vector<double> cosines, sines;         // of the samples
  std::vector<float> cx, cy, ux, uy, hx, hy;  // of the boxes
  double largest_coordinate = 0, largest_heading = 0;
  double largest_box = 0;  // upper bound on |cx|, |cy|, hx and hy
  double shortest_step = 0, largest_time = 0;

  TurnedBoxes boxes(int first) const {
    return {cx.data() + first, cy.data() + first, ux.data() + first,
            uy.data() + first, hx.data() + first, hy.data() + first};
  }
};

namespace {

using Data = PreparedMotion::Data;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void include(double middle, double half) {
    low = std::min(low, middle - half);
    high = std::max(high, middle + half);
  }
};

// The hull of the body's box at both ends along the axes of the mean heading, widened by how far
// the motion leaves it (lemma 1) and by its deviations.
void add_box(Data& data, int i, double extra) {
  const MotionView m = view(data.motion);
  const Footprint& footprint = data.footprint;
  const double turn = m.heading[i + 1] - m.heading[i], mean = m.heading[i] + 0.5 * turn;
  const Vec2 u{std::cos(mean), std::sin(mean)}, v{-u.y, u.x};
  const Vec2 centre = footprint.box_centre(), half = footprint.box_half();
  Range along, across;
  for (const int k : {i, i + 1}) {
    const auto at = static_cast<std::size_t>(k);
    const double c = data.cosines[at], s = data.sines[at];
    const Vec2 p{m.x[k] + c * centre.x - s * centre.y, m.y[k] + s * centre.x + c * centre.y};
    const double cu = std::fabs(c * u.x + s * u.y), su = std::fabs(c * u.y - s * u.x);
    along.include(dot(u, p), cu * half.x + su * half.y);
    across.include(dot(v, p), su * half.x + cu * half.y);
  }
  const double widen = footprint.core_reach() * std::min(0.125 * turn * turn, 2.0) + extra;
  const Vec2 middle = 0.5 * (along.low + along.high) * u + 0.5 * (across.low + across.high) * v;
  const double hx = 0.5 * (along.high - along.low) + widen;
  const double hy = 0.5 * (across.high - across.low) + widen;
  const auto push = [](std::vector<float>& list, double value) {
    list.push_back(static_cast<float>(value));
  };
  push(data.cx, middle.x), push(data.cy, middle.y);
  push(data.ux, u.x), push(data.uy, u.y);
  push(data.hx, hx), push(data.hy, hy);
  data.largest_box = std::max({data.largest_box, std::fabs(middle.x), std::fabs(middle.y), hx, hy});
}

void measure(Data& data) {
  const Trajectory& m = data.motion;
  const int n = m.size();
  data.largest_coordinate = std::max(largest(m.x.data(), n), largest(m.y.data(), n));
  data.largest_heading = largest(m.heading.data(), n);
  data.largest_time = largest(m.t.data(), n);
  data.shortest_step = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < m.t.size(); ++i)
    data.shortest_step = std::min(data.shortest_step, m.t[i] - m.t[i - 1]);
}

class PlacedSource {
 public:
  PlacedSource(const Data& data, const Placement& placement, const TrafficScene::Data& scene,
               double pad, TrafficScratch::State& state)
      : data_(data),
        motion_(view(data.motion)),
        X_WP_(placement.X_WP),
        c_(std::cos(placement.X_WP.heading)),
        s_(std::sin(placement.X_WP.heading)),
        times_(state.times) {
    const double x = X_WP_.x - scene.origin_x, y = X_WP_.y - scene.origin_y;
    move_ = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(c_),
             static_cast<float>(s_)};
    // Covers fewer than 16 roundings of at most 2^-24 each, inputs included, on sums of up to four
    // boxes.
    const double scale = std::max(std::fabs(x), std::fabs(y)) + 4 * data.largest_box + pad;
    pad_ = static_cast<float>(pad + 0x1p-20 * scale);
    times_.resize(data.motion.t.size());
    for (std::size_t i = 0; i < times_.size(); ++i) times_[i] = data.motion.t[i] + placement.time;
    motion_.t = times_.data();
  }

  int size() const { return motion_.size; }
  const double* times() const { return times_.data(); }
  void boxes(int first, int count, FloatBoxes out) const {
    boxes_kernel->move(count, data_.boxes(first), move_, pad_, out);
  }
  Segment segment(int i) const {
    Segment segment = make_segment(motion_, data_.cosines.data(), data_.sines.data(), i,
                                   data_.footprint.core_reach());
    segment.start = moved(segment.start);
    segment.end = moved(segment.end);
    segment.heading += X_WP_.heading;
    return segment;
  }

 private:
  Placed moved(const Placed& p) const {
    return {c_ * p.x - s_ * p.y + X_WP_.x, s_ * p.x + c_ * p.y + X_WP_.y, c_ * p.c - s_ * p.s,
            s_ * p.c + c_ * p.s};
  }

  const Data& data_;
  MotionView motion_;  // in P, but at the placed times
  const Pose2 X_WP_;
  const double c_, s_;
  Move move_;
  float pad_ = 0;
  std::vector<double>& times_;
};

// Upper bound on the magnitude of any coordinate of a placed sample.
double placed_coordinate(const Data& data, const Pose2& X_WP) {
  return std::fabs(X_WP.x) + std::fabs(X_WP.y) + 1.5 * data.largest_coordinate;
}

Result<void> validate(const Data& data, const Placement& placement) {
  const Pose2& X = placement.X_WP;
  if (!(placed_coordinate(data, X) <= kLargestCoordinate &&
        std::fabs(X.heading) + data.largest_heading <= kLargestHeading))
    return bad_input(fmt::format("placement ({}, {}, {}) is out of range", X.x, X.y, X.heading));
  const double latest = std::fabs(placement.time) + data.largest_time;
  // Rounding moves each of two times by at most 2^-53 of it.
  if (!(latest <= kLargestTime && data.shortest_step > 0x1p-51 * latest))
    return bad_input(fmt::format("a shift in time by {} s is out of range", placement.time));
  return {};
}

TrafficResult search(const TrafficScene& scene, const Data& data, const Placement& placement,
                     const TrafficOptions& options, TrafficScratch::State& state, int except,
                     const Budget& budget) {
  // Lemma 4: the placement doubles the errors of lemma 3 at most.
  const double rounding =
      2 * rounding_bound(placed_coordinate(data, placement.X_WP) + data.footprint.reach(),
                         std::fabs(placement.X_WP.heading) + data.largest_heading,
                         data.footprint.core_reach());
  PlacedSource source(data, placement, scene.data(), rounding + options.clearance, state);
  return Checker(scene.data(), data.footprint, source, rounding, options, state, except, budget)
      .run();
}

}  // namespace

Result<PreparedMotion> PreparedMotion::make(Footprint footprint, Trajectory motion) {
  if (footprint.pieces().empty()) return bad_input("the motion's object has no shape");
  if (auto valid = spacetime::validate(motion); !valid.ok()) return valid.error();
  auto data = std::make_shared<Data>();
  data->footprint = std::move(footprint);
  data->motion = std::move(motion);
  measure(*data);
  for (const double heading : data->motion.heading) {
    data->cosines.push_back(std::cos(heading));
    data->sines.push_back(std::sin(heading));
  }
  std::vector<double> extra;
  const bool wider = extra_widening(view(data->motion), data->footprint.core_reach(), extra);
  for (int i = 0; i < data->motion.num_segments(); ++i)
    add_box(*data, i, wider ? extra[static_cast<std::size_t>(i)] : 0);
  return PreparedMotion(std::move(data));
}

const Footprint& PreparedMotion::footprint() const {
  return data_->footprint;
}
const Trajectory& PreparedMotion::motion() const {
  return data_->motion;
}

Trajectory placed(const PreparedMotion& motion, const Placement& placement) {
  Trajectory m = motion.motion();
  const Pose2& X = placement.X_WP;
  const double c = std::cos(X.heading), s = std::sin(X.heading);
  for (std::size_t i = 0; i < m.t.size(); ++i) {
    const Vec2 p{m.x[i], m.y[i]};
    m.t[i] += placement.time;
    m.x[i] = c * p.x - s * p.y + X.x;
    m.y[i] = s * p.x + c * p.y + X.y;
    m.heading[i] += X.heading;
  }
  return m;
}

Result<TrafficResult> check(const TrafficScene& scene, const PreparedMotion& motion,
                            const Placement& placement, const TrafficOptions& options,
                            TrafficScratch& workspace, int except, const Budget& budget) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto valid = validate(motion.data(), placement); !valid.ok()) return valid.error();
  return search(scene, motion.data(), placement, options, workspace.state(), except, budget);
}

Result<std::vector<Verdict>> verdicts(const TrafficScene& scene,
                                      std::span<const PreparedMotion> motions,
                                      const Placement& placement, const TrafficOptions& options,
                                      TrafficScratch& workspace, const Budget& budget) {
  TrafficOptions any = options;
  any.first = false;
  std::vector<Verdict> list;
  list.reserve(motions.size());
  for (const PreparedMotion& motion : motions) {
    if (budget.stopped()) {
      list.push_back(Verdict::undecided);
      continue;
    }
    const auto result = check(scene, motion, placement, any, workspace, -1, budget);
    if (!result.ok()) return result.error();
    list.push_back(result.value().verdict);
  }
  return list;
}

}  // namespace proven::spacetime
