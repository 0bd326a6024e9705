// What a sweep says by itself, before any search: for judging it, and for timing it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "proven/certify/check.h"

namespace proven {

class SweepProbe {
 public:
  SweepProbe();
  ~SweepProbe();

  struct Open {
    int a = 0, b = 0;          // bodies
    std::uint32_t chords = 0;  // a bit for each
    int part = 0;
  };
  struct Contact {
    int a = 0, b = 0;
    double t = 0;
    double required = 0;  // of the pair, with the tube around the motion
  };
  struct Answer {
    bool usable = false;
    int parts = 1;                   // equally long
    std::optional<Contact> contact;  // two bodies that are surely closer than required
    std::vector<Open> open;          // without a contact: everything else is proved
    bool settles_all() const { return usable && !contact && open.empty(); }
  };
  // The model must cover the segment, which is halved `level` times, as a long one is.
  Answer ask(const CheckModel& model, const SegmentQuery& segment, int level = 0);
  static int most_levels();
  // The chords of a part are equally long.
  static int chords();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace proven
