#include "task/validator_world.h"

#include <cctype>
#include <cstdlib>

namespace proven::task::judge {
namespace {

Tree read_item(std::string_view text, std::size_t& next, int& line, int depth, const char* what) {
  const auto skip = [&] {
    while (next < text.size()) {
      if (text[next] == ';')
        while (next < text.size() && text[next] != '\n') ++next;
      else if (std::isspace(static_cast<unsigned char>(text[next])))
        line += text[next++] == '\n' ? 1 : 0;
      else
        break;
    }
  };
  skip();
  if (next >= text.size() || depth > 500)
    throw Unreadable{std::string(what) + ": brackets do not match"};
  Tree tree;
  tree.line = line;
  const char c = text[next];
  if (c == '(' || c == '[') {
    tree.bracket = c;
    ++next;
    for (skip(); next < text.size() && text[next] != ')' && text[next] != ']'; skip())
      tree.items.push_back(read_item(text, next, line, depth + 1, what));
    if (next >= text.size()) throw Unreadable{std::string(what) + ": a bracket is never closed"};
    ++next;
    return tree;
  }
  if (c == ')' || c == ']') throw Unreadable{std::string(what) + ": unexpected closing bracket"};
  // A hyphen that begins a word stands for itself unless a number follows: "?g -goods".
  if (c == '-' && next + 1 < text.size() &&
      std::isalpha(static_cast<unsigned char>(text[next + 1]))) {
    tree.word = text[next++];
    return tree;
  }
  while (next < text.size() && !std::isspace(static_cast<unsigned char>(text[next])) &&
         std::string_view("()[];").find(text[next]) == std::string_view::npos)
    tree.word += text[next++];
  if (tree.word.find('@') == std::string::npos)
    for (char& letter : tree.word)
      letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return tree;
}

void note_effects(const Tree& effect, World& world) {
  const std::string& word = effect.head();
  if (effect.leaf()) return;
  if (effect.bracket == '[') {
    for (const Tree& written : world.modules[word].written) world.changing.insert(written.head());
    return;
  }
  if (effect.items.size() == 1 && effect.items[0].bracket == '[')
    return note_effects(effect.items[0], world);
  if (word == "and" || word == "forall" || word == "when" || word == "not" ||
      (effect.items.size() == 3 && !effect.items[2].leaf() && (word == "at" || word == "over"))) {
    for (const Tree& item : effect.items) note_effects(item, world);
  } else if (word == "assign" || word == "increase" || word == "decrease" || word == "scale-up" ||
             word == "scale-down") {
    const Tree& target = effect.items.at(1);
    world.changing.insert(target.leaf() ? target.word : target.head());
  } else if (!word.empty()) {
    world.changing.insert(word);
  }
}

void read_types(const Tree& section, World& world) {
  std::vector<std::string> waiting;
  for (std::size_t i = 1; i < section.items.size(); ++i) {
    if (!section.items[i].leaf()) continue;
    if (section.items[i].word != "-") {
      waiting.push_back(section.items[i].word);
      continue;
    }
    const Tree& parent = section.items.at(++i);
    for (const std::string& type : waiting) {
      if (parent.leaf()) world.parents[type].insert(parent.word);
      for (std::size_t k = 1; k < parent.items.size(); ++k)
        world.parents[type].insert(parent.items[k].word);
    }
    waiting.clear();
  }
}

void read_functions(const Tree& section, World& world) {
  std::vector<std::string> waiting;
  const auto settle = [&](bool numeric) {
    for (const std::string& name : waiting)
      (numeric ? world.numbers : world.object_fluents).insert(name);
    waiting.clear();
  };
  for (std::size_t i = 1; i < section.items.size(); ++i) {
    const Tree& item = section.items[i];
    if (!item.leaf())
      waiting.push_back(item.head());
    else if (item.word == "-" && i + 1 < section.items.size())
      settle(section.items[++i].word == "number");
  }
  settle(true);
}

void read_objects(const Tree& section, World& world) {
  for (const Variable& object : read_variables(section.items, 1))
    world.objects[object.name].insert(object.types.begin(), object.types.end());
}

void read_modules(const Tree& section, World& world) {
  for (std::size_t i = 1; i < section.items.size(); ++i) {
    const Tree& item = section.items[i];
    Module module;
    std::vector<Tree> plain;
    for (std::size_t k = 1; k + 2 < item.items.size(); ++k)
      (item.items[k].leaf() || item.items[k].head() == "either" ? plain : module.written)
          .push_back(item.items[k]);
    module.kind = item.items.at(item.items.size() - 2).word;
    module.parameters = read_variables(plain, 0);
    world.modules[item.head()] = std::move(module);
  }
}

ActionScheme read_action(const Tree& section) {
  ActionScheme action;
  action.durative = section.head() == ":durative-action";
  for (std::size_t i = 2; i + 1 < section.items.size(); i += 2) {
    const std::string& field = section.items[i].word;
    const Tree& value = section.items[i + 1];
    if (field == ":parameters") action.parameters = read_variables(value.items, 0);
    if (field == ":duration") action.duration = value;
    if (field == ":precondition" || field == ":condition") action.condition = value;
    if (field == ":effect") action.effect = value;
  }
  return action;
}

void read_domain(const Tree& root, World& world) {
  const auto each = [&](const char* word, auto&& read) {
    for (const Tree& section : root.items)
      if (section.head() == word) read(section);
  };
  each(":types", [&](const Tree& s) { read_types(s, world); });
  each(":constants", [&](const Tree& s) { read_objects(s, world); });
  each(":functions", [&](const Tree& s) { read_functions(s, world); });
  each(":modules", [&](const Tree& s) { read_modules(s, world); });
  each(":predicates", [&](const Tree& s) {
    for (std::size_t i = 1; i < s.items.size(); ++i) world.predicates.insert(s.items[i].head());
  });
  each(":derived", [&](const Tree& s) {
    world.derived[s.items.at(1).head()].push_back(
        {read_variables(s.items[1].items, 1), s.items.at(2)});
    world.changing.insert(s.items[1].head());
  });
  for (const char* word : {":action", ":durative-action"})
    each(word, [&](const Tree& s) {
      const ActionScheme action = read_action(s);
      note_effects(action.effect, world);
      world.actions[s.items.at(1).word] = action;
    });
}

bool is_number(const std::string& word) {
  char* end = nullptr;
  std::strtod(word.c_str(), &end);
  return !word.empty() && *end == 0;
}

void read_problem(const Tree& root, World& world) {
  for (const Tree& section : root.items) {
    if (section.head() == ":objects") read_objects(section, world);
    if (section.head() == ":goal") world.goal = section.items.at(1);
    if (section.head() == ":metric") {
      world.minimize = section.items.at(1).word == "minimize";
      world.metric = section.items.at(2);
    }
    if (section.head() != ":init") continue;
    world.initial.bracket = '(';
    for (std::size_t i = 1; i < section.items.size(); ++i) {
      const Tree& item = section.items[i];
      const bool timed = item.head() == "at" && item.items.size() == 3 && item.items[1].leaf() &&
                         !item.items[2].leaf() && is_number(item.items[1].word);
      if (!timed) {
        world.initial.items.push_back(item);
        continue;
      }
      const double time = std::strtod(item.items[1].word.c_str(), nullptr);
      if (time > 0) {
        world.timed.emplace_back(time, item.items[2]);
        note_effects(item.items[2], world);
      } else {
        world.initial.items.push_back(item.items[2]);
      }
    }
  }
}

}  // namespace

Tree read_tree(std::string_view text, const char* what) {
  std::size_t next = 0;
  int line = 1;
  Tree tree = read_item(text, next, line, 0, what);
  if (tree.head() != "define") throw Unreadable{std::string(what) + ": expected (define ...)"};
  return tree;
}

std::vector<Variable> read_variables(const std::vector<Tree>& items, std::size_t first) {
  std::vector<Variable> variables;
  std::size_t untyped = 0;
  for (std::size_t i = first; i < items.size(); ++i) {
    if (items[i].word != "-" || !items[i].leaf()) {
      variables.push_back({items[i].word, {"object"}});
      continue;
    }
    std::set<std::string> types;
    const Tree& written = items.at(++i);
    if (written.leaf()) types.insert(written.word);
    for (std::size_t k = 1; k < written.items.size(); ++k) types.insert(written.items[k].word);
    for (; untyped < variables.size(); ++untyped) variables[untyped].types = types;
  }
  return variables;
}

bool World::is_of(const std::string& object, const std::set<std::string>& types) const {
  const auto declared = objects.find(object);
  if (declared == objects.end()) return false;
  std::set<std::string> seen;
  std::vector<std::string> open(declared->second.begin(), declared->second.end());
  open.emplace_back("object");
  while (!open.empty()) {
    const std::string type = open.back();
    open.pop_back();
    if (types.contains(type)) return true;
    if (!seen.insert(type).second) continue;
    if (const auto up = parents.find(type); up != parents.end())
      open.insert(open.end(), up->second.begin(), up->second.end());
  }
  return false;
}

std::vector<std::string> World::objects_of(const std::set<std::string>& types) const {
  std::vector<std::string> found;
  for (const auto& [name, declared] : objects)
    if (is_of(name, types)) found.push_back(name);
  return found;
}

World read_world(std::string_view domain, std::string_view problem) {
  World world;
  read_domain(read_tree(domain, "domain"), world);
  read_problem(read_tree(problem, "problem"), world);
  return world;
}

}  // namespace proven::task::judge
