// Certificates: verdicts that anyone can check (docs/certificate_format.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proven/base/hash.h"
#include "proven/certify/options.h"
#include "proven/certify/verdict.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

// The bytes of a certificate file.
using Certificate = std::vector<std::uint8_t>;

// That a motion is free: the proofs of its segments in order, as CheckSession::proof gives them.
Certificate make_certificate(const Scene& scene, const Motion& motion, const CheckOptions& options,
                             std::span<const std::span<const std::uint8_t>> segment_proofs);

// That it collides.
Certificate make_certificate(const Scene& scene, const Motion& motion, const CheckOptions& options,
                             const Witness& witness);

Hash128 hash_motion(const Motion& motion);

}  // namespace proven
