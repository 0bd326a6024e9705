#include "proven/io/xacro.h"

#include <fmt/format.h>
#include <glob.h>
#include <tinyxml2.h>

#include <algorithm>
#include <memory>
#include <set>

#include "io/failure.h"
#include "io/text.h"
#include "io/xacro_syntax.h"
#include "io/xacro_texts.h"

namespace proven {
namespace io {
namespace {

namespace fs = std::filesystem;
using Element = tinyxml2::XMLElement;
using Node = tinyxml2::XMLNode;

constexpr int kMaxDepth = 100;  // of macros, includes and blocks in each other
constexpr std::int64_t kMaxNodes = 2'000'000;

// The macros of a file, of a macro call in it, or of an include with a namespace.
struct Macros {
  struct Macro {
    const Element* body = nullptr;
    std::vector<XacroParameter> parameters;
  };
  struct Space {
    std::unique_ptr<Macros> macros;
    XacroScope* scope = nullptr;
  };
  Macros* above = nullptr;
  std::map<std::string, Macro> macros;
  std::map<std::string, Space> spaces;

  const Macro* find(const std::string& name) const {
    const auto own = macros.find(name);
    if (own != macros.end()) return &own->second;
    return above ? above->find(name) : nullptr;
  }
  const Space* find_space(const std::string& name) const {
    const auto own = spaces.find(name);
    if (own != spaces.end()) return &own->second;
    return above ? above->find_space(name) : nullptr;
  }
  void collect_names(std::vector<std::string>& names) const {
    for (const auto& [name, macro] : macros) names.push_back(name);
    if (above) above->collect_names(names);
  }
};

// What names mean at a place.
struct Context {
  XacroScope& scope;
  Macros& macros;
};

std::string_view name_of(const Element& element) {
  return element.Name();
}
bool is_directive(const Element& element) {
  return name_of(element).starts_with("xacro:");
}

class Expander {
 public:
  Expander(const fs::path& file, const XacroOptions& options)
      : options_(options), texts_(file, options) {}

  ExpandedXacro expand() {
    const Element& root = open(texts_.file());
    if (name_of(root) != "robot") fail(root, "expected <robot>");
    XacroScope scope;
    Macros macros;
    const Context context{scope, macros};
    Element* robot = out_.NewElement("robot");
    out_.InsertEndChild(robot);
    if (const char* target = root.Attribute("xacro:targetNamespace"))
      robot->SetAttribute("xmlns", target);
    copy_attributes(root, *robot, scope);
    children(root, *robot, context, robot);
    texts_.require_used_arguments();
    note_meshes(*robot);
    tinyxml2::XMLPrinter printer;
    out_.Print(&printer);
    return {printer.CStr(),
            std::move(texts_.notes),
            {texts_.used_packages.begin(), texts_.used_packages.end()}};
  }

 private:
  // Elements of the output remember what they were made of.
  static const Element& source_of(const Element& element) {
    const void* source = element.GetUserData();
    return source ? *static_cast<const Element*>(source) : element;
  }
  std::string place(const Element& element) const {
    const Element& source = source_of(element);
    const auto file = files_.find(source.GetDocument());
    return io::place(file == files_.end() ? texts_.file() : file->second, source.GetLineNum());
  }
  [[noreturn]] void fail(const Element& at, const std::string& message) const {
    io::fail(place(at), message);
  }
  // Fails unless it is not yet too deep; ends with its block.
  struct Deeper {
    Deeper(Expander& expander, const Element& at, const char* what) : expander_(expander) {
      if (expander.depth_ >= kMaxDepth)
        expander.fail(at, fmt::format("{} each other more than {} deep", what, kMaxDepth));
      ++expander.depth_;
    }
    ~Deeper() { --expander_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Expander& expander_;
  };

