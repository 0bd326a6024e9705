// Values of xacro expressions: Python's, as far as they are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace proven::io {

struct XacroValue {
  using Items = std::vector<XacroValue>;
  using Entries = std::vector<std::pair<XacroValue, XacroValue>>;  // in order, keys differ
  // `dotted` ones are from YAML: entry k is also .k, and so are entries of entries.
  struct List {
    std::shared_ptr<const Items> items;
    bool dotted = false;
  };
  struct Tuple {
    std::shared_ptr<const Items> items;
  };
  struct Dict {
    std::shared_ptr<const Entries> entries;
    bool dotted = false;
  };
  // The results of map(), zip(), range(), keys() and their like: something to go through.
  struct Stream {
    std::shared_ptr<const Items> items;
    bool is_sized = false, is_indexed = false;
  };
  struct Function {
    std::string name;
  };
  struct Module {
    std::string name;  // math, python, xacro
  };
  struct Space {
    const void* space = nullptr;  // of an include with a namespace
  };
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Tuple, Dict, Stream,
               Function, Module, Space>
      value;

  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
  bool is_none() const { return get<std::monostate>() != nullptr; }
  bool is_text() const { return get<std::string>() != nullptr; }
  const std::string& text() const { return std::get<std::string>(value); }
  bool is_whole() const { return get<bool>() || get<std::int64_t>(); }
  bool is_number() const { return is_whole() || get<double>(); }
  std::int64_t whole() const;  // fails unless it is a whole number
  double number() const;       // fails unless it is a number
  bool truth() const;          // as Python's bool()
};

XacroValue list_of(XacroValue::Items items);
XacroValue tuple_of(XacroValue::Items items);
XacroValue dict_of(XacroValue::Entries entries);
XacroValue stream_of(XacroValue::Items items, bool is_sized = false, bool is_indexed = false);

// "a list", for messages.
std::string kind_of(const XacroValue& value);
// As Python's str() and repr() write it; fail on what has no text worth having.
std::string to_text(const XacroValue& value);
std::string to_repr(const XacroValue& value);

// Python's == and <; the second fails on what has no order.
bool are_equal(const XacroValue& a, const XacroValue& b);
bool is_less(const XacroValue& a, const XacroValue& b);

// The items that a `for` goes through; fails on what has none.
XacroValue::Items items_of(const XacroValue& value);
// The entry of a key; nullptr if there is none.
const XacroValue* find_entry(const XacroValue::Dict& dict, const XacroValue& key);

// The letters of a text in UTF-8, each by itself.
std::vector<std::string> letters_of(const std::string& text);

// Python's int(text) and float(text); empty if the text is none. The first fails beyond 64 bits.
std::optional<std::int64_t> whole_of(const std::string& text);
std::optional<double> number_of(const std::string& text);
// A text as a property takes it: 'quoted', a whole number, a number, a truth value, or itself.
XacroValue from_literal(const std::string& text);
// What a condition says; empty if it is neither true nor false.
std::optional<bool> condition_of(const XacroValue& value);

}  // namespace proven::io
