// COLLADA (DAE), by our own reader: in double precision, and safe against files made to do harm
// (the usual library crashes on some).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "io/failure.h"
#include "io/mesh_readers.h"
#include "io/text.h"
#include "io/xml.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

// A pose whose matrix may stretch and mirror; composition and application are the same.
using Affine = Pose;

double determinant(const Mat3& m) {
  return dot(m.row[0], cross(m.row[1], m.row[2]));
}

// The parts of a COLLADA file, found by their ids.
class ColladaFile : public XmlFile {
 public:
  explicit ColladaFile(const std::filesystem::path& file) : XmlFile(file, "COLLADA") {
    std::vector<const XmlElement*> rest = {&root()};
    while (!rest.empty()) {
      const XmlElement* element = rest.back();
      rest.pop_back();
      if (const char* id = element->Attribute("id"))
        if (const auto [known, is_new] = by_id_.emplace(id, element); !is_new)
          known->second = nullptr;  // ambiguous
      for (const XmlElement* child = element->FirstChildElement(); child;
           child = child->NextSiblingElement())
        rest.push_back(child);
    }
  }

  // What the attribute ("#id") refers to.
  const XmlElement& target(const XmlElement& element, const char* attribute,
                           std::string_view kind) const {
    const std::string reference = text(element, attribute);
    const auto found = by_id_.find(reference.starts_with('#') ? reference.substr(1) : "");
    if (found != by_id_.end() && !found->second)
      fail(element, fmt::format("several elements are called {}", quote(reference)));
    if (found == by_id_.end() || found->second->Name() != kind)
      fail(element, fmt::format("{} is not a <{}> of this file", quote(reference), kind));
    return *found->second;
  }

  // The numbers in the element's text.
  std::vector<double> values(const XmlElement& element) const {
    std::vector<double> result;
    for (const tinyxml2::XMLNode* child = element.FirstChild(); child;
         child = child->NextSibling()) {
      if (!child->ToText()) continue;
      for (const std::string_view word : words(child->Value())) {
        const std::optional<double> value = parse_double(word);
        if (!value)
          fail(element, fmt::format("expected a finite decimal number, got {}", quote(word)));
        result.push_back(*value);
      }
    }
    return result;
  }

  std::vector<double> values(const XmlElement& element, std::size_t count) const {
    std::vector<double> result = values(element);
    if (result.size() != count)
      fail(element,
           fmt::format("<{}>: expected {} numbers, got {}", element.Name(), count, result.size()));
    return result;
  }

  // Fails on children that are not listed: they may be geometry that is misspelt or not known.
  void allow_children(const XmlElement& element,
                      std::initializer_list<std::string_view> names) const {
    for (const XmlElement* child = element.FirstChildElement(); child;
         child = child->NextSiblingElement())
      if (std::find(names.begin(), names.end(), child->Name()) == names.end())
        fail(*child,
             fmt::format(
                 "<{}> is not read in <{}>{}", printable(child->Name()), element.Name(),
                 suggestion(child->Name(), std::vector<std::string>(names.begin(), names.end()))));
  }

  // What an attribute "count" says must be so.
  void check_count(const XmlElement& element, std::size_t count) const {
    const std::optional<double> said = find_number(element, "count");
    if (said && *said != static_cast<double>(count))
      fail(element,
           fmt::format("'count' of <{}> is {}, but there are {}", element.Name(), *said, count));
  }

  // A whole number that counts or indexes something in memory.
  std::size_t index(const XmlElement& element, double value) const {
    if (!(value >= 0) || value != std::floor(value) || value > 1e9)
      fail(element, fmt::format("expected an index, got {}", value));
    return static_cast<std::size_t>(value);
  }
  std::size_t index(const XmlElement& element, const char* attribute, double otherwise) const {
    return index(element, find_number(element, attribute).value_or(otherwise));
  }

 private:
  std::map<std::string, const XmlElement*> by_id_;
};

// The triangles of one <mesh>, in the file's units.
class GeometryReader {
 public:
  explicit GeometryReader(const ColladaFile& xml) : xml_(xml) {}

