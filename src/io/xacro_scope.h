// The properties of a xacro file, and of each macro call in it.
#pragma once

#include <tinyxml2.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/xacro_value.h"

namespace proven::io {

class XacroScope {
 public:
  // Evaluates the text of a property where it is defined.
  using Evaluate = std::function<XacroValue(const std::string& text, XacroScope& scope)>;
  struct Block {
    const tinyxml2::XMLNode* node = nullptr;
    bool contents_alone = false;  // its children are inserted, not itself
  };

  // A space is of an include with a namespace.
  explicit XacroScope(XacroScope* parent = nullptr, bool is_space = false)
      : parent_(parent), is_space_(is_space) {}

  // Sets a value; a text that is `lazy` is evaluated when it is first needed, in this scope.
  void set(const std::string& name, XacroValue value, bool lazy, std::string place);
  void remove(const std::string& name);  // here and in all scopes above
  bool contains(const std::string& name) const;
  // The value; empty if no scope here and above has it. Fails on a property that needs itself.
  std::optional<XacroValue> find(const std::string& name, const Evaluate& evaluate);
  void set_block(const std::string& name, Block block) { blocks_[name] = block; }
  // The last set one of that name; contents go before blocks, as xacro has it.
  const Block* find_block(const std::string& name) const;

  XacroScope& add_space(const std::string& name);
  // Where scope="parent" and scope="global" set their properties; nullptr: there is no parent.
  XacroScope* caller();
  XacroScope& top();
  void collect_names(std::vector<std::string>& names) const;

 private:
  struct Property {
    XacroValue value;
    bool is_open = false;       // a text that is not evaluated yet
    bool is_evaluated = false;  // it is being evaluated now
    std::string place;
  };
  const Block* find_block(const std::string& name, bool contents_alone) const;

  XacroScope* parent_;
  bool is_space_;
  std::map<std::string, Property> properties_;
  std::map<std::string, Block> blocks_;
  std::vector<std::unique_ptr<XacroScope>> spaces_;
};

}  // namespace proven::io
