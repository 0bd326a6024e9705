#include "proven_moveit/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

#include "proven/certify/check.h"
#include "proven/certify/monitor.h"
#include "proven/plan/repair.h"
#include "proven/plan/timing.h"
#include "proven/scene/distances.h"
#include "surroundings.h"

namespace proven::adapters {
namespace {

// Scenes of so many different questions stay prepared: planners ask about the robot itself and
// about the world in turns, of a group and of all.
constexpr std::size_t kKept = 8;
// A planner gives a stretch up after so many steps, wherever it runs.
constexpr std::int64_t kIterations = 20'000;

// A scene that is ready for questions, and scratch memory for those who ask at the same time.
class Prepared {
 public:
  Prepared(Surroundings around, CheckModel model)
      : around_(std::move(around)), model_(std::move(model)) {}

  const Surroundings& around() const { return around_; }
  const Scene& scene() const { return model_.scene(); }

  template <class Ask>
  auto with_scratch(Ask&& ask) {
    std::unique_ptr<Scratch> scratch = take();
    auto answer = ask(model_, *scratch);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(scratch));
    return answer;
  }

 private:
  std::unique_ptr<Scratch> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Scratch>();
    std::unique_ptr<Scratch> scratch = std::move(idle_.back());
    idle_.pop_back();
    return scratch;
  }

  Surroundings around_;
  CheckModel model_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> idle_;
};

Result<void> require_size(const Scene& scene, std::span<const double> q) {
  const auto wanted = static_cast<std::size_t>(scene.tree().num_coordinates());
  if (q.size() != wanted)
    return bad_input(fmt::format("a configuration has {} values, not {}", wanted, q.size()));
  for (const double value : q)
    if (!std::isfinite(value)) return bad_input("a joint's value is not a finite number");
  return {};
}

Result<void> refuse_floating(const std::string& joint) {
  return Error{ErrorCode::unsupported,
               fmt::format("{} floats and moves: which way it turns between two points is not "
                           "agreed on; let it rest",
                           joint),
               ""};
}

// A floating joint of a trajectory must rest; its columns are then part of `rest`.
Result<Trajectory> without_floating(const Scene& scene, const Trajectory& trajectory,
                                    std::vector<double>& rest) {
  std::set<std::string> floating;
  for (const Coordinate& c : scene.tree().coordinates())
    if (c.quaternion) floating.insert(c.joint);
  Trajectory kept;
  kept.times = trajectory.times;
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < trajectory.joints.size(); ++j) {
    const int index = scene.tree().find_coordinate(trajectory.joints[j]);
    const Coordinate* c =
        index < 0 ? nullptr : &scene.tree().coordinates()[static_cast<std::size_t>(index)];
    if (!c || !floating.contains(c->joint)) {
      columns.push_back(j);
      kept.joints.push_back(trajectory.joints[j]);
      continue;
    }
    for (const auto& row : trajectory.positions) {
      if (j >= row.size()) return bad_input("a point has fewer values than there are joints");
      if (row[j] != trajectory.positions[0][j]) return refuse_floating(c->joint).error();
      rest[static_cast<std::size_t>(index)] = row[j];
    }
  }
  if (columns.size() == trajectory.joints.size()) return trajectory;
  for (const auto& [from, into] : {std::pair(&trajectory.positions, &kept.positions),
                                   std::pair(&trajectory.velocities, &kept.velocities),
                                   std::pair(&trajectory.accelerations, &kept.accelerations)})
    for (const auto& row : *from) {
      if (row.size() != trajectory.joints.size())
        return bad_input("a point has another number of values than there are joints");
      std::vector<double>& values = into->emplace_back();
      for (const std::size_t column : columns) values.push_back(row[column]);
    }
  return kept;
}

// The motion of the points, all other coordinates at rest.
Result<Motion> motion_of(const Scene& scene, std::span<const double> rest,
                         const Trajectory& trajectory, Interpolation interpolation) {
  if (auto fits = require_size(scene, rest); !fits.ok()) return fits.error();
  std::vector<double> at(rest.begin(), rest.end());
  const auto moving = without_floating(scene, trajectory, at);
  if (!moving.ok()) return moving.error();
  auto motion =
      to_motion(moving.value(), scene, {.ignore_limits = true, .interpolation = interpolation});
  if (!motion.ok()) return motion.error();
  for (const std::string& name : motion.value().defaulted) {
    const int index = scene.tree().find_coordinate(name);
    const auto c = static_cast<std::size_t>(index);
    for (auto& waypoint : motion.value().waypoints) waypoint[c] = at[c];
    // Between its ends a ball joint has turns instead of values, and they are none.
    if (!scene.tree().coordinates()[c].quaternion)
      for (auto& piece : motion.value().inner)
        for (auto& control : piece) control[c] = at[c];
  }
  return motion;
}

class Namer {
 public:
  explicit Namer(const Scene& scene, const std::string& prefix) : scene_(scene), prefix_(prefix) {}
  std::string operator()(int body) const {
    const std::string& name = scene_.body(body).name;
    return name.starts_with(prefix_) ? name.substr(prefix_.size()) : name;
  }

