// COLLADA 1.4: the geometries that the visual scene instances, with the transforms of their nodes
// and the file's unit. <up_axis> is not applied: the files of robots mean their axes as they stand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "verify/readers/meshes.h"
#include "verify/readers/xml.h"

namespace proven::verifier {
namespace {

using Indices = std::vector<std::uint32_t>;

class Collada {
 public:
  explicit Collada(const std::filesystem::path& file) : xml_(file, "COLLADA") {
    collect_ids(xml_.root());
  }

  TriangleMesh read() {
    Pose X;  // its matrix may stretch and mirror
    const double unit = metres();
    for (Vec3& row : X.R.row) row *= unit;
    const Element& scene = visual_scene();
    known(scene, {"asset", "node", "evaluate_scene", "extra"});
    visit(scene, X, 0);
    return std::move(mesh_);
  }

 private:
  void collect_ids(const Element& element) {
    if (const char* id = element.Attribute("id")) ids_[id].push_back(&element);
    for (const Element* child : Xml::children(element)) collect_ids(*child);
  }
  // What a "#id" refers to.
  const Element& target(const Element& element, const char* attribute,
                        std::string_view kind) const {
    const std::string id = xml_.need_text(element, attribute);
    const auto found = id.starts_with('#') ? ids_.find(id.substr(1)) : ids_.end();
    if (found == ids_.end() || found->second[0]->Name() != kind)
      xml_.fail(element, fmt::format("'{}' refers to no <{}>", id, kind));
    if (found->second.size() > 1) xml_.fail(element, fmt::format("'{}' is ambiguous", id));
    return *found->second[0];
  }
  void known(const Element& element, std::initializer_list<std::string_view> names) const {
    for (const Element* child : Xml::children(element))
      if (std::find(names.begin(), names.end(), child->Name()) == names.end())
        xml_.fail(*child, fmt::format("is not read in <{}>", element.Name()));
  }
  std::size_t index(const Element& element, double value) const {
    if (!(value >= 0 && value <= 1e9) || value != std::floor(value))
      xml_.fail(element, "expected an index or a count");
    return static_cast<std::size_t>(value);
  }
  std::size_t index(const Element& element, const char* attribute, double otherwise) const {
    return index(element, xml_.number(element, attribute).value_or(otherwise));
  }

  double metres() const {
    const Element* asset = xml_.child(xml_.root(), "asset");
    const Element* unit = asset ? xml_.child(*asset, "unit") : nullptr;
    const double metre = unit ? xml_.number(*unit, "meter").value_or(1) : 1;
    if (!(metre > 0)) xml_.fail(*unit, "'meter' must be positive");
    return metre;
  }
  const Element& visual_scene() const {
    const Element* scene = xml_.child(xml_.root(), "scene");
    if (scene)
      if (const Element* instance = xml_.child(*scene, "instance_visual_scene"))
        return target(*instance, "url", "visual_scene");
    return xml_.need(xml_.need(xml_.root(), "library_visual_scenes"), "visual_scene");
  }

  // --- Nodes ---

