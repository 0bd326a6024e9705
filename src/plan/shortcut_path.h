// A proved path that shortcuts shorten: places on it are lengths from its begin.
#pragma once

#include <memory>
#include <vector>

#include "plan/prover.h"

namespace proven {

class ShortcutPath {
 public:
  // The path must be free by the same options.
  ShortcutPath(const Scene& scene, const CheckOptions& options, const JointSpace& space,
               const std::vector<std::vector<double>>& waypoints);

  double length() const { return places_.back(); }
  int num_segments() const { return static_cast<int>(configurations_.size()) - 1; }

  // Replaces the part between two places by one straight segment if that is proved and shorter by
  // more than `least_gain`; returns what was gained, else 0.
  double try_shortcut(double from, double to, double least_gain);

  std::vector<std::vector<double>> waypoints(const Scene& scene) const;
  std::int64_t tried() const { return tried_; }
  std::int64_t taken() const { return taken_; }
  const CheckStats& stats() const { return stats_; }

 private:
  // A place: on segment `segment`, which it cuts unless it is (next to) an end of it.
  struct Place {
    int segment = 0;
    double t = 0;
    bool at_begin = false, at_end = false;
  };
  Place locate(double place) const;
  void point_at(const Place& place, std::vector<double>& out) const;
  int waypoint_at(const Place& place) const;  // -1: between two
  bool proves(int from, int to);
  void replace(const Place& from, const Place& to, int from_configuration, int to_configuration);
  void measure();
  // Keeps the path alone when the session has grown large.
  void forget();

  const Scene& scene_;
  CheckOptions options_;
  const JointSpace& space_;
  std::unique_ptr<Prover> prover_;
  std::vector<int> configurations_;  // of the prover
  std::vector<double> places_;       // of the configurations
  std::vector<double> from_, to_;    // scratch
  std::int64_t tried_ = 0, taken_ = 0;
  CheckStats stats_;
};

}  // namespace proven
