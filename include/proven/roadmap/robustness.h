// ε-robustness (paper 004, section 4): no obstacle of radius ε or less may cut the roadmap.
//
// Cubes of growing side are swept over the workspace. Where one leaves the roadmap in several
// components, arcs are added that pass it by, each proved; cells that cannot be repaired are
// flagged and, where that can be told, sorted into the cases of the paper's figure 9.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "proven/base/budget.h"
#include "proven/certify/options.h"
#include "proven/roadmap/model.h"
#include "proven/scene/scene.h"

namespace proven::roadmap {

struct RobustnessOptions {
  double epsilon = 1;   // in cells: cubes of side 1 to ⌈2ε + 1⌉
  bool enhance = true;  // false: only count
  int tries = 60;       // arcs per component and cube
  CheckOptions check;
  int threads = 0;
};

enum class Pathology {
  first_joint,  // I: the range of the first joint is split
  transition,   // II: a joint cannot change sides
  joint_limit,  // III: trapped near a joint limit
  other,        // a narrow passage, or more than one of these
};
// For people; to_string (proven/base/words.h) gives the word.
std::string_view describe(Pathology pathology);

struct FlaggedCell {
  int cell = 0;
  Pathology pathology = Pathology::other;
  int components = 0;
  int cut_off = 0;  // nodes outside the largest component
};

struct RobustnessPass {
  int side = 1;  // of the cube, in cells
  int cubes = 0;
  int cutting = 0;     // cubes that cut the roadmap when this pass began
  int arcs_added = 0;  // by this pass
};

struct RobustnessReport {
  int nodes = 0, arcs_before = 0, arcs_after = 0;
  int cells = 0;                       // with a non-empty φ
  int cutting_before = 0;              // single cells
  int cutting_after = 0;               // the same after all passes
  std::vector<RobustnessPass> passes;  // the last: single cells once more, with more effort
  std::vector<FlaggedCell> flagged;    // single cells that still cut the roadmap

  double arcs_per_node() const { return nodes == 0 ? 0 : 1.0 * arcs_after / nodes; }
};

struct Enhanced {
  Model model;  // with the arcs that were added
  RobustnessReport report;
};

// The same on any number of threads. Fails if model and scene do not belong together.
Result<Enhanced> make_robust(const Model& model, const Scene& scene,
                             const RobustnessOptions& options, const Budget& budget = {});

}  // namespace proven::roadmap
