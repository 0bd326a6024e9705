// A format as `doors` tries it: valid files, the specification that judges what is made of them,
// and everything in the program that reads them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/doors/schema.h"
#include "bench/doors/tree_alterations.h"

namespace proven::bench {

// A number that every reader of a file must arrive at, up to rounding.
struct Fact {
  std::string name;
  double value = 0;
};

struct Reading {
  std::string digest;                // of all that the reader made of the file
  std::vector<std::string> remarks;  // what it tells people
  std::vector<Fact> facts;
};

// Reads files, one after the other; a reader in another language starts once for all of them.
using ReadFiles =
    std::function<std::vector<Result<Reading>>(const std::vector<std::filesystem::path>& files)>;

struct DoorReader {
  std::string name;
  Scope scope = Scope::product;
  ReadFiles read;
};

struct DoorFile {
  std::string name, text;
  bool is_real = false;  // one of many that others wrote: a share of its alterations is tried
};

struct Door {
  std::string name;
  std::string ending;  // ".xml"; ".json" and ".jsonl" are JSON
  const Spec* spec = nullptr;
  std::vector<DoorFile> files;
  std::vector<DoorReader> readers;  // the product's first
  // Writes what the files refer to.
  std::function<void(const std::filesystem::path& folder)> prepare = [](const auto&) {};
  // What is changed says nothing, whatever it then holds; and other reasons why two files say the
  // same; changed is what stands at `path`, or its attribute.
  std::function<bool(const Tree& before, const Change& change)> is_idle =
      [](const auto&, const auto&) { return false; };
  std::function<bool(const Tree& before, const Tree& after, const Change& change)> is_same =
      [](const auto&, const auto&, const auto&) { return false; };
  // How a tree is written; if there is none, by the ending.
  std::function<std::string(const Tree& tree)> write = {};
  // Where a file of that name is put for the i-th alteration, and what is then read; if there is
  // none, "<i><ending>" in the folder.
  std::function<std::filesystem::path(const std::filesystem::path& folder, std::size_t i,
                                      const std::string& name, const std::string& text)>
      place = {};
};

struct DoorCount {
  int files = 0, refused = 0, changed = 0, decoration = 0, silent = 0, disagreements = 0;
  int alone = 0;  // read by this reader and refused by the product's
};

struct DoorResult {
  std::vector<DoorCount> counts;   // one for each reader
  std::vector<std::string> notes;  // each kind of silence or disagreement, with an example
};

struct DoorOptions {
  std::uint64_t seed = 1;
  int most = 0;  // alterations of each file; 0: all, of real files some
  std::function<void(double)> progress = [](double) {};
};

Result<DoorResult> try_door(const Door& door, const DoorOptions& options);

std::vector<Door> commonroad_doors();
std::vector<Door> mjcf_doors();
std::vector<Door> sdf_doors();
std::vector<Door> xacro_doors();
std::vector<Door> packages_doors();
std::vector<Door> data_set_doors();
// All of them.
std::vector<Door> all_doors();

// Reads one file after the other.
ReadFiles one_by_one(std::function<Result<Reading>(const std::filesystem::path&)> read);

}  // namespace proven::bench
