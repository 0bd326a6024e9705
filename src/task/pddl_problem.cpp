// Reads a problem against its domain.
#include <fmt/format.h>

#include <algorithm>

#include "proven/base/numbers.h"
#include "task/failure.h"
#include "task/pddl_names.h"
#include "task/pddl_reader.h"

namespace proven::task {
namespace {

class ProblemReader {
 public:
  ProblemReader(const SExpression& root, std::string file, const Domain& domain)
      : root_(root), names_(names_of(domain)), domain_(domain) {
    problem_.file = std::move(file);
  }

  Problem read() {
    PddlReader reader(problem_.file, names_);
    reader_ = &reader;
    if (root_.head() != "define" || root_.items.size() < 2 || root_.items[1].head() != "problem" ||
        root_.items[1].items.size() != 2)
      fail_at(root_.place, "expected (define (problem NAME) ...)");
    problem_.name = reader.token(root_.items[1].items[1], "the problem's name");
    for (std::size_t i = 2; i < root_.items.size(); ++i) read_head(root_.items[i]);
    for (std::size_t i = 2; i < root_.items.size(); ++i) read_body(root_.items[i]);
    if (!has_goal_) fail_at(root_.place, "the problem has no (:goal ...)");
    check_violations(problem_.metric.value);
    return std::move(problem_);
  }

 private:
  [[noreturn]] void fail_at(Place place, std::string message,
                            ErrorCode code = ErrorCode::bad_input) const {
    reader_->fail_at(place, std::move(message), code);
  }

  // What the other sections refer to.
  void read_head(const SExpression& section) {
    const std::string_view word = section.head();
    if (word == ":domain") {
      problem_.domain = reader_->token(reader_->item(section, 1, "a domain's name"), "a name");
      if (problem_.domain != domain_.name)
        fail_at(section.place, fmt::format("the problem is for domain '{}', but the domain is '{}'",
                                           problem_.domain, domain_.name));
    } else if (word == ":objects") {
      for (TypedName& object : reader_->typed_list(section.items, 1, false, &names_.types)) {
        if (!names_.objects.insert(object.name).second)
          remark(
              object.place,
              fmt::format("object '{}' is declared twice; it is of all types given", object.name));
        problem_.objects.push_back(std::move(object));
      }
    }
  }

  void read_body(const SExpression& section) {
    const std::string_view word = section.head();
    if (word == ":domain" || word == ":objects" || word == ":requirements") return;
    if (word == ":init") {
      for (std::size_t i = 1; i < section.items.size(); ++i) read_initial(section.items[i], 0);
    } else if (word == ":goal") {
      has_goal_ = true;
      Formula goal = reader_->goal(reader_->item(section, 1, "the goal"));
      take_preferences(goal, {});
      problem_.goal = std::move(goal);
    } else if (word == ":metric") {
      read_metric(section);
    } else if (word == ":moduleoptions") {
      read_module_options(*reader_, section, problem_.module_options);
    } else if (word == ":constraints") {
      fail_at(section.place, "trajectory constraints are not supported", ErrorCode::unsupported);
    } else {
      fail_at(section.place, fmt::format("unknown section '{}'", word));
    }
  }

  // Moves preferences out of the goal; what is left of each is true.
  void take_preferences(Formula& f, std::vector<TypedName> bound) {
    if (f.kind == Formula::Kind::preference) {
      problem_.preferences.push_back({f.name, std::move(bound), f.parts[0], f.place});
      f = {};
      return;
    }
    if (f.kind != Formula::Kind::conjunction && f.kind != Formula::Kind::forall)
      return refuse_preferences(f);
    bound.insert(bound.end(), f.bound.begin(), f.bound.end());
    for (Formula& part : f.parts) take_preferences(part, bound);
  }

  void refuse_preferences(const Formula& f) const {
    if (f.kind == Formula::Kind::preference)
      fail_at(f.place, "a preference may stand under 'and' and 'forall' alone");
    for (const Formula& part : f.parts) refuse_preferences(part);
  }

