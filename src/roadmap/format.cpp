// The file: a header, a table of sections, the sections. Little-endian.
//
//   0   8  magic "PRVNROAD"
//   8   4  version
//   12  4  number of sections
//   16  8  size of the file
//   24 16  checksum of the table of sections
//   40  8  zero
//   48     the table: per section id (4), zero (4), offset (8), size (8), checksum (16)
//
// Offsets are multiples of 64; the checksum of a section covers its padding too. Checksums are
// XXH3-128 of the bytes.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <map>

#include "roadmap/bytes.h"
#include "roadmap/cell_table.h"

namespace proven::roadmap {
namespace {

constexpr char kMagic[9] = "PRVNROAD";
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeader = 48, kEntry = 40, kAlign = 64;

enum SectionId : std::uint32_t {
  kInfo = 1,
  kPlanned,
  kRest,
  kRanges,
  kPeriodic,
  kNodes,
  kEdges,
  kEdgesAt = 100,  // offsets, + 1: bytes
  kNodesAt = 200,  // the same
};

std::size_t aligned(std::size_t size) {
  return (size + kAlign - 1) / kAlign * kAlign;
}

Hash128 checksum(std::span<const std::uint8_t> bytes) {
  Hasher hasher;
  hasher.add_bytes(bytes);
  return hasher.finish();
}

template <class T>
std::span<const std::uint8_t> raw(const T* data, std::size_t count) {
  return {reinterpret_cast<const std::uint8_t*>(data), count * sizeof(T)};
}
template <class Range>
std::span<const std::uint8_t> raw(const Range& range) {
  return raw(range.data(), range.size());
}

using Sections = std::vector<std::pair<std::uint32_t, std::span<const std::uint8_t>>>;

void list_table(std::uint32_t id, const CellTable& table, Sections& sections) {
  sections.emplace_back(id, raw(table.first));
  sections.emplace_back(id + 1, raw(table.bytes));
}

std::vector<std::uint8_t> info_bytes(const Model& model) {
  Bytes bytes;
  bytes.put(model.scene_hash.high);
  bytes.put(model.scene_hash.low);
  bytes.put(model.seed);
  bytes.put(model.remainder);
  for (int axis = 0; axis < 3; ++axis) bytes.put(model.grid.origin[axis]);
  for (int axis = 0; axis < 3; ++axis) bytes.put(model.grid.cell[axis]);
  for (const int n : model.grid.count) bytes.put(static_cast<std::int32_t>(n));
  return bytes.take();
}

Error damaged(const std::string& what) {
  return bad_input(fmt::format("{}: the file is damaged; build the roadmap again", what));
}

// The checked sections of a file.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  Result<void> open() {
    if (bytes_.size() < kHeader || std::memcmp(bytes_.data(), kMagic, 8) != 0)
      return bad_input("this is not a roadmap file");
    ByteReader header(bytes_.subspan(8));
    const auto version = header.get<std::uint32_t>();
    if (version != kVersion)
      return bad_input(fmt::format("a roadmap file of version {}; this program reads version {}",
                                   version, kVersion));
    const auto count = header.get<std::uint32_t>();
    const auto size = header.get<std::uint64_t>();
    if (size != bytes_.size())
      return bad_input(
          fmt::format("{} bytes where the header says {}: the file is cut off or has "
                      "been changed; build the roadmap again",
                      bytes_.size(), size));
    const std::size_t table_size = std::size_t{count} * kEntry;
    if (count > 1000 || kHeader + table_size > bytes_.size()) return damaged("table of sections");
    const auto table = bytes_.subspan(kHeader, table_size);
    const auto high = header.get<std::uint64_t>(), low = header.get<std::uint64_t>();
    if (header.get<std::uint64_t>() != 0 || checksum(table) != Hash128{high, low})
      return damaged("checksum of the header");
    return read_table(table, count);
  }

