// The interface for C, on the library for C++.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "proven/base/parallel.h"
#include "proven/c/proven.h"
#include "proven/certify/check.h"
#include "proven/io/scene_file.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"
#include "proven/plan/plan.h"
#include "proven/scene/scene.h"
#include "proven/verify/verify.h"

using namespace proven;

struct proven_error {
  proven_error_kind kind;
  std::string text;
};
struct proven_scene {
  Scene scene;
  std::string hash;
};
struct proven_model {
  CheckModel model;
  // Scratch memory for one thread at a time; others bring their own.
  mutable std::mutex mutex;
  mutable Scratch scratch;
};
struct proven_result {
  CheckResult result;
  std::string text, bodies[2];
};
struct proven_report {
  bool accepted;
  std::string text;
};
struct proven_path {
  std::vector<double> waypoints;
  std::size_t rows;
  std::string text;
};

namespace {

proven_error_kind kind_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_input:
      return PROVEN_BAD_INPUT;
    case ErrorCode::not_found:
      return PROVEN_NOT_FOUND;
    case ErrorCode::unsupported:
      return PROVEN_UNSUPPORTED;
    case ErrorCode::exhausted:
      return PROVEN_EXHAUSTED;
  }
  return PROVEN_DEFECT;
}

// For when there is no memory to say so; never freed.
proven_error& no_memory() {
  static proven_error error{PROVEN_EXHAUSTED, "out of memory"};
  return error;
}

struct Failure {
  Error error;
};

[[noreturn]] void refuse(std::string text) {
  throw Failure{bad_input(std::move(text))};
}

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) throw Failure{result.error()};
  return std::move(result).value();
}
void value_of(const Result<void>& result) {
  if (!result.ok()) throw Failure{result.error()};
}

// Runs the body of a function of the interface: nothing is thrown out of it.
template <class Body>
proven_error* guarded(const Body& body) noexcept {
  try {
    try {
      body();
      return nullptr;
    } catch (const Failure& failure) {
      return new proven_error{kind_of(failure.error.code), failure.error.text()};
    } catch (const std::bad_alloc&) {
      return &no_memory();
    } catch (const std::exception& e) {
      return new proven_error{PROVEN_DEFECT, e.what()};
    }
  } catch (...) {
    return &no_memory();
  }
}

template <class T>
const T& required(const T* pointer, const char* what) {
  if (!pointer) refuse(fmt::format("{} is NULL", what));
  return *pointer;
}
std::string text_of(const char* text, const char* what) {
  return &required(text, what);
}

void give(Scene scene, proven_scene** out) {
  required(out, "out");
  std::string hash = scene.hash().hex();
  *out = new proven_scene{std::move(scene), std::move(hash)};
}

Pose pose_of(const double* pose) {
  required(pose, "the pose");
  if (pose[12] != 0 || pose[13] != 0 || pose[14] != 0 || pose[15] != 1)
    refuse("the last row of a pose is 0, 0, 0, 1");
  Pose X;
  for (std::size_t i = 0; i < 3; ++i) {
    X.R.row[i] = {pose[4 * i], pose[4 * i + 1], pose[4 * i + 2]};
    X.p[static_cast<int>(i)] = pose[4 * i + 3];
  }
  return X;
}

std::size_t joints_of(const Scene& scene) {
  return static_cast<std::size_t>(scene.tree().num_coordinates());
}

std::vector<double> configuration_of(const Scene& scene, const double* values) {
  if (joints_of(scene) > 0) required(values, "a configuration");
  std::vector<double> q(values, values + joints_of(scene));
  value_of(check_configuration(scene.tree(), q));
  return q;
}

Motion motion_of(const Scene& scene, const double* waypoints, std::size_t rows) {
  if (rows == 0) refuse("a motion has at least one waypoint");
  Motion motion;
  for (std::size_t i = 0; i < rows; ++i)
    motion.waypoints.push_back(configuration_of(scene, waypoints + i * joints_of(scene)));
  return motion;
}

std::vector<Vec3> points_of(const double* rows, std::size_t count) {
  if (count > 0) required(rows, "the points");
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i)
    points.push_back({rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]});
  return points;
}

