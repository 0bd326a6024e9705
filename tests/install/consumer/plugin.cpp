// What a plugin of some larger program would be: one function, with all of Proven behind it.
#include <proven/io/scene_file.h>

extern "C" __attribute__((visibility("default"))) int plugin_bodies(const char* scene_file) {
  const auto scene = proven::load_scene(scene_file);
  return scene.ok() ? static_cast<int>(scene.value().bodies().size()) : -1;
}