  const Element& open(const fs::path& file) {
    documents_.push_back(std::make_unique<tinyxml2::XMLDocument>());
    tinyxml2::XMLDocument& document = *documents_.back();
    files_[&document] = file;
    const std::string text = read_text(file, kMaxXmlBytes);
    refuse_entities(file, text);
    if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
      io::fail(io::place(file, document.ErrorLineNum()), "not valid XML");
    const Element* root = document.RootElement();
    if (!root) io::fail(file.string(), "not valid XML: no element");
    std::set<std::string> prefixes;
    refuse_other_prefixes(*root, prefixes);
    require_declaration(*root);
    return *root;
  }
  // As any reader of XML that knows namespaces: a prefix is declared.
  void require_declaration(const Element& element) const {
    if (element.Attribute("xmlns:xacro")) return;
    if (is_directive(element))
      fail(element, fmt::format("<{}>: the prefix is not declared; write "
                                "xmlns:xacro=\"http://www.ros.org/wiki/xacro\" in <robot>",
                                printable(element.Name())));
    for (const Element* child = element.FirstChildElement(); child;
         child = child->NextSiblingElement())
      require_declaration(*child);
  }
  // Nobody would see what stands there.
  void holds_nothing(const Element& element) const {
    for (const Node* node = element.FirstChild(); node; node = node->NextSibling())
      if (!node->ToComment())
        fail(element, fmt::format("<{}> holds nothing; remove what stands between its tags",
                                  element.Name()));
  }
  void holds_no_text(const Element& element) const {
    for (const Node* node = element.FirstChild(); node; node = node->NextSibling())
      if (const auto* text = node->ToText(); text && !trimmed(text->Value()).empty())
        fail(element, fmt::format("the text {} in <{}> is not read", quote(trimmed(text->Value())),
                                  element.Name()));
  }

  // Prefixes that stand for xacro and are not "xacro": its reference copies their elements as if
  // they were none of its own.
  void refuse_other_prefixes(const Element& element, std::set<std::string>& prefixes) const {
    for (const auto* a = element.FirstAttribute(); a; a = a->Next()) {
      const std::string_view name = a->Name();
      if (name.starts_with("xmlns:") && name != "xmlns:xacro" &&
          std::string_view(a->Value()).find("ros.org/wiki/xacro") != std::string_view::npos)
        prefixes.insert(std::string(name.substr(6)));
    }
    const std::string_view name = name_of(element);
    const std::size_t colon = name.find(':');
    if (colon != name.npos && prefixes.contains(std::string(name.substr(0, colon))))
      fail(element, fmt::format("<{}>: the prefix of xacro must be 'xacro'; write <xacro:{}>",
                                printable(name), printable(name.substr(colon + 1))));
    for (const Element* child = element.FirstChildElement(); child;
         child = child->NextSiblingElement())
      refuse_other_prefixes(*child, prefixes);
  }

  std::string text_of(const Element& at, const std::string& text, XacroScope& scope) {
    return at_place([&] { return place(at); },
                    [&] { return to_text(texts_.evaluate(text, scope)); });
  }
  XacroValue value_of(const Element& at, const std::string& text, XacroScope& scope) {
    return at_place([&] { return place(at); }, [&] { return texts_.evaluate(text, scope); });
  }
  bool condition(const Element& at, const std::string& text, XacroScope& scope) {
    const XacroValue value = value_of(at, text, scope);
    return at_place(
        [&] { return place(at); },
        [&] {
          if (const auto holds = condition_of(value)) return *holds;
          io::fail("", fmt::format("{} of <{}> is neither true nor false", quote(text), at.Name()));
        });
  }

  // Attributes of the output, without those that are xacro's.
  void copy_attributes(const Element& from, Element& to, XacroScope& scope) {
    for (const auto* a = from.FirstAttribute(); a; a = a->Next()) {
      const std::string_view name = a->Name();
      if (name != "xmlns:xacro" && !name.starts_with("xacro:"))
        to.SetAttribute(a->Name(), text_of(from, attribute_text(a->Value()), scope).c_str());
    }
  }
  // Namespaces of an included file or a macro hold where its elements go.
  static void copy_namespaces(const Element& from, Node& to) {
    Element* element = to.ToElement();
    for (const auto* a = from.FirstAttribute(); element && a; a = a->Next()) {
      const std::string_view name = a->Name();
      if (name.starts_with("xmlns:") && name != "xmlns:xacro" && !element->Attribute(a->Name()))
        element->SetAttribute(a->Name(), a->Value());
    }
  }

