#include "proven/io/xacro.h"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <memory>
#include <set>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/text.h"
#include "io/xacro_value.h"
#include "io/xml.h"

namespace proven {
namespace io {
namespace {

namespace fs = std::filesystem;
using Element = tinyxml2::XMLElement;
using Node = tinyxml2::XMLNode;

constexpr int kMaxDepth = 100;  // of macros, includes and properties in each other
constexpr std::int64_t kMaxNodes = 2'000'000;

// Names of a macro call, or of the file; those of the caller are seen through it.
struct Scope {
  struct Property {
    std::string text;  // not yet evaluated
    bool is_value = false, is_open = false;
    XacroValue value;
    std::string place;
  };
  Scope* above = nullptr;
  std::map<std::string, Property> properties;
  std::map<std::string, const Node*> blocks;  // their parent; contents alone are inserted

  Property* find(const std::string& name) {
    const auto own = properties.find(name);
    if (own != properties.end()) return &own->second;
    return above ? above->find(name) : nullptr;
  }
  const Node* find_block(const std::string& name) const {
    const auto own = blocks.find(name);
    if (own != blocks.end()) return own->second;
    return above ? above->find_block(name) : nullptr;
  }
};

struct Parameter {
  std::string name, initial;
  bool has_initial = false;
  bool inherits = false;  // ^: the caller's own of that name
  int stars = 0;          // *: a block, **: the contents of one
};

struct Macro {
  const Element* body = nullptr;
  std::vector<Parameter> parameters;
  fs::path file;
};

class Expander {
 public:
  Expander(const fs::path& file, const XacroOptions& options)
      : options_(options), root_file_(file) {
    search_.packages = options.packages;
  }

  std::string expand() {
    const Element& root = open(root_file_);
    Scope scope;
    Element* robot = out_.NewElement("robot");
    out_.InsertEndChild(robot);
    copy_attributes(root, *robot, scope);
    children(root, *robot, scope);
    tinyxml2::XMLPrinter printer;
    out_.Print(&printer);
    return printer.CStr();
  }

 private:
  // Names what is not read, and who reads it.
  [[noreturn]] void refuse(const Element& at, const std::string& what) const {
    fail_at(at, fmt::format("{} is not read; run: xacro {} > robot.urdf", what,
                            root_file_.filename().string()));
  }
  [[noreturn]] void fail_at(const Element& at, const std::string& message) const {
    io::fail(io::place(file_, at.GetLineNum()), message);
  }

  const Element& open(const fs::path& file) {
    documents_.push_back(std::make_unique<tinyxml2::XMLDocument>());
    tinyxml2::XMLDocument& document = *documents_.back();
    file_ = file;
    const std::string text = read_text(file, kMaxXmlBytes);
    if (text.find("<!DOCTYPE") != std::string::npos || text.find("<!ENTITY") != std::string::npos)
      io::fail(file.string(), "document types and entities are not read; remove them");
    if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
      io::fail(io::place(file, document.ErrorLineNum()), "not valid XML");
    const Element* root = document.RootElement();
    if (!root) io::fail(file.string(), "not valid XML: no element");
    if (std::string_view(root->Name()) != "robot") fail_at(*root, "expected <robot>");
    return *root;
  }

  // Attributes of the output, without those that say where xacro's names are from.
  void copy_attributes(const Element& from, Element& to, Scope& scope) {
    for (const auto* a = from.FirstAttribute(); a; a = a->Next())
      if (std::string_view(a->Name()) != "xmlns:xacro")
        to.SetAttribute(a->Name(), text_of(from, a->Value(), scope).c_str());
  }

