// Proofs of traffic: what is free is accepted, and whatever is accepted is true.
#include "proven/verify/traffic.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "places.h"
#include "proven/base/random.h"
#include "proven/io/traffic_file.h"
#include "proven/spacetime/certificate.h"
#include "spacetime/oracle.h"
#include "support.h"

namespace proven {
namespace {

namespace fs = std::filesystem;
using spacetime::TrafficOptions;

class TrafficProofs : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("proven_traffic_proofs_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    const fs::path file = folder_ / name;
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  struct Case {
    fs::path scene, motions;
  };
  Case make(const std::string& obstacles, const std::string& trajectories) const {
    return {write("scene.json", "{\"proven\": 1, \"obstacles\": [" + obstacles + "]}"),
            write("motions.json",
                  "{\"proven\": 1, \"box\": [4, 2], \"trajectories\": [" + trajectories + "]}")};
  }

  // The proof that the checker writes for these files.
  static Result<spacetime::TrafficCertificate> prove(
      const Case& files, double clearance = 0,
      spacetime::Afterwards after = spacetime::kUsualAfterwards) {
    const auto scene = load_traffic(files.scene).value();
    std::vector<spacetime::CertifiedMotion> motions;
    const auto loaded = load_trajectories(files.motions);
    for (const NamedTrajectory& m : loaded.value()) motions.push_back({m.footprint, m.trajectory});
    TrafficOptions options;
    options.clearance = clearance;
    return certify_traffic(spacetime::TrafficScene::build(scene.obstacles).value(), motions, {},
                           options, after);
  }
  int second_verdict(const Case& files, const std::string& bytes, const std::string& more) const {
    const fs::path file = write("proof", bytes);
    const int status = std::system(("python3 -B '" + test::source_dir() + "/verify/traffic.py' '" +
                                    files.scene.string() + "' '" + files.motions.string() + "' '" +
                                    file.string() + "' " + more + " > /dev/null")
                                       .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static TrafficVerifyReport verify(const Case& files, const std::string& bytes,
                                    double clearance = 0, const std::string& after = "continue") {
    TrafficVerifyOptions options;
    options.after = after;
    options.clearance = clearance;
    return verify_traffic(files.scene, files.motions, bytes, options);
  }

  fs::path folder_;
};

std::string car(double y, const std::string& shape = "\"box\": [4, 2]") {
  return fmt::format(
      "{{\"name\": \"car\", {}, \"times\": [0, 1, 2], \"poses\": [[20, {}, 3.1], [10, {}, -3.1], "
      "[0, {}, -3.0]]}}",
      shape, y, y, y);
}
const std::string kStraight =
    R"({"name": "a", "times": [0, 1, 2], "poses": [[0, 0, 0], [8, 0.1, 0.05], [16, 0, 0]]})";

TEST_F(TrafficProofs, FreeIsAcceptedAndNothingElse) {
  const Case files = make(car(3), kStraight);
  const auto proof = prove(files);
  ASSERT_TRUE(proof.ok()) << proof.error().text();
  const auto report = verify(files, proof.value().bytes);
  EXPECT_TRUE(report.accepted) << report.reason;
  EXPECT_EQ(report.free, 1);
  ASSERT_EQ(report.theorem.size(), 2u);
  EXPECT_NE(report.theorem[0].find("from 0 to 2 s"), std::string::npos) << report.theorem[0];
  EXPECT_EQ(report.theorem[1],
            "there from 0 s, known to 2 s, straight on as in its last step after that (--after "
            "continue): 'car'");
  // Cut short, with more behind it, for more room, or for others.
  for (std::size_t n = 0; n < proof.value().bytes.size(); ++n)
    EXPECT_FALSE(verify(files, proof.value().bytes.substr(0, n)).accepted) << n;
  EXPECT_FALSE(verify(files, proof.value().bytes + "x").accepted);
  EXPECT_FALSE(verify(files, proof.value().bytes, 2).accepted);
  EXPECT_FALSE(verify(make(car(1), kStraight), proof.value().bytes).accepted);
  EXPECT_FALSE(
      verify(make(car(3) + "," + R"({"name": "b", "circle": 1, "pose": [9, 9, 0]})", kStraight),
             proof.value().bytes)
          .accepted);
  EXPECT_FALSE(verify(make(car(3), kStraight + "," + kStraight), proof.value().bytes).accepted);
  EXPECT_FALSE(verify({files.scene, folder_ / "none.json"}, proof.value().bytes).accepted);
}

TEST_F(TrafficProofs, WitnessesAreChecked) {
  for (const char* shape : {"\"box\": [4, 2]", "\"circle\": 1.2",
                            "\"polygon\": [[2, 1], [-2, 1], [-2, -1], [2, -1]]"}) {
    const Case files = make(car(0.7, shape), kStraight);
    const auto proof = prove(files);
    ASSERT_TRUE(proof.ok()) << proof.error().text();
    const auto report = verify(files, proof.value().bytes);
    EXPECT_TRUE(report.accepted) << shape << report.reason;
    EXPECT_EQ(report.collisions, 1);
    EXPECT_FALSE(verify(make(car(9, shape), kStraight), proof.value().bytes).accepted);
  }
  const Case near = make(car(3), kStraight);
  const auto proof = prove(near, 2);
  ASSERT_TRUE(proof.ok()) << proof.error().text();
  EXPECT_TRUE(verify(near, proof.value().bytes, 2).accepted);
  EXPECT_FALSE(verify(near, proof.value().bytes, 0.1).accepted);
}

// A car in the bay of a wall that is no convex polygon; and one that starts inside a ring's
// filling.
TEST_F(TrafficProofs, ShapesThatAreNotConvexGoByTheirEdges) {
  const std::string bay =
      R"({"name": "bay", "polygon": [[-5, -5], [25, -5], [25, 8], [24, 8], [24, -4], [-4, -4], [-4, 8], [-5, 8]],
          "pose": [0, 0, 0.01]})";
  const Case files = make(bay, kStraight);
  const auto proof = prove(files);
  ASSERT_TRUE(proof.ok()) << proof.error().text();
  const auto report = verify(files, proof.value().bytes);
  EXPECT_TRUE(report.accepted) << report.reason;
  EXPECT_GE(report.pairs, 8);
  // The same edges around another inside: a frame that holds the car. Its edges are as far away.
  const std::string frame =
      R"({"name": "bay", "polygon": [[-5, -5], [25, -5], [25, 8], [24, 8.5], [24, 9], [-4, 9], [-4, 8.5], [-5, 8]],
          "pose": [0, 0, 0.01]})";
  const Case inside = make(frame, kStraight);
  std::string forged;
  {
    // The proof for edges alone: the same corners as a thin wall around.
    const auto scene = load_traffic(inside.scene).value();
    std::vector<spacetime::Vec2> corners;
    for (const auto& [x, y] : {std::pair{-5.0, -5.0},
                               {25, -5},
                               {25, 8},
                               {24, 8.5},
                               {24, 9},
                               {-4, 9},
                               {-4, 8.5},
                               {-5, 8},
                               {-5, -5}})
      corners.push_back({x, y});
    spacetime::Obstacle wall;
    wall.name = "bay";
    wall.footprint = spacetime::Footprint::polyline(corners).value();
    wall.pose = {0, 0, 0.01};
    const auto motions = load_trajectories(inside.motions).value();
    forged =
        certify_traffic(
            spacetime::TrafficScene::build({wall}).value(),
            std::vector<spacetime::CertifiedMotion>{{motions[0].footprint, motions[0].trajectory}},
            {}, {})
            .value()
            .bytes;
    // Eight lines, whole, become one shape by its edges.
    const std::size_t modes = 8 + 4 + 8 + 1 + 4 + 1 + 1;
    forged = forged.substr(0, modes) + std::string(1, '\1') + forged.substr(modes + 8);
  }
  const auto refused = verify(inside, forged);
  EXPECT_FALSE(refused.accepted);
  EXPECT_NE(refused.reason.find("inside the other"), std::string::npos) << refused.reason;
}

