// The two verifiers, which share no line of code, agree on accepted and on altered certificates.
#include <fmt/format.h>

#include "any_values.h"
#include "certify/sensed_scenes.h"
#include "curves.h"
#include "flyer.h"
#include "geometry/nested_boxes.h"
#include "proven/kinematics/poses.h"
#include "proven/verify/readers.h"
#include "python_verifier.h"

namespace proven::test {
namespace {

TEST(Python, AgreesWithTheFirstVerifier) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  int accepted = 0, rejected = 0;
  for (int i = 0; i < cases(12); ++i) {
    Random random(50 + static_cast<std::uint64_t>(i));
    RandomSceneOptions options;
    options.floating = i % 3 == 0;
    options.links = 2 + i % 3;
    options.obstacles = 2;
    const SceneSource source = python.store(random_scene(random, options));
    const Scene scene = build(source);
    const Path path{random_segment(scene.tree(), random, 0.3), {}, {}};
    CheckOptions check_options = test::any_values();
    check_options.checker = Checker::directional;
    check_options.certificate = true;
    Scratch scratch;
    const auto result = check(scene, path, check_options, scratch);
    ASSERT_TRUE(result.ok());
    if (result.value().verdict != Verdict::free) continue;
    python.store(path, scene);
    EXPECT_TRUE(verify(source, path, result.value().certificate).accepted);
    EXPECT_EQ(python.run(result.value().certificate), kAccepted) << i << ": " << python.output();
    ++accepted;

    PlainCertificate altered = read(result.value().certificate);
    const std::size_t at =
        static_cast<std::size_t>(random.index(static_cast<int>(altered.body.size())));
    altered.body[at] = static_cast<std::uint8_t>(altered.body[at] ^ (1 << random.index(8)));
    const Bytes bytes = write(altered);
    const VerifyReport report = verify(source, path, bytes);
    EXPECT_EQ(python.run(bytes), report.accepted ? kAccepted : kRejected)
        << i << ": " << python.output() << " / " << report.reason;
    (report.accepted ? accepted : rejected) += 1;

    VerifyOptions wide;
    wide.clearance = 0.05;
    const bool still = verify(source, path, result.value().certificate, wide).accepted;
    EXPECT_EQ(python.run(result.value().certificate, "--clearance 0.05"),
              still ? kAccepted : kRejected)
        << i << ": " << python.output();
    (still ? accepted : rejected) += 1;

    // By class of pairs and by joint.
    const std::string joint = scene.tree().coordinates()[0].joint;
    wide.clearance = {0.01, 0.01, 0.02, 0};
    wide.tracking_error = 0.001;
    wide.tracking_error.joints[joint] = 0.02;
    const bool close = verify(source, path, result.value().certificate, wide).accepted;
    EXPECT_EQ(python.run(result.value().certificate,
                         "--clearance 0.01,self=0.02 --tracking-error 0.001," + joint + "=0.02"),
              close ? kAccepted : kRejected)
        << i << ": " << python.output();
  }
  EXPECT_GE(accepted, 1);
  EXPECT_GE(rejected, cases(12) / 4);
}

// A motion as its file: rows are control points, both ends included. What follows the clock is not
// named.
std::string text_of(const Motion& motion, const Scene& scene) {
  std::string text = "{\"proven\": 1, \"joints\": [", comma;
  const auto coordinates = scene.tree().coordinates();
  const auto named = [&](std::size_t i) { return !scene.follows_clock(static_cast<int>(i)); };
  const auto number = [](double x) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", x);
    return std::string(digits);
  };
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (named(i)) text += std::exchange(comma, ", ") + "\"" + coordinates[i].name + "\"";
  text += "], \"pieces\": [";
  for (int i = 0; i < motion.num_segments(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool timed = !motion.times.empty();
    const MotionPiece piece = motion.piece(i);
    text += (i ? ", {\"begin\": " : "{\"begin\": ") + number(timed ? motion.times[at] : i) +
            ", \"end\": " + number(timed ? motion.times[at + 1] : i + 1) + ", \"bezier\": [";
    for (int k = 0; k <= piece.degree(); ++k) {
      text += k ? ", [" : "[";
      comma.clear();
      for (std::size_t c = 0; c < coordinates.size(); ++c)
        if (named(c)) text += std::exchange(comma, ", ") + number(piece.control(k)[c]);
      text += "]";
    }
    text += "]}";
  }
  return text + "]}";
}

std::size_t count_leaves(const ProofNode& node) {
  std::size_t count = node.is_leaf();
  for (const ProofNode& child : node.children) count += count_leaves(child);
  return count;
}

TEST(Python, AgreesOnCurves) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  int accepted = 0, rejected = 0, compared = 0;
  for (int i = 0; compared < cases(12); ++i) {
    Random random(70000 + static_cast<std::uint64_t>(i));
    const SceneSource source = python.store(scene_of_all_joints(random, i));
    const Scene scene = build(source);
    const Motion motion = random_motion(scene.tree(), random, 0.3, 1 + i % 2);
    const verifier::Model model = verifier::build_model(source, {});
    const auto proofs = NaiveProducer(model, motion, 0, 1).run();
    if (!proofs) continue;
    std::size_t leaves = 0;
    for (const auto& segment : *proofs)
      for (const ProofNode& root : segment) leaves += count_leaves(root);
    if (leaves > 250) continue;  // for the sake of time
    ++compared;
    PlainCertificate certificate = blank_certificate(model, motion);
    certificate.body = write(*proofs);
    python.write("path.json", text_of(motion, scene));
    EXPECT_TRUE(verify(source, motion, write(certificate)).accepted);
    EXPECT_EQ(python.run(write(certificate)), kAccepted) << i << ": " << python.output();
    const auto agree = [&](const Motion& given, const PlainCertificate& altered) {
      python.write("path.json", text_of(given, scene));
      const VerifyReport report = verify(source, given, write(altered));
      EXPECT_EQ(python.run(write(altered)), report.accepted ? kAccepted : kRejected)
          << i << ": " << python.output() << " / " << report.reason;
      (report.accepted ? accepted : rejected) += 1;
    };
    PlainCertificate altered = certificate;
    auto& byte =
        altered.body[static_cast<std::size_t>(random.index(static_cast<int>(altered.body.size())))];
    byte = static_cast<std::uint8_t>(byte ^ (1 << random.index(8)));
    agree(motion, altered);
    altered = certificate;
    ++altered.degree;
    agree(motion, altered);
    for (const double size : {0.001, 0.3}) {
      Motion moved = motion;
      moved.inner[0][0][0] += size;
      agree(moved, certificate);
    }
  }
  EXPECT_GE(accepted, 1);
  EXPECT_GE(rejected, 1);
}

