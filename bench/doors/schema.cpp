#include "bench/doors/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace proven::bench {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view marks = " \n\t") {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(marks);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(marks, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return parts;
}

std::optional<double> number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// The words of a line in which brackets hold blanks together.
std::vector<std::string> entries(std::string_view text) {
  std::vector<std::string> found;
  int depth = 0;
  bool open = false;
  for (const char c : text) {
    if (c == '(' || c == '{') ++depth;
    if (c == ')' || c == '}') --depth;
    const bool blank = depth == 0 && (c == ' ' || c == '\n' || c == '\t');
    if (!blank && !open) found.emplace_back();
    if (!blank) found.back() += c;
    open = !blank;
  }
  return found;
}

std::string all_text(const Tree& tree) {
  std::string text = tree.text;
  for (const Tree& child : tree.children) text += (text.empty() ? "" : " ") + all_text(child);
  return text;
}

// Equal as lists of numbers, else as texts.
bool same_value(std::string_view a, std::string_view b) {
  const auto left = split(a), right = split(b);
  return std::ranges::equal(left, right, [](std::string_view x, std::string_view y) {
    const auto u = number(x), v = number(y);
    return u && v ? *u == *v : x == y;
  });
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"') return text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

bool is_of_kind(std::string_view text, std::string_view kind) {
  const std::vector<std::string_view> words = split(text);
  if (kind.ends_with("/e")) {
    if (words.empty()) return true;
    kind.remove_suffix(2);
  }
  switch (kind.front()) {
    case 'd':
      return true;
    case 't':
      return !words.empty();
    case 's':
      return text.size() > 2 && text.front() == '"' && text.back() == '"';
    case 'b':
      return text == "true" || text == "false" || text == "1" || text == "0";
    case 'w': {
      if (kind.ends_with("/n") && is_of_kind(text, "n")) return true;
      if (kind.ends_with("/n")) kind.remove_suffix(2);
      const auto allowed = split(kind.substr(2, kind.size() - 3), "|");
      return words.size() == 1 && std::ranges::count(allowed, unquoted(words[0])) > 0;
    }
    case 'N': {
      std::size_t count = words.size();
      if (kind.size() > 1) std::from_chars(kind.data() + 1, kind.data() + kind.size(), count);
      return words.size() == count &&
             std::ranges::all_of(words, [](std::string_view w) { return number(w).has_value(); });
    }
    default:
      break;
  }
  const auto value = words.size() == 1 ? number(words[0]) : std::nullopt;
  if (!value) return false;
  if (kind == "p") return *value > 0;
  if (kind == "i") return *value == std::floor(*value);
  if (kind == "u") return *value == std::floor(*value) && *value >= 0;
  return kind == "n";
}

Spec::Spec(std::span<const SpecRow> rows) {
  for (const SpecRow& row : rows)
    for (const std::string_view name : split(row.element)) rows_[std::string(name)] = parse(row);
}

Spec::Row Spec::parse(const SpecRow& row) {
  Row parsed;
  parsed.text = row.text;
  for (const std::string& word : entries(row.attributes)) {
    const std::size_t sign = word.find('='), closing = word.find(')', sign),
                      end = word.find_first_of("!?", closing == std::string::npos ? sign : closing);
    Attribute& attribute = parsed.attributes[word.substr(0, sign)];
    attribute.kind = word.substr(sign + 1, end - sign - 1);
    attribute.is_required = word[end] == '!';
    attribute.has_default = end + 1 < word.size();
    attribute.initial = word.substr(end + 1);
    std::ranges::replace(attribute.initial, '_', ' ');
    attribute.is_for_product = attribute.kind.ends_with('^');
    if (attribute.is_for_product) attribute.kind.pop_back();
  }
  for (std::string word : entries(row.children)) {
    Child child;
    if (const std::size_t begin = word.find('{'); begin != std::string::npos) {
      child.has_default = true;
      child.initial = word.substr(begin + 1, word.find('}') - begin - 1);
      word.erase(begin, word.find('}') - begin + 1);
    }
    constexpr int kMany = std::numeric_limits<int>::max();
    std::size_t end = word.find_first_of("!?*+#%~^");
    const std::string name = word.substr(0, end);
    for (; end < word.size(); ++end) switch (word[end]) {
        case '!':
          child.least = 1;
          break;
        case '*':
          child.most = kMany;
          break;
        case '+':
          child.least = 1, child.most = kMany;
          break;
        case '#':
          std::from_chars(word.data() + end + 1, word.data() + word.size(), child.least);
          child.most = child.least;
          break;
        case '%':
          child.is_set = true;
          break;
        case '~':
          child.is_decoration = true, child.least = 0, child.most = kMany;
          break;
        case '^':
          child.is_for_product = true;
          break;
        default:
          break;
      }
    parsed.children[name] = child;
  }
  for (const std::string_view group : split(row.either, "|")) {
    std::vector<std::string>& names = parsed.either.emplace_back();
    for (const std::string_view name : split(group, ",")) names.emplace_back(name);
  }
  return parsed;
}

const Spec::Row* Spec::find(std::string_view parent, std::string_view name) const {
  if (const auto own = rows_.find(fmt::format("{}/{}", parent, name)); own != rows_.end())
    return &own->second;
  const auto found = rows_.find(name);
  return found == rows_.end() ? nullptr : &found->second;
}

std::vector<Spec::Violation> Spec::violations(const Tree& file, Scope scope) const {
  std::vector<Violation> found;
  if (const Row* row = find("", file.name))
    check(file, *row, scope, found);
  else
    found.push_back({fmt::format("<{}> is no file of this format", file.name), file.name});
  return found;
}

void Spec::check_attributes(const Tree& tree, const Row& row, Scope scope,
                            std::vector<Violation>& found) const {
  for (std::size_t i = 0; i < tree.attributes.size(); ++i) {
    const auto& [name, value] = tree.attributes[i];
    const auto known = row.attributes.find(name);
    if (known == row.attributes.end())
      found.push_back({fmt::format("<{}> has no attribute '{}'", tree.name, name), name});
    else if (!(known->second.is_for_product && scope == Scope::verifier) &&
             !is_of_kind(value, known->second.kind))
      found.push_back({fmt::format("'{}' of <{}> is not {}", name, tree.name, value), value});
    for (std::size_t k = 0; k < i; ++k)
      if (tree.attributes[k].first == name)
        found.push_back({fmt::format("'{}' stands twice in <{}>", name, tree.name), name});
  }
  for (const auto& [name, attribute] : row.attributes)
    if (attribute.is_required && !tree.attribute(name))
      found.push_back({fmt::format("<{}> needs '{}'", tree.name, name), name});
}

void Spec::check(const Tree& tree, const Row& row, Scope scope,
                 std::vector<Violation>& found) const {
  check_attributes(tree, row, scope, found);
  std::map<std::string, int> count;
  for (const Tree& child : tree.children) {
    ++count[child.name];
    const auto known = row.children.find(child.name);
    if (known == row.children.end()) {
      found.push_back({fmt::format("<{}> has no <{}>", tree.name, child.name), child.name});
      continue;
    }
    if (known->second.passes(scope)) continue;
    if (const Row* below = find(tree.name, child.name)) check(child, *below, scope, found);
  }
  for (const auto& [name, child] : row.children) {
    if (child.passes(scope)) continue;
    if (count[name] < child.least)
      found.push_back({fmt::format("<{}> needs <{}>", tree.name, name), name});
    if (count[name] > child.most)
      found.push_back({fmt::format("<{}> has one <{}>", tree.name, name), name});
  }
  if (!row.either.empty()) {
    int groups = 0;
    const auto is_there = [&](const std::string& names) {
      return std::ranges::any_of(split(names, "/"),
                                 [&](auto name) { return count[std::string(name)] > 0; });
    };
    for (const auto& group : row.either) {
      const auto there = std::ranges::count_if(group, is_there);
      groups += there > 0;
      if (there > 0 && static_cast<std::size_t>(there) < group.size())
        found.push_back({fmt::format("<{}> needs all of {}", tree.name, group[0]), group[0]});
    }
    if (groups != 1)
      found.push_back(
          {fmt::format("<{}> holds {} of what it holds one of", tree.name, groups), tree.name});
  }
  if (row.text.empty() ? !tree.text.empty()
                       : tree.children.empty() && !is_of_kind(tree.text, row.text))
    found.push_back({fmt::format("the text of <{}> is not '{}'", tree.name, tree.text), tree.text});
}

bool Spec::is_decoration(const Tree& file, const std::vector<std::size_t>& path,
                         std::string_view attribute, Scope scope) const {
  const Tree* tree = &file;
  const Row* row = find("", file.name);
  for (const std::size_t i : path) {
    if (!row) return false;
    const Tree& next = tree->children[i];
    const auto known = row->children.find(next.name);
    if (known == row->children.end()) return false;
    if (known->second.passes(scope)) return true;
    row = find(tree->name, next.name);
    tree = &next;
  }
  if (!row) return false;
  if (attribute.empty()) return row->text == "d" && tree->children.empty();
  const auto known = row->attributes.find(attribute);
  return known != row->attributes.end() &&
         (known->second.kind == "d" || (known->second.is_for_product && scope == Scope::verifier));
}

bool Spec::is_default(const Tree& file, const std::vector<std::size_t>& path,
                      std::string_view attribute) const {
  const Tree& tree = at(file, path);
  const std::vector<std::size_t> up(path.begin(), path.empty() ? path.end() : path.end() - 1);
  const Tree& parent = at(file, up);
  if (!attribute.empty()) {
    const Row* row = find(path.empty() ? "" : parent.name, tree.name);
    const auto known = row ? row->attributes.find(attribute) : decltype(row->attributes.end()){};
    return row && known != row->attributes.end() && known->second.has_default &&
           same_value(*tree.attribute(attribute), known->second.initial);
  }
  if (path.empty()) return false;
  const std::vector<std::size_t> top(up.begin(), up.empty() ? up.end() : up.end() - 1);
  const Row* row = find(up.empty() ? "" : at(file, top).name, parent.name);
  if (!row) return false;
  const auto known = row->children.find(tree.name);
  return known != row->children.end() && known->second.has_default &&
         same_value(all_text(tree), known->second.initial);
}

bool Spec::is_free_text(const Tree& file, const std::vector<std::size_t>& path) const {
  const std::vector<std::size_t> up(path.begin(), path.empty() ? path.end() : path.end() - 1);
  const Row* row = find(path.empty() ? "" : at(file, up).name, at(file, path).name);
  return row && row->text == "d";
}

bool Spec::says_nothing(const Tree& file, const std::vector<std::size_t>& path) const {
  const Tree& tree = at(file, path);
  for (const auto& [name, value] : tree.attributes)
    if (!is_decoration(file, path, name, Scope::product) && !is_default(file, path, name))
      return false;
  std::vector<std::size_t> below = path;
  below.push_back(0);
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    below.back() = i;
    if (!is_decoration(file, below, "", Scope::product) && !is_default(file, below, "") &&
        !says_nothing(file, below))
      return false;
  }
  return tree.text.empty();
}

bool Spec::is_set(const Tree& file, const std::vector<std::size_t>& path) const {
  if (path.empty()) return false;
  const std::vector<std::size_t> up(path.begin(), path.end() - 1);
  const std::vector<std::size_t> top(up.begin(), up.empty() ? up.end() : up.end() - 1);
  const Row* row = find(up.empty() ? "" : at(file, top).name, at(file, up).name);
  if (!row) return false;
  const auto known = row->children.find(at(file, path).name);
  return known != row->children.end() && known->second.is_set;
}

}  // namespace proven::bench
