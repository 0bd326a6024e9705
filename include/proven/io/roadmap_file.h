// Dynamic roadmaps in files.
#pragma once

#include <filesystem>
#include <memory>

#include "proven/base/result.h"
#include "proven/roadmap/roadmap.h"

namespace proven {

// Maps the file into memory; every checksum is compared before anything is believed.
Result<roadmap::Model> load_roadmap(const std::filesystem::path& file);
// Written beside and renamed: the file is there as a whole or not at all.
Result<void> save_roadmap(const std::filesystem::path& file, const roadmap::Model& model);

// The blocks of a build that are done, in a file that grows by whole records, each with its
// checksum: whatever moment the program is killed at, the next one goes on from the last whole
// record.
class FileJournal : public roadmap::BuildJournal {
 public:
  // `identity` says what is built; a journal of something else is an Error. Fails if another
  // program is writing it.
  static Result<std::unique_ptr<FileJournal>> open(const std::filesystem::path& file,
                                                   const Hash128& identity);
  ~FileJournal() override;

  std::optional<std::vector<std::uint8_t>> find(roadmap::BuildStage stage, int block) override;
  void store(roadmap::BuildStage stage, int block, std::span<const std::uint8_t> bytes) override;
  // How many blocks an earlier run left.
  int num_found() const;
  // False after a write failed: the disk is full.
  bool healthy() const;
  // Deletes the file.
  void discard();

 private:
  struct State;
  explicit FileJournal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proven
