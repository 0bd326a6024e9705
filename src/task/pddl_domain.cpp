// Reads a domain: declarations first, then what uses them, in whatever order they are written.
#include <fmt/format.h>

#include "proven/base/numbers.h"
#include "task/failure.h"
#include "task/pddl_names.h"
#include "task/pddl_reader.h"

namespace proven::task {
namespace {

const std::set<std::string>& supported_requirements() {
  static const std::set<std::string> all = {
      ":strips",
      ":typing",
      ":negative-preconditions",
      ":disjunctive-preconditions",
      ":equality",
      ":existential-preconditions",
      ":universal-preconditions",
      ":quantified-preconditions",
      ":conditional-effects",
      ":fluents",
      ":numeric-fluents",
      ":object-fluents",
      ":adl",
      ":durative-actions",
      ":duration-inequalities",
      ":derived-predicates",
      ":timed-initial-literals",
      ":action-costs",
      ":preferences",
      ":goal-utilities",
      ":modules",
  };
  return all;
}

class DomainReader {
 public:
  DomainReader(const SExpression& root, std::string file) : root_(root) {
    domain_.file = std::move(file);
  }

  Domain read() {
    PddlReader reader(domain_.file, names_);
    reader_ = &reader;
    read_name();
    for_sections(":requirements", [&](const SExpression& s) { read_requirements(s); });
    for_sections(":types", [&](const SExpression& s) { read_types(s); });
    for_sections(":constants", [&](const SExpression& s) { read_constants(s); });
    for_sections(":predicates", [&](const SExpression& s) { read_predicates(s); });
    for_sections(":functions", [&](const SExpression& s) { read_fluents(s); });
    for_sections(":derived", [&](const SExpression& s) { read_derived_head(s); });
    names_ = names_of(domain_);
    for_sections(":modules", [&](const SExpression& s) { read_modules(s); });
    names_ = names_of(domain_);
    for_sections(":moduleoptions", [&](const SExpression& s) {
      read_module_options(reader, s, domain_.module_options);
    });
    for_sections(":oplinit", [&](const SExpression& s) { read_opl_init(s); });
    std::size_t next_rule = 0;
    for_sections(":derived", [&](const SExpression& s) { read_derived_body(s, next_rule++); });
    for_sections(":action", [&](const SExpression& s) { read_action(s, false); });
    for_sections(":durative-action", [&](const SExpression& s) { read_action(s, true); });
    refuse_other_sections();
    return std::move(domain_);
  }

 private:
  template <class Read>
  void for_sections(std::string_view word, Read&& read_section) {
    for (std::size_t i = 2; i < root_.items.size(); ++i)
      if (root_.items[i].head() == word) read_section(root_.items[i]);
  }

  [[noreturn]] void fail_at(Place place, std::string message,
                            ErrorCode code = ErrorCode::bad_input) const {
    reader_->fail_at(place, std::move(message), code);
  }

  void read_name() {
    if (root_.head() != "define" || root_.items.size() < 2 || root_.items[1].head() != "domain" ||
        root_.items[1].items.size() != 2)
      fail_at(root_.place, "expected (define (domain NAME) ...)");
    domain_.name = reader_->token(root_.items[1].items[1], "the domain's name");
  }

  void read_requirements(const SExpression& section) {
    for (std::size_t i = 1; i < section.items.size(); ++i) {
      const std::string word = reader_->token(section.items[i], "a requirement");
      if (!supported_requirements().contains(word))
        fail_at(section.items[i].place, fmt::format("requirement '{}' is not supported", word),
                ErrorCode::unsupported);
      domain_.requirements.push_back(word);
    }
  }

  void read_types(const SExpression& section) {
    for (TypedName& type : reader_->typed_list(section.items, 1, false, nullptr)) {
      if (type.name == "number") fail_at(type.place, "'number' cannot be declared as a type");
      domain_.types.push_back(std::move(type));
    }
    names_ = names_of(domain_);
  }

  void read_constants(const SExpression& section) {
    for (TypedName& object : reader_->typed_list(section.items, 1, false, &names_.types))
      domain_.constants.push_back(std::move(object));
  }

  void read_predicates(const SExpression& section) {
    for (std::size_t i = 1; i < section.items.size(); ++i) {
      const SExpression& written = section.items[i];
      Predicate predicate;
      predicate.place = written.place;
      predicate.name = reader_->token(reader_->item(written, 0, "a predicate"), "a name");
      predicate.parameters = reader_->typed_list(written.items, 1, true, &names_.types);
      for (const Predicate& other : domain_.predicates)
        if (other.name == predicate.name)
          fail_at(written.place, fmt::format("predicate '{}' is declared twice", other.name));
      domain_.predicates.push_back(std::move(predicate));
    }
  }

