// Files that hold many paths: how each kind is counted, and how some of its paths are read.
//
// `scan` counts the paths, marks every so many of them, and feeds what it reads to the hasher;
// `read` appends `count` paths from the one with the index `first` on. All fail (failure.h).
#pragma once

#include "proven/io/data_set.h"

namespace proven::io {

// A path in JSON per line that is not blank.
void scan_lines(PathsFile& file, Hasher& hasher);
void read_lines_of(const PathsFile& file, std::int64_t first, std::int64_t count,
                   std::vector<PathItem>& items);

// CSV with a column `path`: a path is a run of lines with the same name there.
bool has_path_column(const std::filesystem::path& file);
void scan_table(PathsFile& file, Hasher& hasher);
void read_table_of(const PathsFile& file, std::int64_t first, std::int64_t count,
                   std::vector<PathItem>& items);

// A *.npy of paths x waypoints x joints, or of one path.
void scan_array(PathsFile& file, Hasher& hasher);
// A *.npz, *.h5 or *.hdf5: a file for each array whose name fits one of the patterns, if any.
bool is_archive(const std::filesystem::path& file);
std::vector<PathsFile> scan_archive(const PathsFile& file, const std::vector<std::string>& patterns,
                                    Hasher& hasher);
// `named` are the columns of a manifest, `scene` those of the scene; the file's own go before
// these.
void read_array_of(const PathsFile& file, std::int64_t first, std::int64_t count,
                   const std::vector<std::string>& named, const std::vector<std::string>& scene,
                   std::vector<PathItem>& items);

}  // namespace proven::io