void with_shape(const proven_scene* scene, const char* name, const double* pose, Shape shape,
                proven_scene** out) {
  ObstacleSource obstacle{
      text_of(name, "the name"), {{std::move(shape), Pose{}, ""}}, pose_of(pose)};
  give(value_of(required(scene, "the scene").scene.with_obstacle(std::move(obstacle))), out);
}

Shape shape_of(int shape, const double* sizes) {
  required(sizes, "sizes");
  switch (shape) {
    case PROVEN_BOX:
      return Box{0.5 * Vec3{sizes[0], sizes[1], sizes[2]}};
    case PROVEN_SPHERE:
      return Sphere{sizes[0]};
    case PROVEN_CYLINDER:
      return Cylinder{sizes[0], 0.5 * sizes[1]};
    case PROVEN_CAPSULE:
      return Capsule{sizes[0], 0.5 * sizes[1]};
  }
  refuse(fmt::format("there is no shape {}", shape));
}

Budget budget_of(double max_seconds) {
  return Budget::of_seconds(max_seconds > 0 ? max_seconds
                                            : std::numeric_limits<double>::infinity());
}

CheckOptions options_of(const proven_check_options* given) {
  CheckOptions options;
  if (!given) return options;
  if (given->size != sizeof(proven_check_options))
    refuse("check options are filled by proven_check_options_init");
  options.clearance = given->clearance;
  options.resolution = given->resolution;
  options.first = given->first != 0;
  options.certificate = given->certificate != 0;
  return options;
}

// With the model's own scratch memory where no other thread uses it.
template <class Ask>
auto with_scratch(const proven_model& model, const Ask& ask) {
  if (const std::unique_lock lock(model.mutex, std::try_to_lock); lock.owns_lock())
    return ask(model.scratch);
  Scratch scratch;
  return ask(scratch);
}

proven_result* result_of(CheckResult result, const Scene& scene) {
  auto made = std::make_unique<proven_result>();
  std::array<int, 2> bodies = {-1, -1};
  std::string_view what = "every tested pair stays apart";
  if (result.collision) {
    bodies = result.collision->bodies;
    what = describe(result.collision->kind);
  } else if (result.undecided) {
    bodies = result.undecided->bodies;
    what = describe(result.undecided->reason);
  }
  for (std::size_t i = 0; i < 2; ++i)
    if (bodies[i] >= 0) made->bodies[i] = scene.body(bodies[i]).name;
  made->text = fmt::format("{}: {}", to_string(result.verdict), what);
  if (bodies[0] >= 0 && bodies[1] >= 0)
    made->text += fmt::format(" ({} and {})", made->bodies[0], made->bodies[1]);
  made->result = std::move(result);
  return made.release();
}

}  // namespace