 private:
  const Scene& scene_;
  const std::string& prefix_;
};

template <class Place>
Contact contact_of(const Namer& name, const Place& place) {
  Contact contact;
  if (place.bodies[0] >= 0) contact.bodies = {name(place.bodies[0]), name(place.bodies[1])};
  contact.points = place.points;
  contact.distance = place.distance;
  contact.segment = place.segment;
  contact.t = place.t;
  contact.time = place.time;
  contact.configuration = place.configuration;
  return contact;
}

std::string place_text(const Motion& motion, const Contact& contact) {
  if (motion.num_segments() == 0) return "";
  std::string text = fmt::format(" between points {} and {}, at {:.4g} of the way", contact.segment,
                                 contact.segment + 1, contact.t);
  if (!motion.times.empty()) text += fmt::format(" ({:.4g} s)", contact.time);
  return text;
}

Answer answer_of(const CheckResult& result, const Motion& motion, const Namer& name) {
  Answer answer;
  answer.verdict = result.verdict;
  if (result.collision) {
    const Contact& contact = answer.contacts.emplace_back(contact_of(name, *result.collision));
    answer.text = fmt::format("{} and {} {}{}", contact.bodies[0], contact.bodies[1],
                              describe(result.collision->kind), place_text(motion, contact));
  } else if (result.undecided) {
    Contact& contact = answer.contacts.emplace_back(contact_of(name, *result.undecided));
    contact.proved = false;
    answer.text = contact.bodies[0].empty()
                      ? fmt::format("not decided: {}", describe(result.undecided->reason))
                      : fmt::format("{} and {} are not proved apart{}: {}", contact.bodies[0],
                                    contact.bodies[1], place_text(motion, contact),
                                    describe(result.undecided->reason));
  } else {
    answer.text = "proved free";
  }
  return answer;
}

// Pairs besides the one that decided.
Result<void> add_contacts(const Scene& scene, const Motion& motion, const CheckOptions& options,
                          const Namer& name, std::size_t most, Scratch& scratch,
                          const Budget& budget, Answer& answer) {
  const auto monitor = Monitor::build(scene, motion, options, scratch, budget);
  if (!monitor.ok()) return monitor.error();
  std::set<std::array<std::string, 2>> seen = {answer.contacts[0].bodies};
  for (const Witness& witness : monitor.value().collisions()) {
    if (answer.contacts.size() >= most) break;
    Contact contact = contact_of(name, witness);
    if (seen.insert(contact.bodies).second) answer.contacts.push_back(std::move(contact));
  }
  return {};
}

}  // namespace

struct Guard::State {
  State(Scene scene, const CheckOptions& check, std::string name)
      : robot(std::move(scene)), options(check), prefix(std::move(name) + "/") {}

  Scene robot;
  CheckOptions options;
  std::string prefix;
  std::mutex mutex;
  std::vector<std::shared_ptr<Prepared>> recent;  // the latest first

  Result<std::shared_ptr<Prepared>> prepare(const Surroundings& around);
  Result<Answer> judge(const Surroundings& around, const Motion& motion, std::size_t most,
                       const Budget& budget);
};

Guard::Guard(std::unique_ptr<State> state) : state_(std::move(state)) {}
Guard::~Guard() = default;

const Scene& Guard::robot() const {
  return state_->robot;
}

Result<std::shared_ptr<const Guard>> Guard::build(const Robot& robot, const CheckOptions& options) {
  if (options.certificate || options.explain || options.first)
    return bad_input("certificate, explain and first are about one answer, not about a guard");
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  SceneSource source;
  // MoveIt says what is within limits: whatever it asks about is checked.
  CheckOptions of_all = options;
  of_all.limits = Limits::ignore;
  const std::string name = robot.name.empty() ? "robot" : robot.name;
  source.robots.push_back({name, robot, {}});
  auto scene = build_scene(source);
  if (!scene.ok()) return scene.error();
  return std::shared_ptr<const Guard>(
      new Guard(std::make_unique<State>(std::move(scene).value(), of_all, name)));
}

Result<std::shared_ptr<Prepared>> Guard::State::prepare(const Surroundings& around) {
  const std::lock_guard lock(mutex);
  for (auto it = recent.begin(); it != recent.end(); ++it)
    if (same((*it)->around(), around)) {
      std::rotate(recent.begin(), it, it + 1);
      return recent.front();
    }
  std::vector<const Scene*> known;
  for (const auto& prepared : recent) known.push_back(&prepared->scene());
  auto scene = scene_of(robot, prefix, around, known);
  if (!scene.ok()) return scene.error();
  auto model = CheckModel::build(scene.value(), options);
  if (!model.ok()) return model.error();
  recent.insert(recent.begin(), std::make_shared<Prepared>(around, std::move(model).value()));
  if (recent.size() > kKept) recent.pop_back();
  return recent.front();
}

