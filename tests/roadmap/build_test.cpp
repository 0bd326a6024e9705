#include <unistd.h>

#include <fstream>
#include <map>

#include "proven/io/roadmap_file.h"
#include "robots.h"

namespace proven::roadmap {
namespace {

namespace fs = std::filesystem;

BuildOptions small(int nodes = 120) {
  BuildOptions options;
  options.nodes = nodes;
  options.neighbours = 5;
  options.cell = 0.1;
  options.threads = 2;
  return options;
}

fs::path temporary(const std::string& name) {
  return fs::path(testing::TempDir()) / (std::to_string(getpid()) + "_" + name);
}

// Keeps blocks in memory and pulls the plug after so many.
class MemoryJournal : public BuildJournal {
 public:
  std::optional<std::vector<std::uint8_t>> find(BuildStage stage, int block) override {
    const auto at = blocks_.find({stage, block});
    return at == blocks_.end() ? std::nullopt : std::optional(at->second);
  }
  void store(BuildStage stage, int block, std::span<const std::uint8_t> bytes) override {
    blocks_[{stage, block}].assign(bytes.begin(), bytes.end());
    if (--left_ == 0) stop_ = true;
  }
  void allow(int blocks) {
    left_ = blocks;
    stop_ = false;
  }
  std::atomic<bool> stop_ = false;
  std::size_t size() const { return blocks_.size(); }

 private:
  std::map<std::pair<BuildStage, int>, std::vector<std::uint8_t>> blocks_;
  int left_ = 0;
};

TEST(Build, SameBytesOnAnyNumberOfThreads) {
  const Scene scene = build_scene(scenes::make_spatial_arm(4)).value();
  std::vector<std::uint8_t> first;
  for (const int threads : {1, 2, 5}) {
    BuildOptions options = small();
    options.threads = threads;
    const auto bytes = to_bytes(build(scene, {}, scene.home(), options).value());
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << threads << " threads";
  }
  BuildOptions other = small();
  other.seed = 2;
  EXPECT_NE(to_bytes(build(scene, {}, scene.home(), other).value()), first);
}

TEST(Build, SameBytesByTheProgramsOfAGpu) {
  // A post stands where the arm reaches.
  SceneSource source = scenes::make_spatial_arm(4);
  ObstacleSource& post = source.obstacles.emplace_back();
  post.name = "post";
  post.elements = {{Box{{0.05, 0.05, 0.5}}, Pose{}, {}}};
  post.X_WB = Pose::translation({0.4, 0.1, 0.4});
  const Scene scene = build_scene(source).value();
  BuildOptions options = small();
  const auto model = build(scene, {}, scene.home(), options).value();
  options.device = BatchDevice::emulated;
  EXPECT_EQ(to_bytes(build(scene, {}, scene.home(), options).value()), to_bytes(model));
  // Some neighbours are not joined: both answers occurred.
  EXPECT_GT(model.graph.num_edges(), 100);
  EXPECT_LT(model.graph.num_edges(),
            static_cast<int>(neighbour_edges(model.graph, options.neighbours, 1, {}).size()));
}

TEST(Build, GoesOnAfterEveryInterruption) {
  const Scene scene = build_scene(scenes::make_planar_arm(3)).value();
  BuildOptions options = small(400);
  options.planar = true;
  options.cell = 0.05;
  const auto expected = to_bytes(build(scene, {}, scene.home(), options).value());
  for (const int step : {1, 3, 4}) {
    options.device = step == 4 ? BatchDevice::emulated : BatchDevice::threads;
    MemoryJournal journal;
    options.journal = &journal;
    Budget budget;
    budget.cancel = &journal.stop_;
    int runs = 0;
    for (;; ++runs) {
      ASSERT_LT(runs, 1000);
      journal.allow(step);
      const std::size_t before = journal.size();
      const auto model = build(scene, {}, scene.home(), options, budget);
      if (model.ok()) {
        EXPECT_EQ(to_bytes(model.value()), expected);
        break;
      }
      EXPECT_EQ(model.error().code, ErrorCode::exhausted);
      EXPECT_GT(journal.size(), before);
    }
    EXPECT_GT(runs, 3);
  }
}

// Hands blocks to workers in turn, each of which was told what they rest on, and counts them.
class Hands : public BuildHelpers {
 public:
  Hands(const Scene& scene, const BuildOptions& options, int number) {
    for (int i = 0; i < number; ++i)
      workers_.push_back(BlockWorker::create(scene, {}, scene.home(), options).value());
  }
  void do_blocks(BuildStage stage, std::span<const std::uint8_t> known, std::span<const int> blocks,
                 const Give& give) override {
    for (const int block : blocks) {
      BlockWorker& worker = workers_[static_cast<std::size_t>(done_++) % workers_.size()];
      ASSERT_TRUE(worker.learn(known).ok());
      ++count[stage];
      BuildBlock bytes = worker.do_block(stage, block).value();
      if (spoil == stage) bytes.pop_back();
      if (forget == stage) return;
      if (!give(std::move(bytes))) return;
    }
  }
  std::map<BuildStage, int> count;
  std::optional<BuildStage> spoil, forget;

