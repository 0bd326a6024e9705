#include "io/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/failure.h"
#include "io/scene_readers.h"
#include "io/sizes.h"

namespace proven::io {
namespace {

static_assert(std::endian::native == std::endian::little);

// A frame is held in memory whole.
constexpr long kMostFrameBytes = 1L << 30;

template <class Number>
std::vector<double> take_numbers(std::span<const std::uint8_t> bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(Number));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
    numbers[i] = static_cast<double>(number);
  }
  return numbers;
}

}  // namespace

std::size_t read_frame_bytes(const Node& root) {
  const Node* bytes = root.find("bytes");
  return bytes ? static_cast<std::size_t>(bytes->integer(0, kMostFrameBytes)) : 0;
}

std::vector<double> read_triples(const Node& node, std::span<const std::uint8_t> frame,
                                 std::initializer_list<FrameType> types) {
  node.allow_keys({"offset", "count", "type"});
  if (frame.empty()) node.fail("there is no frame: give \"bytes\" and send them after the line");
  const auto type = node.at("type").word<FrameType>();
  if (std::ranges::find(types, type) == types.end())
    node.at("type").fail("points are float32 or float64, cells int32");
  const std::size_t width = type == FrameType::float64 ? 8 : 4;
  const auto most = static_cast<long>(frame.size());
  const auto count = static_cast<std::size_t>(node.at("count").integer(1, most));
  const Node* given = node.find("offset");
  const auto offset = given ? static_cast<std::size_t>(given->integer(0, most)) : 0;
  if (offset + 3 * width * count > frame.size())
    node.fail(fmt::format("{} items of {} bytes at {} end beyond the frame of {} bytes", count,
                          3 * width, offset, frame.size()));
  const auto bytes = frame.subspan(offset, 3 * width * count);
  if (type == FrameType::float32) return take_numbers<float>(bytes);
  if (type == FrameType::float64) return take_numbers<double>(bytes);
  return take_numbers<std::int32_t>(bytes);
}

std::vector<Vec3> read_frame_points(const Node& node, std::span<const std::uint8_t> frame) {
  const auto numbers = read_triples(node, frame, {FrameType::float32, FrameType::float64});
  std::vector<Vec3> points;
  points.reserve(numbers.size() / 3);
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    points.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
    if (const std::string refusal = refuse_position(points.back()); !refusal.empty())
      node.fail(fmt::format("point {}: {}", i / 3, refusal));
  }
  return points;
}

}  // namespace proven::io
