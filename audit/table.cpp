#include "audit/table.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "proven/io/document.h"
#include "proven/io/journal.h"

namespace proven::audit {
namespace {

using io::Node;

constexpr const char* kHeader =
    "index,group,name,verdict,segments,length,clearance_at_least,clearance_at_most,segment,t,time,"
    "body_a,body_b,x_a,y_a,z_a,x_b,y_b,z_b,distance,kind,depth,reason,certificate,error";

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) (result += c == '"' ? "\"" : "") += c;
  return result + "\"";
}

// Whole numbers without a point, others by the shortest digits that say the same double.
std::string text_of(const Node* node) {
  if (!node || node->is(Node::Kind::null)) return "";
  if (node->is(Node::Kind::string)) return quoted(node->string());
  return fmt::format("{}", node->number());
}

std::string line_of(const Node& row) {
  const auto in = [](const Node* node, const char* key) {
    return node ? node->find(key) : nullptr;
  };
  const Node* place = row.find("collision") ? row.find("collision") : row.find("undecided");
  const Node* clearance = row.find("clearance");
  std::vector<std::string> cells;
  for (const char* key : {"index", "group", "name", "verdict", "segments", "length"})
    cells.push_back(text_of(row.find(key)));
  for (const char* key : {"at_least", "at_most"}) cells.push_back(text_of(in(clearance, key)));
  for (const char* key : {"segment", "t", "time"}) cells.push_back(text_of(in(place, key)));
  const Node *pair = in(place, "pair"), *points = in(place, "points");
  for (std::size_t i = 0; i < 2; ++i)
    cells.push_back(pair && pair->array().size() > i ? text_of(&pair->array()[i]) : "");
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      cells.push_back(
          points && points->array().size() > i ? text_of(&points->array()[i].array_of(3)[k]) : "");
  for (const char* key : {"distance", "kind", "depth", "reason"})
    cells.push_back(text_of(in(place, key)));
  for (const char* key : {"certificate", "error"}) cells.push_back(text_of(row.find(key)));
  return fmt::format("{}\n", fmt::join(cells, ","));
}

}  // namespace

Result<void> write_table(const std::filesystem::path& results, const std::filesystem::path& file) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::filesystem::path part = file.string() + ".part";
  std::error_code error;
  std::filesystem::remove(part, error);
  auto table = Journal::open(part, kHeader);
  if (!table.ok()) return table.error();
  bool first = true;
  std::string lines;
  const auto read = read_journal(results, [&](std::string_view line) -> Result<void> {
    if (std::exchange(first, false)) return {};
    if (lines.size() > kBlock)
      if (auto written = table.value().append(std::exchange(lines, {})); !written.ok())
        return written;
    return io::read_json_with(results, line, [&](const Node& row) { lines += line_of(row); });
  });
  if (!read.ok()) return read.error();
  if (auto written = table.value().append(lines); !written.ok()) return written;
  std::filesystem::rename(part, file, error);
  if (error)
    return Error{ErrorCode::bad_input, "cannot be written: " + error.message(), file.string()};
  return {};
}

}  // namespace proven::audit