  void children(const Node& from, Node& to, Scope& scope) {
    for (const Node* node = from.FirstChild(); node; node = node->NextSibling()) {
      if (++nodes_ > kMaxNodes)
        io::fail(file_.string(), fmt::format("it expands to more than {} nodes", kMaxNodes),
                 ErrorCode::exhausted);
      if (const Element* element = node->ToElement()) {
        if (std::string_view(element->Name()).starts_with("xacro:"))
          directive(*element, to, scope);
        else
          copy(*element, to, scope);
      } else if (const tinyxml2::XMLText* text = node->ToText()) {
        const Element* parent = from.ToElement();
        to.InsertEndChild(out_.NewText(
            text_of(parent ? *parent : *from.FirstChildElement(), text->Value(), scope).c_str()));
      }
    }
  }

  void copy(const Element& element, Node& to, Scope& scope) {
    Element* made = out_.NewElement(element.Name());
    to.InsertEndChild(made);
    copy_attributes(element, *made, scope);
    children(element, *made, scope);
  }

  void directive(const Element& element, Node& to, Scope& scope) {
    const std::string_view name = std::string_view(element.Name()).substr(6);
    if (name == "property") return property(element, scope);
    if (name == "macro") return define(element, scope);
    if (name == "include") return include(element, to, scope);
    if (name == "arg") return argument(element, scope);
    if (name == "if" || name == "unless") {
      only(element, {"value"});
      const bool holds = condition(element, need(element, "value"), scope);
      if (holds == (name == "if")) children(element, to, scope);
      return;
    }
    if (name == "insert_block") return insert_block(element, to, scope);
    if (name == "element" || name == "attribute" || name == "call")
      refuse(element, fmt::format("<xacro:{}>", name));
    call(element, std::string(name), to, scope);
  }

  void only(const Element& element, std::initializer_list<std::string_view> known) const {
    for (const auto* a = element.FirstAttribute(); a; a = a->Next())
      if (std::find(known.begin(), known.end(), a->Name()) == known.end())
        refuse(element, fmt::format("'{}' of <{}>", a->Name(), element.Name()));
  }
  std::string need(const Element& element, const char* attribute) const {
    const char* value = element.Attribute(attribute);
    if (!value) fail_at(element, fmt::format("<{}> has no '{}'", element.Name(), attribute));
    return value;
  }

  void property(const Element& element, Scope& scope) {
    only(element, {"name", "value", "default"});
    const std::string name = need(element, "name");
    const char *value = element.Attribute("value"), *initial = element.Attribute("default");
    if (value && initial) fail_at(element, "<xacro:property> has a 'value' and a 'default'");
    if (!value && !initial) {
      scope.blocks[name] = &element;
      block_files_[&element] = file_;
      return;
    }
    if (initial && scope.find(name)) return;
    std::string text = value ? value : initial;
    // A property may be made of its own former value; all else is evaluated when it is used.
    if (scope.properties.contains(name) || names_itself(text, name))
      set(scope, name, value_of(element, text, scope));
    else
      scope.properties[name] = {text, false, false, {}, io::place(file_, element.GetLineNum())};
  }
  static bool names_itself(const std::string& text, const std::string& name) {
    return text.find("${") != std::string::npos && text.find(name) != std::string::npos;
  }
  static void set(Scope& scope, const std::string& name, XacroValue value) {
    scope.properties[name] = {"", true, false, std::move(value), ""};
  }

  void argument(const Element& element, Scope& scope) {
    only(element, {"name", "default"});
    const std::string name = need(element, "name");
    known_arguments_.insert(name);
    const auto given = options_.arguments.find(name);
    if (given != options_.arguments.end())
      arguments_[name] = given->second;
    else if (element.Attribute("default") && !arguments_.contains(name))
      arguments_[name] = text_of(element, element.Attribute("default"), scope);
  }

  void include(const Element& element, Node& to, Scope& scope) {
    only(element, {"filename"});
    if (++depth_ > kMaxDepth) fail_at(element, "files include each other more than 100 deep");
    const fs::path name = text_of(element, need(element, "filename"), scope);
    const fs::path before = file_, next = before.parent_path() / name;
    std::error_code error;
    if (!fs::is_regular_file(next, error))
      fail_at(element, fmt::format("{} is not found", quote(next.string())));
    children(open(next), to, scope);
    file_ = before;
    --depth_;
  }

