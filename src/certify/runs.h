// What one check is about.
#pragma once

#include <span>

#include "proven/certify/certificate.h"

namespace proven {

// The motion, on one clock with all that moves by itself; where something may start late, once per
// start that is tried (LateStarts).
struct Runs {
  std::span<const Motion> motions;
  int slots = 0;                    // of LateStarts; 0: nothing may be late
  const Motion* on_time = nullptr;  // where nothing is late

  std::size_t num_segments() const;
  int degree() const;
};

Certificate make_certificate(const Scene& scene, const Runs& runs, const CheckOptions& options,
                             std::span<const std::span<const std::uint8_t>> segment_proofs);
Certificate make_certificate(const Scene& scene, const Runs& runs, const CheckOptions& options,
                             const Witness& witness);

}  // namespace proven
