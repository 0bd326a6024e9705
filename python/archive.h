// Values as bytes and back, bit for bit, for pickles: what stands in `fields` of a type is written,
// and read again in the same order. Prepared geometry is not: it is prepared anew.
#pragma once

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "convert.h"
#include "proven/plan/plan.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"
#include "proven/plan/tool_motion.h"
#include "proven/verify/verify.h"

namespace proven::python {

// The order of all fields; another number is another order.
inline constexpr std::uint32_t kArchiveVersion = 2;

// Types that are their bytes: without gaps between members, which would hold anything.
template <class T>
inline constexpr bool kIsBytes = std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                                 std::is_same_v<T, Vec3> || std::is_same_v<T, Pose>;
static_assert(sizeof(Pose) == 12 * sizeof(double) && std::is_trivially_copyable_v<Pose>);

class Writer {
 public:
  Writer() { (*this)(kArchiveVersion); }
  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  template <class T>
  void write(const T& value) {
    if constexpr (kIsBytes<T>)
      raw(&value, sizeof(T));
    else
      fields(*this, const_cast<T&>(value));  // which reads it alone
  }
  void write(const std::string& text) {
    write(text.size());
    raw(text.data(), text.size());
  }
  template <class T>
  void write(const std::vector<T>& list) {
    write(list.size());
    if constexpr (kIsBytes<T>)
      raw(list.data(), list.size() * sizeof(T));
    else
      for (const T& item : list) write(item);
  }
  template <class T, std::size_t N>
  void write(const std::array<T, N>& list) {
    for (const T& item : list) write(item);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class A, class B>
  void write(const std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  void write(const std::map<std::string, T>& map) {
    write(map.size());
    for (const auto& [key, value] : map) (*this)(key, value);
  }
  template <class... T>
  void write(const std::variant<T...>& value) {
    write(static_cast<std::uint32_t>(value.index()));
    std::visit([&](const auto& held) { write(held); }, value);
  }
  // What several share is written once.
  template <class T>
  void write(const std::shared_ptr<const T>& pointer) {
    const auto known = pointer ? seen_.find(pointer.get()) : seen_.end();
    const std::uint64_t number = !pointer               ? 0
                                 : known != seen_.end() ? known->second
                                                        : seen_.size() + 1;
    write(number);
    if (pointer && known == seen_.end()) {
      seen_.emplace(pointer.get(), number);
      write(*pointer);
    }
  }

  std::string bytes_;
  std::unordered_map<const void*, std::uint64_t> seen_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {
    std::uint32_t version = 0;
    (*this)(version);
    if (version != kArchiveVersion)
      throw LibraryError{
          bad_input("the pickle was made by another version of proven; make it anew")};
  }
  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  void finish() const {
    if (!rest_.empty()) damaged();
  }

 private:
  [[noreturn]] static void damaged() { throw LibraryError{bad_input("the pickle is damaged")}; }
  void raw(void* data, std::size_t size) {
    if (size > rest_.size()) damaged();
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  std::size_t count() {
    std::size_t size = 0;
    raw(&size, sizeof(size));
    if (size > rest_.size()) damaged();  // every item takes a byte at least
    return size;
  }
  template <class T>
  void read(T& value) {
    if constexpr (kIsBytes<T>)
      raw(&value, sizeof(T));
    else
      fields(*this, value);
  }
  void read(std::string& text) {
    text.resize(count());
    raw(text.data(), text.size());
  }
  template <class T>
  void read(std::vector<T>& list) {
    const std::size_t size = count();
    if constexpr (kIsBytes<T>) {
      if (size > rest_.size() / sizeof(T)) damaged();
      list.resize(size);
      raw(list.data(), size * sizeof(T));
    } else {
      list.clear();
      for (std::size_t i = 0; i < size; ++i) read(list.emplace_back());
    }
  }
  template <class T, std::size_t N>
  void read(std::array<T, N>& list) {
    for (T& item : list) read(item);
  }
  template <class T>
  void read(std::optional<T>& value) {
    bool some = false;
    read(some);
    value.reset();
    if (some) read(value.emplace());
  }
  template <class A, class B>
  void read(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  void read(std::map<std::string, T>& map) {
    for (std::size_t left = count(); left > 0; --left) {
      std::string key;
      read(key);
      read(map[key]);
    }
  }
  template <class... T>
  void read(std::variant<T...>& value) {
    std::uint32_t index = 0;
    read(index);
    if (index >= sizeof...(T)) damaged();
    std::uint32_t at = 0;
    ((at++ == index ? read(value.template emplace<T>()) : void()), ...);
  }
  template <class T>
  void read(std::shared_ptr<const T>& pointer) {
    std::uint64_t number = 0;
    read(number);
    pointer = nullptr;
    if (number == 0) return;
    if (number <= known_.size()) {
      const auto& [object, type] = known_[number - 1];
      if (type != kTypeOf<T>) damaged();
      pointer = std::static_pointer_cast<const T>(object);
      return;
    }
    if (number != known_.size() + 1) damaged();
    auto made = std::make_shared<T>();
    pointer = made;
    known_.emplace_back(made, kTypeOf<T>);
    read(*made);
  }
  template <class T>
  static constexpr char kTag = 0;
  template <class T>
  static constexpr const void* kTypeOf = &kTag<T>;

  std::string_view rest_;
  std::vector<std::pair<std::shared_ptr<const void>, const void*>> known_;
};

// --- What a scene is made of ---------------------------------------------------------------------

template <class A>
void fields(A& a, Box& s) {
  a(s.half_extents);
}
template <class A>
void fields(A& a, Sphere& s) {
  a(s.radius);
}
template <class A>
void fields(A& a, Cylinder& s) {
  a(s.radius, s.half_length);
}
template <class A>
void fields(A& a, Capsule& s) {
  a(s.radius, s.half_length);
}
template <class A>
void fields(A& a, ConvexHull& s) {
  a(s.points);
}
template <class A>
void fields(A& a, TriangleMesh& s) {
  a(s.vertices, s.triangles);
}
template <class A>
void fields(A& a, PointCloud& s) {
  a(s.points, s.radius);
}
template <class A>
void fields(A& a, VoxelSet& s) {
  a(s.size, s.cells);
}
template <class A>
void fields(A& a, CollisionElement& e) {
  a(e.shape, e.X_BS, e.source);
}
template <class A>
void fields(A& a, Motion& m) {
  a(m.waypoints, m.times, m.defaulted, m.inner);
}
template <class A>
void fields(A& a, Interval& i) {
  a(i.lower, i.upper);
}
template <class A>
void fields(A& a, Query& q) {
  a(q.start, q.goal, q.planned, q.limits, q.defaulted, q.any_turn);
}
template <class A>
void fields(A& a, JointLimits& l) {
  a(l.lower, l.upper, l.velocity, l.acceleration);
}
template <class A>
void fields(A& a, Mimic& m) {
  a(m.joint, m.multiplier, m.offset);
}
template <class A>
void fields(A& a, RobotJoint& j) {
  a(j.name, j.type, j.parent_link, j.child_link, j.X_PJ, j.axis, j.limits, j.mimic);
}
template <class A>
void fields(A& a, RobotLink& l) {
  a(l.name, l.collision, l.has_visual);
}
template <class A>
void fields(A& a, DisabledPair& p) {
  a(p.link_a, p.link_b, p.reason);
}
template <class A>
void fields(A& a, JointGroup& g) {
  a(g.name, g.joints);
}
template <class A>
void fields(A& a, EndEffector& e) {
  a(e.name, e.parent_link, e.group);
}
template <class A>
void fields(A& a, GroupState& s) {
  a(s.name, s.group, s.joints);
}
template <class A>
void fields(A& a, Robot& r) {
  a(r.name, r.links, r.joints, r.disabled_pairs, r.groups, r.end_effectors, r.states,
    r.virtual_joint, r.warnings, r.ignored);
}
template <class A>
void fields(A& a, RobotSource& r) {
  a(r.name, r.robot, r.X_WR, r.motion, r.late);
}
template <class A>
void fields(A& a, ObstacleSource& o) {
  a(o.name, o.elements, o.X_WB, o.motion, o.late, o.grows);
}
template <class A>
void fields(A& a, AttachedSource& o) {
  a(o.name, o.link, o.elements, o.X_LB, o.touch);
}
template <class A>
void fields(A& a, Clearances& c) {
  a(c.world, c.robots, c.self, c.attached);
}
template <class A>
void fields(A& a, TrackingError& e) {
  a(e.general, e.joints);
}
template <class A>
void fields(A& a, ExclusionSource& e) {
  a(e.body_a, e.body_b, e.note);
}
template <class A>
void fields(A& a, ClearanceSource& c) {
  a(c.body_a, c.body_b, c.clearance);
}
template <class A>
void fields(A& a, SceneSource& s) {
  a(s.robots, s.obstacles, s.attached, s.clearance, s.exclusions, s.clearances, s.home, s.warnings,
    s.trust_srdf_never);
}

// --- Answers -------------------------------------------------------------------------------------

template <class A>
void fields(A& a, Witness& w) {
  a(w.kind, w.segment, w.t, w.time, w.configuration, w.bodies, w.pieces, w.points, w.distance,
    w.t_lower, w.delays);
}
template <class A>
void fields(A& a, Undecided& u) {
  a(u.reason, u.segment, u.t, u.configuration, u.bodies, u.points, u.distance, u.time);
}
template <class A>
void fields(A& a, CheckStats& s) {
  a(s.box_tests, s.triangle_tests, s.configurations, s.cells, s.seconds);
}
template <class A>
void fields(A& a, Effort& e) {
  a(e.segment, e.bodies, e.tests, e.tests_by_stretch, e.least_gap, e.t_least_gap);
}
template <class A>
void fields(A& a, CheckResult& r) {
  a(r.verdict, r.collision, r.undecided, r.stats, r.certificate, r.efforts);
}
template <class A>
void fields(A& a, CheckOptions& o) {
  a(o.checker, o.cover, o.clearance, o.resolution, o.first, o.step, o.tracking_error, o.certificate,
    o.sweep, o.explain, o.max_cells);
}
template <class A>
void fields(A& a, ProofLeaf::Node& n) {
  a(n.body, n.index, n.box_lo, n.box_hi, n.items);
}
template <class A>
void fields(A& a, ProofLeaf& l) {
  a(l.segment, l.begin, l.end, l.anchor, l.a, l.b, l.direction, l.plane_a, l.plane_b, l.required,
    l.lower_begin, l.lower_anchor, l.lower_end);
}
template <class A>
void fields(A& a, VerifyReport& r) {
  a(r.accepted, r.reason, r.kind, r.theorem, r.no_inside, r.degree, r.segments, r.tested_pairs,
    r.excluded_pairs, r.leaves, r.wide_leaves, r.seconds, r.scene_hash, r.path_hash,
    r.claimed_clearance, r.claimed_tracking_error);
}
template <class A>
void fields(A& a, PlanStats& s) {
  a(s.iterations, s.configurations, s.segments, s.candidate_paths, s.check, s.configuration_seconds,
    s.seconds);
}
template <class A>
void fields(A& a, ConstraintResult& r) {
  a(r.verdict, r.constraint, r.segment, r.t, r.time, r.configuration, r.beyond);
}
template <class A>
void fields(A& a, PlanResult& r) {
  a(r.status, r.reason, r.path, r.obstruction, r.broken, r.proved, r.margin_kept, r.margin_reason,
    r.certificate, r.stats);
}
template <class A>
void fields(A& a, SmoothResult& r) {
  a(r.input, r.path, r.margin_kept, r.margin_reason, r.certificate, r.length_before, r.length_after,
    r.steps, r.tried, r.taken, r.rounds, r.better, r.converged, r.check, r.seconds);
}
template <class A>
void fields(A& a, TimingResult& r) {
  a(r.motion, r.duration, r.with_stops, r.at_full_speed, r.deviation, r.corners, r.stops,
    r.tightened, r.input, r.proof, r.certificate);
}
template <class A>
void fields(A& a, ToolDeviation& d) {
  a(d.position, d.angle);
}
template <class A>
void fields(A& a, ToolMotion& m) {
  a(m.motion, m.duration, m.at_full_speed, m.deviation);
}

// --- Pickles -------------------------------------------------------------------------------------

template <class... T>
py::bytes to_archive(const T&... values) {
  Writer writer;
  writer(values...);
  return writer.take();
}
template <class... T>
void from_archive(const py::bytes& bytes, T&... values) {
  Reader reader{std::string_view(bytes)};
  reader(values...);
  reader.finish();
}

// Pickles of a plain value.
template <class T, class... Options>
void pickles(py::class_<T, Options...>& bound) {
  bound.def(py::pickle([](const T& value) { return to_archive(value); },
                       [](const py::bytes& bytes) {
                         T value;
                         from_archive(bytes, value);
                         return value;
                       }));
}
// Of a value with its scene, which many of them share in one pickle.
template <class T, class... Options, class... Member>
void pickles_with_scene(py::class_<T, Options...>& bound, Member T::*... member) {
  bound.def(py::pickle(
      [=](const T& whole) { return py::make_tuple(whole.scene, to_archive(whole.*member...)); },
      [=](const py::tuple& state) {
        T whole;
        whole.scene = state[0].cast<std::shared_ptr<PyScene>>();
        from_archive(state[1].cast<py::bytes>(), whole.*member...);
        return whole;
      }));
}

}  // namespace proven::python
