#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <optional>
#include <sstream>

#include "io/failure.h"
#include "io/text.h"
#include "io/tree_builder.h"
#include "proven/base/numbers.h"
#include "proven/io/document.h"

namespace proven::io {
namespace {

long line_of(const YAML::Mark& mark) {
  return mark.line + 1;
}

class YamlEvents : public YAML::EventHandler {
 public:
  explicit YamlEvents(TreeBuilder& tree) : tree_(tree) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    require_no_key(mark);
    tree_.null(line_of(mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(place(tree_.file(), line_of(mark)), "YAML aliases are not read; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    const long line = line_of(mark);
    refuse_tag(mark, tag);
    if (tree_.wants_key()) return tree_.key(line, value);
    const bool plain = tag == "?" || tag.empty();
    if (!plain) return tree_.string(line, value);  // in quotes
    if (value == "true" || value == "false") return tree_.boolean(line, value == "true");
    if (value == "null" || value == "~") return tree_.null(line);
    if (const std::optional<double> number = parse_double(value))
      return tree_.number(line, *number);
    tree_.string(line, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    require_no_key(mark);
    tree_.start(line_of(mark), Node::Kind::array);
  }
  void OnSequenceEnd() override { tree_.end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    require_no_key(mark);
    tree_.start(line_of(mark), Node::Kind::object);
  }
  void OnMapEnd() override { tree_.end(); }

 private:
  // "?" is a plain value, "!" one in quotes.
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(place(tree_.file(), line_of(mark)), "YAML tags are not read; leave it out");
  }
  void require_no_key(const YAML::Mark& mark) const {
    if (tree_.wants_key()) fail(place(tree_.file(), line_of(mark)), "only plain words can be keys");
  }

  TreeBuilder& tree_;
};

}  // namespace

Document parse_yaml(const std::filesystem::path& file, const std::string& text) {
  TreeBuilder tree(file);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    YamlEvents events(tree);
    if (!parser.HandleNextDocument(events)) fail(file.string(), "is empty");
    TreeBuilder next(file);
    YamlEvents next_events(next);
    if (parser.HandleNextDocument(next_events) && !next.is_null())
      fail(file.string(), "holds more than one YAML document");
  } catch (const YAML::Exception& exception) {
    fail(place(file, line_of(exception.mark)), fmt::format("not valid YAML: {}", exception.msg));
  }
  return std::move(tree).finish();
}

}  // namespace proven::io
