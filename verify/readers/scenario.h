// Chapter 15, continued: the form of CommonRoad scenarios, 2018b and 2020a.
#pragma once

#include "verify/readers/xml.h"

namespace proven::verifier {

// Refuses what the formats do not have at its place, and what lacks a part that it must have. The
// proof is about obstacles alone, but a file that is misspelt elsewhere is no scenario either.
void check_scenario_form(const Xml& xml);

// What is written in an element that holds nothing but a text.
std::string written(const Xml& xml, const Element& element);

}  // namespace proven::verifier
