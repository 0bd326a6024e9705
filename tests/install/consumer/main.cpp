// consumer SCENE PATH: checks a path, lets the verifier check the proof.
#include <proven/certify/check.h>
#include <proven/io/path_file.h>
#include <proven/io/scene_file.h>
#include <proven/verify/verify.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto source = proven::load_scene_source(argv[1], {});
  if (!source.ok()) return std::puts(source.error().text().c_str()), 4;
  const auto scene = proven::build_scene(source.value());
  if (!scene.ok()) return std::puts(scene.error().text().c_str()), 4;
  const auto path = proven::load_path(argv[2], scene.value());
  if (!path.ok()) return std::puts(path.error().text().c_str()), 4;

  proven::CheckOptions options;
  options.certificate = true;
  proven::Scratch scratch;
  const auto result = proven::check(scene.value(), path.value(), options, scratch);
  if (!result.ok()) return std::puts(result.error().text().c_str()), 4;
  const auto report = proven::verify(source.value(), path.value(), result.value().certificate, {});
  std::printf("%s, %s\n", proven::to_string(result.value().verdict).data(),
              report.accepted ? "accepted" : "rejected");
  return report.accepted ? 0 : 5;
}
