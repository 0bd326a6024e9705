#include "io/xacro_scope.h"

#include <fmt/format.h>

#include "io/failure.h"
#include "io/text.h"

namespace proven::io {

void XacroScope::set(const std::string& name, XacroValue value, bool lazy, std::string place) {
  if (value.is_text())
    value = at_place([&] { return place; }, [&] { return from_literal(value.text()); });
  if (const auto* stream = value.get<XacroValue::Stream>(); stream && !stream->is_sized)
    fail(place, fmt::format("{} is an iterator, which can be used once; keep list(...) of it",
                            quote(name)));
  const bool is_open = lazy && value.is_text();
  properties_[name] = {std::move(value), is_open, false, std::move(place)};
}

void XacroScope::remove(const std::string& name) {
  for (XacroScope* scope = this; scope; scope = scope->parent_) scope->properties_.erase(name);
}

bool XacroScope::contains(const std::string& name) const {
  return properties_.contains(name) || (parent_ && parent_->contains(name));
}

std::optional<XacroValue> XacroScope::find(const std::string& name, const Evaluate& evaluate) {
  const auto own = properties_.find(name);
  if (own == properties_.end()) return parent_ ? parent_->find(name, evaluate) : std::nullopt;
  Property& property = own->second;
  if (!property.is_open) return property.value;
  if (property.is_evaluated)
    fail(property.place,
         fmt::format("property {} needs itself; lazy_eval=\"false\" takes its former value",
                     quote(name)));
  property.is_evaluated = true;
  const std::string text = property.value.text();
  XacroValue value =
      at_place([&] { return property.place; }, [&] { return evaluate(text, *this); });
  property.is_evaluated = false;
  set(name, std::move(value), false, property.place);
  return property.value;
}

const XacroScope::Block* XacroScope::find_block(const std::string& name) const {
  const Block* contents = find_block(name, true);
  return contents ? contents : find_block(name, false);
}

const XacroScope::Block* XacroScope::find_block(const std::string& name,
                                                bool contents_alone) const {
  const auto own = blocks_.find((contents_alone ? "**" : "*") + name);
  if (own != blocks_.end()) return &own->second;
  return parent_ ? parent_->find_block(name, contents_alone) : nullptr;
}

XacroScope& XacroScope::add_space(const std::string& name) {
  spaces_.push_back(std::make_unique<XacroScope>(this, true));
  properties_[name] = {{XacroValue::Space{spaces_.back().get()}}, false, false, ""};
  return *spaces_.back();
}

XacroScope* XacroScope::caller() {
  XacroScope* scope = parent_;
  while (scope && scope->is_space_ && !is_space_) scope = scope->parent_;
  return scope;
}

XacroScope& XacroScope::top() {
  return parent_ ? parent_->top() : *this;
}

void XacroScope::collect_names(std::vector<std::string>& names) const {
  for (const auto& [name, property] : properties_) names.push_back(name);
  if (parent_) parent_->collect_names(names);
}

}  // namespace proven::io