  // A comment right before a directive is about it; others stay as they are.
  static bool is_of_directive(const tinyxml2::XMLComment& comment) {
    if (std::string_view(comment.Value()).find("xacro:eval-comments") != std::string_view::npos)
      return true;
    const Node* node = &comment;
    for (const Node* next = node->NextSibling(); next; node = next, next = next->NextSibling()) {
      const std::string_view text = node->Value();
      const auto lines = std::count(text.begin(), text.end(), '\n');
      if (next->GetLineNum() > node->GetLineNum() + lines + 1) return false;
      if (const Element* element = next->ToElement()) return is_directive(*element);
      if (!next->ToComment()) return false;
    }
    return false;
  }

  // `owner` is the element of the output that `from` was made into; nullptr: it was not.
  void children(const Node& from, Node& to, const Context& context, Element* owner) {
    for (const Node* node = from.FirstChild(); node; node = node->NextSibling()) {
      if (++nodes_ > kMaxNodes)
        io::fail(texts_.file().string(), fmt::format("it expands to more than {} nodes", kMaxNodes),
                 ErrorCode::exhausted);
      if (const Element* element = node->ToElement()) {
        one(*element, to, context, owner);
      } else if (const tinyxml2::XMLText* text = node->ToText()) {
        const Element* parent = from.ToElement();
        const bool literal = text->CData() || !parent;
        tinyxml2::XMLText* made = out_.NewText(
            literal ? text->Value() : text_of(*parent, text->Value(), context.scope).c_str());
        made->SetCData(text->CData());
        to.InsertEndChild(made);
      } else if (const tinyxml2::XMLComment* comment = node->ToComment()) {
        if (!is_of_directive(*comment)) to.InsertEndChild(out_.NewComment(comment->Value()));
      }
    }
  }
  void one(const Element& element, Node& to, const Context& context, Element* owner) {
    if (is_directive(element))
      directive(element, to, context, owner);
    else
      copy(element, element.Name(), to, context);
  }
  void copy(const Element& element, const std::string& name, Node& to, const Context& context) {
    Element* made = out_.NewElement(name.c_str());
    made->SetUserData(const_cast<Element*>(&source_of(element)));
    to.InsertEndChild(made);
    copy_attributes(element, *made, context.scope);
    children(element, *made, context, made);
  }

  void directive(const Element& element, Node& to, const Context& context, Element* owner) {
    const std::string_view name = name_of(element).substr(6);
    if (name == "property") return property(element, context.scope);
    if (name == "macro") return define(element, context);
    if (name == "include") return include(element, to, context);
    if (name == "arg") return argument(element, context.scope);
    if (name == "insert_block") return insert_block(element, to, context);
    if (name == "attribute") return attribute(element, owner, context.scope);
    if (name == "element") {
      const std::string chosen = text_of(element, need(element, "xacro:name"), context.scope);
      if (chosen.empty() || chosen.find_first_of(" <>&\"'/=") != std::string::npos ||
          chosen.starts_with("xacro:"))
        fail(element, fmt::format("<xacro:element> cannot be named {}", quote(chosen)));
      return copy(element, chosen, to, context);
    }
    if (name == "if" || name == "unless") {
      only(element, {"value"});
      const bool holds = condition(element, need(element, "value"), context.scope);
      if (holds == (name == "if")) children(element, to, context, nullptr);
      return;
    }
    if (name != "call") return call(element, std::string(name), to, context);
    const std::string chosen = text_of(element, need(element, "macro"), context.scope);
    call(element, chosen, to, context);
  }