  void define(const Element& element, Scope&) {
    only(element, {"name", "params"});
    const std::string name = need(element, "name");
    const char* params = element.Attribute("params");
    macros_[name] = {&element, parameters(element, params ? params : ""), file_};
  }

  // "a b:=1 c:='x y' d:=^ e:=^|2 *block **contents"
  std::vector<Parameter> parameters(const Element& element, std::string_view text) const {
    std::vector<Parameter> list;
    std::size_t at = 0;
    const auto blank = [&](std::size_t i) {
      return std::isspace(static_cast<unsigned char>(text[i]));
    };
    while (true) {
      while (at < text.size() && blank(at)) ++at;
      if (at >= text.size()) return list;
      Parameter parameter;
      while (at < text.size() && text[at] == '*') ++at, ++parameter.stars;
      const std::size_t begin = at;
      while (at < text.size() && !blank(at) && text[at] != ':' && text[at] != '=') ++at;
      parameter.name = text.substr(begin, at - begin);
      if (parameter.name.empty() || parameter.stars > 2)
        fail_at(element, fmt::format("params {} are not understood", quote(text)));
      if (at < text.size() && !blank(at)) {
        at += text.substr(at).starts_with(":=") ? 2 : 1;
        parameter.has_initial = true;
        parameter.initial = initial_value(text, at);
        if (parameter.initial.starts_with("^")) {
          parameter.inherits = true;
          parameter.has_initial = parameter.initial.starts_with("^|");
          parameter.initial.erase(0, parameter.has_initial ? 2 : 1);
        }
      }
      list.push_back(std::move(parameter));
    }
  }
  // Up to the next blank outside of quotes and ${}.
  static std::string initial_value(std::string_view text, std::size_t& at) {
    const std::size_t begin = at;
    char mark = 0;
    int open = 0;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (mark) {
        if (c == mark) mark = 0;
      } else if (c == '\'' || c == '"') {
        mark = c;
      } else if (c == '{' || c == '(') {
        ++open;
      } else if (c == '}' || c == ')') {
        --open;
      } else if (open == 0 && std::isspace(static_cast<unsigned char>(c))) {
        break;
      }
    }
    std::string value(text.substr(begin, at - begin));
    if (value.size() >= 2 && (value[0] == '\'' || value[0] == '"') && value.back() == value[0])
      value = value.substr(1, value.size() - 2);
    return value;
  }

  void call(const Element& element, const std::string& name, Node& to, Scope& scope) {
    const auto found = macros_.find(name);
    if (found == macros_.end()) {
      std::vector<std::string> known;
      for (const auto& [other, macro] : macros_) known.push_back(other);
      refuse(element,
             fmt::format("<xacro:{}>, which no macro is named{},", name, suggestion(name, known)));
    }
    const Macro macro = found->second;
    if (++depth_ > kMaxDepth) fail_at(element, "macros call each other more than 100 deep");
    // What stands in the call is expanded where it stands.
    Element* contents = out_.NewElement("blocks");
    children(element, *contents, scope);
    Scope own;
    own.above = &scope;
    bind(element, macro, *contents, scope, own);
    const fs::path before = file_;
    file_ = macro.file;
    children(*macro.body, to, own);
    file_ = before;
    out_.DeleteNode(contents);
    --depth_;
  }

