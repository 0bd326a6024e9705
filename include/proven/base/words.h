// The enumerators of an enum as words. What files, commands and JSON call a thing is what the code
// calls it: the compiler spells the words, so that they cannot differ.
//
// For enums whose enumerators count up from 0, as all of ours do. Sentences for people come from
// functions describe(...) where they are needed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace proven {

namespace words {

// The name of a value's enumerator; "Verdict)7" for a value that has none.
template <auto kValue>
constexpr std::string_view spelling() {
  constexpr std::string_view kFunction = __PRETTY_FUNCTION__, kBefore = "kValue = ";
  constexpr std::size_t kBegin = kFunction.find(kBefore) + kBefore.size();
  constexpr std::string_view kWhole =
      kFunction.substr(kBegin, kFunction.find_first_of(";]", kBegin) - kBegin);
  return kWhole.substr(kWhole.rfind(':') + 1);
}

template <class Enum, std::size_t kAtLeast = 0>
constexpr std::size_t count() {
  if constexpr (spelling<static_cast<Enum>(kAtLeast)>().find(')') != std::string_view::npos)
    return kAtLeast;
  else
    return count<Enum, kAtLeast + 1>();
}

// The same with a null byte behind it, as literals have.
template <auto kValue>
inline constexpr auto kLiteral = [] {
  std::array<char, spelling<kValue>().size() + 1> text = {};
  spelling<kValue>().copy(text.data(), text.size() - 1);
  return text;
}();

template <class Enum, std::size_t... kIndices>
constexpr auto list(std::index_sequence<kIndices...>) {
  return std::array{std::string_view(kLiteral<static_cast<Enum>(kIndices)>.data())...};
}

}  // namespace words

// All words of an enum, in the order of its values.
template <class Enum>
inline constexpr auto kWords = words::list<Enum>(std::make_index_sequence<words::count<Enum>()>());

// The enumerator's own name, with a null byte behind it: Verdict::free is "free". Empty for a value
// without an enumerator.
template <class Enum>
requires std::is_enum_v<Enum>
constexpr std::string_view to_string(Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < kWords<Enum>.size() ? kWords<Enum>[index] : std::string_view("");
}

// The other way round; nothing for a word that the enum does not have.
template <class Enum>
constexpr std::optional<Enum> parse_word(std::string_view word) {
  for (std::size_t i = 0; i < kWords<Enum>.size(); ++i)
    if (kWords<Enum>[i] == word) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace proven
