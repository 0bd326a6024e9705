// Data sets of paths of a small robot, and what the readers of the program make of them.
#pragma once

#include "bench/doors/door.h"

namespace proven::bench {

// A scene, another, and paths in lines, tables and arrays.
void write_data_sets(const std::filesystem::path& folder);

// The scene of sets that name none is usual.json in the folder above.
std::vector<DoorReader> data_set_readers(bool with_python);

// numpy's files. A header is what stands in it as text.
std::string npy_bytes(const std::string& header, const std::vector<double>& values);
std::string npy_header(const std::string& shape);
// Texts as numpy writes them.
std::string npy_texts(const std::vector<std::string>& texts);

struct ZipMember {
  std::string name, bytes;
  unsigned method = 0, flags = 0;
  bool wrong_checksum = false;
};
std::string zip_bytes(const std::vector<ZipMember>& members);

}  // namespace proven::bench