// The two verifiers share no line of code. Random proofs, whole and altered, among shapes and sets
// of all kinds: they agree.
TEST_F(TrafficProofs, TheSecondVerifierAgrees) {
  PROVEN_REQUIRE_TOOL(std::system("python3 -c 'import mpmath' 2>/dev/null") == 0,
                      "python3 with mpmath");
  Random random(5);
  int accepted = 0, rejected = 0;
  for (int round = 0; round < 16; ++round) {
    const double y = round % 4 == 3 ? 0.8 : random.uniform(2.6, 6);
    const std::string more =
        R"({"name": "set", "occupancy": [{"from": 0.2, "to": 0.7, "polygon": [[0, 4], [6, 4], [3, 3]]},
            {"from": 0.5, "to": 3, "circle": 1, "centre": [4, -4]}]},
           {"name": "bay", "polygon": [[-5, -5], [25, -5], [25, 9], [24, 9], [24, -4.6], [-4, -4.6], [-4, 9], [-5, 9]],
            "pose": [0, -0.5, 0]},)";
    const Case files =
        make(more + car(y, round % 2 ? "\"circle\": 1.1" : "\"box\": [4, 2]"), kStraight);
    const auto proof = prove(files);
    ASSERT_TRUE(proof.ok()) << proof.error().text();
    std::string bytes = proof.value().bytes;
    if (round % 4 == 2) {
      const auto at = static_cast<std::size_t>(random.index(static_cast<int>(bytes.size())));
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.index(8)));
    }
    const bool first = verify(files, bytes).accepted;
    const fs::path file = write("proof", bytes);
    const int status = std::system(("python3 -B '" + test::source_dir() + "/verify/traffic.py' '" +
                                    files.scene.string() + "' '" + files.motions.string() + "' '" +
                                    file.string() + "' > /dev/null")
                                       .c_str());
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), first ? 0 : 5) << round;
    ++(first ? accepted : rejected);
  }
  EXPECT_GT(accepted, 8);
  EXPECT_GT(rejected, 0);
}

