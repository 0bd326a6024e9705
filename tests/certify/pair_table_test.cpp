// Tables of links that are close by design: cells that they call free are, and the balls that they
// name lie inside the bodies.
#include "certify/pair_table.h"

#include <gtest/gtest.h>

#include "any_values.h"
#include "certify/random_scenes.h"
#include "certify/sweep_support.h"
#include "proven/certify/check.h"
#include "support.h"

namespace proven {
namespace {

using test::distance_at;
using test::model_of;
using test::random_case;

// Chords are settled as their own cells say, however many are asked at once.
TEST(PairTable, ChordsAreOpenWhereACellIs) {
  Random random(15);
  int open = 0, free = 0;
  for (int i = 0; i < test::cases(300); ++i) {
    PairTable table;
    for (std::size_t a = 0; a < 2; ++a)
      table.axis[a] = {static_cast<int>(a), -1, 2.0 / PairTable::kCells, random.index(2) == 0};
    const double share = random.uniform(0.9, 1);
    for (int stripe = 0; stripe < PairTable::kStripes; ++stripe)
      for (int cell = 0; cell < PairTable::kCells; ++cell)
        if (random.uniform() < share || (cell / 16 + stripe / 16) % 3 != 0)
          table.set_free(cell, stripe);
    std::vector<double> from(2), to(2);
    for (std::size_t a = 0; a < 2; ++a)
      from[a] = random.uniform(-1.2, 1.2), to[a] = from[a] + random.uniform(-0.7, 0.7);
    const std::uint32_t found = table.open_chords({from, to});
    const auto cell = [&](std::size_t a, int k) {
      const double x = from[a] + static_cast<double>(k) / kChords * (to[a] - from[a]);
      return static_cast<int>(std::floor((x - table.axis[a].lower) / table.axis[a].width));
    };
    for (int k = 0; k < kChords; ++k) {
      bool is_free = true;
      const auto [x0, x1] = std::minmax({cell(0, k), cell(0, k + 1)});
      const auto [y0, y1] = std::minmax({cell(1, k), cell(1, k + 1)});
      // Across the end of a turn it stays open.
      const auto turn = [&](std::size_t a, int place) {
        return table.axis[a].whole ? static_cast<int>(std::floor(place / 256.0)) : 0;
      };
      const auto within = [&](std::size_t a, int first, int last) {
        return first >= 256 * turn(a, first) && last < 256 * (turn(a, first) + 1);
      };
      if (!within(0, x0, x1) || !within(1, y0, y1)) is_free = false;
      for (int x = x0; x <= x1 && is_free; ++x)
        for (int y = y0; y <= y1 && is_free; ++y)
          is_free = table.is_free(x - 256 * turn(0, x0), y - 256 * turn(1, y0));
      EXPECT_EQ((found >> k & 1) == 0, is_free) << i << " " << k;
      ++(is_free ? free : open);
    }
  }
  EXPECT_GT(open, 0);
  EXPECT_GT(free, 0);
}

// What one table has for several pairs is free where it is for each of them.
TEST(PairTable, TogetherFreeIsFreeForEach) {
  Random random(16);
  std::array<PairTable, 3> tables;
  for (PairTable& table : tables)
    for (int i = 0; i < 50'000; ++i)
      table.set_free(random.index(PairTable::kCells), random.index(PairTable::kStripes));
  PairTable all = tables[0].without_contacts();
  for (const PairTable& table : tables) all.keep_free(table);
  int free = 0, open = 0;
  for (int stripe = 0; stripe < PairTable::kStripes; ++stripe)
    for (int cell = 0; cell < PairTable::kCells; ++cell) {
      const bool each = std::ranges::all_of(
          tables, [&](const PairTable& table) { return table.is_free(cell, stripe); });
      EXPECT_EQ(all.is_free(cell, stripe), each);
      ++(each ? free : open);
    }
  EXPECT_GT(free, 1000);
  EXPECT_GT(open, 1000);
}

// Of tables that no model holds, a process keeps some; those that one holds stay the same.
TEST(PairTable, OfThoseThatNobodyHoldsFewAreKept) {
  Random random(17);
  const auto table_of = [](const CheckModel& model) {
    for (const SweepModel::Pair& pair : model.data().sweep().pairs())
      if (pair.table) return pair.table;
    return std::shared_ptr<const PairTable>();
  };
  // One with a table that is soon made.
  std::optional<test::SweepCase> asked;
  std::shared_ptr<const PairTable> held;
  for (int i = 0; i < 50 && !held; ++i) {
    asked = random_case(random, i % 2 == 0, false);
    held = table_of(model_of(*asked, 1e-3));
  }
  ASSERT_TRUE(held);
  std::weak_ptr<const PairTable> dropped = table_of(model_of(*asked, 2e-3));
  EXPECT_FALSE(dropped.expired());
  const int models = static_cast<int>(PairTable::kMostUnused) + 10;
  for (int i = 0; i < models; ++i) model_of(*asked, 0.003 + 1e-6 * i).data().sweep();
  EXPECT_TRUE(dropped.expired());
  EXPECT_EQ(table_of(model_of(*asked, 1e-3)), held);
}

// Links that are close by design, over all angles of the two joints between them.
TEST(PairTable, FreeCellsAreFree) {
  Random random(5);
  int free = 0, taken = 0;
  for (int i = 0; i < test::cases(30); ++i) {
    const test::SweepCase c = random_case(random, i % 2 == 0, false);
    const CheckModel model = model_of(c, i % 3 == 0 ? 0.01 : 0.0);
    for (int pair = 0; pair < static_cast<int>(c.scene.pairs().size()); ++pair) {
      const BodyPair& bodies = c.scene.pairs()[static_cast<std::size_t>(pair)];
      if (c.scene.pair_class(bodies.a, bodies.b) != PairClass::self) continue;
      const auto table = pair_table(model.data(), pair);
      if (!table) continue;
      const double clearance = i % 3 == 0 ? 0.01 : 0.0;
      const auto is_free = [&](int cell, int stripe) { return table->is_free(cell, stripe); };
      const int stripes = table->axis[1].coordinate < 0 ? 1 : PairTable::kStripes;
      int looked_at = 0;
      for (int stripe = 0; stripe < stripes; ++stripe)
        for (int cell = 0; cell < PairTable::kCells && looked_at < 100; ++cell) {
          ++(is_free(cell, stripe) ? free : taken);
          const bool beside_taken = (cell > 0 && !is_free(cell - 1, stripe)) ||
                                    (cell + 1 < PairTable::kCells && !is_free(cell + 1, stripe)) ||
                                    (stripe > 0 && !is_free(cell, stripe - 1)) ||
                                    (stripe + 1 < stripes && !is_free(cell, stripe + 1));
          if (!is_free(cell, stripe) || !beside_taken) continue;
          ++looked_at;
          // The corners of cells at the border of what is free.
          test::SweepCase at = c;
          at.rows.resize(2);
          for (const int corner : {0, 1, 2, 3}) {
            std::vector<double>& q = at.rows[0];
            q = random_configuration(c.scene.tree(), random, 0.3);
            const int place[2] = {cell + (corner & 1), stripe + (corner >> 1)};
            for (std::size_t a = 0; a < 2; ++a)
              if (const PairTable::Axis& axis = table->axis[a]; axis.coordinate >= 0)
                q[static_cast<std::size_t>(axis.coordinate)] = axis.lower + place[a] * axis.width;
            at.rows[1] = q;
            EXPECT_GT(distance_at(at, pair, 0), clearance) << i << ' ' << pair;
          }
        }
    }
  }
  EXPECT_GT(free, test::cases(30));
  EXPECT_GT(taken, test::cases(30));
}

// Three or four joints between a post and a tip that may hit it: the first turns about the post,
// the last about the tip, or nearly so.
Scene spun_arm(Random& random, int joints) {
  Robot robot;
  for (int i = 0; i <= joints; ++i) {
    robot.links.emplace_back();
    robot.links.back().name = "l" + std::to_string(i);
    if (i == 0) continue;
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent_link = robot.links[static_cast<std::size_t>(i) - 1].name;
    joint.child_link = robot.links.back().name;
    joint.axis = i == 1 || i == joints ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
    joint.X_PJ.p = i == 1 ? Vec3{0.01, 0, 0.4} : Vec3{0, random.uniform(-0.02, 0.02), 0.25};
    joint.limits = {-3.1, 3.1, 1, 1};
    robot.joints.push_back(joint);
  }
  const Pose leaning{rotation(random.unit_vector(), 0.1), {0.01, 0, 0}};
  robot.links[0].collision.push_back({Box{{0.06, 0.07, 0.3}}, leaning, ""});
  robot.links.back().collision.push_back(
      {test::random_shape(random, {0.05, 0.04, 0.08}, true), leaning, ""});
  SceneSource source;
  source.robots.push_back({"r", robot, Pose{}});
  return test::build(source);
}

TEST(PairTable, SpunLinksAreApartInEveryTurn) {
  Random random(8);
  int spun = 0, looked_at = 0, near = 0;
  for (int i = 0; i < 10; ++i) {
    test::SweepCase c{spun_arm(random, 3 + i % 2), {}};
    ASSERT_EQ(c.scene.pairs().size(), 1u);
    const double clearance = i % 3 == 0 ? 0.01 : 0.0;
    const CheckModel model = CheckModel::build(c.scene,
                                               [&] {
                                                 CheckOptions options = test::any_values();
                                                 options.clearance =
                                                     Clearances::everywhere(clearance);
                                                 return options;
                                               }())
                                 .value();
    const auto table = pair_table(model.data(), 0);
    ASSERT_TRUE(table);
    spun += table->spun;
    for (int stripe = 1; stripe < PairTable::kStripes; stripe += 3)
      for (int cell = 1; cell < PairTable::kCells; cell += 2) {
        // At the border of what is free.
        if (!table->is_free(cell, stripe) ||
            (table->is_free(cell - 1, stripe) && table->is_free(cell, stripe - 1)))
          continue;
        for (int k = 0; k < 10; ++k) {
          std::vector<double> q = random_configuration(c.scene.tree(), random);
          const double place[2] = {cell + random.uniform(0, 1), stripe + random.uniform(0, 1)};
          for (std::size_t a = 0; a < 2; ++a)
            q[static_cast<std::size_t>(table->axis[a].coordinate)] =
                table->axis[a].lower + place[a] * table->axis[a].width;
          c.rows = {q, q};
          const double distance = distance_at(c, 0, 0);
          EXPECT_GT(distance, clearance) << i;
          ++looked_at;
          near += distance < clearance + 0.01;
        }
      }
  }
  EXPECT_EQ(spun, 10);
  EXPECT_GT(looked_at, 1000);
  EXPECT_GT(near, 20);
}

// A ball that a table names lies in the body.
void expect_inside(const PairTable::Ball& ball, const BodyGeometry& geometry, Random& random) {
  if (!(ball.radius > 0)) return;  // a corner
  const Vec3 centre{ball.centre[0], ball.centre[1], ball.centre[2]};
  for (int k = 0; k < 20; ++k)
    EXPECT_TRUE(geometry.contains(centre + (1 - 1e-5) * ball.radius * random.unit_vector()));
}

// In cells that are not free a table names two balls inside of the bodies. In the middle of the
// cell they are as near to each other as any that the bodies are filled with, or deeper.
TEST(PairTable, NamesBallsThatAreDeep) {
  Random random(6);
  int named = 0, overlapping = 0, deeper = 0;
  for (int i = 0; i < 12; ++i) {
    const test::SweepCase c = random_case(random, i % 2 == 0, false);
    const CheckModel model = model_of(c, 0);
    for (int pair = 0; pair < static_cast<int>(c.scene.pairs().size()); ++pair) {
      const BodyPair& bodies = c.scene.pairs()[static_cast<std::size_t>(pair)];
      if (c.scene.pair_class(bodies.a, bodies.b) != PairClass::self) continue;
      const auto table = pair_table(model.data(), pair);
      if (!table) continue;
      const BodyGeometry &of_a = *c.scene.body(bodies.a).geometry,
                         &of_b = *c.scene.body(bodies.b).geometry;
      const auto A = InnerLanes::of(of_a, Pose{}), B = InnerLanes::of(of_b, Pose{});
      for (int k = 0; k < 40; ++k) {
        // Mostly from a cell that is not free to one nearby.
        std::vector<double> from = random_configuration(c.scene.tree(), random, 0.3), to = from;
        const int stripes = table->axis[1].coordinate < 0 ? 1 : PairTable::kStripes;
        int place[2] = {0, 0};
        for (int tries = 0; tries < 50; ++tries) {
          place[0] = random.index(PairTable::kCells), place[1] = random.index(stripes);
          if (!table->is_free(place[0], place[1])) break;
        }
        for (std::size_t a = 0; a < 2; ++a)
          if (const PairTable::Axis& axis = table->axis[a]; axis.coordinate >= 0) {
            const auto x = static_cast<std::size_t>(axis.coordinate);
            from[x] = axis.lower + (place[a] + random.uniform(0.1, 0.9)) * axis.width;
            to[x] = from[x] + random.uniform(-3, 3) * axis.width;
          }
        const PairTable::Line line{from, to};
        std::array<PairTable::Likely, PairTable::kMostLikely> likely;
        const int found = table->likely_contacts(line, table->open_chords(line), likely);
        EXPECT_TRUE(found == 0 || !table->spun);
        for (int n = 0; n < found; ++n) {
          const PairTable::Likely& one = likely[static_cast<std::size_t>(n)];
          const PairTable::Contact& contact = *one.contact;
          if (n > 0) {
            EXPECT_LE(likely[static_cast<std::size_t>(n) - 1].contact->gap, contact.gap);
          }
          std::vector<double> q = from;
          for (std::size_t j = 0; j < q.size(); ++j)
            q[j] += (to[j] - from[j]) * one.moment / kChords;
          for (const PairTable::Axis& axis : table->axis) {
            if (axis.coordinate < 0) continue;
            double& x = q[static_cast<std::size_t>(axis.coordinate)];
            x = axis.lower + (std::floor((x - axis.lower) / axis.width) + 0.5) * axis.width;
          }
          LinkPoses poses;
          compute_poses(c.scene.tree(), q, poses);
          const Pose X_AB =
              relative_pose(c.scene.body_pose(bodies.a, poses), c.scene.body_pose(bodies.b, poses));
          const auto gap = [&](const Vec3& p, double r, const Vec3& x, double s) {
            return norm(X_AB * x - p) - r - s;
          };
          double least = INFINITY;
          for (int a = 0; a < A->count; ++a)
            for (int b = 0; b < B->count; ++b)
              least = std::min(least, gap(A->centre(a), A->radius(a), B->centre(b), B->radius(b)));
          const auto centre = [](const PairTable::Ball& ball) {
            return Vec3{ball.centre[0], ball.centre[1], ball.centre[2]};
          };
          EXPECT_NEAR(gap(centre(contact.a), contact.a.radius, centre(contact.b), contact.b.radius),
                      contact.gap, 1e-5)
              << i << ' ' << pair;
          EXPECT_LE(contact.gap, least + 1e-5) << i << ' ' << pair;
          expect_inside(contact.a, of_a, random);
          expect_inside(contact.b, of_b, random);
          ++named;
          overlapping += least < 0;
          deeper += contact.gap < least - 1e-3;
        }
      }
    }
  }
  EXPECT_GT(named, 12);
  EXPECT_GT(overlapping, 0);
  EXPECT_LT(overlapping, named);
  EXPECT_GT(deeper, 0);
}

}  // namespace
}  // namespace proven
