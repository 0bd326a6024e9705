// Helpers shared by the readers of domains and problems.
#pragma once

#include "task/pddl_reader.h"

namespace proven::task {

Names names_of(const Domain& domain);

// "function@library" as written, case kept.
void split_function(const PddlReader& reader, const SExpression& written, std::string& function,
                    std::string& library);
void read_module_options(const PddlReader& reader, const SExpression& section,
                         std::vector<ModuleOption>& options);

}  // namespace proven::task