Result<Answer> Guard::State::judge(const Surroundings& around, const Motion& motion,
                                   std::size_t most, const Budget& budget) {
  const auto prepared = prepare(around);
  if (!prepared.ok()) return prepared.error();
  const Namer name(prepared.value()->scene(), prefix);
  return prepared.value()->with_scratch(
      [&](const CheckModel& model, Scratch& scratch) -> Result<Answer> {
        const auto result = model.check(motion, scratch, budget);
        if (!result.ok()) return result.error();
        Answer answer = answer_of(result.value(), motion, name);
        if (answer.verdict == Verdict::collision && most > 1)
          if (auto added =
                  add_contacts(model.scene(), motion, options, name, most, scratch, budget, answer);
              !added.ok())
            return added.error();
        return answer;
      });
}

Result<Answer> Guard::check_state(const Surroundings& around, std::span<const double> q,
                                  std::size_t most) const {
  if (auto fits = require_size(robot(), q); !fits.ok()) return fits.error();
  Motion motion;
  motion.waypoints.emplace_back(q.begin(), q.end());
  return state_->judge(around, motion, most, {});
}

Result<Answer> Guard::check_between(const Surroundings& around, std::span<const double> from,
                                    std::span<const double> to, std::size_t most) const {
  for (const auto& q : {from, to})
    if (auto fits = require_size(robot(), q); !fits.ok()) return fits.error();
  Motion motion;
  motion.waypoints = {{from.begin(), from.end()}, {to.begin(), to.end()}};
  const auto coordinates = robot().tree().coordinates();
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    const double turn = to[c] - from[c];
    if (coordinates[c].continuous && std::fabs(turn) > std::numbers::pi)
      motion.waypoints[1][c] = from[c] + std::remainder(turn, 2 * std::numbers::pi);
    if (!coordinates[c].quaternion) continue;
    for (std::size_t other = 0; other < coordinates.size(); ++other)
      if (coordinates[other].joint == coordinates[c].joint && from[other] != to[other])
        return refuse_floating(coordinates[c].joint).error();
  }
  return state_->judge(around, motion, most, {});
}

Result<Answer> Guard::check(const Surroundings& around, std::span<const double> rest,
                            const Trajectory& trajectory, std::size_t most,
                            Interpolation interpolation, const Budget& budget) const {
  const auto motion = motion_of(robot(), rest, trajectory, interpolation);
  if (!motion.ok()) return motion.error();
  return state_->judge(around, motion.value(), most, budget);
}

Result<RepairedTrajectory> Guard::repair(const Surroundings& around, std::span<const double> rest,
                                         const Trajectory& trajectory, double speed,
                                         Interpolation interpolation, std::uint64_t seed,
                                         const Budget& budget) const {
  auto path = motion_of(robot(), rest, trajectory, Interpolation::linear);
  if (!path.ok()) return path.error();
  path.value().times.clear();
  auto& waypoints = path.value().waypoints;
  waypoints.erase(std::unique(waypoints.begin(), waypoints.end()), waypoints.end());
  const auto prepared = state_->prepare(around);
  if (!prepared.ok()) return prepared.error();
  const Scene& scene = prepared.value()->scene();
  RepairOptions ways;
  ways.plan.seed = seed;
  ways.plan.max_iterations = kIterations;
  for (const std::string& joint : trajectory.joints)
    if (const int index = scene.tree().find_coordinate(joint); index >= 0)
      ways.planned.push_back(index);
  std::sort(ways.planned.begin(), ways.planned.end());
  Scratch scratch;
  const auto monitor = Monitor::build(scene, path.value(), state_->options, scratch, budget);
  if (!monitor.ok()) return monitor.error();
  auto found = proven::repair(monitor.value(), ways, budget);
  if (!found.ok()) return found.error();
  RepairedTrajectory result;
  result.stretches = found.value().stretches;
  result.text = found.value().reason;
  if (found.value().status != PlanStatus::solved || !found.value().proved) return result;
  // Joints without limits get those that MoveIt's own timing takes.
  const TimingOptions timing{
      .velocity = 1, .acceleration = 1, .scale = speed, .input_is_proved = true};
  const auto timed = time_path(scene, found.value().motion, timing, state_->options, budget);
  if (!timed.ok()) return timed.error();
  auto points = to_trajectory(timed.value().motion, scene);
  if (!points.ok()) return points.error();
  const auto last = check(around, rest, points.value(), 1, interpolation, budget);
  if (!last.ok()) return last.error();
  result.text = last.value().text;
  if (last.value().verdict == Verdict::free) result.trajectory = std::move(points).value();
  return result;
}

Result<std::vector<NamedDistance>> Guard::distances(const Surroundings& around,
                                                    std::span<const double> q) const {
  if (auto fits = require_size(robot(), q); !fits.ok()) return fits.error();
  const auto prepared = state_->prepare(around);
  if (!prepared.ok()) return prepared.error();
  const Scene& scene = prepared.value()->scene();
  const Namer name(scene, state_->prefix);
  LinkPoses poses;
  compute_poses(scene.tree(), q, poses);
  std::vector<NamedDistance> result;
  for (const PairDistance& pair : distances_at(scene, poses))
    result.push_back({{name(pair.a), name(pair.b)}, pair.points, pair.distance});
  return result;
}

}  // namespace proven::adapters
