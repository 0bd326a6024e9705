#include "papers/certify/sweep_probe.h"

#include "certify/sweep.h"

namespace proven {

struct SweepProbe::State {
  Sweep sweep;
};

SweepProbe::SweepProbe() : state_(std::make_unique<State>()) {}
SweepProbe::~SweepProbe() = default;

int SweepProbe::chords() {
  return kChords;
}

int SweepProbe::most_levels() {
  return Sweep::kMostLevels;
}

SweepProbe::Answer SweepProbe::ask(const CheckModel& model, const SegmentQuery& segment,
                                   int level) {
  SegmentMotion motion;
  static_cast<MotionPiece&>(motion) = {segment.from, segment.to, segment.inner};
  Answer answer;
  answer.parts = 1 << level;
  Sweep& sweep = state_->sweep;
  const auto pair_of = [&](int pair) -> const PairModel& { return model.data().pair(pair); };
  for (int index = 0; index < answer.parts; ++index) {
    answer.usable = sweep.run(model.data().sweep(), motion, segment.from_is_free || index > 0,
                              false, {level, index});
    if (!answer.usable) return answer;
    if (const auto& contact = sweep.contact()) {
      const PairModel& pair = pair_of(contact->pair);
      answer.contact = {pair.a, pair.b, contact->t, pair.clearance};
      return answer;
    }
    for (const OpenPart& part : sweep.open())
      answer.open.push_back({pair_of(part.pair).a, pair_of(part.pair).b, part.chords, index});
  }
  return answer;
}

}  // namespace proven