  template <class T>
  Result<std::span<const T>> get(std::uint32_t id) const {
    const auto found = sections_.find(id);
    if (found == sections_.end()) return damaged(fmt::format("section {} is missing", id));
    if (found->second.size() % sizeof(T) != 0)
      return damaged(fmt::format("size of section {}", id));
    return std::span<const T>(reinterpret_cast<const T*>(found->second.data()),
                              found->second.size() / sizeof(T));
  }

 private:
  Result<void> read_table(std::span<const std::uint8_t> table, std::uint32_t count) {
    ByteReader reader(table);
    std::size_t expected = aligned(kHeader + table.size());
    for (std::size_t at = kHeader + table.size(); at < std::min(expected, bytes_.size()); ++at)
      if (bytes_[at] != 0) return damaged("padding");
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto id = reader.get<std::uint32_t>();
      reader.get<std::uint32_t>();
      const auto offset = reader.get<std::uint64_t>(), size = reader.get<std::uint64_t>();
      const auto high = reader.get<std::uint64_t>(), low = reader.get<std::uint64_t>();
      if (offset != expected || size > bytes_.size() || offset + aligned(size) > bytes_.size())
        return damaged(fmt::format("place of section {}", id));
      if (checksum(bytes_.subspan(offset, aligned(size))) != Hash128{high, low})
        return damaged(fmt::format("checksum of section {}", id));
      sections_[id] = bytes_.subspan(offset, size);
      expected = offset + aligned(size);
    }
    if (expected != bytes_.size()) return damaged("end of the file");
    return {};
  }

  std::span<const std::uint8_t> bytes_;
  std::map<std::uint32_t, std::span<const std::uint8_t>> sections_;
};

Result<CellTable> read_table(const Reader& reader, std::uint32_t id, const Grid& grid,
                             int num_items) {
  const int num_rows = grid.outside() + 1;
  auto first = reader.get<std::uint64_t>(id);
  auto bytes = reader.get<std::uint8_t>(id + 1);
  if (!first.ok()) return first.error();
  if (!bytes.ok()) return bytes.error();
  CellTable table;
  table.num_items = num_items;
  table.first = first.value();
  table.bytes = bytes.value();
  if (table.first.size() != static_cast<std::size_t>(num_rows) + 1 || table.first[0] != 0 ||
      table.first.back() != table.bytes.size())
    return damaged("index of rows");
  for (int row = 0; row < num_rows; ++row) {
    const auto r = static_cast<std::size_t>(row);
    if (table.first[r] > table.first[r + 1] || table.first[r + 1] > table.bytes.size() ||
        !check_row(table.row(row), num_items))
      return damaged(fmt::format("row {}", row));
  }
  return table;
}

template <class T>
Result<void> read_into(const Reader& reader, std::uint32_t id, std::vector<T>& values) {
  auto section = reader.get<T>(id);
  if (!section.ok()) return section.error();
  values.assign(section.value().begin(), section.value().end());
  return {};
}

Result<void> read_graph(const Reader& reader, JointGraph& graph) {
  for (const auto& done :
       {read_into(reader, kPlanned, graph.planned), read_into(reader, kRest, graph.rest),
        read_into(reader, kRanges, graph.ranges),
        read_into(reader, kPeriodic, graph.metric.periodic), read_into(reader, kNodes, graph.nodes),
        read_into(reader, kEdges, graph.edges)})
    if (!done.ok()) return done;
  const std::size_t n = graph.planned.size();
  if (n == 0 || graph.ranges.size() != n || graph.metric.periodic.size() != n ||
      graph.nodes.size() % n != 0)
    return damaged("sizes of the graph");
  for (const int c : graph.planned)
    if (c < 0 || static_cast<std::size_t>(c) >= graph.rest.size()) return damaged("joints");
  for (const JointGraph::Edge& edge : graph.edges)
    for (const std::uint32_t node : edge)
      if (node >= graph.nodes.size() / n) return damaged("arcs");
  for (const Interval& range : graph.ranges)
    if (!(range.lower <= range.upper)) return damaged("ranges of the joints");
  for (const auto* values : {&graph.rest, &graph.nodes})
    for (const double value : *values)
      if (!std::isfinite(value)) return damaged("coordinates");
  return {};
}