// Discs that end before, while or after others move: a proof is of what was chosen to follow, is
// true of it at all times, and is rejected by both where something else is asked.
TEST_F(TrafficProofs, WhatFollowsARecordingIsProved) {
  PROVEN_REQUIRE_TOOL(std::system("python3 -c 'import mpmath' 2>/dev/null") == 0,
                      "python3 with mpmath");
  const char* kWords[] = {"rest", "continue", "gone"};
  Random random(3);
  int free = 0, hits = 0;
  for (int round = 0; round < 60; ++round) {
    const double end = random.uniform(0.4, 2), vx = random.uniform(-6, 6),
                 vy = random.uniform(-6, 6), y = random.uniform(-9, 9);
    const Case files =
        make(fmt::format(R"({{"name": "m", "circle": 1, "times": [0, {}], "poses": [[0, {}, 0.3],
                        [{}, {}, 1]]}},
                       {{"name": "s", "occupancy": [{{"from": 0, "to": {}, "circle": 0.7, "centre":
                        [{}, 3]}}]}})",
                         end, y, end * vx, y + end * vy, 0.5 * end, random.uniform(-9, 9)),
             R"({"name": "a", "circle": 1.5, "times": [0.5, 2, 4], "poses": [[-9, 0, 0], [0, 0, 0],
            [9, 3, 0]]})");
    const int chosen = round % 3;
    const auto proof = prove(files, 0, static_cast<spacetime::Afterwards>(chosen));
    if (!proof.ok()) continue;  // touching
    const auto report = verify(files, proof.value().bytes, 0, kWords[chosen]);
    EXPECT_TRUE(report.accepted) << round << report.reason;
    free += report.free, hits += report.collisions;
    for (int asked = 0; asked < 3; ++asked)
      EXPECT_EQ(verify(files, proof.value().bytes, 0, kWords[asked]).accepted, asked == chosen);
    if (round < 18) {
      EXPECT_EQ(second_verdict(files, proof.value().bytes,
                               std::string("--after ") + kWords[(round / 3) % 3]),
                chosen == (round / 3) % 3 ? 0 : 5)
          << round;
    }
    if (report.free == 0) continue;
    for (int k = 0; k <= 700; ++k) {
      const double t = 0.5 + 3.5 * k / 700;
      if (t > end && chosen == 2) break;
      const double seen = chosen == 0 ? std::min(t, end) : t;
      const double ax = t < 2 ? -9 + 6 * (t - 0.5) : 4.5 * (t - 2), ay = t < 2 ? 0 : 1.5 * (t - 2);
      EXPECT_GT(std::hypot(ax - seen * vx, ay - y - seen * vy), 2.5) << round << " at " << t;
    }
  }
  EXPECT_GT(free, 15);
  EXPECT_GT(hits, 5);
}