// A motion of a body that floats, in pieces of degree 1 to 4, each of its turns about one axis.
Motion random_flight(Random& random) {
  Motion motion;
  double time = random.uniform(-1, 1);
  for (int i = 0; i < 2 + random.index(2); ++i) {
    const Vec3 axis = random.unit_vector();
    const double half = random.uniform(0, 0.6);
    motion.waypoints.push_back({random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5),
                                random.uniform(-0.5, 0.5), std::sin(half) * axis.x,
                                std::sin(half) * axis.y, std::sin(half) * axis.z, std::cos(half)});
    motion.times.push_back(time);
    time += random.uniform(0.2, 1.5);
    if (i == 0) continue;
    motion.inner.emplace_back();
    for (int k = random.index(4); k > 0; --k)
      motion.inner.back().push_back({random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5),
                                     random.uniform(-0.5, 0.5), 0, 0, 0, 0});
  }
  return motion;
}

// Two obstacles move or grow, and may be late; every third scene has a robot that follows the
// clock.
SceneSource random_clock_scene(Random& random, int number) {
  SceneSource source = scene_of_all_joints(random, number);
  for (int i = 0; i < 2; ++i) {
    ObstacleSource mover{"mover" + std::to_string(i),
                         {{Box{{0.1, 0.05, 0.08}}, {}, "box"}},
                         Pose::translation(1.5 * random.unit_vector())};
    if (random.index(4) > 0) mover.motion = std::make_shared<const Motion>(random_flight(random));
    if (!mover.motion || random.index(2) == 0) mover.grows = random.uniform(0.01, 0.2);
    if (mover.motion && random.index(3) == 0) mover.late = random.uniform(0.01, 0.3);
    source.obstacles.push_back(std::move(mover));
  }
  if (number % 3 == 0) {
    RobotSource& robot = source.robots.emplace_back(source.robots[0]);
    robot.name = "clockwork";
    robot.X_WR.p += Vec3{-1.2, 0.3, 0};
    KinematicTree tree;
    EXPECT_TRUE(tree.add_robot(robot.robot, robot.name, Pose{}).ok());
    // Straight between waypoints: turns may be cut.
    Motion motion{random_segment(tree, random, 0.2), {0.2, 1.1 + random.uniform()}, {}};
    robot.motion = std::make_shared<const Motion>(std::move(motion));
  }
  return source;
}

