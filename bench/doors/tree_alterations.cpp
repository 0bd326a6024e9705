#include "bench/doors/tree_alterations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "proven/base/random.h"

namespace proven::bench {
namespace {

using Path = std::vector<std::size_t>;

constexpr const char* kNew = "proven_unknown";

std::optional<double> number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool open = false;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank && !open) words.emplace_back();
    if (!blank) words.back() += c;
    open = !blank;
  }
  return words;
}

// Slips of the finger: a letter that is missing, doubled, or in its neighbour's place.
std::vector<std::string> misspelt(const std::string& name) {
  std::vector<std::string> names = {name + "s", name + name.back()};
  if (name.size() > 1) names.push_back(name.substr(0, name.size() - 1));
  for (std::size_t i = 0; i + 1 < name.size(); ++i)
    if (name[i] != name[i + 1]) {
      std::string swapped = name;
      std::swap(swapped[i], swapped[i + 1]);
      names.push_back(swapped);
      break;
    }
  return names;
}

std::vector<std::string> recased(const std::string& name) {
  std::string first = name, all = name, lower = name;
  const auto upper = [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  };
  const auto low = [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  first[0] = upper(first[0]) == first[0] ? low(first[0]) : upper(first[0]);
  std::ranges::transform(all, all.begin(), upper);
  std::ranges::transform(lower, lower.begin(), low);
  std::vector<std::string> names = {first, all, lower};
  std::erase(names, name);
  return names;
}

std::vector<std::string> other_numbers(const std::string& word, Random& random) {
  const double value = *number(word);
  std::vector<std::string> others = {
      fmt::format("{:.6f}", value + random.uniform(0.05, 0.3) * (1 + std::fabs(value))),
      fmt::format("{:.6f}", -value - random.uniform(0.05, 0.4)),
      "abc",
      word + "x",
      word + "mm",
      word + "deg",
      "nan",
      "inf",
      "-inf",
      "1e300",
      "0x10",
      "1,5",
      word + "e",
      fmt::format("{} {}", word, word)};
  if (value == std::floor(value)) others.push_back(fmt::format("{}", value + 1));
  if (value != 0) others.emplace_back("0");
  return others;
}

// What may stand in the place of a value, of an attribute or between tags.
std::vector<std::string> other_texts(const std::string& text, Random& random) {
  const std::vector<std::string> words = words_of(text);
  const bool is_numeric = !words.empty() && std::ranges::all_of(words, [](const auto& w) {
    return number(w).has_value();
  });
  std::vector<std::string> others = {"", " "};
  if (!is_numeric) {
    others.push_back(text + "x");
    if (text.size() > 1) others.push_back(text.substr(1));
    if (!text.empty())
      for (std::string& name : recased(text)) others.push_back(std::move(name));
    others.emplace_back("7");
    others.push_back(text + " " + text);
    return others;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i >= 3 && i + 1 < words.size()) continue;  // of a long list the first three and the last
    for (const std::string& other : other_numbers(words[i], random)) {
      std::vector<std::string> list = words;
      list[i] = other;
      others.push_back(fmt::format("{}", fmt::join(list, " ")));
    }
  }
  if (words.size() > 1) {
    others.push_back(fmt::format("{}", fmt::join(words.begin(), words.end() - 1, " ")));
    others.push_back(fmt::format("{}, ", fmt::join(words, ", ")));
  }
  return others;
}

std::vector<std::string> other_json(const std::string& text, Random& random) {
  std::vector<std::string> others = {"null", "[]", "{}", ""};
  if (text.starts_with('"')) {
    const std::string inner = text.substr(1, text.size() - 2);
    for (const std::string& other : other_texts(inner, random))
      others.push_back("\"" + other + "\"");
    others.emplace_back("7");
    others.emplace_back("true");
  } else if (number(text)) {
    for (const std::string& other : other_numbers(text, random))
      if (other != "1,5") others.push_back(other);  // two numbers
    others.push_back("\"" + text + "\"");
    others.emplace_back("true");
    others.push_back("[" + text + "]");
  } else {
    others.emplace_back(text == "true" ? "false" : "true");
    others.push_back("\"" + text + "\"");
    others.emplace_back("0");
  }
  return others;
}

std::vector<std::string> other_values(const Tree& tree, const std::string& text, Random& random) {
  std::vector<std::string> others =
      tree.kind == Tree::Kind::value ? other_json(text, random) : other_texts(text, random);
  std::erase(others, text);
  return others;
}