 private:
  std::vector<BlockWorker> workers_;
  int done_ = 0;
};

TEST(Helpers, GiveTheSameBytes) {
  const Scene scene = build_scene(scenes::make_spatial_arm(4)).value();
  BuildOptions options = small(400);
  const auto expected = to_bytes(build(scene, {}, scene.home(), options).value());
  Hands hands(scene, options, 3);
  options.helpers = &hands;
  EXPECT_EQ(to_bytes(build(scene, {}, scene.home(), options).value()), expected);
  for (const BuildStage stage :
       {BuildStage::samples, BuildStage::proofs, BuildStage::node_cells, BuildStage::edge_cells})
    EXPECT_GT(hands.count[stage], 1) << to_string(stage);
  EXPECT_EQ(hands.count[BuildStage::joins], 0);
  // What the journal holds is asked of nobody, and what they did is in it.
  MemoryJournal journal;
  Budget budget;
  budget.cancel = &journal.stop_;
  options.journal = &journal;
  hands.count.clear();
  int runs = 0, asked = 0;
  for (std::optional<Model> model; !model; ++runs) {
    ASSERT_LT(runs, 1000);
    journal.allow(4);
    auto built = build(scene, {}, scene.home(), options, budget);
    if (!built.ok()) continue;
    model = std::move(built).value();
    EXPECT_EQ(to_bytes(*model), expected);
  }
  EXPECT_GT(runs, 3);
  for (const auto& [stage, count] : hands.count) asked += count;
  EXPECT_EQ(static_cast<std::size_t>(asked), journal.size() - 2);  // joins and bounds are done here
}

TEST(Helpers, WhatIsNotOfTheRoadmapIsRefused) {
  const Scene scene = build_scene(scenes::make_spatial_arm(3)).value();
  BuildOptions options = small();
  Hands hands(scene, options, 1);
  options.helpers = &hands;
  for (const BuildStage stage :
       {BuildStage::samples, BuildStage::proofs, BuildStage::node_cells, BuildStage::edge_cells}) {
    hands.forget = {};
    hands.spoil = stage;
    const auto spoiled = build(scene, {}, scene.home(), options);
    ASSERT_FALSE(spoiled.ok()) << to_string(stage);
    EXPECT_NE(spoiled.error().text().find("not of this roadmap"), std::string::npos);
    hands.spoil = {};
    hands.forget = stage;
    const auto missing = build(scene, {}, scene.home(), options);
    ASSERT_FALSE(missing.ok()) << to_string(stage);
    EXPECT_NE(missing.error().text().find("another number of blocks"), std::string::npos);
  }
}

TEST(Helpers, AWorkerRefusesWhatItDoesNotKnow) {
  const Scene scene = build_scene(scenes::make_spatial_arm(3)).value();
  struct Listener : BuildHelpers {
    std::vector<std::uint8_t> heard;
    void do_blocks(BuildStage stage, std::span<const std::uint8_t> known, std::span<const int>,
                   const Give&) override {
      if (stage != BuildStage::samples) heard.assign(known.begin(), known.end());
    }
  } listener;
  BuildOptions options = small();
  MemoryJournal journal;
  options.journal = &journal;
  ASSERT_TRUE(build(scene, {}, scene.home(), options).ok());
  // With the samples of that run in its journal, another one asks for proofs.
  struct SamplesAlone : BuildJournal {
    MemoryJournal& all;
    explicit SamplesAlone(MemoryJournal& journal) : all(journal) {}
    std::optional<std::vector<std::uint8_t>> find(BuildStage stage, int block) override {
      return stage == BuildStage::samples ? all.find(stage, block) : std::nullopt;
    }
    void store(BuildStage, int, std::span<const std::uint8_t>) override {}
  } samples(journal);
  options.journal = &samples;
  options.helpers = &listener;
  EXPECT_FALSE(build(scene, {}, scene.home(), options).ok());
  ASSERT_FALSE(listener.heard.empty());
  auto worker = BlockWorker::create(scene, {}, scene.home(), options).value();
  EXPECT_FALSE(worker.do_block(BuildStage::proofs, 0).ok());
  ASSERT_TRUE(worker.learn(listener.heard).ok());
  EXPECT_EQ(worker.do_block(BuildStage::proofs, 0).value(), journal.find(BuildStage::proofs, 0));
  for (const BuildStage stage : {BuildStage::joins, BuildStage::bounds, BuildStage::node_cells})
    EXPECT_FALSE(worker.do_block(stage, 0).ok()) << to_string(stage);
  EXPECT_FALSE(worker.do_block(BuildStage::proofs, -1).ok());
  EXPECT_FALSE(worker.do_block(BuildStage::proofs, 1000).ok());
  for (const std::size_t cut : {1, 8, 9, 100}) {
    EXPECT_FALSE(worker.learn(std::span(listener.heard).first(listener.heard.size() - cut)).ok())
        << cut;
    EXPECT_FALSE(worker.do_block(BuildStage::proofs, 0).ok());
  }
  auto longer = listener.heard;
  longer.push_back(0);
  EXPECT_FALSE(worker.learn(longer).ok());
}

// A journal that is cut off anywhere gives back its whole records.
TEST(Journal, AnyPrefixIsGoodForItsWholeRecords) {
  const fs::path file = temporary("cut.part");
  const Hash128 identity{1, 2};
  const std::vector<std::uint8_t> payload(100, 7);
  {
    auto journal = FileJournal::open(file, identity).value();
    for (int block = 0; block < 5; ++block) journal->store(BuildStage::proofs, block, payload);
    EXPECT_TRUE(journal->healthy());
    EXPECT_FALSE(FileJournal::open(file, identity).ok());  // locked
  }
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  int last = 5;
  for (std::size_t size = whole.size(); size-- > 0;) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    auto journal = FileJournal::open(file, identity);
    ASSERT_TRUE(journal.ok());
    EXPECT_LE(journal.value()->num_found(), last);
    last = journal.value()->num_found();
    for (int block = 0; block < last; ++block)
      EXPECT_EQ(journal.value()->find(BuildStage::proofs, block), payload);
    // What is added after the cut counts.
    journal.value()->store(BuildStage::joins, 0, payload);
    journal = bad_input("closed");
    auto again = FileJournal::open(file, identity).value();
    EXPECT_EQ(again->num_found(), last + 1);
    if (size % 40 != 0) size -= std::min<std::size_t>(size, 6);
  }
  EXPECT_EQ(last, 0);
  EXPECT_FALSE(FileJournal::open(file, Hash128{1, 3}).ok());
  fs::remove(file);
}

TEST(Format, ComesBackFromAMappedFile) {
  const Scene scene = build_scene(scenes::make_spatial_arm(3)).value();
  const Model model = build(scene, {}, scene.home(), small()).value();
  const fs::path file = temporary("map.roadmap");
  ASSERT_TRUE(save_roadmap(file, model).ok());
  const auto loaded = load_roadmap(file);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_EQ(to_bytes(loaded.value()), to_bytes(model));
  for (int cell = 0; cell <= model.grid.outside(); ++cell)
    ASSERT_EQ(loaded.value().edges_at.items(cell), model.edges_at.items(cell));
  EXPECT_EQ(loaded.value().scene_hash, scene.hash());
  fs::remove(file);
  EXPECT_EQ(load_roadmap(file).error().code, ErrorCode::not_found);
}

// Any altered byte and any other length is refused.
TEST(Format, DamageIsRefused) {
  const Scene scene = build_scene(scenes::make_planar_arm(2)).value();
  BuildOptions options = small(20);
  options.planar = true;
  options.cell = 0.3;
  const auto bytes = to_bytes(build(scene, {}, scene.home(), options).value());
  ASSERT_TRUE(from_bytes(bytes, nullptr).ok());
  Random random(5);
  const auto refused = [](const std::vector<std::uint8_t>& damaged) {
    // Mapped files start on a page; a vector's buffer is aligned well enough.
    return !from_bytes(damaged, nullptr).ok();
  };
  const std::size_t step = 1 + bytes.size() / static_cast<std::size_t>(test::cases(20000));
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    auto damaged = bytes;
    damaged[at] ^= static_cast<std::uint8_t>(1 << random.index(8));
    ASSERT_TRUE(refused(damaged)) << "byte " << at;
  }
  for (int k = 0; k < test::cases(300); ++k) {
    auto damaged = bytes;
    damaged.resize(static_cast<std::size_t>(random.index(static_cast<int>(bytes.size()))));
    ASSERT_TRUE(refused(damaged));
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_TRUE(refused(longer));
  const auto error = from_bytes(std::span(bytes).first(bytes.size() - 1), nullptr);
  EXPECT_NE(error.error().message.find("cut off"), std::string::npos);
}

TEST(Build, RefusesWhatItCannotPlanFor) {
  const Scene flyer = build_scene(make_scene("free-flyer").value()).value();
  EXPECT_FALSE(build(flyer, {}, flyer.home(), small()).ok());
  const Scene arm = build_scene(scenes::make_planar_arm(2)).value();
  BuildOptions options = small();
  options.check.checker = Checker::fixed;
  EXPECT_FALSE(build(arm, {}, arm.home(), options).ok());
  options = small(1);
  EXPECT_FALSE(build(arm, {}, arm.home(), options).ok());
  const int twice[] = {0, 0};
  EXPECT_FALSE(build(arm, twice, arm.home(), small()).ok());
}

}  // namespace
}  // namespace proven::roadmap
