// Paper 000, figure 5: how much two simple bounds overestimate the curve of the endpoint of a
// planar linkage of unit links.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "bench/bench.h"
#include "bench/kinematics/statistics.h"
#include "proven/base/parallel.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/poses.h"

namespace proven::bench {

namespace {

constexpr int kMostLinks = 12;

// Links of length 1 and no width along x; every joint turns about z.
Robot planar_linkage(int links) {
  Robot robot;
  robot.links.resize(static_cast<std::size_t>(links) + 1);
  robot.links[0].name = "base";
  for (int i = 1; i <= links; ++i) {
    RobotJoint joint;
    joint.name = fmt::format("joint_{}", i);
    joint.type = JointType::continuous;
    joint.child_link = fmt::format("link_{}", i);
    joint.parent_link = robot.links[static_cast<std::size_t>(i - 1)].name;
    robot.links[static_cast<std::size_t>(i)].name = joint.child_link;
    joint.X_PJ = Pose::translation({i == 1 ? 0.0 : 1.0, 0, 0});
    joint.axis = {0, 0, 1};
    robot.joints.push_back(std::move(joint));
  }
  return robot;
}

struct Linkage {
  int links = 0;
  KinematicTree tree;
  MotionFactors factors;  // of the last link
  double rho = 0;         // the same factor for every joint: Σ (i - j + 1)
};

Result<Linkage> make_linkage(int links) {
  Linkage linkage;
  linkage.links = links;
  const Result<void> added = linkage.tree.add_robot(planar_linkage(links), "linkage", Pose{});
  if (!added.ok()) return added.error();
  const auto segment =
      std::make_shared<const ConvexHull>(ConvexHull{.points = {{0, 0, 0}, {1, 0, 0}}});
  const auto geometry = BodyGeometry::build({CollisionElement{segment, Pose{}, "unit link"}});
  if (!geometry.ok()) return geometry.error();
  const std::vector<Interval> ranges = coordinate_ranges(linkage.tree, {});
  linkage.factors = compute_motion_factors(linkage.tree, linkage.tree.num_links() - 1, Pose{},
                                           *geometry.value(), ranges);
  linkage.rho = 0.5 * links * (links + 1);
  return linkage;
}

// ∫ |p'(t)| dt for the endpoint, by Gauss-Legendre quadrature with three nodes per panel.
double integrate_length(const KinematicTree& tree, const std::vector<double>& qa,
                        const std::vector<double>& qb) {
  constexpr int kPanels = 300;
  constexpr double kNode = 0.7745966692414834;  // √(3/5)
  std::vector<double> rates(qa.size()), q(qa.size());
  for (std::size_t i = 0; i < qa.size(); ++i) rates[i] = qb[i] - qa[i];
  LinkPoses poses;
  std::vector<Twist> twists;
  const auto speed = [&](double t) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = qa[i] + t * rates[i];
    compute_poses(tree, q, poses);
    compute_twists(tree, poses, rates, twists);
    const Vec3 endpoint = poses.X_WL.back() * Vec3{1, 0, 0};
    return norm(cross(twists.back().angular, endpoint) + twists.back().linear);
  };
  double sum = 0;
  for (int panel = 0; panel < kPanels; ++panel) {
    const double middle = (panel + 0.5) / kPanels, offset = 0.5 * kNode / kPanels;
    sum += 5 * speed(middle - offset) + 8 * speed(middle) + 5 * speed(middle + offset);
  }
  return sum / (18.0 * kPanels);
}

struct Errors {
  std::vector<double> rho, lambda;  // relative: bound / length - 1
};

Errors measure(const Linkage& linkage, int segments, const Options& options) {
  Errors errors;
  errors.rho.resize(static_cast<std::size_t>(segments));
  errors.lambda.resize(static_cast<std::size_t>(segments));
  parallel_for(segments, options.threads, [&](int segment, int) {
    Random random(case_seed(options.seed, linkage.links, segment));
    const std::vector<double> qa = random_configuration(linkage.tree, random);
    const std::vector<double> qb = random_configuration(linkage.tree, random);
    double largest = 0;
    for (std::size_t i = 0; i < qa.size(); ++i)
      largest = std::fmax(largest, std::fabs(qb[i] - qa[i]));
    std::vector<double> displacement;
    joint_displacements(linkage.tree, qa, qb, displacement);
    const double length = integrate_length(linkage.tree, qa, qb);
    const auto s = static_cast<std::size_t>(segment);
    errors.rho[s] = linkage.rho * largest / length - 1;
    errors.lambda[s] =
        curve_length_upper(linkage.factors, displacement, 0, linkage.tree) / length - 1;
  });
  return errors;
}

Result<Report> run(const Options& options) {
  Report report;
  report.notes = {
      "Relative error: bound / length - 1 for the endpoint of the last link. Segments join "
      "configurations drawn uniformly from [-π, π] per joint; lengths by Gauss-Legendre quadrature "
      "at 900 points.",
      "The paper shows the curves without a table; of λ it says that it overestimates by a factor "
      "of "
      "about 6 for 6 links."};
  report.plot.title = "Paper 000, fig. 5: bounds on the curve of a linkage's endpoint";
  report.plot.x_label = "links";
  report.plot.y_label = "relative error, mean and standard deviation";
  report.plot.series.resize(2);
  report.plot.series[0].name = "(a) ρ d(qa, qb)";
  report.plot.series[1].name = "(b) λ(qa, qb)";
  const int segments = options.quick ? 100 : 1000;
  for (int links = 1; links <= kMostLinks; ++links) {
    const Result<Linkage> linkage = make_linkage(links);
    if (!linkage.ok()) return linkage.error();
    const Errors errors = measure(linkage.value(), segments, options);
    const Summary rho = summarise(errors.rho), lambda = summarise(errors.lambda);
    Row& row = report.rows.emplace_back();
    row.add("links", links).add("segments", segments);
    row.add("rho_error_mean", rho.mean).add("rho_error_deviation", rho.deviation);
    row.add("lambda_error_mean", lambda.mean).add("lambda_error_deviation", lambda.deviation);
    row.add("lambda_error_min", lambda.smallest);
    row.add("lambda_factor_mean", lambda.mean + 1);
    if (links == 6) row.add("paper_lambda_factor", 6);
    const Summary* drawn[] = {&rho, &lambda};
    for (std::size_t s = 0; s < 2; ++s) {
      report.plot.series[s].x.push_back(links);
      report.plot.series[s].y.push_back(drawn[s]->mean);
      report.plot.series[s].deviation.push_back(drawn[s]->deviation);
    }
    options.progress(static_cast<double>(links) / kMostLinks);
  }
  return report;
}

}  // namespace

Benchmark fig5() {
  return {"fig5", "paper 000, fig. 5: two curve-length bounds on planar linkages of 1 to 12 links",
          run};
}

}  // namespace proven::bench