extern "C" {

int proven_c_version(void) {
  return PROVEN_C_VERSION;
}
const char* proven_version(void) {
  return PROVEN_VERSION;
}

// --- Errors --------------------------------------------------------------------------------------

proven_error_kind proven_error_kind_of(const proven_error* error) {
  return error ? error->kind : PROVEN_DEFECT;
}
const char* proven_error_text(const proven_error* error) {
  return error ? error->text.c_str() : "";
}
void proven_error_free(proven_error* error) {
  if (error != &no_memory()) delete error;
}

// --- Scenes --------------------------------------------------------------------------------------

proven_error* proven_scene_load(const char* file, proven_scene** out) {
  return guarded([&] { give(value_of(load_scene(text_of(file, "the file"))), out); });
}

proven_error* proven_scene_from_urdf(const char* urdf, const char* srdf, proven_scene** out) {
  return guarded([&] {
    Robot robot = value_of(parse_urdf(text_of(urdf, "the URDF"), "URDF text"));
    if (srdf) value_of(apply_srdf_text(srdf, "SRDF text", robot));
    SceneSource source;
    source.robots.push_back({robot.name, robot, {}});
    give(value_of(build_scene(source)), out);
  });
}

void proven_scene_free(proven_scene* scene) {
  delete scene;
}

size_t proven_scene_joints(const proven_scene* scene) {
  return scene ? joints_of(scene->scene) : 0;
}
const char* proven_scene_joint_name(const proven_scene* scene, size_t joint) {
  if (!scene || joint >= joints_of(scene->scene)) return nullptr;
  return scene->scene.tree().coordinates()[joint].name.c_str();
}
void proven_scene_limits(const proven_scene* scene, double* lower, double* upper) {
  if (!scene || !lower || !upper) return;
  for (const Coordinate& c : scene->scene.tree().coordinates()) {
    *lower++ = c.lower;
    *upper++ = c.upper;
  }
}
size_t proven_scene_bodies(const proven_scene* scene) {
  return scene ? scene->scene.bodies().size() : 0;
}
const char* proven_scene_body_name(const proven_scene* scene, size_t body) {
  if (!scene || body >= scene->scene.bodies().size()) return nullptr;
  return scene->scene.bodies()[body].name.c_str();
}
const char* proven_scene_hash(const proven_scene* scene) {
  return scene ? scene->hash.c_str() : "";
}

proven_error* proven_scene_with_obstacle(const proven_scene* scene, const char* name,
                                         const double pose[16], int shape, const double* sizes,
                                         proven_scene** out) {
  return guarded([&] { with_shape(scene, name, pose, shape_of(shape, sizes), out); });
}

proven_error* proven_scene_with_mesh(const proven_scene* scene, const char* name,
                                     const double pose[16], const double* vertices,
                                     size_t num_vertices, const uint32_t* triangles,
                                     size_t num_triangles, proven_scene** out) {
  return guarded([&] {
    auto mesh = std::make_shared<TriangleMesh>();
    mesh->vertices = points_of(vertices, num_vertices);
    if (num_triangles > 0) required(triangles, "the triangles");
    for (std::size_t i = 0; i < num_triangles; ++i)
      mesh->triangles.push_back({triangles[3 * i], triangles[3 * i + 1], triangles[3 * i + 2]});
    with_shape(scene, name, pose, std::shared_ptr<const TriangleMesh>(std::move(mesh)), out);
  });
}

proven_error* proven_scene_with_cloud(const proven_scene* scene, const char* name,
                                      const double pose[16], const double* points,
                                      size_t num_points, double radius, proven_scene** out) {
  return guarded([&] {
    with_shape(
        scene, name, pose,
        std::make_shared<const PointCloud>(PointCloud{points_of(points, num_points), radius}), out);
  });
}

proven_error* proven_scene_with_pose(const proven_scene* scene, const char* name,
                                     const double pose[16], proven_scene** out) {
  return guarded([&] {
    give(
        value_of(
            required(scene, "the scene").scene.with_pose(text_of(name, "the name"), pose_of(pose))),
        out);
  });
}

proven_error* proven_scene_without(const proven_scene* scene, const char* name,
                                   proven_scene** out) {
  return guarded([&] {
    give(value_of(required(scene, "the scene").scene.without(text_of(name, "the name"))), out);
  });
}

proven_error* proven_scene_with_attached(const proven_scene* scene, const char* name,
                                         const char* link, const double* configuration,
                                         const char* const* touch, size_t num_touch,
                                         proven_scene** out) {
  return guarded([&] {
    const Scene& given = required(scene, "the scene").scene;
    std::vector<std::string> names;
    if (num_touch > 0) required(touch, "touch");
    for (std::size_t i = 0; i < num_touch; ++i) names.push_back(text_of(touch[i], "a name"));
    give(value_of(given.with_attached(text_of(name, "the name"), text_of(link, "the link"),
                                      configuration_of(given, configuration), std::move(names))),
         out);
  });
}

proven_error* proven_scene_detached(const proven_scene* scene, const char* name,
                                    const double* configuration, proven_scene** out) {
  return guarded([&] {
    const Scene& given = required(scene, "the scene").scene;
    give(
        value_of(given.detached(text_of(name, "the name"), configuration_of(given, configuration))),
        out);
  });
}

proven_error* proven_scene_pose(const proven_scene* scene, const char* name,
                                const double* configuration, double pose[16]) {
  return guarded([&] {
    const Scene& given = required(scene, "the scene").scene;
    required(pose, "the pose");
    const std::string text = text_of(name, "the name");
    const int link = given.tree().find_link(text), body = given.find_body(text);
    if (link < 0 && body < 0) refuse(fmt::format("no link and no body '{}' in the scene", text));
    LinkPoses poses;
    compute_poses(given.tree(), configuration_of(given, configuration), poses);
    const Pose X =
        link >= 0 ? poses.X_WL[static_cast<std::size_t>(link)] : given.body_pose(body, poses);
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) pose[4 * i + k] = X.R(i, k);
      pose[4 * i + 3] = X.p[i];
    }
    pose[12] = pose[13] = pose[14] = 0;
    pose[15] = 1;
  });
}

