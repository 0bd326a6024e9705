#include "bench/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "proven/base/numbers.h"

namespace proven::bench {
namespace {

// The fields of one line; `at` moves behind it. Quoted fields may hold commas, quotes and line
// ends.
Result<std::vector<std::string>> next_line(std::string_view text, std::size_t& at) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const bool doubled = quoted && at + 1 < text.size() && text[at + 1] == '"';
      if (doubled) fields.back() += text[++at];
      if (!doubled) quoted = !quoted;
    } else if (!quoted && c == ',') {
      fields.emplace_back();
    } else if (!quoted && c == '\n') {
      ++at;
      return fields;
    } else if (quoted || c != '\r') {
      fields.back() += c;
    }
  }
  if (quoted) return bad_input("a quoted field has no end");
  return fields;
}

using Names = std::vector<std::string>;

// Columns that name a row: the first, and those that hold text in some row.
std::set<std::string> name_columns(const Report& report) {
  std::set<std::string> columns;
  if (!report.rows.empty() && !report.rows[0].cells.empty())
    columns.insert(report.rows[0].cells[0].first);
  for (const Row& row : report.rows)
    for (const auto& [name, cell] : row.cells)
      if (std::holds_alternative<std::string>(cell)) columns.insert(name);
  return columns;
}

std::string text_of(const Cell& cell) {
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, cell);
}

// Rows by their names; the last name tells apart rows whose names are the same.
std::map<Names, const Row*> by_name(const Report& report, const std::set<std::string>& columns) {
  std::map<Names, const Row*> rows;
  for (const Row& row : report.rows) {
    Names names;
    for (const std::string& column : columns) {
      const auto cell = std::find_if(row.cells.begin(), row.cells.end(),
                                     [&](const auto& c) { return c.first == column; });
      names.push_back(cell == row.cells.end() ? "" : text_of(cell->second));
    }
    for (int number = 1;; ++number) {
      Names full = names;
      full.push_back(number == 1 ? "" : fmt::format("#{}", number));
      if (rows.emplace(std::move(full), &row).second) break;
    }
  }
  return rows;
}

std::map<std::string, double> numbers_of(const Row& row, const std::set<std::string>& names) {
  std::map<std::string, double> numbers;
  for (const auto& [name, cell] : row.cells) {
    if (names.contains(name)) continue;
    if (const auto* integer = std::get_if<std::int64_t>(&cell))
      numbers[name] = static_cast<double>(*integer);
    else
      numbers[name] = std::get<double>(cell);
  }
  return numbers;
}

// Whether one of the words stands in the name by itself.
bool has_word(const std::string& name, std::initializer_list<std::string_view> words) {
  std::string word;
  for (const char c : name + ' ') {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      word += c;
      continue;
    }
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
    word.clear();
  }
  return false;
}

enum class Better { less, more, unknown };

Better direction(const std::string& column) {
  if (has_word(column, {"solved", "valid", "verified", "faster", "certificates", "equal"}))
    return Better::more;
  if (has_word(column,
               {"s",      "ms",     "us",       "seconds",   "MB",     "bytes",         "boxes",
                "calls",  "tests",  "wrong",    "undecided", "missed", "unproved",      "rejected",
                "failed", "misses", "makespan", "expanded",  "error",  "configurations"}))
    return Better::less;
  return Better::unknown;
}

struct Change {
  Names names;
  std::string column;
  double before, after;
  Better better;

  // How many times worse; below 1 is better.
  double worse() const {
    const double ratio = after / before;
    return better == Better::more ? 1 / ratio : ratio;
  }
  // Costs and successes before what has no direction, then by how much worse.
  friend bool operator<(const Change& a, const Change& b) {
    const bool a_known = a.better != Better::unknown, b_known = b.better != Better::unknown;
    if (a_known != b_known) return a_known;
    const double wa = a.worse(), wb = b.worse();
    if (std::isnan(wa) || std::isnan(wb)) return std::isnan(wb) && !std::isnan(wa);
    return a_known ? wa > wb : std::fabs(std::log(wa)) > std::fabs(std::log(wb));
  }
};

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names)
    if (!name.empty()) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

Result<Report> from_csv(std::string_view text, const std::string& file) {
  std::size_t at = 0;
  auto header = next_line(text, at);
  if (!header.ok()) return bad_input(header.error().message, file);
  const auto& columns = header.value();
  if (columns.size() == 1 && columns[0].empty())
    return bad_input("this file is empty; `proven bench NAME --csv FILE` writes one", file);
  Report report;
  for (int line = 2; at < text.size(); ++line) {
    const auto fields = next_line(text, at);
    const std::string place = fmt::format("{}:{}", file, line);
    if (!fields.ok()) return bad_input(fields.error().message, place);
    if (fields.value().size() != columns.size())
      return bad_input(fmt::format("{} fields where the header names {} columns",
                                   fields.value().size(), columns.size()),
                       place);
    Row row;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& field = fields.value()[c];
      if (field.empty()) continue;
      if (const auto number = parse_double(field))
        row.add(columns[c], *number);
      else
        row.add(columns[c], field);
    }
    report.rows.push_back(std::move(row));
  }
  return report;
}

Report compare(const Report& before, const Report& after) {
  std::set<std::string> columns = name_columns(before);
  columns.merge(name_columns(after));
  const auto old_rows = by_name(before, columns), new_rows = by_name(after, columns);
  std::vector<Change> changes;
  Report report;
  std::int64_t equal = 0;
  for (const auto& [names, row] : new_rows) {
    const auto known = old_rows.find(names);
    if (known == old_rows.end()) {
      report.notes.push_back("only after: " + joined(names));
      continue;
    }
    const auto old_numbers = numbers_of(*known->second, columns);
    for (const auto& [column, value] : numbers_of(*row, columns)) {
      const auto was = old_numbers.find(column);
      if (was == old_numbers.end()) continue;
      if (was->second == value)
        ++equal;
      else
        changes.push_back({names, column, was->second, value, direction(column)});
    }
  }
  for (const auto& [names, row] : old_rows)
    if (!new_rows.contains(names)) report.notes.push_back("only before: " + joined(names));
  std::stable_sort(changes.begin(), changes.end());
  for (const Change& change : changes) {
    Row& row = report.rows.emplace_back();
    row.add("row", joined(change.names)).add("column", change.column);
    row.add("before", change.before).add("after", change.after);
    row.add("after / before", change.after / change.before);
    row.add("is", change.better == Better::unknown ? "other"
                  : change.worse() > 1             ? "worse"
                                                   : "better");
  }
  report.notes.push_back(fmt::format("{} values are equal, {} differ", equal, changes.size()));
  return report;
}

}  // namespace proven::bench
