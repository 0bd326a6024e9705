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

bool all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

// Plain values that another version of YAML, or another reader, takes for something else than we
// do: 010 is 8 or 10, 1:30 is 90 or a text, `no` is false or a text. Returns what they may be.
std::string_view other_meaning(std::string_view text) {
  for (const char* word : {"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off",
                           "OFF", "True", "TRUE", "False", "FALSE"})
    if (text == word) return "a text or a truth value";
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  for (const char* word : {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"})
    if (text == word) return "a text, or a number that is not finite";
  if (text.empty() || !all_of(text.substr(0, 1), "0123456789")) return {};
  const std::string_view rest = text.substr(1);
  if (text[0] == '0' && !rest.empty()) {
    if (all_of(rest, "0123456789_")) return "a decimal or an octal number";
    if (rest.size() > 1 && all_of(rest.substr(0, 1), "xXoObB") &&
        all_of(rest.substr(1), "0123456789abcdefABCDEF_"))
      return "a text, or a number of another base";
  }
  if (text.find('_') != std::string_view::npos && all_of(text, "0123456789_.eE+-"))
    return "a text, or a number whose digits are grouped";
  if (text.find(':') != std::string_view::npos && all_of(text, "0123456789_:."))
    return "a text, or a number to the base 60";
  return {};
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
    const bool plain = tag == "?" || tag.empty();
    if (plain && tree_.wants_key() && value == "<<")
      fail(place(tree_.file(), line), "YAML merge keys (<<) are not read; write the members out");
    if (tree_.wants_key()) return tree_.key(line, value);
    if (const std::string_view other = plain ? other_meaning(value) : ""; !other.empty())
      fail(place(tree_.file(), line),
           fmt::format("{} is {}, as versions of YAML differ; write a decimal number, true, false "
                       "or null, or put a text in quotes",
                       quote(value), other));
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