// --- Checks --------------------------------------------------------------------------------------

void proven_check_options_init(proven_check_options* options) {
  const CheckOptions usual;
  if (options) *options = {sizeof(proven_check_options), 0, usual.resolution, 0, 0};
}

proven_error* proven_model_new(const proven_scene* scene, const proven_check_options* options,
                               proven_model** out) {
  return guarded([&] {
    required(out, "out");
    *out = new proven_model{
        value_of(CheckModel::build(required(scene, "the scene").scene, options_of(options))),
        {},
        {}};
  });
}

proven_error* proven_model_with_scene(const proven_model* model, const proven_scene* scene,
                                      proven_model** out) {
  return guarded([&] {
    required(out, "out");
    *out = new proven_model{
        required(model, "the model").model.with_scene(required(scene, "the scene").scene), {}, {}};
  });
}

proven_error* proven_model_ignoring_limits(const proven_model* model, proven_model** out) {
  return guarded([&] {
    required(out, "out");
    const CheckModel& given = required(model, "the model").model;
    CheckOptions options = given.options();
    options.limits = Limits::ignore;
    *out = new proven_model{value_of(given.with_options(options)), {}, {}};
  });
}

void proven_model_free(proven_model* model) {
  delete model;
}

proven_error* proven_check(const proven_model* model, const double* waypoints, size_t rows,
                           double max_seconds, proven_result** out) {
  return guarded([&] {
    required(out, "out");
    const CheckModel& asked = required(model, "the model").model;
    const Motion motion = motion_of(asked.scene(), waypoints, rows);
    CheckResult result = with_scratch(*model, [&](Scratch& scratch) {
      return value_of(asked.check(motion, scratch, budget_of(max_seconds)));
    });
    *out = result_of(std::move(result), asked.scene());
  });
}

proven_error* proven_are_free(const proven_model* model, const double* starts, const double* ends,
                              size_t rows, int threads, unsigned char* out) {
  return guarded([&] {
    const CheckModel& asked = required(model, "the model").model;
    if (rows == 0) return;
    required(out, "out");
    const Motion from = motion_of(asked.scene(), starts, rows);
    const Motion to = ends ? motion_of(asked.scene(), ends, rows) : Motion{};
    for (const Motion* table : {&from, &to})
      for (const std::vector<double>& q : table->waypoints)
        if (!asked.within_limits(q))
          value_of(require_within_limits(asked.scene(), Motion{{q}, {}, {}}, asked.options()));
    std::vector<Scratch> scratch(
        static_cast<std::size_t>(threads > 0 ? threads : default_threads()));
    parallel_for(static_cast<int>(rows), static_cast<int>(scratch.size()),
                 [&](int row, int thread) {
                   const auto i = static_cast<std::size_t>(row);
                   Scratch& own = scratch[static_cast<std::size_t>(thread)];
                   const CheckResult result =
                       ends ? asked.check_segment({from.waypoints[i], to.waypoints[i]}, own)
                            : asked.check_configuration(from.waypoints[i], own);
                   out[i] = result.verdict == Verdict::free;
                 });
  });
}

