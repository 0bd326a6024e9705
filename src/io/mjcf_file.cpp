#include "io/mjcf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/failure.h"
#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 100;
constexpr const char* kCompile =
    "; let MuJoCo write the model out (mj_saveLastXML, or its program compile) and convert that";

// What a model may hold. Looks, masses, forces, sensors and motors do not change what collides.
const std::vector<XmlFile::Rule>& mjcf_rules() {
  static const std::vector<XmlFile::Rule> kRules = {
      {"mujoco",
       {"model"},
       {"compiler", "option", "default", "worldbody", "asset", "contact", "equality", "keyframe",
        "deformable"},
       {"size", "visual", "statistic"},
       {"actuator", "sensor", "tendon", "custom", "extension"}},
      {"compiler",
       {"autolimits", "boundmass",   "boundinertia",    "settotalmass",     "balanceinertia",
        "strippath",  "coordinate",  "angle",           "fitaabb",          "eulerseq",
        "meshdir",    "texturedir",  "assetdir",        "discardvisual",    "convexhull",
        "usethread",  "fusestatic",  "inertiafromgeom", "exactmeshinertia", "inertiagrouprange",
        "alignfree",  "saveinertial"},
       {},
       {"lengthrange"},
       {}},
      {"option",
       {"timestep",
        "apirate",
        "impratio",
        "tolerance",
        "ls_tolerance",
        "noslip_tolerance",
        "mpr_tolerance",
        "ccd_tolerance",
        "sleep_tolerance",
        "gravity",
        "wind",
        "magnetic",
        "density",
        "viscosity",
        "o_margin",
        "o_solref",
        "o_solimp",
        "o_friction",
        "integrator",
        "collision",
        "cone",
        "jacobian",
        "solver",
        "iterations",
        "ls_iterations",
        "noslip_iterations",
        "mpr_iterations",
        "ccd_iterations",
        "sdf_iterations",
        "sdf_initpoints",
        "actuatorgroupdisable"},
       {"flag"},
       {},
       {}},
      {"flag",
       {"constraint", "equality",    "frictionloss", "limit",     "contact",     "passive",
        "spring",     "damper",      "gravity",      "clampctrl", "warmstart",   "filterparent",
        "actuation",  "refsafe",     "sensor",       "midphase",  "nativeccd",   "eulerdamp",
        "autoreset",  "override",    "energy",       "fwdinv",    "invdiscrete", "multiccd",
        "island",     "sensornoise", "sleep"},
       {},
       {},
       {}},
      {"default",
       {"class"},
       {"default", "geom", "joint", "mesh", "equality", "pair"},
       {"material", "site", "camera", "light", "tendon", "general", "motor", "position", "velocity",
        "intvelocity", "damper", "cylinder", "muscle", "adhesion"},
       {}},
      {"default/equality", {"active", "solref", "solimp"}, {}, {}, {}},
      {"worldbody", {}, {"geom", "body", "frame"}, {"site", "camera", "light"}, {"plugin"}},
      {"body",
       {"name", "childclass", "mocap", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler",
        "gravcomp", "user", "sleep"},
       {"joint", "freejoint", "geom", "body", "frame"},
       {"inertial", "site", "camera", "light"},
       {"plugin"}},
      {"frame",
       {"name", "childclass", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"},
       {"joint", "freejoint", "geom", "body", "frame"},
       {"site", "camera", "light"},
       {}},
      {"joint",
       {"name",
        "class",
        "type",
        "group",
        "pos",
        "axis",
        "springdamper",
        "solreflimit",
        "solimplimit",
        "solreffriction",
        "solimpfriction",
        "stiffness",
        "range",
        "limited",
        "margin",
        "ref",
        "springref",
        "armature",
        "damping",
        "frictionloss",
        "user",
        "actuatorfrcrange",
        "actuatorfrclimited",
        "actuatorgravcomp"},
       {},
       {},
       {}},
      {"freejoint", {"name", "group", "align"}, {}, {}, {}},
      {"geom",
       {"name",     "class",     "type",       "contype",   "conaffinity", "condim", "group",
        "priority", "size",      "material",   "rgba",      "friction",    "mass",   "density",
        "solmix",   "solref",    "solimp",     "margin",    "gap",         "fromto", "pos",
        "quat",     "axisangle", "xyaxes",     "zaxis",     "euler",       "hfield", "mesh",
        "fitscale", "user",      "fluidshape", "fluidcoef", "shellinertia"},
       {},
       {},
       {"plugin"}},
      {"asset", {}, {"mesh"}, {"texture", "material", "hfield", "skin"}, {"model"}},
      {"mesh",
       {"name", "class", "file", "vertex", "normal", "texcoord", "face", "scale", "refpos",
        "refquat", "smoothnormal", "inertia", "content_type", "builtin", "params"},
       {},
       {},
       {"plugin"},
       {"maxhullvert", "octree_maxdepth", "needsdf", "material"}},
      {"contact", {}, {"pair", "exclude"}, {}, {}},
      {"pair",
       {"name", "class", "geom1", "geom2", "condim", "friction", "solref", "solreffriction",
        "solimp", "margin", "gap"},
       {},
       {},
       {}},
      {"exclude", {"name", "body1", "body2"}, {}, {}, {}},
      {"equality",
       {},
       {"joint", "connect", "weld", "tendon", "distance", "flex", "flexvert", "flexstrain"},
       {},
       {}},
      {"equality/joint",
       {"name", "class", "active", "solref", "solimp", "joint1", "joint2", "polycoef"},
       {},
       {},
       {}},
      {"connect", {"*"}, {}, {}, {}},
      {"weld", {"*"}, {}, {}, {}},
      {"equality/tendon", {"*"}, {}, {}, {}},
      {"distance", {"*"}, {}, {}, {}},
      {"flex", {"*"}, {}, {}, {}},
      {"flexvert", {"*"}, {}, {}, {}},
      {"flexstrain", {"*"}, {}, {}, {}},
      {"keyframe", {}, {"key"}, {}, {}},
      {"key", {"name", "time", "qpos", "qvel", "act", "ctrl", "mpos", "mquat"}, {}, {}, {}},
      {"deformable", {}, {}, {"skin"}, {}},
  };
  return kRules;
}

bool has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<double> parse(const MjcfElement& at, const char* attribute) {
  std::vector<double> numbers;
  for (const std::string_view word : words(at.xml->Attribute(attribute))) {
    const std::optional<double> number = parse_double(word);
    if (!number)
      at.fail(fmt::format("'{}' of <{}>: expected a finite decimal number, got {}", attribute,
                          at.name(), quote(word)));
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

const MjcfElement* MjcfAttributes::find(const char* attribute) const {
  if (is_own(attribute)) return &element_;
  if (defaults_)
    for (auto at = defaults_->rbegin(); at != defaults_->rend(); ++at)
      if ((*at)->xml->Attribute(attribute)) return *at;
  return nullptr;
}

std::string MjcfAttributes::text(const char* attribute, const char* otherwise) const {
  const MjcfElement* at = find(attribute);
  return at ? at->file->text(*at->xml, attribute) : otherwise;
}

bool MjcfAttributes::flag(const char* attribute, bool otherwise) const {
  const std::string value = text(attribute, otherwise ? "true" : "false");
  if (value != "true" && value != "false")
    find(attribute)->fail(fmt::format("'{}' of <{}>: expected true or false, got {}", attribute,
                                      element_.name(), quote(value)));
  return value == "true";
}

int MjcfAttributes::whole(const char* attribute, int otherwise) const {
  const MjcfElement* at = find(attribute);
  if (!at) return otherwise;
  const std::string value = at->file->text(*at->xml, attribute);
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    at->fail(fmt::format("'{}' of <{}>: expected a whole number, got {}", attribute, at->name(),
                         quote(value)));
  return number;
}

std::optional<double> MjcfAttributes::number(const char* attribute) const {
  const auto all = numbers(attribute, 1);
  return all ? std::optional((*all)[0]) : std::nullopt;
}

std::optional<std::vector<double>> MjcfAttributes::numbers(const char* attribute,
                                                           std::size_t count) const {
  const MjcfElement* at = find(attribute);
  return at ? at->file->find_numbers(*at->xml, attribute, count) : std::nullopt;
}

std::optional<Vec3> MjcfAttributes::vec3(const char* attribute) const {
  const MjcfElement* at = find(attribute);
  return at ? at->file->find_vec3(*at->xml, attribute) : std::nullopt;
}

std::vector<double> MjcfAttributes::sizes(const char* attribute) const {
  std::vector<double> merged;
  const auto add = [&](const MjcfElement& at) {
    if (!at.xml->Attribute(attribute)) return;
    const std::vector<double> numbers = parse(at, attribute);
    if (numbers.empty() || numbers.size() > 3)
      at.fail(fmt::format("'{}' of <{}>: expected 1 to 3 numbers, got {}", attribute, at.name(),
                          quote(at.xml->Attribute(attribute))));
    merged.resize(std::max(merged.size(), numbers.size()));
    std::copy(numbers.begin(), numbers.end(), merged.begin());
  };
  if (defaults_)
    for (const MjcfElement* at : *defaults_) add(*at);
  add(element_);
  return merged;
}

MjcfFile::MjcfFile(const fs::path& file, const std::set<std::string>& ignore)
    : path_(file), ignore_(ignore) {
  files_.push_back(std::make_unique<XmlFile>(file, "mujoco"));
  root_ = read(*files_[0], files_[0]->root(), 0);
  require(root_, "");
  classes_["main"];
  for (const MjcfElement& section : root_.children) {
    if (section.name() != "default") continue;
    const std::string name = section.text("class").value_or("main");
    if (name != "main")
      section.fail(fmt::format("the outermost <default> is the class main, not {}", quote(name)));
    read_defaults(section, "main");
  }
}

MjcfElement MjcfFile::read(const XmlFile& file, const XmlElement& xml, int depth) {
  MjcfElement element{&xml, &file, {}};
  if (depth > kMaxDepth) element.fail("elements are nested more than 100 deep");
  for (const tinyxml2::XMLNode* node = xml.FirstChild(); node; node = node->NextSibling()) {
    if (const tinyxml2::XMLText* text = node->ToText(); text && !trimmed(text->Value()).empty())
      element.fail(fmt::format("the text {} in <{}> is not read; it has attributes only",
                               quote(trimmed(text->Value())), xml.Name()));
    const XmlElement* child = node->ToElement();
    if (!child) continue;
    if (std::string_view(child->Name()) == "include")
      include(file, *child, depth, element.children);
    else
      element.children.push_back(read(file, *child, depth + 1));
  }
  return element;
}

// Names of files are relative to the first file; each may be included once.
void MjcfFile::include(const XmlFile& file, const XmlElement& xml, int depth,
                       std::vector<MjcfElement>& into) {
  file.require_attributes(xml, {"include", {"file"}, {}, {}, {}});
  if (const tinyxml2::XMLNode* inner = xml.FirstChild(); inner && !inner->ToComment())
    file.fail(xml, "an <include> holds nothing; what it stands for is in its file");
  const fs::path name = (path_.parent_path() / file.text(xml, "file")).lexically_normal();
  std::error_code error;
  if (!fs::is_regular_file(name, error))
    file.fail(xml, fmt::format("{} is not found; files are sought from the folder of {}",
                               quote(name.string()), path_.filename().string()));
  if (!included_.insert(name).second || name == path_.lexically_normal())
    file.fail(xml, fmt::format("{} is included twice", quote(name.string())));
  files_.push_back(std::make_unique<XmlFile>(name, nullptr));
  const XmlFile& inner = *files_.back();
  const std::string_view root = inner.root().Name();
  if (root != "mujoco" && root != "mujocoinclude")
    inner.fail(inner.root(), fmt::format("expected <mujocoinclude> or <mujoco>, got <{}>",
                                         printable(inner.root().Name())));
  if (root == "mujocoinclude")
    inner.require_attributes(inner.root(), {"mujocoinclude", {}, {}, {}, {}});
  MjcfElement read_in = read(inner, inner.root(), depth);
  for (MjcfElement& child : read_in.children) into.push_back(std::move(child));
}

void MjcfFile::require(const MjcfElement& element, const std::string& parent) {
  const std::string name(element.name());
  const XmlFile::Rule* rule = nullptr;
  for (const XmlFile::Rule& r : mjcf_rules()) {
    if (r.element == parent + "/" + name) rule = &r;
    if (r.element == name && !rule) rule = &r;
  }
  if (!rule) return;
  if (!has(rule->attributes, "*")) require_attributes(element, *rule);
  for (const MjcfElement& child : element.children) {
    const std::string_view kind = child.name();
    if (has(rule->passed, kind)) continue;
    if (has(rule->noted, kind)) {
      ++passed_.noted[fmt::format("<{}>", kind)];
      continue;
    }
    const bool known = has(rule->children, kind);
    if (!known && ignores(kind)) {
      ++passed_.ignored[fmt::format("<{}> in <{}>", kind, name)];
      continue;
    }
    for (const char* made : {"replicate", "composite", "flexcomp", "attach", "flex"})
      if (!known && kind == made) child.fail(fmt::format("<{}> is not read{}", kind, kCompile));
    if (!known) child.file->refuse_child(*child.xml, name.c_str(), *rule);
    require(child, name);
  }
}

void MjcfFile::require_attributes(const MjcfElement& element, const XmlFile::Rule& rule) {
  XmlFile::Rule known = rule;
  for (const tinyxml2::XMLAttribute* a = element.xml->FirstAttribute(); a; a = a->Next()) {
    const std::string label = fmt::format("'{}' of <{}>", a->Name(), element.name());
    if (has(rule.noted_attributes, a->Name())) ++passed_.noted[label];
    if (has(rule.noted_attributes, a->Name()) || has(rule.attributes, a->Name()) ||
        !ignores(a->Name()))
      continue;
    ++passed_.ignored[label];
    known.attributes.emplace_back(a->Name());
  }
  element.file->require_attributes(*element.xml, known);
}

// A class begins as a copy of the one around it, when that has read all but its inner classes.
void MjcfFile::read_defaults(const MjcfElement& element, const std::string& name) {
  Defaults& settings = classes_[name];
  std::set<std::string_view> seen;
  for (const MjcfElement& child : element.children) {
    if (child.name() == "default") continue;
    if (!seen.insert(child.name()).second)
      child.fail(fmt::format("<default> holds more than one <{}>", child.name()));
    settings[std::string(child.name())].push_back(&child);
  }
  const Defaults copied = settings;
  for (const MjcfElement& child : element.children) {
    if (child.name() != "default") continue;
    const std::optional<std::string> inner = child.text("class");
    if (!inner) child.fail("a <default> inside another needs a 'class'");
    if (!classes_.emplace(*inner, copied).second)
      child.fail(fmt::format("class {} is defined twice", quote(*inner)));
    read_defaults(child, *inner);
  }
}

std::vector<const MjcfElement*> MjcfFile::in_sections(std::string_view section) const {
  std::vector<const MjcfElement*> list;
  for (const MjcfElement& element : root_.children)
    if (element.name() == section)
      for (const MjcfElement& child : element.children) list.push_back(&child);
  return list;
}

void MjcfFile::require_class(const MjcfElement& element, const std::string& name) const {
  if (classes_.contains(name)) return;
  std::vector<std::string> known;
  for (const auto& [other, settings] : classes_) known.push_back(other);
  element.fail(fmt::format("there is no default class {}{}", quote(name), suggestion(name, known)));
}

MjcfAttributes MjcfFile::attributes(const MjcfElement& element, const std::string& childclass,
                                    std::string_view kind) const {
  const std::string name = element.text("class").value_or(childclass);
  require_class(element, name);
  const Defaults& settings = classes_.find(name)->second;
  const auto found = settings.find(kind);
  return {element, found == settings.end() ? nullptr : &found->second};
}

}  // namespace proven::io
