#include "task/symbols.h"

#include <algorithm>
#include <set>

namespace proven::task {

Symbols::Symbols(const Domain& domain, const Problem& problem) {
  std::map<std::string, std::set<std::string>> parents;
  for (const TypedName& type : domain.types)
    parents[type.name].insert(type.types.begin(), type.types.end());
  const auto add_object = [&](const TypedName& object) {
    const auto [it, inserted] =
        objects_.try_emplace(object.name, static_cast<int>(object_names_.size()));
    if (inserted) {
      object_names_.push_back(object.name);
      object_types_.emplace_back();
      declared_types_.push_back(object.types);
    }
    // All ancestors; a type hierarchy with a cycle is walked once.
    std::vector<std::string>& types = object_types_[static_cast<std::size_t>(it->second)];
    std::vector<std::string> open(object.types);
    open.emplace_back("object");
    while (!open.empty()) {
      const std::string type = open.back();
      open.pop_back();
      if (std::find(types.begin(), types.end(), type) != types.end()) continue;
      types.push_back(type);
      open.insert(open.end(), parents[type].begin(), parents[type].end());
    }
  };
  for (const TypedName& object : domain.constants) add_object(object);
  for (const TypedName& object : problem.objects) add_object(object);

  int next = 0;
  for (const Predicate& predicate : domain.predicates) predicates_[predicate.name] = next++;
  int next_number = 0;
  for (const FluentDeclaration& fluent : domain.fluents) {
    declarations_[fluent.name] = &fluent;
    if (fluent.types.empty())
      fluents_[fluent.name] = next_number++;
    else
      object_fluents_[fluent.name] = next++;
  }
}

std::vector<std::string> Symbols::first_types() const {
  std::vector<std::string> types;
  for (const auto& declared : declared_types_) types.push_back(declared[0]);
  return types;
}

bool Symbols::is_of(int object, const std::vector<std::string>& types) const {
  const auto& own = object_types_[static_cast<std::size_t>(object)];
  return std::any_of(types.begin(), types.end(), [&](const std::string& type) {
    return std::find(own.begin(), own.end(), type) != own.end();
  });
}

std::vector<int> Symbols::objects_of(const std::vector<std::string>& types) const {
  std::vector<int> result;
  for (int object = 0; object < static_cast<int>(object_names_.size()); ++object)
    if (is_of(object, types)) result.push_back(object);
  return result;
}

const std::vector<std::string>& Symbols::fluent_types(const std::string& name) const {
  return declarations_.at(name)->types;
}

}  // namespace proven::task
