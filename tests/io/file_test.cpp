// Bytes of files: limits, errors that name the file, and writes that happen as a whole.
#include "proven/io/file.h"

#include <sys/stat.h>

#include <thread>

#include "io_support.h"
#include "proven/io/certificate_file.h"
#include "proven/io/prm_file.h"
#include "scenes/scenes.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;

int files_in(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(File, ReadsWhatWasWritten) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "a.bin";
  for (const std::string& bytes :
       {std::string(), std::string("a\0\n\xff", 4), std::string(300'000, 'x')}) {
    must(write_file(file, bytes));
    EXPECT_EQ(must(read_file(file)), bytes);
  }
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(File, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("five", "12345");
  EXPECT_EQ(must(read_file(file, 5)), "12345");
  EXPECT_EQ(error_text(read_file(file, 4)), file.string() + ": has 5 bytes; at most 4 are read");
  EXPECT_EQ(error_text(read_file(folder.path())), folder.path().string() + ": not a file");
  const auto none = read_file(folder.path() / "none");
  EXPECT_EQ(error_text(none), (folder.path() / "none").string() + ": no such file");
  EXPECT_EQ(none.error().code, ErrorCode::not_found);
  const fs::path deep = folder.path() / "no" / "folder";
  EXPECT_EQ(error_text(write_file(deep, "x")),
            deep.string() + ": cannot be written: No such file or directory");
  EXPECT_EQ(error_text(write_file(folder.path(), "x")),
            folder.path().string() + ": cannot be written: it is a folder");
  EXPECT_EQ(error_text(load_certificate(folder.path() / "none")),
            (folder.path() / "none").string() + ": no such file");
  EXPECT_TRUE(must(load_certificate(folder.write("empty", ""))).empty());
}

TEST(File, KeepsLinksModesAndDevices) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("a", "old"), link = folder.path() / "link";
  fs::create_symlink("a", link);
  fs::permissions(file, fs::perms(0640));
  must(write_file(link, "new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(must(read_file(file)), "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
  must(write_file("/dev/null", "nothing"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(files_in(folder.path()), 2);
}

// A reader never sees a part of a file that is written again and again.
TEST(File, IsThereAsAWhole) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "a";
  const std::string one(200'000, '1'), two(200'000, '2');
  must(write_file(file, one));
  std::jthread writer([&] {
    for (int i = 0; i < 40; ++i) must(write_file(file, i % 2 ? one : two));
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = must(read_file(file));
    ASSERT_TRUE(seen == one || seen == two) << seen.size();
  }
}

TEST(File, CertificatesAndRoadmapsComeBack) {
  const TemporaryFolder folder;
  const Certificate certificate = {0, 1, 255, 13, 10};
  must(save_certificate(folder.path() / "c", certificate));
  EXPECT_EQ(must(load_certificate(folder.path() / "c")), certificate);

  const Scene scene = must(build_scene(must(make_scene("planar-2"))));
  RoadmapOptions options;
  options.nodes = 20;
  const std::vector<double> rest(scene.home().begin(), scene.home().end());
  const Roadmap roadmap = must(Roadmap::build(scene, std::vector{0, 1}, rest, options));
  const fs::path file = folder.path() / "arm.prm";
  must(save_prm(file, roadmap));
  EXPECT_EQ(must(load_prm(file, scene)).to_text(), roadmap.to_text());
  const std::string text = must(read_file(file));
  must(write_file(file, text.substr(0, text.size() / 2)));
  EXPECT_TRUE(error_text(load_prm(file, scene)).starts_with(file.string() + ": roadmap, line "));
}

}  // namespace
}  // namespace proven::test
