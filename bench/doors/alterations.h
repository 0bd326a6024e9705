// Valid files with one field altered or misspelt.
#pragma once

#include <string>
#include <vector>

namespace proven::bench {

struct Alteration {
  std::string text;  // of the whole file
  std::string what;  // "line 7: 'rpy' -> 'rpyy'"
};

// By the file's ending: keys of JSON and YAML, elements and attributes of XML and cells of a CSV's
// header are misspelt; numbers, texts and words are altered. Each alteration changes one field.
std::vector<Alteration> alterations(const std::string& file, const std::string& text);

}  // namespace proven::bench
