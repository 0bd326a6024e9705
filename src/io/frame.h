// Numbers in the bytes that follow a line, of messages and of changes: {"type": "float32", "count":
// 20000, "offset": 0} stands for 20,000 triples of them, little endian.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "proven/base/vec3.h"
#include "proven/io/document.h"

namespace proven::io {

enum class FrameType { float32, float64, int32 };

// How many bytes follow a line with this root; 0 if it does not say.
std::size_t read_frame_bytes(const Node& root);

// All must lie in the frame.
std::vector<double> read_triples(const Node& node, std::span<const std::uint8_t> frame,
                                 std::initializer_list<FrameType> types);
std::vector<Vec3> read_frame_points(const Node& node, std::span<const std::uint8_t> frame);

}  // namespace proven::io
