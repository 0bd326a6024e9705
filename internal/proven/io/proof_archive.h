// Certificates of many paths in one file (docs/audit.md): a header, records in the order of their
// paths, each with its length and checksum, and an index at the end. Without the index, as of a
// run that was killed, it reads as a stream.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/certify/certificate.h"

namespace proven {

class ProofArchive {
 public:
  // Creates the file, or goes on with one of the same header: what is of the path `next` or a later
  // one, and what was not written to its end, is cut off. Fails as Journal::open does.
  static Result<ProofArchive> open(const std::filesystem::path& file, const std::string& header,
                                   std::int64_t next);
  ~ProofArchive();
  ProofArchive(ProofArchive&& other) noexcept;
  ProofArchive& operator=(ProofArchive&&) = delete;

  // Appends to `bytes` what `append` writes for one path.
  static void add_record(std::int64_t path, std::span<const std::uint8_t> certificate,
                         std::string& bytes);
  Result<void> append(std::string_view records);
  Result<void> sync() const;
  // Writes the index; the archive is then complete.
  Result<void> finish();

 private:
  ProofArchive(std::filesystem::path file, int fd) : file_(std::move(file)), fd_(fd) {}

  std::filesystem::path file_;
  int fd_ = -1;
};

struct ProofRecord {
  std::int64_t path = 0;  // its index in the data set
  Certificate certificate;
};

// Whether the file begins as an archive does.
bool is_proof_archive(const std::filesystem::path& file);

// Reads an archive as a stream.
class ProofReader {
 public:
  static Result<ProofReader> open(const std::filesystem::path& file);
  const std::string& header() const { return header_; }
  // The next record; nothing at the end. Fails on what is damaged, with the place.
  Result<std::optional<ProofRecord>> next();
  // Whether the end was an index, and the right one.
  bool complete() const { return complete_; }
  // The record of one path, by the index; nothing if there is none. Fails without an index.
  Result<std::optional<ProofRecord>> find(std::int64_t path);

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::string header_;
  bool complete_ = false;
};

}  // namespace proven
