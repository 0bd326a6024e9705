// Scratch of a check.
#pragma once

#include <memory>
#include <vector>

#include "proven/spacetime/check.h"
#include "spacetime/scene_data.h"

namespace proven::spacetime {

struct TrafficScratch::State {
  bool brute_force = false;  // every pair of boxes is tested, without the tree above them
  PoseScratch poses;
  std::vector<double> extra;
  std::vector<double> times;  // of a prepared motion where it was placed
  BoxPool steps, bins, blocks;
  BinMap map;
  std::shared_ptr<const Bins> map_bins;  // of `map`; held, so that its address stays its own
  std::vector<int> lanes;
  std::vector<unsigned> masks;
};

}  // namespace proven::spacetime