  void read_fluents(const SExpression& section) {
    std::size_t untyped = domain_.fluents.size();
    for (std::size_t i = 1; i < section.items.size(); ++i) {
      const SExpression& written = section.items[i];
      if (written.kind == SExpression::Kind::token && written.text[0] == '-') {
        SExpression type = written;
        type.text.erase(0, 1);
        if (type.text.empty()) type = reader_->item(section, ++i, "a type");
        for (; untyped < domain_.fluents.size(); ++untyped)
          if (!type.is_token("number"))
            domain_.fluents[untyped].types = reader_->type_names(type, &names_.types);
        continue;
      }
      FluentDeclaration fluent;
      fluent.place = written.place;
      fluent.name = reader_->token(reader_->item(written, 0, "a fluent"), "a name");
      fluent.parameters = reader_->typed_list(written.items, 1, true, &names_.types);
      for (const FluentDeclaration& other : domain_.fluents)
        if (other.name == fluent.name)
          fail_at(written.place, fmt::format("fluent '{}' is declared twice", other.name));
      domain_.fluents.push_back(std::move(fluent));
    }
  }

  void read_derived_head(const SExpression& section) {
    const SExpression& head = reader_->item(section, 1, "(NAME ?parameter ...)");
    if (section.items.size() != 3) fail_at(section.place, "expected (:derived (NAME ...) FORMULA)");
    DerivedRule rule;
    rule.place = section.place;
    rule.name = reader_->token(reader_->item(head, 0, "a predicate"), "a name");
    rule.parameters = reader_->typed_list(head.items, 1, true, &names_.types);
    bool declared = false;
    for (const Predicate& predicate : domain_.predicates) {
      if (predicate.name != rule.name) continue;
      declared = true;
      if (predicate.parameters.size() != rule.parameters.size())
        fail_at(head.place, fmt::format("'{}' was declared with {} parameter(s)", rule.name,
                                        predicate.parameters.size()));
    }
    if (!declared) domain_.predicates.push_back({rule.name, rule.parameters, rule.place});
    domain_.derived.push_back(std::move(rule));
  }

  void read_derived_body(const SExpression& section, std::size_t index) {
    DerivedRule& rule = domain_.derived[index];
    reader_->push_scope(rule.parameters);
    rule.body = reader_->formula(section.items[2]);
    reader_->pop_scope(rule.parameters.size());
  }

  void read_modules(const SExpression& section) {
    for (std::size_t i = 1; i < section.items.size(); ++i) {
      const SExpression& written = section.items[i];
      if (written.head() == "subplan_generator")
        fail_at(written.place, "subplan generators are not supported", ErrorCode::unsupported);
      domain_.modules.push_back(read_module(written));
      for (std::size_t k = 0; k + 1 < domain_.modules.size(); ++k)
        if (domain_.modules[k].name == domain_.modules.back().name)
          fail_at(written.place,
                  fmt::format("module '{}' is declared twice", domain_.modules[k].name));
    }
  }

  ModuleDeclaration read_module(const SExpression& written) {
    ModuleDeclaration module;
    module.place = written.place;
    module.name = reader_->token(reader_->item(written, 0, "a module"), "a name");
    if (written.items.size() < 3)
      fail_at(written.place, "expected (NAME ?parameter ... KIND function@library)");
    const std::size_t kind = written.items.size() - 2;
    std::size_t written_begin = 1;
    while (written_begin < kind && (written.items[written_begin].kind == SExpression::Kind::token ||
                                    written.items[written_begin].head() == "either"))
      ++written_begin;
    const std::vector<SExpression> parameters(
        written.items.begin() + 1, written.items.begin() + static_cast<long>(written_begin));
    module.parameters = reader_->typed_list(parameters, 0, true, &names_.types);
    const std::string word = reader_->token(written.items[kind], "the module's kind");
    if (word == "conditionchecker") {
      module.kind = ModuleDeclaration::Kind::condition;
    } else if (word == "cost") {
      module.kind = ModuleDeclaration::Kind::cost;
    } else if (word == "effect") {
      module.kind = ModuleDeclaration::Kind::effect;
    } else {
      fail_at(written.items[kind].place,
              fmt::format("module kind '{}'; expected conditionchecker, effect or cost", word));
    }
    if (written_begin < kind && module.kind != ModuleDeclaration::Kind::effect)
      fail_at(written.items[written_begin].place, "only effect modules list written fluents");
    reader_->push_scope(module.parameters);
    for (std::size_t i = written_begin; i < kind; ++i)
      module.written.push_back(read_written(written.items[i]));
    reader_->pop_scope(module.parameters.size());
    split_function(*reader_, written.items[kind + 1], module.function, module.library);
    return module;
  }

  ModuleDeclaration::Written read_written(const SExpression& written) {
    const Expression fluent = reader_->expression(written);
    if (fluent.kind != Expression::Kind::fluent)
      fail_at(written.place, "expected a numeric fluent that the module writes");
    return {fluent.name, fluent.arguments, written.place};
  }

  void read_opl_init(const SExpression& section) {
    ModuleOption option;
    option.place = section.place;
    split_function(*reader_, reader_->item(section, 1, "function@library"), option.function,
                   option.library);
    domain_.module_options.push_back(std::move(option));
  }