  TriangleMesh read(const XmlElement& geometry) {
    xml_.allow_children(geometry, {"asset", "extra", "mesh"});
    const XmlElement& mesh = xml_.required_child(geometry, "mesh");
    xml_.allow_children(mesh, {"source", "vertices", "triangles", "polylist", "polygons", "trifans",
                               "tristrips", "lines", "linestrips", "extra"});
    for (const XmlElement* part = mesh.FirstChildElement(); part;
         part = part->NextSiblingElement()) {
      const std::string_view kind = part->Name();
      if (kind == "triangles" || kind == "polylist" || kind == "polygons" || kind == "trifans" ||
          kind == "tristrips")
        read_primitives(*part, kind);
    }
    return std::move(mesh_);
  }

 private:
  // Where the positions of a primitive's corners stand in its <p>, and what they refer to.
  struct Layout {
    std::size_t stride = 1, offset = 0;
    std::uint32_t first = 0, count = 0;  // vertices
  };

  Layout read_layout(const XmlElement& part) {
    Layout layout;
    const XmlElement* vertex = nullptr;
    for (const XmlElement* input : XmlFile::children(part, "input")) {
      const std::size_t offset = xml_.index(*input, "offset", 0);
      layout.stride = std::max(layout.stride, offset + 1);
      if (xml_.text(*input, "semantic") != "VERTEX") continue;
      if (vertex) xml_.fail(*input, "there are several inputs VERTEX");
      vertex = input;
      layout.offset = offset;
    }
    if (!vertex) xml_.fail(part, fmt::format("<{}> has no input VERTEX", part.Name()));
    const XmlElement& vertices = xml_.target(*vertex, "source", "vertices");
    const XmlElement* position = nullptr;
    for (const XmlElement* input : XmlFile::children(vertices, "input"))
      if (xml_.text(*input, "semantic") == "POSITION") {
        if (position) xml_.fail(*input, "there are several inputs POSITION");
        position = input;
      }
    if (!position) xml_.fail(vertices, "<vertices> has no input POSITION");
    const XmlElement& source = xml_.target(*position, "source", "source");
    const auto [known, is_new] = sources_.try_emplace(&source);
    if (is_new) known->second = read_positions(source);
    layout.first = known->second.first;
    layout.count = known->second.second;
    return layout;
  }

