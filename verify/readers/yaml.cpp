// YAML: yaml-cpp knows its syntax; what the scalars mean is said here.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>

#include "verify/readers/value.h"

namespace proven::verifier {
namespace {

// What YAML 1.1 and 1.2 resolve differently, or to what we have no word for: truth in other
// letters, numbers that begin with 0, of other bases, with underscores, in sixties, and those
// that are not finite.
bool is_ambiguous(std::string word) {
  std::string lower;
  for (const char c : word) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const char* known : {"yes", "no", "on", "off"})
    if (lower == known) return true;
  for (const char* known : {"true", "false"})
    if (lower == known && word != known) return true;
  if (!lower.empty() && (lower[0] == '+' || lower[0] == '-')) lower.erase(0, 1);
  if (lower == ".inf" || lower == ".nan") return true;
  std::size_t digits = 0, underscores = 0, colons = 0, others = 0;
  for (const char c : lower) {
    digits += c >= '0' && c <= '9';
    underscores += c == '_';
    colons += c == ':';
    others += !(c >= '0' && c <= '9') && c != '_' && c != ':' && c != '.';
  }
  if (lower.empty() || lower[0] < '0' || lower[0] > '9') return false;
  if (lower.size() > 1 && lower[0] == '0' && digits + underscores == lower.size()) return true;
  if (lower.size() > 2 && lower[0] == '0' && std::string("xob").find(lower[1]) != std::string::npos)
    return lower.find_first_not_of("0123456789abcdef_", 2) == std::string::npos;
  if (colons > 0) return others == 0;
  return underscores > 0 && lower.find_first_not_of("0123456789_.e+-") == std::string::npos;
}

class Events : public YAML::EventHandler {
 public:
  explicit Events(const std::filesystem::path& file) : file_(file), maker_(&file) {}
  TreeMaker& maker() { return maker_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse_as_key(mark);
    maker_.add({}, mark.line + 1);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { fail(mark, "an alias"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& words) override {
    const bool plain = tag == "?" || tag.empty();
    if (!plain && tag != "!") fail(mark, "a tag");
    if (maker_.wants_name() && plain && words == "<<") fail(mark, "a merge key");
    if (maker_.wants_name()) return maker_.name(words, mark.line + 1);
    if (plain && is_ambiguous(words)) fail(mark, "a value that YAML's versions read differently");
    Value v;
    const auto number = plain ? decimal(words) : std::nullopt;
    if (plain && (words == "true" || words == "false")) {
      v.kind = Value::Kind::boolean;
      v.truth = words == "true";
    } else if (number) {
      v.kind = Value::Kind::number;
      v.figure = *number;
    } else if (!plain || (words != "null" && words != "~")) {
      v.kind = Value::Kind::text;
      v.words = words;
    }
    maker_.add(std::move(v), mark.line + 1);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    start(mark, tag, Value::Kind::list);
  }
  void OnSequenceEnd() override { maker_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    start(mark, tag, Value::Kind::object);
  }
  void OnMapEnd() override { maker_.close(); }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const char* what) const {
    refuse(line_place(file_, mark.line + 1), fmt::format("{} in YAML is not read", what));
  }
  void refuse_as_key(const YAML::Mark& mark) const {
    if (maker_.wants_name()) fail(mark, "a key that is no word");
  }
  void start(const YAML::Mark& mark, const std::string& tag, Value::Kind kind) {
    refuse_as_key(mark);
    if (!tag.empty() && tag != "?" && tag != "!") fail(mark, "a tag");
    maker_.open(kind, mark.line + 1);
  }

  const std::filesystem::path& file_;
  TreeMaker maker_;
};

}  // namespace

void parse_yaml(const std::string& text, Tree& tree) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Events events(*tree.file), more(*tree.file);
    if (!parser.HandleNextDocument(events) || !events.maker().done())
      refuse(tree.file->string(), "is empty");
    if (parser.HandleNextDocument(more) && more.maker().take().kind != Value::Kind::null)
      refuse(tree.file->string(), "holds several documents");
    tree.root = events.maker().take();
  } catch (const YAML::Exception& error) {
    refuse(line_place(*tree.file, error.mark.line + 1), "not valid YAML: " + error.msg);
  }
}

}  // namespace proven::verifier