  void only(const Element& element, std::initializer_list<std::string_view> known) const {
    for (const auto* a = element.FirstAttribute(); a; a = a->Next()) {
      const std::string_view name = a->Name();
      if (name.starts_with("xmlns:") || std::ranges::find(known, name) != known.end()) continue;
      const std::vector<std::string> words(known.begin(), known.end());
      fail(element, fmt::format("<{}> has no attribute {}{}", element.Name(), quote(name),
                                suggestion(name, words)));
    }
  }
  static std::optional<std::string> find(const Element& element, const char* attribute) {
    const char* value = element.Attribute(attribute);
    return value ? std::optional(attribute_text(value)) : std::nullopt;
  }
  std::string need(const Element& element, const char* attribute) const {
    if (auto value = find(element, attribute)) return std::move(*value);
    fail(element, fmt::format("<{}> has no '{}'", element.Name(), attribute));
  }

  void property(const Element& element, XacroScope& scope) {
    only(element, {"name", "value", "default", "remove", "scope", "lazy_eval"});
    const std::string name = text_of(element, need(element, "name"), scope);
    if (!is_xacro_name(name) || name.starts_with("__"))
      fail(element, fmt::format("a property cannot be named {}; names are as in Python: letters, "
                                "digits and '_'",
                                quote(name)));
    std::optional<std::string> value = find(element, "value");
    const std::optional<std::string> initial = find(element, "default");
    const bool removes = condition(element, find(element, "remove").value_or("false"), scope);
    if (value.has_value() + initial.has_value() + removes > 1)
      fail(element, "<xacro:property> has one of 'value', 'default' and 'remove'");
    if (removes) return scope.remove(name);
    if (initial && (scope.contains(name) || is_global_xacro_name(name))) return;
    if (initial) value = initial;
    bool lazy = condition(element, find(element, "lazy_eval").value_or("true"), scope);
    XacroScope& target = target_of(element, scope);
    lazy = lazy && &target == &scope && find(element, "scope").value_or("local") == "local";
    if (!value) return target.set_block("**" + name, {&element, true});
    holds_nothing(element);
    if (lazy)
      target.set(name, {*value}, true, place(element));
    else
      target.set(name, value_of(element, *value, scope), false, place(element));
  }
  XacroScope& target_of(const Element& element, XacroScope& scope) const {
    const std::string where = find(element, "scope").value_or("local");
    if (where == "local") return scope;
    if (where == "global") return scope.top();
    if (where != "parent")
      fail(element, fmt::format("'scope' is local, parent or global, not {}", quote(where)));
    if (XacroScope* caller = scope.caller()) return *caller;
    fail(element, "scope=\"parent\" stands outside of a macro; leave it out");
  }

  void argument(const Element& element, XacroScope& scope) {
    only(element, {"name", "default"});
    holds_nothing(element);
    const std::string name = text_of(element, need(element, "name"), scope);
    texts_.declare_argument(name);
    if (options_.arguments.contains(name)) return;
    if (const auto initial = find(element, "default"))
      texts_.set_default(name, text_of(element, *initial, scope));
  }

  void attribute(const Element& element, Element* owner, XacroScope& scope) {
    only(element, {"name", "value"});
    holds_nothing(element);
    const std::string name = text_of(element, need(element, "name"), scope);
    const std::string value = text_of(element, need(element, "value"), scope);
    if (name.empty()) fail(element, "<xacro:attribute> has an empty name");
    if (!owner)
      fail(element,
           "<xacro:attribute> stands in no element that it could be of; put it right "
           "inside of the element, with a condition in its value");
    owner->SetAttribute(name.c_str(), value.c_str());
  }