// Random scenes, and proofs of one scene held against a slightly other one: what is accepted as
// free is free by the twin.
TEST_F(TrafficProofs, WhatIsAcceptedIsTrue) {
  namespace twin = spacetime::twin;
  Random random(11);
  int free = 0, hits = 0, other_accepted = 0, other_rejected = 0;
  for (int round = 0; round < 150; ++round) {
    const auto motion = [&](double speed) {
      std::string times, poses;
      double x = random.uniform(-12, 12), y = random.uniform(-12, 12), h = random.uniform(-3, 3);
      for (int i = 0; i <= 6; ++i) {
        times += fmt::format("{}{}", i ? ", " : "", 0.3 * i);
        poses += fmt::format("{}[{}, {}, {}]", i ? ", " : "", x, y, h);
        h += random.uniform(-0.4, 0.4);
        x += 0.3 * speed * std::cos(h), y += 0.3 * speed * std::sin(h);
      }
      return std::pair{times, poses};
    };
    const auto [t1, p1] = motion(5);
    const std::string moving =
        fmt::format(R"({{"name": "m", "box": [4.2, 1.9], "times": [{}], "poses": [{}]}})", t1, p1);
    const auto [t2, p2] = motion(6);
    const std::string own = fmt::format(R"({{"times": [{}], "poses": [{}]}})", t2, p2);
    const double at = random.uniform(-8, 8);
    const auto scene_with = [&](double shift) {
      return moving + "," +
             fmt::format(R"({{"name": "s", "circle": 1.3, "pose": [{}, {}, 0]}})", at + shift, 0.3);
    };
    const Case files = make(scene_with(0), own);
    const auto proof = prove(files);
    if (!proof.ok()) continue;  // touching
    const auto report = verify(files, proof.value().bytes);
    EXPECT_TRUE(report.accepted) << report.reason;
    free += report.free, hits += report.collisions;
    const double shift = random.uniform(-0.6, 0.6);
    const Case other = make(scene_with(shift), own);
    const auto again = verify(other, proof.value().bytes);
    ++(again.accepted ? other_accepted : other_rejected);
    const auto scene = load_traffic(other.scene).value();
    const auto mine = load_trajectories(other.motions).value()[0];
    long double least = 1e9L;
    for (int k = 0; k <= 400; ++k) {
      const long double t = 1.8L * k / 400;
      const auto placed = twin::placed(mine.footprint, twin::oracle_pose(mine.trajectory, t));
      least = std::min(
          least,
          twin::distance_of(placed, twin::placed(scene.obstacles[0].footprint,
                                                 twin::oracle_pose(scene.obstacles[0].motion, t))));
      least =
          std::min(least, twin::distance_of(placed, twin::placed(scene.obstacles[1].footprint,
                                                                 {scene.obstacles[1].pose.x,
                                                                  scene.obstacles[1].pose.y, 0})));
    }
    if (again.accepted && again.free == 1) {
      EXPECT_GT(least, 0) << round;
    }
  }
  EXPECT_GT(free, 30);
  EXPECT_GT(hits, 10);
  EXPECT_GT(other_accepted, 10);
  EXPECT_GT(other_rejected, 10);
}

}  // namespace
}  // namespace proven