  void read_action(const SExpression& section, bool durative) {
    Action action;
    action.durative = durative;
    action.place = section.place;
    action.name = reader_->token(reader_->item(section, 1, "the action's name"), "a name");
    for (const Action& other : domain_.actions)
      if (other.name == action.name)
        fail_at(section.place, fmt::format("action '{}' is declared twice", action.name));
    std::map<std::string, const SExpression*> fields;
    for (std::size_t i = 2; i < section.items.size(); i += 2) {
      const std::string word = reader_->token(section.items[i], "a field such as :parameters");
      if (i + 1 >= section.items.size())
        fail_at(section.items[i].place, fmt::format("nothing follows '{}'", word));
      if (!fields.emplace(word, &section.items[i + 1]).second)
        fail_at(section.items[i].place, fmt::format("'{}' is written twice", word));
      if (word != ":parameters" && word != ":effect" && (durative || word != ":precondition") &&
          (!durative || (word != ":condition" && word != ":duration")))
        fail_at(section.items[i].place, fmt::format("unknown field '{}'", word));
    }
    const auto field = [&](const char* name) {
      const auto found = fields.find(name);
      return found == fields.end() ? nullptr : found->second;
    };
    if (const auto* parameters = field(":parameters")) {
      if (!parameters->is_list()) fail_at(parameters->place, "expected (?parameter - TYPE ...)");
      action.parameters = reader_->typed_list(parameters->items, 0, true, &names_.types);
    }
    reader_->push_scope(action.parameters);
    if (const auto* duration = field(":duration")) action.duration = reader_->duration(*duration);
    if (const auto* condition = field(":condition"))
      action.conditions = reader_->timed_formula(*condition);
    if (const auto* condition = field(":precondition"))
      action.conditions[0] = reader_->formula(*condition);
    if (const auto* effect = field(":effect")) reader_->effects(*effect, durative, action.effects);
    reader_->pop_scope(action.parameters.size());
    if (durative && !field(":duration"))
      fail_at(section.place, fmt::format("durative action '{}' has no :duration", action.name));
    refuse_derived_effects(action);
    domain_.actions.push_back(std::move(action));
  }

  void refuse_derived_effects(const Action& action) const {
    for (const Effect& effect : action.effects)
      if (effect.kind == Effect::Kind::add || effect.kind == Effect::Kind::remove)
        for (const DerivedRule& rule : domain_.derived)
          if (rule.name == effect.name)
            fail_at(effect.place,
                    fmt::format("'{}' is a derived predicate and cannot be an effect", rule.name));
  }

  void refuse_other_sections() const {
    static const std::set<std::string, std::less<>> known = {
        ":requirements", ":types",   ":constants",      ":predicates",
        ":functions",    ":derived", ":modules",        ":moduleoptions",
        ":oplinit",      ":action",  ":durative-action"};
    for (std::size_t i = 2; i < root_.items.size(); ++i) {
      const std::string word(root_.items[i].head());
      if (word == ":constraints")
        fail_at(root_.items[i].place, "trajectory constraints are not supported",
                ErrorCode::unsupported);
      if (!known.contains(word))
        fail_at(root_.items[i].place, fmt::format("unknown section '{}'", word));
    }
  }

  const SExpression& root_;
  Domain domain_;
  Names names_;
  PddlReader* reader_ = nullptr;
};

}  // namespace

Names names_of(const Domain& domain) {
  Names names;
  for (const TypedName& type : domain.types) {
    names.types.insert(type.name);
    // A parent that is only named as such counts as declared.
    names.types.insert(type.types.begin(), type.types.end());
  }
  for (const TypedName& object : domain.constants) names.objects.insert(object.name);
  for (const Predicate& predicate : domain.predicates)
    names.predicates[predicate.name] = predicate.parameters.size();
  for (const FluentDeclaration& fluent : domain.fluents) names.fluents[fluent.name] = &fluent;
  for (const ModuleDeclaration& module : domain.modules) names.modules[module.name] = &module;
  return names;
}

void split_function(const PddlReader& reader, const SExpression& written, std::string& function,
                    std::string& library) {
  const std::string text = reader.token(written, "function@library");
  const std::size_t at = written.raw.find('@');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    reader.fail_at(written.place, fmt::format("expected function@library, found '{}'", text));
  function = written.raw.substr(0, at);
  library = written.raw.substr(at + 1);
}

void read_module_options(const PddlReader& reader, const SExpression& section,
                         std::vector<ModuleOption>& options) {
  for (std::size_t i = 1; i < section.items.size(); ++i) {
    const SExpression& written = section.items[i];
    ModuleOption option;
    option.place = written.place;
    split_function(reader, reader.item(written, 0, "function@library"), option.function,
                   option.library);
    for (std::size_t k = 1; k < written.items.size(); ++k) {
      reader.token(written.items[k], "an argument");
      option.arguments.push_back(written.items[k].raw);
    }
    options.push_back(std::move(option));
  }
}

Result<Domain> parse_domain(std::string_view text, std::string file) {
  return guarded<Domain>([&]() -> Result<Domain> {
    const auto root = read_s_expression(text, file);
    if (!root.ok()) return root.error();
    return DomainReader(root.value(), file).read();
  });
}

}  // namespace proven::task
