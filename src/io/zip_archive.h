// The members of a zip archive, stored or deflated, of any size: read by parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace proven::io {

class ZipArchive {
 public:
  struct Member {
    std::string name;
    std::uint64_t header = 0, packed = 0, size = 0;  // place of its header; bytes, packed and not
    std::uint32_t checksum = 0;
    bool deflated = false;
  };

  // Reads the list of members. Fails on what is no archive, and on members that are encrypted or
  // packed in another way.
  explicit ZipArchive(std::filesystem::path file);
  ~ZipArchive();

  const std::filesystem::path& file() const { return file_; }
  const std::vector<Member>& members() const { return members_; }
  // Bytes of a member; fewer at its end. Deflated ones are unpacked from their beginning: reading
  // on is cheap, going back begins again. Any thread may ask.
  std::string read(const Member& member, std::uint64_t offset, std::uint64_t count) const;
  // Unpacks the whole member once: fails unless size and checksum are as stated.
  void check(const Member& member) const;

 private:
  class Unpacker;
  std::uint64_t data_of(const Member& member) const;

  std::filesystem::path file_;
  std::vector<Member> members_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Unpacker> unpacker_;  // of the member that was read last
};

}  // namespace proven::io
