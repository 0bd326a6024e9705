// What the viewer shows, as one JSON document (docs/viewer.md): a scene, and motions of it with
// what is known of them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "proven/base/budget.h"
#include "proven/certify/least_clearance.h"
#include "proven/certify/options.h"
#include "proven/certify/verdict.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"
#include "proven/verify/verify.h"
#include "tools/view/cells.h"

namespace proven::tools {

// A path and what is known of it.
struct ShownMotion {
  std::string name;  // of several in one page; may be empty
  Path path;
  CheckOptions options;               // of the check, or of the verification
  std::optional<CheckResult> result;  // nothing if it was not checked
  std::optional<VerifyReport> verified;
  ProofCells cells;                     // of an accepted proof
  std::optional<LeastClearance> least;  // nothing if it was not sought
  // Where it consists of motions that are judged elsewhere: the verdict, and what it means.
  std::string verdict, meaning;
  // Parts that have a name, such as the steps of a plan: each from its first waypoint to the
  // next's.
  std::vector<std::pair<std::size_t, std::string>> phases;
  // Where it is drawn in another scene, or at other times, than those of the check. Times of its
  // waypoints, times of the waypoints of the path that was checked, and what that path's scene
  // tests; empty or null: as the document says.
  std::vector<double> knots, checked_knots;
  bool plan_clock = false;  // these are times of a task plan
  nlohmann::ordered_json pairs, excluded;
};

// Lets the independent verifier check the certificate, and keeps the cells of the proof.
void verify_motion(const SceneSource& source, std::span<const std::uint8_t> certificate,
                   bool trust_srdf_never, ShownMotion& motion);
// Checks a path, and verifies what the check says.
Result<ShownMotion> check_motion(const SceneSource& source, const Scene& scene, Path path,
                                 const CheckOptions& options, bool trust_srdf_never,
                                 const Budget& budget = {});

// So many pairs are listed at each moment of a motion.
inline constexpr int kNearestShown = 5;
// Seeks the least clearance of a motion that is free, for a page: within seconds, and not at all
// where it cannot be had (see least_clearance).
void find_clearance(const Scene& scene, ShownMotion& motion, const Budget& budget = {});

// "23 bodies of 4213 pieces, 6 joints"
std::string size_of(const Scene& scene);

class ViewDocument {
 public:
  explicit ViewDocument(std::string title);

  void set_scene(const Scene& scene, std::string subtitle);
  void add_motion(const Scene& scene, const ShownMotion& motion);
  // Something that went wrong: the page shows it, with whatever else there is.
  void add_error(const Error& error);

  const std::string& title() const { return title_; }
  // For what is neither a scene nor a motion of it.
  nlohmann::ordered_json& json() { return json_; }
  std::string text() const { return json_.dump(); }

 private:
  std::string title_;
  nlohmann::ordered_json json_;
};

}  // namespace proven::tools
