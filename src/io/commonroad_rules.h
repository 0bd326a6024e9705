// What the elements of CommonRoad scenarios hold, formats 2018b and 2020a.
#pragma once

#include <string>

#include "io/xml.h"

namespace proven::io {

// Fails on every element, attribute and text that the formats do not have at its place, and on
// what is missing there. Places and tags of a scenario and intersections are passed over by name.
void require_commonroad(const XmlFile& xml);

// The text of an element that holds nothing else; comments may stand beside it, not within.
std::string leaf_text(const XmlFile& xml, const XmlElement& element);

}  // namespace proven::io