proven_verdict proven_result_verdict(const proven_result* result) {
  if (!result) return PROVEN_UNDECIDED;
  switch (result->result.verdict) {
    case Verdict::free:
      return PROVEN_FREE;
    case Verdict::collision:
      return PROVEN_COLLISION;
    case Verdict::undecided:
      return PROVEN_UNDECIDED;
  }
  return PROVEN_UNDECIDED;
}
const char* proven_result_text(const proven_result* result) {
  return result ? result->text.c_str() : "";
}
size_t proven_result_segment(const proven_result* result) {
  if (result && result->result.collision)
    return static_cast<std::size_t>(result->result.collision->segment);
  if (result && result->result.undecided)
    return static_cast<std::size_t>(result->result.undecided->segment);
  return 0;
}
double proven_result_t(const proven_result* result) {
  if (result && result->result.collision) return result->result.collision->t;
  if (result && result->result.undecided) return result->result.undecided->t;
  return 0;
}
double proven_result_distance(const proven_result* result) {
  if (result && result->result.collision) return result->result.collision->distance;
  if (result && result->result.undecided) return result->result.undecided->distance;
  return 0;
}
const double* proven_result_configuration(const proven_result* result) {
  if (result && result->result.collision) return result->result.collision->configuration.data();
  if (result && result->result.undecided) return result->result.undecided->configuration.data();
  return nullptr;
}
const char* proven_result_body(const proven_result* result, int which) {
  if (!result || which < 0 || which > 1 || result->bodies[which].empty()) return nullptr;
  return result->bodies[which].c_str();
}
const uint8_t* proven_result_certificate(const proven_result* result, size_t* size) {
  if (size) *size = result ? result->result.certificate.size() : 0;
  return result && !result->result.certificate.empty() ? result->result.certificate.data()
                                                       : nullptr;
}
void proven_result_free(proven_result* result) {
  delete result;
}

// --- The independent verifier --------------------------------------------------------------------

proven_error* proven_verify(const proven_scene* scene, const double* waypoints, size_t rows,
                            double clearance, const uint8_t* certificate, size_t size,
                            proven_report** out) {
  return guarded([&] {
    required(out, "out");
    const Scene& given = required(scene, "the scene").scene;
    const Motion motion = motion_of(given, waypoints, rows);
    if (size > 0) required(certificate, "the certificate");
    const SceneSource source = given.description();
    VerifyOptions options;
    options.clearance = clearance;
    options.trust_srdf_never = source.trust_srdf_never;
    const VerifyReport report = verify(source, motion, {certificate, size}, options);
    *out = new proven_report{
        report.accepted,
        report.accepted ? fmt::format("{}", fmt::join(report.theorem, "\n")) : report.reason};
  });
}
int proven_report_accepted(const proven_report* report) {
  return report && report->accepted ? 1 : 0;
}
const char* proven_report_text(const proven_report* report) {
  return report ? report->text.c_str() : "";
}
void proven_report_free(proven_report* report) {
  delete report;
}

// --- Plans ---------------------------------------------------------------------------------------

proven_error* proven_plan(const proven_scene* scene, const double* start, const double* goal,
                          const char* planner, uint64_t seed, double clearance, double max_seconds,
                          proven_path** out) {
  return guarded([&] {
    required(out, "out");
    const Scene& given = required(scene, "the scene").scene;
    Query query;
    query.start = configuration_of(given, start);
    query.goal = configuration_of(given, goal);
    PlanOptions options;
    if (planner) options.planner = planner;
    options.seed = seed;
    options.check.clearance = clearance;
    const PlanResult result = value_of(plan(given, query, options, budget_of(max_seconds)));
    auto path = std::make_unique<proven_path>();
    path->rows = result.path.waypoints.size();
    for (const std::vector<double>& row : result.path.waypoints)
      path->waypoints.insert(path->waypoints.end(), row.begin(), row.end());
    path->text = result.status == PlanStatus::solved
                     ? fmt::format("solved, {}", result.proved ? "proved" : "not proved")
                     : fmt::format("{}: {}", to_string(result.status), result.reason);
    *out = path.release();
  });
}
size_t proven_path_rows(const proven_path* path) {
  return path ? path->rows : 0;
}
const double* proven_path_waypoints(const proven_path* path) {
  return path && path->rows > 0 ? path->waypoints.data() : nullptr;
}
const char* proven_path_text(const proven_path* path) {
  return path ? path->text.c_str() : "";
}
void proven_path_free(proven_path* path) {
  delete path;
}

}  // extern "C"