  void visit(const Element& node, Pose X, int depth) {
    if (depth > 200 || ++nodes_ > 100'000) xml_.fail(node, "too many nodes, or nodes in a circle");
    for (const Element* child : Xml::children(node)) X = X * transform(*child);
    for (const Element* child : Xml::children(node)) {
      const std::string_view name = child->Name();
      if (name == "node") visit_node(*child, X, depth + 1);
      if (name == "instance_node") visit_node(target(*child, "url", "node"), X, depth + 1);
      if (name == "instance_geometry") instance(*child, X);
    }
  }
  void visit_node(const Element& node, const Pose& X, int depth) {
    known(node, {"asset", "extra", "node", "instance_node", "instance_geometry", "instance_camera",
                 "instance_light", "translate", "rotate", "scale", "matrix"});
    visit(node, X, depth);
  }
  std::vector<double> values(const Element& element, std::size_t count) const {
    std::vector<double> v = xml_.contents(element);
    if (v.size() != count) xml_.fail(element, fmt::format("expected {} numbers", count));
    return v;
  }
  Pose transform(const Element& element) const {
    const std::string_view name = element.Name();
    if (name == "translate") {
      const auto v = values(element, 3);
      return Pose::translation({v[0], v[1], v[2]});
    }
    if (name == "scale") {
      const auto v = values(element, 3);
      return {{{Vec3{v[0], 0, 0}, Vec3{0, v[1], 0}, Vec3{0, 0, v[2]}}}, {}};
    }
    if (name == "rotate") {  // axis, degrees
      const auto v = values(element, 4);
      if (v[0] == 0 && v[1] == 0 && v[2] == 0) xml_.fail(element, "a zero axis");
      return {turn_about(unit_of({v[0], v[1], v[2]}), v[3] * std::numbers::pi / 180), {}};
    }
    if (name != "matrix") return {};
    const auto v = values(element, 16);
    if (v[12] != 0 || v[13] != 0 || v[14] != 0 || v[15] != 1)
      xml_.fail(element, "the last row must be 0 0 0 1");
    return {{{Vec3{v[0], v[1], v[2]}, Vec3{v[4], v[5], v[6]}, Vec3{v[8], v[9], v[10]}}},
            {v[3], v[7], v[11]}};
  }
  // A mirror turns triangles round, so that their outside stays outside.
  void instance(const Element& element, const Pose& X) {
    const Element& geometry = target(element, "url", "geometry");
    if (!geometries_.contains(&geometry)) geometries_[&geometry] = read_geometry(geometry);
    const TriangleMesh& part = geometries_[&geometry];
    if (mesh_.vertices.size() + std::max(part.vertices.size(), part.triangles.size()) > 50'000'000)
      xml_.fail(element, "too many vertices");
    const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
    for (const Vec3& v : part.vertices) mesh_.vertices.push_back(X * v);
    const bool mirrors = dot(X.R.row[0], cross(X.R.row[1], X.R.row[2])) < 0;
    for (auto [a, b, c] : part.triangles) {
      if (mirrors) std::swap(b, c);
      mesh_.triangles.push_back({first + a, first + b, first + c});
    }
  }

  // --- Geometries ---

  TriangleMesh read_geometry(const Element& geometry) const {
    known(geometry, {"asset", "extra", "mesh"});
    const Element& mesh = xml_.need(geometry, "mesh");
    known(mesh, {"source", "vertices", "triangles", "polylist", "polygons", "trifans", "tristrips",
                 "lines", "linestrips", "extra"});
    TriangleMesh result;
    std::map<const Element*, std::uint32_t> first;  // of the positions of a source
    for (const Element* part : Xml::children(mesh)) {
      const std::string_view kind = part->Name();
      if (kind == "triangles" || kind == "polylist" || kind == "polygons" || kind == "trifans" ||
          kind == "tristrips")
        read_primitives(*part, kind, first, result);
    }
    return result;
  }

  void read_primitives(const Element& part, std::string_view kind,
                       std::map<const Element*, std::uint32_t>& first, TriangleMesh& mesh) const {
    known(part, {"input", "p", "vcount", "extra"});
    std::size_t stride = 1, offset = 0;
    const Element* vertices = nullptr;
    for (const Element* input : Xml::children(part, "input")) {
      const std::size_t at = index(*input, "offset", 0);
      stride = std::max(stride, at + 1);
      if (xml_.need_text(*input, "semantic") != "VERTEX") continue;
      if (vertices) xml_.fail(part, "several inputs VERTEX");
      offset = at;
      vertices = &target(*input, "source", "vertices");
    }
    if (!vertices) xml_.fail(part, "no input VERTEX");
    const Element& source = position_source(*vertices);
    const std::vector<Vec3> positions = read_positions(source);
    if (!first.contains(&source)) {
      first[&source] = static_cast<std::uint32_t>(mesh.vertices.size());
      mesh.vertices.insert(mesh.vertices.end(), positions.begin(), positions.end());
    }
    std::size_t count = 0;
    for (const Element* p : Xml::children(part, "p")) {
      Indices corners = read_corners(*p, stride, offset, positions.size());
      for (std::uint32_t& corner : corners) corner += first[&source];
      count += add_primitives(part, *p, kind, corners, mesh);
    }
    if (const auto said = xml_.number(part, "count"); said && *said != static_cast<double>(count))
      xml_.fail(part, fmt::format("there are {} of these, not {}", count, *said));
  }

  const Element& position_source(const Element& vertices) const {
    const Element* found = nullptr;
    for (const Element* input : Xml::children(vertices, "input"))
      if (xml_.need_text(*input, "semantic") == "POSITION") {
        if (found) xml_.fail(vertices, "several inputs POSITION");
        found = &target(*input, "source", "source");
      }
    if (!found) xml_.fail(vertices, "no input POSITION");
    return *found;
  }

  std::vector<Vec3> read_positions(const Element& source) const {
    const Element& accessor = xml_.need(xml_.need(source, "technique_common"), "accessor");
    const Element& array = target(accessor, "source", "float_array");
    const std::vector<double> values = xml_.contents(array);
    if (const auto said = xml_.number(array, "count");
        said && *said != static_cast<double>(values.size()))
      xml_.fail(array, fmt::format("there are {} numbers, not {}", values.size(), *said));
    const std::size_t count = index(accessor, "count", 0), stride = index(accessor, "stride", 1),
                      offset = index(accessor, "offset", 0);
    const auto params = Xml::children(accessor, "param");
    for (std::size_t i = 0; i < params.size() && i < 3; ++i)  // one without a name is skipped
      if (params.size() < 3 || xml_.text(*params[i], "name") != std::string(1, "XYZ"[i]))
        xml_.fail(*params[i], "positions must have the params X, Y and Z");
    if (stride < 3) xml_.fail(accessor, "positions need a stride of 3");
    if (count > 0 && offset + (count - 1) * stride + 3 > values.size())
      xml_.fail(accessor, "there are too few numbers");
    std::vector<Vec3> positions;
    for (std::size_t i = 0; i < count; ++i) {
      const double* v = values.data() + offset + i * stride;
      positions.push_back({v[0], v[1], v[2]});
    }
    return positions;
  }

  Indices read_corners(const Element& p, std::size_t stride, std::size_t offset,
                       std::size_t count) const {
    const std::vector<double> values = xml_.contents(p);
    if (values.size() % stride != 0) xml_.fail(p, "the number of indices does not fit the inputs");
    Indices corners;
    for (std::size_t i = offset; i < values.size(); i += stride) {
      const std::size_t corner = index(p, values[i]);
      if (corner >= count) xml_.fail(p, "an index beyond the positions");
      corners.push_back(static_cast<std::uint32_t>(corner));
    }
    return corners;
  }

  // Returns how many primitives of its kind a <p> holds.
  std::size_t add_primitives(const Element& part, const Element& p, std::string_view kind,
                             const Indices& corners, TriangleMesh& mesh) const {
    if (kind == "tristrips") {
      for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
        std::array<std::uint32_t, 3> t = {corners[i], corners[i + 1], corners[i + 2]};
        if (i % 2 == 1) std::swap(t[1], t[2]);
        mesh.triangles.push_back(t);
      }
      return 1;
    }
    if (kind == "trifans") {
      add_fan(mesh, corners);
      return 1;
    }
    if (kind == "polygons") {
      at_place(xml_.place(p), [&] { add_polygon(mesh, corners); });
      return 1;
    }
    std::vector<double> counts(corners.size() / 3, 3);
    if (kind == "polylist") counts = xml_.contents(xml_.need(part, "vcount"));
    auto at = corners.begin();
    for (const double value : counts) {
      const auto n = static_cast<std::ptrdiff_t>(index(p, value));
      if (n > corners.end() - at) xml_.fail(p, "there are too few indices");
      at_place(xml_.place(p), [&] { add_polygon(mesh, {at, at + n}); });
      at += n;
    }
    if (at != corners.end()) xml_.fail(p, "there are too many indices");
    return counts.size();
  }

  Xml xml_;
  std::map<std::string, std::vector<const Element*>, std::less<>> ids_;
  std::map<const Element*, TriangleMesh> geometries_;
  TriangleMesh mesh_;
  int nodes_ = 0;
};

}  // namespace

TriangleMesh read_collada(const std::filesystem::path& file) {
  return Collada(file).read();
}

}  // namespace proven::verifier