  // Appends the positions of a <source>; returns the first one and their number.
  std::pair<std::uint32_t, std::uint32_t> read_positions(const XmlElement& source) {
    const XmlElement& technique = xml_.required_child(source, "technique_common");
    const XmlElement& accessor = xml_.required_child(technique, "accessor");
    const XmlElement& array = xml_.target(accessor, "source", "float_array");
    const std::vector<double> values = xml_.values(array);
    xml_.check_count(array, values.size());
    check_params(accessor);
    const std::size_t count = xml_.index(accessor, "count", 0);
    const std::size_t stride = xml_.index(accessor, "stride", 1);
    const std::size_t offset = xml_.index(accessor, "offset", 0);
    if (stride < 3) xml_.fail(accessor, "positions need a stride of at least 3");
    if (count > 0 && offset + (count - 1) * stride + 3 > values.size())
      xml_.fail(accessor, fmt::format("{} positions do not fit the array of {} numbers", count,
                                      values.size()));
    const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = offset + i * stride;
      mesh_.vertices.push_back({values[at], values[at + 1], values[at + 2]});
    }
    return {first, static_cast<std::uint32_t>(count)};
  }

  // Numbers of an accessor whose param has no name are to be skipped.
  void check_params(const XmlElement& accessor) const {
    const std::vector<const XmlElement*> params = XmlFile::children(accessor, "param");
    for (std::size_t i = 0; i < params.size() && i < 3; ++i)
      if (params.size() < 3 || xml_.find_text(*params[i], "name") != std::string(1, "XYZ"[i]))
        xml_.fail(*params[i], "the params of positions must be X, Y and Z");
  }

  void read_primitives(const XmlElement& part, std::string_view kind) {
    if (const XmlElement* holes = part.FirstChildElement("ph"))
      xml_.fail(*holes, "polygons with holes are not read");
    xml_.allow_children(part, {"input", "p", "vcount", "extra"});
    const Layout layout = read_layout(part);
    std::size_t count = 0;
    for (const XmlElement* indices : XmlFile::children(part, "p")) {
      const std::vector<std::uint32_t> corners = read_corners(*indices, layout);
      if (kind == "triangles" || kind == "polylist") {
        std::vector<std::size_t> sizes(corners.size() / 3, 3);
        if (kind == "polylist") sizes = read_counts(xml_.required_child(part, "vcount"));
        add_polygons(*indices, corners, sizes);
        count += sizes.size();
        continue;
      }
      ++count;
      if (kind == "tristrips")
        add_strip(corners);
      else if (kind == "trifans")
        add_fan(mesh_, corners);
      else
        add_one(*indices, corners);
    }
    xml_.check_count(part, count);
  }

  std::vector<std::uint32_t> read_corners(const XmlElement& element, const Layout& layout) const {
    const std::vector<double> values = xml_.values(element);
    if (values.size() % layout.stride != 0)
      xml_.fail(element,
                fmt::format("{} indices are not a multiple of {}", values.size(), layout.stride));
    std::vector<std::uint32_t> corners;
    for (std::size_t i = layout.offset; i < values.size(); i += layout.stride) {
      const std::size_t corner = xml_.index(element, values[i]);
      if (corner >= layout.count)
        xml_.fail(element, fmt::format("index {} is out of range: there are {} vertices", corner,
                                       layout.count));
      corners.push_back(layout.first + static_cast<std::uint32_t>(corner));
    }
    return corners;
  }

  std::vector<std::size_t> read_counts(const XmlElement& element) const {
    std::vector<std::size_t> counts;
    for (const double value : xml_.values(element)) counts.push_back(xml_.index(element, value));
    return counts;
  }

  void add_polygons(const XmlElement& element, const std::vector<std::uint32_t>& corners,
                    const std::vector<std::size_t>& counts) {
    std::size_t at = 0;
    for (const std::size_t count : counts) {
      if (count > corners.size() - at) xml_.fail(element, "there are too few indices");
      const auto begin = corners.begin() + static_cast<std::ptrdiff_t>(at);
      add_one(element, {begin, begin + static_cast<std::ptrdiff_t>(count)});
      at += count;
    }
    if (at != corners.size()) xml_.fail(element, "there are too many indices");
  }

  void add_one(const XmlElement& element, const std::vector<std::uint32_t>& corners) {
    if (std::string why = add_polygon(mesh_, corners); !why.empty())
      xml_.fail(element, std::move(why));
  }

  void add_strip(const std::vector<std::uint32_t>& corners) {
    for (std::size_t i = 2; i < corners.size(); ++i) {
      const bool odd = i % 2 == 1;
      mesh_.triangles.push_back(
          {corners[i - 2], corners[odd ? i : i - 1], corners[odd ? i - 1 : i]});
    }
  }

  const ColladaFile& xml_;
  TriangleMesh mesh_;
  std::map<const XmlElement*, std::pair<std::uint32_t, std::uint32_t>> sources_;
};

// Walks over the nodes of the scene and collects their triangles.
class SceneCollector {
 public:
  explicit SceneCollector(const std::filesystem::path& file) : xml_(file) {}

  TriangleMesh read() {
    const double unit = read_unit();
    Affine X;
    for (Vec3& row : X.R.row) row *= unit;
    xml_.allow_children(visual_scene(), {"asset", "node", "evaluate_scene", "extra"});
    visit(visual_scene(), X, 0);
    return std::move(mesh_);
  }

 private:
  double read_unit() const {
    const XmlElement* asset = xml_.child(xml_.root(), "asset");
    const XmlElement* unit = asset ? xml_.child(*asset, "unit") : nullptr;
    return unit && unit->Attribute("meter") ? xml_.positive_number(*unit, "meter") : 1;
  }

  const XmlElement& visual_scene() const {
    if (const XmlElement* scene = xml_.child(xml_.root(), "scene"))
      if (const XmlElement* instance = xml_.child(*scene, "instance_visual_scene"))
        return xml_.target(*instance, "url", "visual_scene");
    if (const XmlElement* library = xml_.child(xml_.root(), "library_visual_scenes"))
      return xml_.required_child(*library, "visual_scene");
    xml_.fail(xml_.root(), "the file has no visual scene");
  }

