// Arrays of paths in files: numpy's, alone or in archives, and those of HDF5. All fail (failure.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace proven::io {

// Floats of paths x waypoints x joints, read by parts; what is not asked for is not kept.
class PathArray {
 public:
  virtual ~PathArray() = default;
  // The numbers of so many paths, from the one with the index `first` on. Any thread may ask.
  virtual std::vector<double> read(std::int64_t first, std::int64_t count) const = 0;

  std::int64_t paths = 0, waypoints = 0, joints = 0;
  bool single = false;             // it has no index of paths: it is one
  std::vector<std::string> names;  // of its columns; empty: the file does not say
};

// An array of a file that may hold several, or why it cannot be read.
struct NamedArray {
  std::string name;  // empty in a file that is one array
  std::shared_ptr<const PathArray> array;
  std::string error;
};

// From the lengths of an array with two or three indices.
void set_shape(PathArray& array, const std::string& place, const std::vector<std::int64_t>& shape);

std::shared_ptr<const PathArray> open_npy(const std::filesystem::path& file);
// Members in the archive's order. One that is named "joints" holds texts, the names of all columns.
std::vector<NamedArray> open_npz(const std::filesystem::path& file);
// Data sets in the order of their names, groups within groups; an attribute "joints" of the data
// set or of the file names the columns.
std::vector<NamedArray> open_hdf5(const std::filesystem::path& file);

}  // namespace proven::io
