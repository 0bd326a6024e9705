// Links of one robot that are near each other by design: where in the space of the one or two
// coordinates between them they are surely apart, and where else a contact is likely.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "inner_lanes.h"
#include "model_data.h"
#include "sweep_kernel.h"

namespace proven {

struct PairTable {
  static constexpr int kCells = 256, kStripes = 256;  // of the first coordinate, of the second
  // Cells are proved with so much more on each side, relative to 1 + |limits|: values within
  // kFarthest cells of them round by less, and so do that many turns. Farther values have no cell:
  // the table says nothing of a line that has one.
  static constexpr double kPad = 0x1p-36, kFarthest = 0x1p13;
  // Of those that the process keeps.
  static constexpr std::size_t kMostUnused = 128;

  struct Axis {
    Axis() = default;
    Axis(int of, double from, double cell, bool is_whole)
        : coordinate(of), lower(from), width(cell), whole(is_whole), per_width(1 / cell) {}

    bool operator==(const Axis&) const = default;

    int coordinate = -1;  // -1: there is no second one
    double lower = 0, width = 1;
    bool whole = false;    // all cells together are a whole turn
    double per_width = 1;  // products err by 2 u more than quotients: far less than cells overlap
  };
  std::array<Axis, 2> axis;
  // What is not free says nothing of contacts: one of the bodies, or both, stand for all that they
  // sweep about a joint next to them, or it is of several pairs.
  bool spun = false;
  // Where the pair keeps what is required, whatever the other coordinates are.
  bool is_free(int cell, int stripe) const {
    return (free_[static_cast<std::size_t>(stripe)][static_cast<std::size_t>(cell / kBits)] >>
                (cell % kBits) &
            1) != 0;
  }
  // The same, which tells no contacts.
  PairTable without_contacts() const;
  // What is not free in the other one, which has the same axes, is not free any more.
  void keep_free(const PairTable& other);
  void set_free(int cell, int stripe) {
    free_[static_cast<std::size_t>(stripe)][static_cast<std::size_t>(cell / kBits)] |=
        std::uint64_t{1} << (cell % kBits);
  }

  // A part of a straight segment.
  struct Line {
    std::span<const double> from, to;
    double begin = 0, width = 1;
  };
  // Chords of it that leave the free cells.
  std::uint32_t open_chords(const Line& line) const;

  // A ball inside of a body, in its frame.
  struct Ball {
    std::array<float, 3> centre = {};
    float radius = 0;
  };
  // Two that are near each other, or overlap, in the middle of a cell; elsewhere nothing is sure.
  struct Contact {
    Ball a, b;
    float gap = 0;  // below zero: how far they overlap
  };
  struct Likely {
    int moment = 0;
    const Contact* contact = nullptr;
  };
  // The deepest, at the ends of these chords; best first. The number of them.
  static constexpr int kMostLikely = 3;
  int likely_contacts(const Line& line, std::uint32_t chords,
                      std::array<Likely, kMostLikely>& found) const;
  void set_contact(int cell, int stripe, const Contact& contact);

  // As they are kept, for copies of the table.
  std::span<const std::uint64_t> row(int stripe) const {
    return free_[static_cast<std::size_t>(stripe)];
  }
  std::span<const Contact> contacts() const { return contacts_; }
  std::span<const int> contact_of() const { return contact_of_; }

 private:
  static constexpr int kBits = 64;
  static constexpr int kBitsOfCells = 8;
  static_assert(kCells == 1 << kBitsOfCells && kStripes == kCells);

  int count(std::size_t a) const { return axis[a].coordinate < 0 ? 1 : a == 0 ? kCells : kStripes; }
  // Where a line is along an axis: at + t by, in cells.
  struct Way {
    double at = 0, by = 0;
    int cell(double t) const;
  };
  using Ways = std::array<Way, 2>;
  // Nothing if an end of the line is too far for cells; then every place of it counts as one.
  std::optional<Ways> ways(const Line& line) const;
  bool free_between(std::pair<int, int> x, std::pair<int, int> y) const;
  using Places = std::array<std::array<int, 2>, kMoments>;  // the cell of each moment
  std::uint32_t open_between(const Ways& ways, int first, int last, Places& places) const;

  // By cells of the second coordinate: a bit per cell of the first.
  std::array<std::array<std::uint64_t, kCells / kBits>, kStripes> free_ = {};
  std::vector<Contact> contacts_;
  std::vector<int> contact_of_;  // of all cells, by stripes, or -1; empty if none has one
};

// Null where there are more coordinates between the two, and spinning does not leave them out.
// Takes milliseconds; tables are kept for the whole process, by all that they depend on, while a
// model holds them and some time longer.
std::shared_ptr<const PairTable> pair_table(const ModelData& model, int pair);

}  // namespace proven
