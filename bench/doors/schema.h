// What the public specification of a format says a file holds, as a table: the judge of altered
// files, which no reader of the program has a part in.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/doors/tree.h"

namespace proven::bench {

// Who reads: the verifiers read less of some formats, and the rest is decoration to them.
// What a conversion wrote is judged where it was converted.
enum class Scope : std::uint8_t { product, verifier, written };

// One element, found by "parent/name", else by "name". A word of `attributes` is NAME=KIND and "!"
// (required) or "?" (optional); "?" and a text: what it is if it is not there. KIND is
//   n number, p positive, i whole number, u not negative, b true or false, t text, s text of JSON,
//   N3 three numbers, N any numbers, w(a|b) one of the words, d decoration.
// A word of `children` is a name and "!" (one), "?" (at most one), "*", "+" or "#3" (so many); then
// "{0}": what it says if it is not there; "%": saying it twice changes nothing; "~": decoration;
// "^": decoration to verifiers. `text` is the KIND of what stands between the tags.
// `either` is groups of children, "a|b,c|d/e": all of exactly one group are there; d/e: either or
// both.
struct SpecRow {
  std::string_view element, attributes, children, text = "", either = "";
};

class Spec {
 public:
  explicit Spec(std::span<const SpecRow> rows);

  struct Violation {
    std::string what;  // "<lanelet> has no <leftBound>"
    std::string word;  // a name that the specification does not have; or the element's
  };
  // Against the specification, decoration apart.
  std::vector<Violation> violations(const Tree& file, Scope scope) const;
  // The element, or an attribute of it, says nothing that this reader can make use of.
  bool is_decoration(const Tree& file, const std::vector<std::size_t>& path,
                     std::string_view attribute, Scope scope) const;
  // Dropped, it says the same: it was what it is without, or holds nothing but that and
  // decoration; or, doubled, it is a set.
  bool is_default(const Tree& file, const std::vector<std::size_t>& path,
                  std::string_view attribute) const;
  // Between the tags anything may stand.
  bool is_free_text(const Tree& file, const std::vector<std::size_t>& path) const;
  bool says_nothing(const Tree& file, const std::vector<std::size_t>& path) const;
  bool is_set(const Tree& file, const std::vector<std::size_t>& path) const;

 private:
  struct Attribute {
    std::string kind;
    bool is_required = false, has_default = false, is_for_product = false;
    std::string initial;
  };
  struct Child {
    int least = 0, most = 1;
    bool is_set = false, has_default = false;
    std::string initial;
    bool is_decoration = false, is_for_product = false;
    bool passes(Scope scope) const {
      return is_decoration || (is_for_product && scope == Scope::verifier);
    }
  };
  struct Row {
    std::map<std::string, Attribute, std::less<>> attributes;
    std::map<std::string, Child, std::less<>> children;
    std::string text;
    std::vector<std::vector<std::string>> either;
  };

  static Row parse(const SpecRow& row);
  const Row* find(std::string_view parent, std::string_view name) const;
  void check(const Tree& tree, const Row& row, Scope scope, std::vector<Violation>& found) const;
  void check_attributes(const Tree& tree, const Row& row, Scope scope,
                        std::vector<Violation>& found) const;

  std::map<std::string, Row, std::less<>> rows_;
};

// Whether a text is of a KIND.
bool is_of_kind(std::string_view text, std::string_view kind);

}  // namespace proven::bench