  // Nodes may stand for other nodes: a short file can describe billions of them, or a circle.
  void visit(const XmlElement& node, const Affine& X_parent, int depth) {
    constexpr int kMaxDepth = 200;
    constexpr int kMaxNodes = 100'000;
    if (depth > kMaxDepth) xml_.fail(node, "nodes contain each other too deeply or in a circle");
    if (++nodes_ > kMaxNodes) xml_.fail(node, "the scene has more than 100,000 nodes");
    if (depth > 0)
      xml_.allow_children(node, {"asset", "extra", "node", "instance_node", "instance_geometry",
                                 "instance_camera", "instance_light", "instance_controller",
                                 "translate", "rotate", "scale", "matrix", "lookat", "skew"});
    Affine X = X_parent;
    for (const XmlElement* child = node.FirstChildElement(); child;
         child = child->NextSiblingElement())
      X = X * transform(*child);
    for (const XmlElement* child = node.FirstChildElement(); child;
         child = child->NextSiblingElement()) {
      const std::string_view kind = child->Name();
      if (kind == "node") visit(*child, X, depth + 1);
      if (kind == "instance_node") visit(xml_.target(*child, "url", "node"), X, depth + 1);
      if (kind == "instance_geometry") add_geometry(*child, X);
      if (kind == "instance_controller") xml_.fail(*child, "skinned meshes are not read");
    }
  }

  // The transform that an element describes; the identity if it describes none.
  Affine transform(const XmlElement& element) const {
    const std::string_view kind = element.Name();
    Affine X;
    if (kind == "translate") {
      const std::vector<double> v = xml_.values(element, 3);
      X.p = {v[0], v[1], v[2]};
    } else if (kind == "rotate") {
      const std::vector<double> v = xml_.values(element, 4);
      if (v[0] == 0 && v[1] == 0 && v[2] == 0) xml_.fail(element, "<rotate> has a zero axis");
      X.R = rotation(normalized({v[0], v[1], v[2]}), v[3] * std::numbers::pi / 180);
    } else if (kind == "scale") {
      const std::vector<double> v = xml_.values(element, 3);
      X.R = {{Vec3{v[0], 0, 0}, Vec3{0, v[1], 0}, Vec3{0, 0, v[2]}}};
    } else if (kind == "matrix") {
      const std::vector<double> v = xml_.values(element, 16);
      if (v[12] != 0 || v[13] != 0 || v[14] != 0 || v[15] != 1)
        xml_.fail(element, "the last row of <matrix> must be 0 0 0 1");
      X.R = {{Vec3{v[0], v[1], v[2]}, Vec3{v[4], v[5], v[6]}, Vec3{v[8], v[9], v[10]}}};
      X.p = {v[3], v[7], v[11]};
    } else if (kind == "lookat" || kind == "skew") {
      xml_.fail(element, fmt::format("<{}> is not read", kind));
    }
    return X;
  }

  void add_geometry(const XmlElement& instance, const Affine& X) {
    constexpr std::size_t kMaxVertices = 50'000'000;
    const XmlElement& geometry = xml_.target(instance, "url", "geometry");
    const auto [known, is_new] = geometries_.try_emplace(&geometry);
    if (is_new) known->second = GeometryReader(xml_).read(geometry);
    const TriangleMesh& part = known->second;
    if (mesh_.vertices.size() + std::max(part.vertices.size(), part.triangles.size()) >
        kMaxVertices)
      xml_.fail(instance, "the scene has too many vertices");
    const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
    for (const Vec3& v : part.vertices) mesh_.vertices.push_back(X * v);
    const bool mirrored = determinant(X.R) < 0;
    for (const auto& [a, b, c] : part.triangles)
      mesh_.triangles.push_back(
          {first + a, first + (mirrored ? c : b), first + (mirrored ? b : c)});
  }

  ColladaFile xml_;
  std::map<const XmlElement*, TriangleMesh> geometries_;
  TriangleMesh mesh_;
  int nodes_ = 0;
};

}  // namespace

// The unit and the nodes' transforms apply; <up_axis> does not: the files of robots mean their axes
// as they stand.
TriangleMesh read_collada(const std::filesystem::path& file) {
  return SceneCollector(file).read();
}

}  // namespace proven::io
