// Anchors of the segments under work, shared by all frames that are tested there.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "anchor.h"

namespace proven {

// Direct-mapped: an anchor may push out another one, which is then computed anew. Answers do not
// depend on what it holds: an anchor is found by all that it was computed of. Its bounds hold up to
// its reach, so that one of a shorter reach is another anchor. Within a generation a segment's id
// stands for its motion, and the vector for the rates.
class AnchorCache {
 public:
  // Forgets everything. Most questions of planners are settled without an anchor.
  void begin() {
    ++generation_;
    num_computed_ = 0;
  }

  Anchor& get(const ModelData& model, const SegmentMotion& motion,
              const std::vector<JointRate>& rates, double t, double reach) {
    if (slots_.empty()) slots_.resize(kSlots);
    Slot& slot = slots_[place(motion.id, t)];
    if (slot.generation == generation_ && slot.segment == motion.id && slot.model == &model &&
        slot.rates == &rates && slot.anchor.t() == t && slot.anchor.reach() == reach)
      return slot.anchor;
    slot.generation = generation_;
    slot.segment = motion.id;
    slot.model = &model;
    slot.rates = &rates;
    slot.anchor.compute(model, motion, rates, t, reach);
    ++num_computed_;
    return slot.anchor;
  }

  std::int64_t num_computed() const { return num_computed_; }

 private:
  struct Slot {
    std::uint64_t generation = 0;
    int segment = -1;
    const ModelData* model = nullptr;
    const std::vector<JointRate>* rates = nullptr;
    Anchor anchor;
  };
  static constexpr std::size_t kSlots = 256;

  static std::size_t place(int segment, double t) {
    std::uint64_t h = std::bit_cast<std::uint64_t>(t) +
                      0x9e3779b97f4a7c15u * (1u + static_cast<std::uint64_t>(segment));
    h = (h ^ (h >> 31)) * 0xbf58476d1ce4e5b9u;
    return static_cast<std::size_t>(h >> 32) % kSlots;
  }

  std::vector<Slot> slots_;
  std::uint64_t generation_ = 0;
  std::int64_t num_computed_ = 0;
};

}  // namespace proven