  void bind(const Element& element, const Macro& macro, Element& contents, Scope& scope,
            Scope& own) {
    std::set<std::string_view> named;
    const Element* block = contents.FirstChildElement();
    for (const Parameter& parameter : macro.parameters) {
      if (parameter.stars > 0) {
        if (!block)
          fail_at(element,
                  fmt::format("<{}> needs a block for '{}'", element.Name(), parameter.name));
        const Element* next = block->NextSiblingElement();
        if (parameter.stars == 1) {
          Element* holder = out_.NewElement("block");  // holds this one alone
          contents.InsertFirstChild(holder);
          holder->InsertEndChild(const_cast<Element*>(block));
          own.blocks[parameter.name] = holder;
        } else {
          own.blocks[parameter.name] = block;
        }
        block = next;
        continue;
      }
      named.insert(parameter.name);
      if (const char* value = element.Attribute(parameter.name.c_str())) {
        set(own, parameter.name, value_of(element, value, scope));
      } else if (Scope::Property* outer =
                     parameter.inherits ? scope.find(parameter.name) : nullptr) {
        set(own, parameter.name, resolve(parameter.name, *outer, scope));
      } else if (parameter.has_initial) {
        set(own, parameter.name, value_of(element, parameter.initial, own));
      } else {
        fail_at(element, fmt::format("<{}> needs '{}'", element.Name(), parameter.name));
      }
    }
    for (const auto* a = element.FirstAttribute(); a; a = a->Next())
      if (!named.contains(a->Name()))
        fail_at(element, fmt::format("<{}> has no parameter '{}'", element.Name(), a->Name()));
    if (block) fail_at(element, fmt::format("<{}> takes no further block", element.Name()));
  }

  void insert_block(const Element& element, Node& to, Scope& scope) {
    only(element, {"name"});
    const std::string name = text_of(element, need(element, "name"), scope);
    const Node* block = scope.find_block(name);
    if (!block) fail_at(element, fmt::format("there is no block '{}'", name));
    const auto file = block_files_.find(block);
    if (file == block_files_.end()) {  // of a call: expanded already
      for (const Node* node = block->FirstChild(); node; node = node->NextSibling())
        to.InsertEndChild(node->DeepClone(&out_));
      return;
    }
    if (++depth_ > kMaxDepth) fail_at(element, "blocks insert each other more than 100 deep");
    const fs::path before = file_;
    file_ = file->second;
    children(*block, to, scope);
    file_ = before;
    --depth_;
  }

  bool condition(const Element& element, const std::string& text, Scope& scope) {
    const XacroValue value = value_of(element, text, scope);
    if (value.is_number()) return value.number() != 0;
    fail_at(element, fmt::format("the value {} of <{}> is neither true nor false", quote(text),
                                 element.Name()));
  }

  XacroValue resolve(const std::string& name, Scope::Property& property, Scope& scope) {
    if (property.is_value) return property.value;
    if (property.is_open) io::fail(property.place, fmt::format("property '{}' needs itself", name));
    if (++depth_ > kMaxDepth) io::fail(property.place, "properties need each other too deep");
    property.is_open = true;
    XacroValue value =
        at_place([&] { return property.place; }, [&] { return evaluate(property.text, scope); });
    property.is_open = false;
    property.is_value = true;
    property.value = value;
    --depth_;
    return value;
  }

  std::string text_of(const Element& at, const std::string& text, Scope& scope) {
    return at_place([&] { return io::place(file_, at.GetLineNum()); },
                    [&] {
                      if (text.find('$') == std::string::npos) return text;
                      return to_text(evaluate(text, scope));
                    });
  }
  XacroValue value_of(const Element& at, const std::string& text, Scope& scope) {
    return at_place([&] { return io::place(file_, at.GetLineNum()); },
                    [&] { return evaluate(text, scope); });
  }