void add(std::vector<Change>& all, Change::Kind kind, const Path& path,
         const std::string& attribute, std::size_t variants) {
  for (std::size_t i = 0; i < variants; ++i)
    all.push_back({kind, path, attribute, static_cast<int>(i)});
}

void add_attributes(std::vector<Change>& all, const Tree& tree, const Path& path) {
  using enum Change::Kind;
  Random random(1);
  for (const auto& [name, text] : tree.attributes) {
    add(all, rename, path, name, misspelt(name).size());
    add(all, recase, path, name, recased(name).size());
    add(all, drop, path, name, 1);
    add(all, duplicate, path, name, 2);
    add(all, Change::Kind::move, path, name, path.empty() ? 0 : 1);
    add(all, Change::Kind::value, path, name, other_values(tree, text, random).size());
  }
}

void collect(std::vector<Change>& all, const Tree& tree, Path& path, const Tree* parent) {
  using enum Change::Kind;
  const bool is_item = parent && parent->kind == Tree::Kind::list;
  if (!is_item && (parent || tree.kind == Tree::Kind::element)) {
    add(all, rename, path, "", misspelt(tree.name).size());
    add(all, recase, path, "", recased(tree.name).size());
  }
  if (parent) {
    add(all, drop, path, "", 1);
    add(all, duplicate, path, "", 1);
    add(all, Change::Kind::move, path, "", is_item ? 0 : 3);
    add(all, insert, path, "", is_item ? 0 : 2);
  }
  if (tree.kind == Tree::Kind::element) {
    add(all, insert, path, kNew, 1);
    add_attributes(all, tree, path);
    // A text where there is none, as "abc" between the tags.
    if (!tree.children.empty()) all.push_back({value, path, "", -1});
    if (tree.is_leaf()) all.push_back({value, path, "", -1});
  }
  if (tree.is_leaf() && !tree.text.empty()) {
    Random random(1);
    add(all, value, path, "", other_values(tree, tree.text, random).size());
    if (tree.kind == Tree::Kind::element) add(all, comment, path, "", 3);
  }
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    path.push_back(i);
    collect(all, tree.children[i], path, &tree);
    path.pop_back();
  }
}

// Makes one change of a copy of the tree.
class Maker {
 public:
  Maker(const Tree& tree, const Change& change, std::uint64_t seed)
      : change_(change), random_(seed), out_{tree, "", change.path} {
    where_ = place_of(tree, change.path);
  }

  std::optional<Altered> make() {
    const bool done = change_.attribute.empty() ? element() : attribute();
    if (!done) return std::nullopt;
    return std::move(out_);
  }

 private:
  Tree& here() { return at(out_.tree, change_.path); }
  Tree& parent() { return at(out_.tree, up(change_.path)); }
  static Path up(const Path& path) { return {path.begin(), path.end() - 1}; }
  std::size_t variant() const { return static_cast<std::size_t>(change_.variant); }

  bool say(const std::string& what) {
    out_.what = fmt::format("{}: {}", where_, what);
    return true;
  }

  bool element() {
    switch (change_.kind) {
      case Change::Kind::rename:
        return named(misspelt(here().name)[variant()]);
      case Change::Kind::recase:
        return named(recased(here().name)[variant()]);
      case Change::Kind::drop: {
        auto& siblings = parent().children;
        siblings.erase(siblings.begin() + last());
        out_.path_after = up(change_.path);
        return say("dropped");
      }
      case Change::Kind::duplicate: {
        auto& siblings = parent().children;
        siblings.insert(siblings.begin() + last(), Tree(siblings[change_.path.back()]));
        return say("said twice");
      }
      case Change::Kind::insert:
        return inserted();
      case Change::Kind::move:
        return moved();
      case Change::Kind::value:
        return valued();
      case Change::Kind::comment: {
        std::string& text = here().text;
        const std::size_t place[] = {text.size() / 2, 0, text.size()};
        text.insert(place[variant()], "<!-- 5 -->");
        return say("a comment in '" + text + "'");
      }
    }
    return false;
  }

  std::ptrdiff_t last() const { return static_cast<std::ptrdiff_t>(change_.path.back()); }

  bool named(const std::string& name) {
    const std::string before = std::exchange(here().name, name);
    return say(fmt::format("<{}> -> <{}>", before, name));
  }

