// Verifying the certificates of a data set, as a stream.
#pragma once

#include "proven/io/path_file.h"
#include "proven/verify/verify.h"
#include "tools/command.h"
#include "tools/scene_argument.h"

namespace proven::tools {

// Of an archive that an audit wrote of this data set; `scene` is that of groups that name none.
// Prints what was accepted and why others were not; gives the exit code.
int verify_archive(const std::string& data_set, const std::string& scene,
                   const std::string& archive, const SceneArgument& scene_argument,
                   const VerifyOptions& options, const PathOptions& reading,
                   const CommonOptions& common);

}  // namespace proven::tools
