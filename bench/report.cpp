#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/bench.h"

namespace proven::bench {
namespace {

std::vector<std::string> columns_of(const Report& report) {
  std::vector<std::string> columns;
  for (const Row& row : report.rows)
    for (const auto& [name, value] : row.cells)
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  return columns;
}

std::string short_number(double v) {
  const double size = std::fabs(v);
  if (v == 0) return "0";
  if (size >= 1e6 || size < 1e-3) return fmt::format("{:.3g}", v);
  if (size >= 100) return fmt::format("{:.0f}", v);
  return fmt::format("{:.3g}", v);
}

const Cell* find(const Row& row, const std::string& column) {
  for (const auto& [name, value] : row.cells)
    if (name == column) return &value;
  return nullptr;
}

template <class Number>
std::string cell_text(const Row& row, const std::string& column, Number&& number) {
  const Cell* cell = find(row, column);
  if (!cell) return "";
  if (const auto* text = std::get_if<std::string>(cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(cell)) return fmt::format("{}", *integer);
  return number(std::get<double>(*cell));
}

std::string csv_escaped(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

std::string to_text(const Report& report) {
  const std::vector<std::string> columns = columns_of(report);
  std::vector<std::vector<std::string>> lines = {columns};
  for (const Row& row : report.rows) {
    std::vector<std::string> line;
    for (const std::string& column : columns) line.push_back(cell_text(row, column, short_number));
    lines.push_back(std::move(line));
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::size_t width = 0;
      for (const auto& other : lines) width = std::max(width, other[c].size());
      text +=
          c == 0 ? fmt::format("{:<{}}", line[c], width) : fmt::format("  {:>{}}", line[c], width);
    }
    text += '\n';
  }
  for (const std::string& note : report.notes) text += "\n" + note + "\n";
  return text;
}

std::string to_csv(const Report& report) {
  const std::vector<std::string> columns = columns_of(report);
  std::string text;
  for (std::size_t c = 0; c < columns.size(); ++c) text += (c ? "," : "") + csv_escaped(columns[c]);
  text += '\n';
  for (const Row& row : report.rows) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      text += (c ? "," : "") + csv_escaped(cell_text(
                                   row, columns[c], [](double v) { return fmt::format("{}", v); }));
    text += '\n';
  }
  return text;
}

std::string to_json(std::string_view name, const Report& report) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Row& row : report.rows) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [column, cell] : row.cells)
      std::visit([&, &key = column](const auto& value) { object[key] = value; }, cell);
    rows.push_back(std::move(object));
  }
  return nlohmann::ordered_json{{"bench", name}, {"rows", rows}, {"notes", report.notes}}.dump();
}

}  // namespace proven::bench