  std::vector<fs::path> files_of(const Element& element, const std::string& name) {
    const fs::path path = texts_.resolve(name);
    if (name.find_first_of("*?[") == std::string::npos) return {path};
    glob_t found{};
    std::vector<fs::path> files;
    if (::glob(path.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
      files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    std::ranges::sort(files, {}, [](const fs::path& file) { return file.string(); });
    if (files.empty())
      texts_.notes.push_back(
          fmt::format("{}: no file is named like {}", place(element), quote(name)));
    return files;
  }
  void include(const Element& element, Node& to, const Context& context) {
    only(element, {"filename", "ns", "optional"});
    holds_nothing(element);
    const Deeper deeper(*this, element, "files include");
    if (const Element* child = element.FirstChildElement())
      fail(*child, "<xacro:include> holds no elements; remove them");
    const std::string name = text_of(element, need(element, "filename"), context.scope);
    const std::string optional = find(element, "optional").value_or("false");
    const bool is_optional = condition(element, optional, context.scope);
    const Context inner = context_of_include(element, context);
    for (const fs::path& file : files_of(element, name)) {
      std::error_code error;
      if (!fs::is_regular_file(file, error)) {
        if (is_optional) continue;
        fail(element, fmt::format("{} is not found", quote(file.string())));
      }
      const Element& root = open(file);
      texts_.enter(file);
      copy_namespaces(root, to);
      children(root, to, inner, nullptr);
      texts_.leave();
    }
  }
  Context context_of_include(const Element& element, const Context& context) {
    const auto space = find(element, "ns");
    if (!space) return context;
    const std::string name = text_of(element, *space, context.scope);
    if (!is_xacro_name(name)) fail(element, fmt::format("no namespace is named {}", quote(name)));
    XacroScope& scope = context.scope.add_space(name);
    Macros::Space& made = context.macros.spaces[name];
    made.macros = std::make_unique<Macros>();
    made.macros->above = &context.macros;
    made.scope = &scope;
    return {scope, *made.macros};
  }

  void define(const Element& element, const Context& context) {
    only(element, {"name", "params"});
    std::string name = need(element, "name");
    if (name.starts_with("xacro:")) name.erase(0, 6);
    static const std::set<std::string> kTaken = {"property", "macro",  "include",      "arg",
                                                 "if",       "unless", "insert_block", "attribute",
                                                 "element",  "call"};
    if (name.empty() || kTaken.contains(name) || name.find_first_of(". ${}") != std::string::npos)
      fail(element, fmt::format("no macro can be named {}", quote(name)));
    const std::string params = find(element, "params").value_or("");
    context.macros.macros[name] = {
        &element,
        at_place([&] { return place(element); }, [&] { return parse_xacro_parameters(params); })};
  }

  struct Called {
    Macros::Macro macro;
    Context context;  // that it is expanded in
  };
  Called resolve(const Element& element, const std::string& name, const Context& context) const {
    XacroScope* scope = &context.scope;
    Macros* macros = &context.macros;
    std::string rest = name;
    for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
      const Macros::Space* space = macros->find_space(rest.substr(0, dot));
      if (!space)
        fail(element,
             fmt::format("there is no namespace {} of an include", quote(rest.substr(0, dot))));
      scope = space->scope;
      macros = space->macros.get();
      rest.erase(0, dot + 1);
    }
    if (const Macros::Macro* macro = macros->find(rest)) return {*macro, {*scope, *macros}};
    std::vector<std::string> known;
    macros->collect_names(known);
    fail(element, fmt::format("<xacro:{}>, which no macro is named{}; an included file may be "
                              "missing",
                              printable(name), suggestion(rest, known)));
  }
  void call(const Element& element, const std::string& name, Node& to, const Context& context) {
    holds_no_text(element);
    const Called called = resolve(element, name, context);
    const Deeper deeper(*this, element, "macros call");
    // What stands in the call is expanded where it stands.
    Element* contents = out_.NewElement("blocks");
    XacroScope scope(&called.context.scope);
    Macros macros;
    macros.above = &called.context.macros;
    bind_attributes(element, called.macro, context.scope, scope);
    children(element, *contents, context, nullptr);
    bind_blocks(element, called.macro, *contents, scope);
    bind_initial(element, called.macro, context.scope, scope);
    copy_namespaces(*called.macro.body, to);
    children(*called.macro.body, to, {scope, macros}, nullptr);
    out_.DeleteNode(contents);
  }
  void bind_attributes(const Element& element, const Macros::Macro& macro, XacroScope& outer,
                       XacroScope& own) {
    const bool is_dynamic = name_of(element) == "xacro:call";
    for (const auto* a = element.FirstAttribute(); a; a = a->Next()) {
      const std::string name = a->Name();
      if (name.starts_with("xmlns:") || (is_dynamic && name == "macro")) continue;
      std::vector<std::string> known;
      for (const XacroParameter& parameter : macro.parameters)
        if (parameter.stars == 0) known.push_back(parameter.name);
      if (std::ranges::find(known, name) == known.end())
        fail(element, fmt::format("<{}> has no parameter '{}'{}", element.Name(), printable(name),
                                  suggestion(name, known)));
      own.set(name, value_of(element, attribute_text(a->Value()), outer), false, place(element));
    }
  }
  void bind_blocks(const Element& element, const Macros::Macro& macro, const Element& contents,
                   XacroScope& own) const {
    const Element* block = contents.FirstChildElement();
    for (const XacroParameter& parameter : macro.parameters) {
      if (parameter.stars == 0) continue;
      if (!block)
        fail(element, fmt::format("<{}> needs a block for '{}'", element.Name(), parameter.name));
      own.set_block(std::string(static_cast<std::size_t>(parameter.stars), '*') + parameter.name,
                    {block, parameter.stars == 2});
      block = block->NextSiblingElement();
    }
    if (block)
      fail(*block,
           fmt::format("<{}> takes no further block, such as <{}>", element.Name(), block->Name()));
  }
  // Initial values see what the caller sees, not the other parameters.
  void bind_initial(const Element& element, const Macros::Macro& macro, XacroScope& outer,
                    XacroScope& own) {
    for (const XacroParameter& parameter : macro.parameters) {
      const bool given = element.Attribute(parameter.name.c_str()) != nullptr &&
                         !(name_of(element) == "xacro:call" && parameter.name == "macro");
      if (parameter.stars > 0 || given) continue;
      std::optional<XacroValue> value;
      if (parameter.inherits)
        value = at_place([&] { return place(element); },
                         [&] {
                           return outer.find(parameter.name,
                                             [this](const std::string& text, XacroScope& scope) {
                                               return texts_.evaluate(text, scope);
                                             });
                         });
      if (!value && parameter.has_initial) value = value_of(element, parameter.initial, outer);
      if (!value) fail(element, fmt::format("<{}> needs '{}'", element.Name(), parameter.name));
      own.set(parameter.name, std::move(*value), false, place(element));
    }
  }

  void insert_block(const Element& element, Node& to, const Context& context) {
    only(element, {"name"});
    holds_nothing(element);
    const std::string name = text_of(element, need(element, "name"), context.scope);
    const XacroScope::Block* block = context.scope.find_block(name);
    if (!block) fail(element, fmt::format("there is no block '{}'", printable(name)));
    const Deeper deeper(*this, element, "blocks insert");
    if (block->contents_alone)
      children(*block->node, to, context, nullptr);
    else
      one(*block->node->ToElement(), to, context, nullptr);
  }

  // Packages that are named by meshes, seen or collided with, are used.
  void note_meshes(const Element& above) {
    for (const Element* element = above.FirstChildElement(); element;
         element = element->NextSiblingElement()) {
      const char* file = element->Attribute("filename");
      const std::string_view name = file ? file : "";
      if (name.starts_with("package://") || name.starts_with("model://")) {
        const std::size_t begin = name.find("://") + 3;
        const std::string package(name.substr(begin, name.find('/', begin) - begin));
        if (options_.packages.contains(package)) texts_.used_packages.insert(package);
      }
      note_meshes(*element);
    }
  }

  const XacroOptions& options_;
  XacroTexts texts_;
  tinyxml2::XMLDocument out_;
  std::vector<std::unique_ptr<tinyxml2::XMLDocument>> documents_;
  std::map<const tinyxml2::XMLDocument*, fs::path> files_;
  int depth_ = 0;
  std::int64_t nodes_ = 0;
};

}  // namespace
}  // namespace io

Result<ExpandedXacro> expand_xacro(const std::filesystem::path& file, const XacroOptions& options) {
  return io::guarded<ExpandedXacro>(file, [&] { return io::Expander(file, options).expand(); });
}

}  // namespace proven