  // One ${...} alone keeps its type; a text with others in it is a text, which may be a number.
  XacroValue evaluate(const std::string& text, Scope& scope) {
    std::string result;
    std::size_t at = 0;
    bool replaced = false;
    while (at < text.size()) {
      const std::size_t next = std::min(text.find('$', at), text.size());
      result += text.substr(at, next - at);
      at = next;
      if (at >= text.size()) break;
      if (text.compare(at, 3, "$${") == 0 || text.compare(at, 3, "$$(") == 0) {
        result += text.substr(at + 1, 2);
        at += 3;
      } else if (text.compare(at, 2, "${") == 0) {
        const std::size_t end = closing(text, at + 1, '{', '}');
        XacroValue value = expression(text.substr(at + 2, end - at - 2), scope);
        if (at == 0 && end + 1 == text.size()) return value;
        result += to_text(value);
        at = end + 1;
        replaced = true;
      } else if (text.compare(at, 2, "$(") == 0) {
        const std::size_t end = closing(text, at + 1, '(', ')');
        result += substitution(text.substr(at + 2, end - at - 2), scope);
        at = end + 1;
      } else {
        result += text[at++];
      }
    }
    return replaced ? XacroValue{result} : from_literal(result);
  }
  // Whoever wrote Python there has a program that reads it.
  XacroValue expression(const std::string& text, Scope& scope) {
    try {
      return evaluate_xacro(text, [&](const std::string& name) { return name_value(name, scope); });
    } catch (const io::Failure& failure) {
      const std::string& why = failure.error().message;
      if (why.find("> robot.urdf") != std::string::npos) throw;
      io::fail(failure.error().context,
               fmt::format("{}, in '${{{}}}'; if it is right for xacro, run: xacro {} > robot.urdf",
                           why, printable(text), root_file_.filename().string()));
    }
  }
  static std::size_t closing(const std::string& text, std::size_t open, char in, char out) {
    int depth = 0;
    char mark = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
      const char c = text[i];
      if (mark) {
        if (c == mark) mark = 0;
      } else if (in == '{' && (c == '\'' || c == '"')) {
        mark = c;
      } else if (c == in) {
        ++depth;
      } else if (c == out && --depth == 0) {
        return i;
      }
    }
    io::fail("", fmt::format("'{}' is not closed in {}", in == '{' ? "${" : "$(", quote(text)));
  }

  XacroValue name_value(const std::string& name, Scope& scope) {
    if (Scope::Property* property = scope.find(name)) return resolve(name, *property, scope);
    io::fail("", fmt::format("there is no property '{}'", printable(name)));
  }

  std::string substitution(const std::string& text, Scope& scope) {
    const std::string inside = to_text_or_self(text, scope);
    const std::vector<std::string_view> parts = words(inside);
    if (parts.size() == 1 && parts[0] == "dirname")
      return fs::absolute(file_).parent_path().string();
    if (parts.size() == 2 && parts[0] == "find")
      return find_package(std::string(parts[1]), file_, search_).string();
    if (parts.size() == 2 && parts[0] == "arg") {
      const auto found = arguments_.find(std::string(parts[1]));
      if (found != arguments_.end()) return found->second;
      io::fail("", fmt::format("argument '{}' has no value; give one with --arg {}=VALUE", parts[1],
                               parts[1]));
    }
    io::fail("", fmt::format("$({}) is not read; run: xacro {} > robot.urdf", printable(text),
                             root_file_.filename().string()));
  }
  std::string to_text_or_self(const std::string& text, Scope& scope) {
    return text.find("${") == std::string::npos ? text : to_text(evaluate(text, scope));
  }

  const XacroOptions& options_;
  fs::path root_file_, file_;  // the one that is read now
  UrdfOptions search_;
  tinyxml2::XMLDocument out_;
  std::vector<std::unique_ptr<tinyxml2::XMLDocument>> documents_;
  std::map<std::string, Macro> macros_;
  std::map<std::string, std::string> arguments_;
  std::set<std::string> known_arguments_;
  std::map<const Node*, fs::path> block_files_;  // of properties that are blocks
  int depth_ = 0;
  std::int64_t nodes_ = 0;
};

}  // namespace
}  // namespace io

Result<std::string> expand_xacro(const std::filesystem::path& file, const XacroOptions& options) {
  return io::guarded<std::string>(file, [&] { return io::Expander(file, options).expand(); });
}

}  // namespace proven