// One thing of the clock is another: a control point, a time, a growth, a lateness.
SceneSource with_other_clock(const SceneSource& source, Random& random, int what) {
  SceneSource other = source;
  for (ObstacleSource& obstacle : other.obstacles) {
    if (what == 2 && obstacle.grows > 0) obstacle.grows += 1;
    if (what == 3 && obstacle.late > 0) obstacle.late += 0.5;
    if (what >= 2 || !obstacle.motion) continue;
    Motion motion = *obstacle.motion;
    if (what == 1) {
      for (double& time : motion.times) time += 0.3;
    } else {
      auto& inner = motion.inner.empty() ? motion.waypoints : motion.inner[0];
      (inner.empty() ? motion.waypoints[0] : inner[0])[static_cast<std::size_t>(random.index(3))] +=
          random.uniform(0.5, 2);
    }
    obstacle.motion = std::make_shared<const Motion>(std::move(motion));
  }
  return other;
}

TEST(Python, AgreesOnTheClock) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  int accepted = 0, rejected = 0, compared = 0, by_growth = 0, late = 0;
  for (int i = 0; compared < cases(8); ++i) {
    Random random(90000 + static_cast<std::uint64_t>(i));
    const SceneSource source = python.store(random_clock_scene(random, i));
    const Scene scene = build(source);
    Motion motion = random_motion(scene.tree(), random, 0.2, 1 + i % 2);
    for (std::size_t k = 0; k < motion.waypoints.size(); ++k)
      motion.times.push_back(0.1 + 0.9 * static_cast<double>(k));
    for (std::size_t c = 0; c < scene.home().size(); ++c) {
      // Turns between the ends may be cut only if they are about one axis.
      const bool turns = scene.tree().coordinates()[c].quaternion;
      const bool clock = scene.follows_clock(static_cast<int>(c));
      for (auto& q : motion.waypoints)
        if (clock) q[c] = scene.home()[c];
      for (auto& rows : motion.inner)
        for (auto& q : rows)
          if (clock || turns) q[c] = turns ? 0 : scene.home()[c];
    }
    CheckOptions options = test::any_values();
    options.certificate = true;
    Scratch scratch;
    const auto result = check(scene, motion, options, scratch);
    ASSERT_TRUE(result.ok()) << result.error().text();
    const Bytes& certificate = result.value().certificate;
    if (result.value().verdict != Verdict::free) continue;
    const VerifyReport report = verify(source, motion, certificate);
    EXPECT_TRUE(report.accepted) << report.reason;
    if (report.leaves > 120) continue;  // for the sake of time
    ++compared;
    python.write("path.json", text_of(motion, scene));
    EXPECT_EQ(python.run(certificate), kAccepted) << i << ": " << python.output();
    const auto agree = [&](const SceneSource& given, const Motion& moved, const Bytes& bytes) {
      const VerifyReport theirs = verify(given, moved, bytes);
      EXPECT_EQ(python.run(bytes), theirs.accepted ? kAccepted : kRejected)
          << i << ": " << python.output() << " / " << theirs.reason;
      (theirs.accepted ? accepted : rejected) += 1;
      return theirs.accepted;
    };
    PlainCertificate altered = read(certificate);
    auto& byte =
        altered.body[static_cast<std::size_t>(random.index(static_cast<int>(altered.body.size())))];
    byte = static_cast<std::uint8_t>(byte ^ (1 << random.index(8)));
    agree(source, motion, write(altered));
    Motion later = motion;
    for (double& time : later.times) time += 2;
    python.write("path.json", text_of(later, scene));
    agree(source, later, certificate);
    late += std::ranges::any_of(source.obstacles, [](const auto& o) { return o.late > 0; });
    for (int what = 0; what < 4; ++what) {
      const SceneSource other = python.store(with_other_clock(source, random, what));
      python.write("path.json", text_of(motion, scene));
      Motion same = motion;  // what follows the clock starts elsewhere
      const Scene others = build(other);
      for (std::size_t c = 0; c < others.home().size(); ++c)
        for (auto& q : same.waypoints)
          if (others.follows_clock(static_cast<int>(c))) q[c] = others.home()[c];
      by_growth += !agree(other, same, certificate) && what == 2;
    }
  }
  EXPECT_GE(accepted, 1);
  EXPECT_GE(rejected, cases(8));
  EXPECT_GE(by_growth, 1);
  EXPECT_GE(late, 1);
}

