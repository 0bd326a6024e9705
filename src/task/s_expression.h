// Lists of tokens in round or square brackets, with their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/task/pddl.h"

namespace proven::task {

struct SExpression {
  enum class Kind { token, list, call } kind = Kind::token;  // call: [...]
  std::string text;                                          // of a token: lower case
  std::string raw;                                           // as written
  std::vector<SExpression> items;
  Place place;

  bool is_list() const { return kind == Kind::list; }
  bool is_token(std::string_view word) const { return kind == Kind::token && text == word; }
  // The word at the head of a list; empty for anything else.
  std::string_view head() const {
    return kind != Kind::token && !items.empty() && items[0].kind == Kind::token
               ? std::string_view(items[0].text)
               : std::string_view();
  }
};

// The one list of the text; anything after it is an error. Nesting is bounded.
Result<SExpression> read_s_expression(std::string_view text, const std::string& file);

// "file:line:column"
std::string place_text(const std::string& file, Place place);

}  // namespace proven::task
