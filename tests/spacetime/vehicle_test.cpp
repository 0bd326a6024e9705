// The vehicle model: simulated drives are within it, and each way of leaving it is named.
#include "proven/spacetime/vehicle.h"

#include <functional>

#include "support.h"

namespace proven::spacetime {
namespace {

// The single-track model by small steps, from commands of acceleration and steering rate.
Trajectory simulated(const VehicleModel& model, double speed, double seconds, double step,
                     const std::function<double(double)>& acceleration,
                     const std::function<double(double)>& rate) {
  Trajectory m;
  double x = 0, y = 0, heading = 0.3, v = speed, steering = 0;
  const int fine = 200;
  for (int i = 0; i * step <= seconds + 1e-9; ++i) {
    m.t.push_back(i * step);
    m.x.push_back(x + model.rear_axle * std::cos(heading));
    m.y.push_back(y + model.rear_axle * std::sin(heading));
    m.heading.push_back(heading);
    for (int k = 0; k < fine; ++k) {
      const double h = step / fine, t = i * step + k * h;
      x += h * v * std::cos(heading);
      y += h * v * std::sin(heading);
      heading += h * v * std::tan(steering) / model.wheelbase;
      v = std::max(0.0, v + h * acceleration(t));
      steering += h * rate(t);
    }
  }
  return m;
}

TEST(Vehicle, DrivesOfTheModelAreWithinIt) {
  const auto nothing = [](double) { return 0.0; };
  for (const char* type : {"car", "small-car", "van", "truck", "bus"}) {
    const VehicleModel model = VehicleModel::of_type(type).value();
    for (const double speed : {0.0, 3.0, 12.0})
      for (const double step : {0.1, 0.2}) {
        const auto weave = [&](double t) {
          return 0.9 * model.max_steering_rate * (std::fmod(t, 0.4) < 0.2 ? 1 : -1) *
                 (speed > 5 ? 0.2 : 1);
        };
        const auto wrong = first_violation(model, simulated(model, speed, 3, step, nothing, weave));
        EXPECT_FALSE(wrong) << type << " " << speed << " " << (wrong ? wrong->text() : "");
        const auto brake = [&](double) { return -0.95 * model.max_acceleration; };
        EXPECT_FALSE(first_violation(model, simulated(model, speed, 3, step, brake, nothing)));
      }
  }
}

TEST(Vehicle, EveryLimitIsNamed) {
  const VehicleModel model;
  const auto nothing = [](double) { return 0.0; };
  const auto limit = [&](const Trajectory& m) {
    const auto wrong = first_violation(model, m);
    EXPECT_TRUE(wrong.has_value());
    if (wrong) {
      EXPECT_GT(wrong->text().size(), 20u);
    }
    return wrong ? wrong->limit : Limit::speed;
  };
  EXPECT_EQ(limit(simulated(model, 60, 1, 0.1, nothing, nothing)), Limit::speed);
  EXPECT_EQ(limit(simulated(
                model, 30, 1, 0.1, [](double) { return -12.0; }, nothing)),
            Limit::acceleration);
  EXPECT_EQ(limit(simulated(model, 20, 2, 0.1, nothing, [](double) { return 0.2; })),
            Limit::acceleration);  // across
  EXPECT_EQ(limit(simulated(model, 2, 4, 0.1, nothing, [](double) { return 0.39; })),
            Limit::steering);
  EXPECT_EQ(limit(simulated(model, 3, 1, 0.1, nothing, [](double) { return 1.2; })),
            Limit::steering_rate);
  Trajectory crab = simulated(model, 10, 1, 0.1, nothing, nothing);
  for (std::size_t i = 0; i < crab.t.size(); ++i) crab.heading[i] += 0.2;
  EXPECT_EQ(limit(crab), Limit::sliding);
  // Time that is warped shows as acceleration.
  Trajectory warped = simulated(model, 15, 2, 0.1, nothing, nothing);
  for (std::size_t i = 10; i < warped.t.size(); ++i) warped.t[i] -= 0.05;
  EXPECT_EQ(limit(warped), Limit::acceleration);
}

TEST(Vehicle, LeapsAreFound) {
  const VehicleModel model;
  const auto nothing = [](double) { return 0.0; };
  Trajectory m = simulated(model, 15, 2, 0.1, nothing, nothing);
  EXPECT_FALSE(first_leap(m));
  for (std::size_t i = 12; i < m.t.size(); ++i) m.x[i] += 3;
  const auto leap = first_leap(m);
  ASSERT_TRUE(leap);
  EXPECT_EQ(leap->sample, 12);
  EXPECT_GT(leap->acceleration, 200);
}

TEST(Vehicle, TypesAndSizes) {
  EXPECT_FALSE(VehicleModel::of_type("boat"));
  const VehicleModel car = VehicleModel{}.resized(9, 2.5);
  EXPECT_NEAR(car.wheelbase, 5.2, 1e-12);
  EXPECT_TRUE(validate(car).ok());
  EXPECT_FALSE(validate(VehicleModel{}.resized(0.01, 2)).ok());
}

}  // namespace
}  // namespace proven::spacetime
