// Two pieces on two steps of motion: are they apart during a whole interval of time?
#pragma once

#include <cstdint>
#include <optional>

#include "spacetime/segment.h"
#include "spacetime/watch.h"

namespace proven::spacetime {

// Two pieces of two placed objects, cores only (radii are the caller's).
struct Separation {
  Vec2 direction;    // unit, from A to B, along which `lower` is reached
  double lower = 0;  // gap of the cores along `direction`; negative: depth of the overlap
  double upper = 0;  // their distance; equals `lower` if they overlap
};
Separation separation(const Piece& a, const Placed& X_WA, const Piece& b, const Placed& X_WB);

struct Extent {
  double low = 0, high = 0;
};
// The extent of the core along n.
Extent extent(const Piece& piece, const Placed& X_WB, Vec2 n);

struct PairQuery {
  const Piece* piece_a = nullptr;
  const Piece* piece_b = nullptr;
  const Segment* segment_a = nullptr;
  const Segment* segment_b = nullptr;
  double rounding = 0;  // of both objects together
  double clearance = 0;
};

// What lemma 2 subtracts on [a, b] whatever the direction: sagittas, deviations, radii, rounding.
double loss_upper(const PairQuery& query, double a, const Placed& A_a, const Placed& B_a, double b,
                  const Placed& A_b, const Placed& B_b);
// Lower bound on the distance of the pieces on all of [a, b], from what is seen along n at its two
// ends and that loss; negative where it proves nothing.
double distance_lower(const PairQuery& query, Vec2 n, const Placed& A_a, const Placed& B_a,
                      const Placed& A_b, const Placed& B_b, double loss);

struct SearchLimits {
  double resolution = 1e-6;       // metres: a gap below clearance + this without proof is undecided
  double time_resolution = 1e-3;  // seconds: contacts are located to within this
  bool first = true;              // the earliest contact; otherwise any contact ends the search
  std::int64_t max_cells = 100000;
  Watch* watch = nullptr;  // ends the search; never null
};

struct PairContact {
  double t_lower = 0;   // no contact before this within the searched interval
  double t = 0;         // a contact is proved here
  double distance = 0;  // computed at t; negative: depth
};
struct PairDoubt {
  UndecidedReason reason = UndecidedReason::gap_below_resolution;
  double t_begin = 0, t_end = 0;  // not proved either way
  double distance = 0;
};

struct PairResult {
  std::optional<PairContact> contact;
  std::optional<PairDoubt> doubt;  // the first, if there is no earlier contact
  std::int64_t cells = 0;
};

// Searches [a, b], which must lie within both segments. With neither contact nor doubt they are
// proved apart.
PairResult search(const PairQuery& query, double a, double b, const SearchLimits& limits);

}  // namespace proven::spacetime