TEST(Python, RefusesMotionsThatItCannotMean) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  SceneSource given;
  given.robots.push_back(flyer({{Box{{0.1, 0.1, 0.1}}, {}, "box"}}));
  given.obstacles.push_back({"wall", {{Box{{1, 1, 0.1}}, {}, "box"}}, Pose{}});
  const SceneSource source = python.store(given);
  Motion motion{{{0, 0, 1, 0, 0, 0, 1}, {0, 0, 1, 0, 0, 0, 1}}, {}, {}, {}};
  motion.inner = {{{0.1, 0, 1, 0.1, 0, 0, 0}}};
  const verifier::Model model = verifier::build_model(source, {});
  const auto proofs = NaiveProducer(model, motion, 0, 1).run();
  ASSERT_TRUE(proofs);
  PlainCertificate certificate = blank_certificate(model, motion);
  certificate.body = write(*proofs);
  ASSERT_TRUE(verify(source, motion, write(certificate)).accepted);
  const std::string good = text_of(motion, build(source));
  const auto run = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    python.write("path.json", text);
    return python.run(write(certificate));
  };
  EXPECT_EQ(run("proven", "proven"), kAccepted) << python.output();
  EXPECT_EQ(run("\"begin\": 0", "\"begin\": 1"), kUnreadable);
  EXPECT_EQ(run("\"begin\"", "\"speed\": 1, \"begin\""), kUnreadable);
  EXPECT_EQ(run("\"proven\": 1", "\"proven\": 2"), kUnreadable);
  EXPECT_EQ(run("\"proven\": 1", "\"proven\": 1, \"note\": 1"), kUnreadable);
  EXPECT_EQ(run("[0.1", "[1e10"), kUnreadable);
  EXPECT_EQ(run("[0.1", "[true"), kUnreadable);
  EXPECT_EQ(run("[0.10000000000000001, 0", "[0.1"), kUnreadable);
  EXPECT_EQ(run("0, 0, 0]", "0, 0, 1e-9]"), kRejected) << python.output();
  const std::string second =
      "{\"begin\": 1, \"end\": 2, \"bezier\": [[0, 0, 1, 0, 0, 0, 1], "
      "[0, 0, 1, 0, 0, 0, 1]]}";
  EXPECT_EQ(run("}]}", "}, " + second + "]}"), kRejected) << python.output();  // one piece more
  std::string apart = second, later = second;
  apart.replace(apart.find("[[0"), 3, "[[1");
  later.replace(later.find('1'), 1, "1.5");
  EXPECT_EQ(run("}]}", "}, " + apart + "]}"), kUnreadable);
  EXPECT_EQ(run("}]}", "}, " + later + "]}"), kUnreadable);
}

// A small box that flies a little, near or in boxes within boxes (docs/inside.md).
SceneSource nested_scene(const NestedBoxes& boxes) {
  SceneSource source;
  source.robots.push_back(flyer({{block_mesh({0.002, 0.002, 0.002}), {}, "mesh"}}));
  source.obstacles.push_back(
      {"boxes", {{std::make_shared<const TriangleMesh>(boxes.mesh), {}, "mesh"}}, Pose{}});
  return source;
}

TEST(Python, AgreesOnCloudsAndVoxels) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  int accepted = 0, rejected = 0;
  for (int i = 0; accepted < cases(12) && i < 100; ++i) {
    Random random(8800 + static_cast<std::uint64_t>(i));
    const SceneSource source = python.store(random_sensed_scene(random, 25, i % 4 == 0).sensed);
    const Scene scene = build(source);
    const Path path{random_segment(scene.tree(), random, 0.3), {}, {}};
    CheckOptions options = test::any_values();
    options.certificate = true;
    Scratch scratch;
    const auto result = check(scene, path, options, scratch);
    ASSERT_TRUE(result.ok());
    if (result.value().verdict != Verdict::free) continue;
    const Bytes certificate = result.value().certificate;
    python.store(path, scene);
    ASSERT_TRUE(verify(source, path, certificate).accepted);
    EXPECT_EQ(python.run(certificate), kAccepted) << i << ": " << python.output();
    ++accepted;
    // Larger balls and voxels: both verifiers say the same.
    SceneSource larger = source;
    for (ObstacleSource& obstacle : larger.obstacles) {
      Shape& shape = obstacle.elements[0].shape;
      if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&shape)) {
        PointCloud other = **cloud;
        other.radius += random.uniform(0, 0.5);
        shape = std::make_shared<const PointCloud>(other);
      } else if (const auto* voxels = std::get_if<std::shared_ptr<const VoxelSet>>(&shape)) {
        VoxelSet other = **voxels;
        other.size *= random.uniform(1, 5);
        shape = std::make_shared<const VoxelSet>(other);
      }
    }
    larger = python.store(larger);
    python.store(path, build(larger));
    const bool holds = verify(larger, path, certificate).accepted;
    EXPECT_EQ(python.run(certificate), holds ? kAccepted : kRejected) << i << python.output();
    rejected += !holds;
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(rejected, 0);
}