  bool inserted() {
    Tree added;
    added.kind = here().kind == Tree::Kind::element ? Tree::Kind::element : Tree::Kind::value;
    added.name = variant() == 0 ? kNew : here().name + "2";
    added.text = added.kind == Tree::Kind::value || variant() == 1 ? "1" : "";
    auto& siblings = parent().children;
    siblings.insert(siblings.begin() + last(), added);
    return say(fmt::format("<{}> before it", added.name));
  }

  // To before its parent, into the sibling before it, or into the one behind it.
  bool moved() {
    Tree taken = here();
    const Path top = up(change_.path);
    auto& siblings = parent().children;
    const std::size_t i = change_.path.back();
    if (variant() == 0) {
      if (top.empty() || at(out_.tree, up(top)).kind == Tree::Kind::list) return false;
      siblings.erase(siblings.begin() + last());
      auto& above = at(out_.tree, up(top)).children;
      above.insert(above.begin() + static_cast<std::ptrdiff_t>(top.back()), std::move(taken));
      out_.path_after = top;
      return say("before its parent");
    }
    const bool before = variant() == 1;
    if (before ? i == 0 : i + 1 >= siblings.size()) return false;
    Tree& into = siblings[before ? i - 1 : i + 1];
    if (into.kind == Tree::Kind::list || into.kind == Tree::Kind::value) return false;
    into.children.insert(into.children.begin(), std::move(taken));
    const std::string name = into.name;
    siblings.erase(siblings.begin() + last());
    out_.path_after = top;
    out_.path_after.push_back(before ? i - 1 : i);
    out_.path_after.push_back(0);
    return say("into <" + name + ">");
  }

  bool valued() {
    Tree& tree = here();
    if (change_.variant < 0) {
      if (!tree.text.empty()) return false;
      tree.text = "abc";
      return say("'abc' between its tags");
    }
    const std::string before = tree.text;
    tree.text = other_values(tree, before, random_)[variant()];
    if (tree.text == before) return false;
    return say(fmt::format("'{}' -> '{}'", before, tree.text));
  }

  bool attribute() {
    auto& attributes = here().attributes;
    if (change_.kind == Change::Kind::insert) {
      attributes.emplace_back(kNew, "1");
      return say(fmt::format("{}=\"1\" in it", kNew));
    }
    const auto found = std::ranges::find(attributes, change_.attribute,
                                         &std::pair<std::string, std::string>::first);
    if (found == attributes.end()) return false;
    const std::string before = found->second;
    switch (change_.kind) {
      case Change::Kind::rename:
        found->first = misspelt(change_.attribute)[variant()];
        return say(fmt::format("{} -> {}", change_.attribute, found->first));
      case Change::Kind::recase:
        found->first = recased(change_.attribute)[variant()];
        return say(fmt::format("{} -> {}", change_.attribute, found->first));
      case Change::Kind::drop:
        attributes.erase(found);
        return say(change_.attribute + " dropped");
      case Change::Kind::duplicate:
        attributes.emplace_back(change_.attribute, variant() == 0 ? before : "7");
        return say(change_.attribute + " twice");
      case Change::Kind::move: {
        const std::pair<std::string, std::string> taken = *found;
        attributes.erase(found);
        parent().attributes.push_back(taken);
        out_.path_after = up(change_.path);
        return say(change_.attribute + " in its parent");
      }
      case Change::Kind::value:
        found->second = other_values(here(), before, random_)[variant()];
        if (found->second == before) return false;
        return say(fmt::format("{} '{}' -> '{}'", change_.attribute, before, found->second));
      case Change::Kind::insert:
      case Change::Kind::comment:
        break;
    }
    return false;
  }

  const Change& change_;
  Random random_;
  Altered out_;
  std::string where_;
};

}  // namespace

std::vector<Change> changes_of(const Tree& tree) {
  std::vector<Change> all;
  Path path;
  collect(all, tree, path, nullptr);
  return all;
}

std::optional<Altered> altered(const Tree& tree, const Change& change, std::uint64_t seed) {
  return Maker(tree, change, seed).make();
}

std::string word_of(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::rename:
      return "misspelt";
    case Change::Kind::recase:
      return "other case";
    case Change::Kind::drop:
      return "dropped";
    case Change::Kind::duplicate:
      return "twice";
    case Change::Kind::insert:
      return "unknown";
    case Change::Kind::move:
      return "moved";
    case Change::Kind::value:
      return "value";
    case Change::Kind::comment:
      return "comment";
  }
  return "";
}

}  // namespace proven::bench
