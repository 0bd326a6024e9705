// The compact encodings of φ of Leven and Hutchinson (paper 004, section 3), all exact.
//
//   naive         lists of 32-bit labels
//   self          each list on its own, with labels in few bits
//   region        seeds (the cell with the largest φ that is left); around it η1, coded against the
//                 set that makes the sum of differences least; around that η2, each cell coded
//                 against its best neighbour
//   hierarchical  a tree of blocks; each block holds a set, and only differences to the block above
//                 are written. The lists are those with the least sum of differences (Hartigan).
//
// Labels are written by binary interpolation: the middle label first, in as many bits as its
// possible range needs; runs cost nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "papers/roadmap/cell_lists.h"
#include "proven/base/words.h"

namespace proven::roadmap {

enum class Encoding { naive, self, region, hierarchical };

struct RegionOptions {
  int depth = 12;      // longest chain of references in η2
  double scale = 0.7;  // a cell joins η2 if its difference is below this share of its own size
  int core = 27;       // most cells of η1
};

class EncodedLists {
 public:
  static EncodedLists encode(Encoding encoding, const CellLists& lists, const Grid& grid,
                             const RegionOptions& options = {});

  Encoding encoding() const { return encoding_; }
  // Everything that decoding needs: labels, references, where each part begins.
  std::size_t size_bytes() const;
  std::vector<std::uint32_t> decode(int cell) const;
  int num_regions() const { return static_cast<int>(regions_); }
  int longest_chain() const;

 private:
  friend class RegionEncoder;
  friend class HierarchyEncoder;

  void add_part(const std::vector<std::uint32_t>& items);
  std::vector<std::uint32_t> part(std::size_t index) const;

  Encoding encoding_ = Encoding::naive;
  int num_items_ = 0;
  std::size_t num_cells_ = 0, regions_ = 0;
  std::vector<std::uint32_t> naive_;  // labels
  std::vector<std::uint64_t> first_;  // of the labels of a cell (naive)
  std::vector<std::uint8_t> bytes_;   // parts
  std::vector<std::uint64_t> begin_;  // of each part; 5 bytes of a file each
  // What a part differs from: another part, or none. Parts of cells come first, in order.
  std::vector<std::uint32_t> reference_;
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
};

}  // namespace proven::roadmap
