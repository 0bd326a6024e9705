// Chapter 7: reading a certificate (format, sections 1, 4 and 7). Every length is checked before it
// is believed; the body is decompressed as a stream through a fixed window.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "verify/model.h"

namespace proven::verifier {

struct Header {
  int kind = 0;
  int degree = 1;  // of the motion
  std::string scene_hash, path_hash;
  double clearance = 0, tracking_error = 0;
  std::uint32_t segments = 0, tested_pairs = 0;
  std::uint32_t slots = 0;  // of lateness; 0: nothing may be late
  bool sensed = false;      // a body is a cloud or a voxel set
  std::vector<Excluded> excluded;
  std::uint64_t body_size = 0;
  std::span<const std::uint8_t> stored_body;
};

// Checks the frame of the file: magic, version, lengths, checksum, nothing after it.
Header read_header(std::span<const std::uint8_t> certificate);

class BodyStream {
 public:
  BodyStream(std::span<const std::uint8_t> stored, std::uint64_t size);
  ~BodyStream();
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;

  std::uint8_t u8();
  std::uint32_t u32() { return static_cast<std::uint32_t>(unsigned_number(4)); }
  std::int64_t signed_number(int bytes);  // 1, 2, 4 or 8
  double f64();
  // Every byte has been read, and nothing follows.
  void finish();

 private:
  std::uint64_t unsigned_number(int bytes);
  void refill();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace proven::verifier
