// Scenes that are loaded one after the other and have much in common, as those of a data set: what
// the last ones share with the next is neither read nor prepared again.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "proven/io/scene_file.h"
#include "proven/scene/scene_source.h"

namespace proven {

struct TriangleMesh;

// Not for several threads at once.
class LoadedParts {
 public:
  // Which contents of a file a mesh is of: a file that is written anew has another time.
  struct Stamp {
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::filesystem::path& file);

  // A file, and the scale in x, y and z.
  using Key = std::tuple<std::string, double, double, double>;
  // Null if there is none, or an older one.
  std::shared_ptr<const TriangleMesh> find_mesh(const Key& key, const Stamp& stamp) const;
  void keep_mesh(const Key& key, const Stamp& stamp, std::shared_ptr<const TriangleMesh> mesh);

  // Gives bodies with meshes the prepared geometry of bodies of the last scene with the same ones.
  void give_to(SceneSource& scene) const;
  // From now on this one is the last.
  void keep_of(const Scene& scene);

 private:
  struct Mesh {
    Stamp stamp;
    std::shared_ptr<const TriangleMesh> mesh;
  };
  std::map<Key, Mesh> meshes_;
  std::vector<std::shared_ptr<const BodyGeometry>> bodies_;
};

// As load_scene does; what `parts` has is taken from there.
Result<Scene> load_scene(const std::filesystem::path& file, const SceneOptions& options,
                         LoadedParts& parts);

}  // namespace proven
