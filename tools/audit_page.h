// The page of an audit: one file of HTML, with pictures, that can be mailed.
#pragma once

#include <filesystem>

#include "audit/summary.h"
#include "proven/certify/options.h"
#include "proven/io/data_set.h"
#include "tools/scene_argument.h"

namespace proven::tools {

struct AuditPage {
  std::string title;
  const audit::Summary& summary;
  const DataSet& set;
  SceneArgument scene;  // how the scenes of groups are read
  PathOptions path;
  CheckOptions check;
};

// Beside it, in a folder named after it, a page of the viewer for each of the worst collisions.
Result<void> write_page(const AuditPage& page, const std::filesystem::path& file);

}  // namespace proven::tools