  void check_violations(const Expression& e) const {
    if (e.kind == Expression::Kind::violations &&
        std::none_of(problem_.preferences.begin(), problem_.preferences.end(),
                     [&](const Preference& p) { return p.name == e.name; }))
      fail_at(e.place, fmt::format("the goal has no preference '{}'", e.name));
    for (const Expression& operand : e.operands) check_violations(operand);
  }

  void read_metric(const SExpression& section) {
    if (section.items.size() != 3) fail_at(section.place, "expected (:metric minimize VALUE)");
    const std::string direction = reader_->token(section.items[1], "minimize or maximize");
    if (direction != "minimize" && direction != "maximize")
      fail_at(section.items[1].place, "expected minimize or maximize");
    problem_.metric.given = true;
    problem_.metric.minimize = direction == "minimize";
    problem_.metric.value = reader_->expression(section.items[2]);
  }

  void read_initial(const SExpression& written, double time) {
    if (written.head() == "at" && written.items.size() == 3 && written.items[2].is_list() &&
        written.items[1].kind == SExpression::Kind::token && parse_double(written.items[1].text)) {
      const double at = reader_->number(written.items[1], "a time");
      if (at < 0) fail_at(written.place, "a timed initial literal before time 0");
      return read_initial(written.items[2], at);
    }
    InitialValue value;
    value.time = time;
    value.place = written.place;
    if (written.head() == "=") {
      if (!read_value(written, value)) return;
    } else {
      const bool negated = written.head() == "not";
      const Formula atom =
          reader_->formula(negated ? reader_->item(written, 1, "an atom") : written);
      if (atom.kind != Formula::Kind::atom) fail_at(written.place, "expected an atom");
      for (const DerivedRule& rule : domain_.derived)
        if (rule.name == atom.name)
          fail_at(written.place, fmt::format("'{}' is derived and cannot be set", atom.name));
      value.truth = !negated;
      value.name = atom.name;
      value.arguments = object_names(atom.arguments);
    }
    problem_.initial.push_back(std::move(value));
  }

  // False where the fluent is unknown to the domain, so that nothing can depend on it.
  bool read_value(const SExpression& written, InitialValue& value) {
    if (written.items.size() != 3) fail_at(written.place, "'=' takes a fluent and a value");
    const SExpression& target = written.items[1];
    value.name = target.kind == SExpression::Kind::token ? target.text : std::string(target.head());
    const auto fluent = names_.fluents.find(value.name);
    if (fluent == names_.fluents.end()) {
      remark(target.place,
             fmt::format("fluent '{}' is not declared in the domain; ignored", value.name));
      return false;
    }
    if (fluent->second->types.empty()) {
      value.kind = InitialValue::Kind::number;
      value.arguments = object_names(reader_->expression(target).arguments);
      value.number = reader_->number(written.items[2], "a number");
    } else {
      value.kind = InitialValue::Kind::object;
      value.arguments = object_names(reader_->term(target).arguments);
      value.object = object_names({reader_->term(written.items[2])})[0];
    }
    return true;
  }

  void remark(Place place, std::string text) {
    problem_.remarks.push_back(place_text(problem_.file, place) + ": " + std::move(text));
  }

  std::vector<std::string> object_names(const std::vector<Term>& terms) const {
    std::vector<std::string> names;
    for (const Term& term : terms) {
      if (term.kind != Term::Kind::object) fail_at(term.place, "expected an object");
      names.push_back(term.name);
    }
    return names;
  }

  const SExpression& root_;
  Names names_;
  const Domain& domain_;
  Problem problem_;
  PddlReader* reader_ = nullptr;
  bool has_goal_ = false;
};

}  // namespace

Result<Problem> parse_problem(std::string_view text, std::string file, const Domain& domain) {
  return guarded<Problem>([&]() -> Result<Problem> {
    const auto root = read_s_expression(text, file);
    if (!root.ok()) return root.error();
    return ProblemReader(root.value(), file, domain).read();
  });
}

}  // namespace proven::task
