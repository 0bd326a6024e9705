#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <assimp/Importer.hpp>
#include <limits>
#include <map>
#include <utility>

#include "io/failure.h"
#include "io/mesh_readers.h"
#include "io/text.h"
#include "io/xml.h"

namespace proven::io {
namespace {

void add_mesh(const std::filesystem::path& file, const aiMesh& part, const aiMatrix4x4& X,
              TriangleMesh& mesh) {
  if (mesh.vertices.size() + part.mNumVertices > std::numeric_limits<std::uint32_t>::max())
    fail(file.string(), "too many vertices", ErrorCode::exhausted);
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D v = X * part.mVertices[i];
    mesh.vertices.push_back(
        {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)});
    if (!is_finite(mesh.vertices.back()))
      fail(file.string(), fmt::format("vertex {} is not finite", mesh.vertices.size()));
  }
  for (unsigned f = 0; f < part.mNumFaces; ++f) {
    const aiFace& face = part.mFaces[f];
    if (face.mNumIndices != 3) continue;  // points and lines bound nothing
    for (unsigned i = 0; i < 3; ++i)
      if (face.mIndices[i] >= part.mNumVertices)
        fail(file.string(), fmt::format("an index of face {} is out of range", f + 1));
    mesh.triangles.push_back(
        {first + face.mIndices[0], first + face.mIndices[1], first + face.mIndices[2]});
  }
}

// Nodes may stand for other nodes (<instance_node>): a short file can describe billions of them, or
// a circle. assimp expands them blindly, so they are counted first.
class NodeCounter {
 public:
  explicit NodeCounter(const XmlFile& xml) : xml_(xml) {
    std::vector<const XmlElement*> rest = {&xml.root()};
    while (!rest.empty()) {
      const XmlElement* element = rest.back();
      rest.pop_back();
      if (const char* id = element->Attribute("id"); id && is(*element, "node"))
        nodes_.emplace(id, element);
      for (const XmlElement* child = element->FirstChildElement(); child;
           child = child->NextSiblingElement())
        rest.push_back(child);
    }
  }

  // The number of nodes that the element stands for.
  double count(const XmlElement& element, int depth = 0) {
    constexpr int kMaxDepth = 200;
    constexpr double kMaxNodes = 1e6;
    if (depth > kMaxDepth) xml_.fail(element, "nodes contain each other too deeply or in a circle");
    if (const auto known = counts_.find(&element); known != counts_.end()) return known->second;
    double total = 1;
    for (const XmlElement* child = element.FirstChildElement(); child;
         child = child->NextSiblingElement()) {
      if (is(*child, "node")) total += count(*child, depth + 1);
      if (is(*child, "instance_node")) {
        const char* url = child->Attribute("url");
        const auto target = nodes_.find(url && *url == '#' ? url + 1 : "");
        if (target != nodes_.end()) total += count(*target->second, depth + 1);
      }
    }
    if (total > kMaxNodes) xml_.fail(element, "stands for more than a million nodes");
    return counts_[&element] = total;
  }

 private:
  static bool is(const XmlElement& element, std::string_view name) {
    return element.Name() == name;
  }
  const XmlFile& xml_;
  std::map<std::string, const XmlElement*> nodes_;  // by id
  std::map<const XmlElement*, double> counts_;
};

// Stops files that assimp would crash on or never finish.
void check_collada(const std::filesystem::path& file) {
  const XmlFile xml(file, "COLLADA");
  NodeCounter counter(xml);
  for (const char* library : {"library_visual_scenes", "library_nodes"})
    for (const XmlElement* group : XmlFile::children(xml.root(), library))
      for (const XmlElement* element = group->FirstChildElement(); element;
           element = element->NextSiblingElement())
        counter.count(*element);
}

}  // namespace

// assimp puts the file's unit (metres per unit) into the root node, and would turn Z_UP into Y_UP
// unless told not to: robots' files mean their axes as they stand.
TriangleMesh read_collada(const std::filesystem::path& file) {
  check_collada(file);
  const std::string text = read_text(file, kMaxXmlBytes);
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene =
      importer.ReadFileFromMemory(text.data(), text.size(), aiProcess_Triangulate, "dae");
  if (!scene || !scene->mRootNode)
    fail(file.string(), fmt::format("not valid COLLADA: {}", quote(importer.GetErrorString())));
  TriangleMesh mesh;
  std::vector<std::pair<const aiNode*, aiMatrix4x4>> rest = {
      {scene->mRootNode, scene->mRootNode->mTransformation}};
  while (!rest.empty()) {
    const auto [node, X] = rest.back();
    rest.pop_back();
    for (unsigned i = 0; i < node->mNumMeshes; ++i)
      add_mesh(file, *scene->mMeshes[node->mMeshes[i]], X, mesh);
    for (unsigned i = node->mNumChildren; i-- > 0;)
      rest.emplace_back(node->mChildren[i], X * node->mChildren[i]->mTransformation);
  }
  return mesh;
}

}  // namespace proven::io
