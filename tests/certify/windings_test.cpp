// Values far from zero: turns by the thousand, limits of any size, couplings of any factor. What
// tables and sweeps say of them, on threads and in batches, is what the search says.
#include <gtest/gtest.h>

#include <numbers>

#include "any_values.h"
#include "certify/batch_backend.h"
#include "certify/directional_search.h"
#include "certify/pair_table.h"
#include "certify/sweep_support.h"
#include "certify/verdicts.h"
#include "proven/base/parallel.h"
#include "proven/certify/batch.h"
#include "proven/certify/check.h"
#include "support.h"

namespace proven {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

PairTable free_table(bool whole, double lower, double width) {
  PairTable table;
  for (std::size_t a = 0; a < 2; ++a)
    table.axis[a] = {static_cast<int>(a), lower, width / PairTable::kCells, whole};
  for (int stripe = 0; stripe < PairTable::kStripes; ++stripe)
    for (int cell = 0; cell < PairTable::kCells; ++cell) table.set_free(cell, stripe);
  PairTable::Contact contact;
  contact.a.radius = contact.b.radius = 1;
  return table;
}

// A table says nothing of values that are too far for it, though all of its cells are free.
TEST(Windings, TablesSayNothingOfWhatIsTooFar) {
  for (const double lower : {-std::numbers::pi, -201.0, -1e9, 1e9})
    for (const bool whole : {false, true}) {
      const PairTable table = free_table(whole, lower, kTurn);
      const auto open = [&](double from, double to) {
        const std::vector<double> a = {from, lower + 1}, b = {to, lower + 1.1};
        const std::uint32_t chords = table.open_chords({a, b});
        // Of either coordinate.
        const std::vector<double> c = {lower + 1, from}, d = {lower + 1.1, to};
        EXPECT_EQ(table.open_chords({c, d}), chords);
        return chords;
      };
      EXPECT_EQ(open(lower + 0.5, lower + 0.6), 0u);
      for (const double turns : {1.0, 20.0, 31.0})
        EXPECT_EQ(open(lower + turns * kTurn + 0.5, lower + turns * kTurn + 0.6),
                  whole ? 0u : kAllChords);
      for (const double turns : {32.0, 33.0, 64.0, 4096.0, 1e6, -33.0, -1e6, 1e300, -1e300}) {
        EXPECT_EQ(open(lower + turns * kTurn + 0.5, lower + turns * kTurn + 0.6), kAllChords);
        EXPECT_EQ(open(lower + 0.5, lower + turns * kTurn), kAllChords);
        EXPECT_EQ(open(lower + turns * kTurn, lower + 0.5), kAllChords);
      }
      for (const double none : {std::nan(""), static_cast<double>(INFINITY), -HUGE_VAL, 1e308})
        EXPECT_EQ(open(none, -none), kAllChords);
    }
}

// An arm of two joints over its own base, on which a post stands: it meets it once in every turn.
// Without limits, or with these.
SceneSource arm_beside_its_post(double limit) {
  SceneSource source;
  Robot robot;
  test::add_link(robot, "base", "", JointType::fixed, {},
                 {{Box{{0.05, 0.05, 0.3}}, Pose::translation({-0.4, 0, 0}), ""}});
  const JointType type = std::isfinite(limit) ? JointType::revolute : JointType::continuous;
  test::add_link(robot, "turret", "base", type, {0, 0, 1}, {}, limit);
  test::add_link(
      robot, "arm", "turret", JointType::prismatic, {0, 0, 1},
      {{Capsule{0.03, 0.15}, {rotation({0, 1, 0}, 0.5 * std::numbers::pi), {0.3, 0, 0}}, ""}}, 0.1);
  source.robots.push_back({"robot", robot, Pose{}});
  return source;
}

TEST(Windings, AnArmMeetsItsPostInEveryTurn) {
  for (const double limit : {static_cast<double>(INFINITY), 202.0, 1e4, 1e7}) {
    const Scene scene = test::build(arm_beside_its_post(limit));
    ASSERT_EQ(scene.pairs().size(), 1u);
    const CheckModel plain = CheckModel::build(scene, test::any_values()).value();
    CheckOptions options = test::any_values();
    options.sweep = true;
    Scratch scratch;
    for (const double turns : {0.0, 1.0, 20.0, 27.0, 28.0, 29.0, 30.0, 31.0, 100.0, 1600.0}) {
      if (turns * kTurn + 4 > limit) continue;
      for (const double sign : {-1.0, 1.0})
        for (const auto& [from, to, verdict] :
             {std::tuple(2.9, 3.4, Verdict::collision), std::tuple(-0.5, 0.5, Verdict::free)}) {
          const std::vector<double> a = {sign * (turns * kTurn + from), 0},
                                    b = {sign * (turns * kTurn + to), 0.01};
          const CheckModel swept =
              CheckModel::build(scene, options).value().covering(a, a).covering(b, b);
          swept.prepare_sweeps();
          EXPECT_EQ(plain.check_segment({a, b}, scratch).verdict, verdict) << turns;
          EXPECT_EQ(swept.check_segment({a, b}, scratch).verdict, verdict)
              << sign * turns << " turns, limit " << limit;
          const PreCheck alone = swept.pre_check({a, b}, CheckModel::Effort::sweeps_alone, scratch);
          EXPECT_NE(alone.verdict,
                    verdict == Verdict::free ? PreVerdict::contact : PreVerdict::clear);
          const PreCheck thorough = swept.pre_check({a, b}, CheckModel::Effort::thorough, scratch);
          EXPECT_EQ(test::verdict_of(thorough.verdict), verdict);
          BatchOptions wanted;
          wanted.device = BatchDevice::emulated;
          wanted.threads = 1;
          wanted.prove = false;
          const auto batch = BatchChecker::build(swept, wanted).value();
          EXPECT_EQ(test::verdict_of(batch.check({a, b, false}).value().verdicts[0]), verdict)
              << sign * turns << " turns in a batch, limit " << limit;
        }
    }
  }
}

}  // namespace
}  // namespace proven
