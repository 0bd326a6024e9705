// What stands in the texts and attributes of xacro files, evaluated.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "io/xacro_evaluator.h"
#include "io/xacro_scope.h"
#include "io/xacro_text.h"
#include "proven/io/urdf.h"
#include "proven/io/xacro.h"

namespace proven::io {

// Evaluates the texts of a file: expressions, substitutions and the functions of xacro.
class XacroTexts {
 public:
  XacroTexts(const std::filesystem::path& file, const XacroOptions& options);

  // One ${...} alone keeps its type; all else is a text. Fails without a place.
  XacroValue evaluate(const std::string& text, XacroScope& scope);
  void declare_argument(const std::string& name);
  void set_default(const std::string& name, const std::string& value);
  // Fails on arguments that were given and that nothing asked for.
  void require_used_arguments() const;

  // Files that are being read; names are relative to the last one's folder.
  const std::filesystem::path& file() const { return files_.back(); }
  std::filesystem::path resolve(const std::string& name) const;
  void enter(const std::filesystem::path& file) { files_.push_back(file); }
  void leave() { files_.pop_back(); }

  std::vector<std::string> notes;
  std::set<std::string> used_packages;

 private:
  XacroValue expression(const std::string& text, XacroScope& scope);
  XacroNames names_of(XacroScope& scope);
  std::optional<XacroValue> call(const XacroCall& call, XacroScope& scope);
  XacroValue load_yaml(const XacroCall& call);
  std::string substitution(const std::string& text, XacroScope& scope);
  std::string substitution_of_eval(const std::string& expression, XacroScope& scope);
  std::string argument(const std::string& name);
  std::string find(const std::string& package);

  const XacroOptions& options_;
  UrdfOptions search_;
  std::vector<std::filesystem::path> files_;
  std::map<std::string, std::string> arguments_;
  std::set<std::string> known_arguments_;  // declared or asked for
  std::map<std::filesystem::path, XacroValue> yaml_;
  int depth_ = 0;
};

}  // namespace proven::io