TEST(Python, AgreesOnWhatIsInside) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  Random random(51);
  int inside = 0, hollow = 0, outside = 0, open = 0;
  // The time goes to Python, whatever the build; fewer need not show all outcomes.
  for (int i = 0; i < 40; ++i) {
    const NestedBoxes boxes(random);
    const Vec3 p = boxes.random_point(random);
    const NestedBoxes::Place place = boxes.find(p);
    const SceneSource source = python.store(nested_scene(boxes));
    const Path path{{{p.x, p.y, p.z, 0, 0, 0, 1}, {p.x + 0.001, p.y, p.z, 0, 0, 0, 1}}, {}, {}};
    const verifier::Model model = verifier::build_model(source, {});
    const auto proofs = NaiveProducer(model, path, 0, 1).run();
    if (!proofs) continue;  // surfaces touch
    PlainCertificate certificate = blank_certificate(model, path);
    certificate.body = write(*proofs);
    python.store(path, build(source));
    const VerifyReport report = verify(source, path, write(certificate));
    EXPECT_EQ(report.accepted, !place.inside) << i << ": " << report.reason;
    EXPECT_EQ(python.run(write(certificate)), place.inside ? kRejected : kAccepted)
        << i << ": " << python.output();
    if (report.accepted) {
      EXPECT_EQ(python.output().find("no well-defined inside: boxes") != std::string::npos,
                !report.no_inside.empty());
    }
    ++(place.inside ? inside : place.in_cavity ? hollow : outside);
    open += !report.no_inside.empty();
  }
  for (const int count : {inside, hollow, outside, open}) EXPECT_GE(count, 1);
}

// Cones and boxes of a frame on the last link, around where it is at the start.
TEST(Python, ProvesConstraintsLikeTheFirstVerifier) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,");
  PythonVerifier python;
  int accepted = 0, rejected = 0;
  for (int i = 0; i < 3; ++i) {
    Random random(90 + static_cast<std::uint64_t>(i));
    RandomSceneOptions options;
    options.floating = i % 3 == 0;
    const SceneSource source = python.store(random_scene(random, options));
    const Scene scene = build(source);
    const Path path{random_segment(scene.tree(), random, 0.3), {}, {}};
    CheckOptions check_options = test::any_values();
    check_options.certificate = true;
    Scratch scratch;
    const auto result = check(scene, path, check_options, scratch);
    ASSERT_TRUE(result.ok());
    if (result.value().verdict != Verdict::free) continue;
    python.store(path, scene);
    LinkPoses poses;
    compute_poses(scene.tree(), path.waypoints[0], poses);
    const int link = scene.tree().num_links() - 1;
    const Pose X_WL = poses.X_WL[static_cast<std::size_t>(link)];
    const Vec3 p = X_WL * Vec3{0.1, 0, 0}, z = X_WL.R.column(2);
    for (const double size : {0.02, 0.2, 2.0}) {
      const std::string name = scene.tree().link(link).name;
      python.write("box.json",
                   fmt::format(R"({{"proven": 1, "constraints": [
          {{"link": "{}", "frame": {{"xyz": [0.1, 0, 0]}}, "box": [{}, {}, {}], "pose": {{"xyz": [{}, {}, {}]}}}},
          {{"link": "{}", "cone": {}, "direction": [{}, {}, {}]}}]}})",
                               name, size, size, size, p.x, p.y, p.z, name, size, z.x, z.y, z.z));
      VerifyOptions kept;
      const auto read = verifier::read_constraints(python.folder() / "box.json", source);
      ASSERT_TRUE(read.ok()) << read.error().text();
      kept.constraints = read.value();
      kept.tracking_error = 1e-3;
      const VerifyReport report = verify(source, path, result.value().certificate, kept);
      EXPECT_EQ(
          python.run(result.value().certificate, "--constraints box.json --tracking-error 1e-3"),
          report.accepted ? kAccepted : kRejected)
          << size << ": " << python.output() << " / " << report.reason;
      ++(report.accepted ? accepted : rejected);
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(rejected, 0);
}

}  // namespace
}  // namespace proven::test