Result<void> read_info(const Reader& reader, Model& model) {
  auto info = reader.get<std::uint8_t>(kInfo);
  if (!info.ok()) return info.error();
  ByteReader bytes(info.value());
  model.scene_hash.high = bytes.get<std::uint64_t>();
  model.scene_hash.low = bytes.get<std::uint64_t>();
  model.seed = bytes.get<std::uint64_t>();
  model.remainder = bytes.get<double>();
  for (int axis = 0; axis < 3; ++axis) model.grid.origin[axis] = bytes.get<double>();
  for (int axis = 0; axis < 3; ++axis) model.grid.cell[axis] = bytes.get<double>();
  for (int& n : model.grid.count) n = bytes.get<std::int32_t>();
  return validate(model.grid);
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Model& model) {
  const auto info = info_bytes(model);
  const JointGraph& g = model.graph;
  Sections sections = {{kInfo, info},
                       {kPlanned, raw(g.planned)},
                       {kRest, raw(g.rest)},
                       {kRanges, raw(g.ranges)},
                       {kPeriodic, raw(g.metric.periodic)},
                       {kNodes, raw(g.nodes)},
                       {kEdges, raw(g.edges)}};
  list_table(kEdgesAt, model.edges_at, sections);
  list_table(kNodesAt, model.nodes_at, sections);

  std::size_t end = aligned(kHeader + sections.size() * kEntry);
  for (const auto& [id, bytes] : sections) end += aligned(bytes.size());
  std::vector<std::uint8_t> file(end, 0);
  Bytes table;
  std::size_t at = aligned(kHeader + sections.size() * kEntry);
  for (const auto& [id, bytes] : sections) {
    if (!bytes.empty()) std::memcpy(file.data() + at, bytes.data(), bytes.size());
    const Hash128 sum = checksum(std::span(file).subspan(at, aligned(bytes.size())));
    table.put(id);
    table.put(std::uint32_t{0});
    table.put(static_cast<std::uint64_t>(at));
    table.put(static_cast<std::uint64_t>(bytes.size()));
    table.put(sum.high);
    table.put(sum.low);
    at += aligned(bytes.size());
  }
  const auto table_bytes = table.take();
  const Hash128 sum = checksum(table_bytes);
  Bytes header;
  for (int k = 0; k < 8; ++k) header.put(kMagic[k]);
  header.put(kVersion);
  header.put(static_cast<std::uint32_t>(sections.size()));
  header.put(static_cast<std::uint64_t>(file.size()));
  header.put(sum.high);
  header.put(sum.low);
  header.put(std::uint64_t{0});
  const auto header_bytes = header.take();
  std::memcpy(file.data(), header_bytes.data(), header_bytes.size());
  std::memcpy(file.data() + kHeader, table_bytes.data(), table_bytes.size());
  return file;
}

Result<Model> from_bytes(std::span<const std::uint8_t> bytes, std::shared_ptr<const void> memory) {
  Reader reader(bytes);
  if (auto opened = reader.open(); !opened.ok()) return opened.error();
  Model model;
  if (auto done = read_info(reader, model); !done.ok()) return done.error();
  if (auto done = read_graph(reader, model.graph); !done.ok()) return done.error();
  auto edges = read_table(reader, kEdgesAt, model.grid, model.graph.num_edges());
  if (!edges.ok()) return edges.error();
  model.edges_at = std::move(edges).value();
  auto nodes = read_table(reader, kNodesAt, model.grid, model.graph.num_nodes());
  if (!nodes.ok()) return nodes.error();
  model.nodes_at = std::move(nodes).value();
  model.memory = std::move(memory);
  return model;
}

}  // namespace proven::roadmap
