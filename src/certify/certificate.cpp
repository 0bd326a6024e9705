#include "runs.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "proven/geometry/body_geometry.h"

namespace proven {
namespace {

constexpr std::string_view kMagic = "PROVEN\r\n";
constexpr std::uint16_t kStraightVersion = 1, kCurvedVersion = 2, kLateVersion = 3,
                        kSensedVersion = 4;
enum class Kind : std::uint8_t { proof = 0, witness = 1 };

// Level 9 takes seven times as long for 3 % less, and half as long as the search for the proof.
constexpr int kCompressionLevel = 1;

class Writer {
 public:
  template <class Integer>
  void put(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
      bytes_.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put(const Vec3& v) { put(v.x), put(v.y), put(v.z); }
  void put(const Hash128& hash) { put(hash.low), put(hash.high); }
  void put(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  void put(std::span<const std::uint8_t> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  Certificate& bytes() { return bytes_; }

 private:
  Certificate bytes_;
};

std::uint32_t count(std::size_t size) {
  return static_cast<std::uint32_t>(size);
}

// docs/certificate_format.md, section 1.
std::uint8_t code_of(ExclusionReason reason) {
  switch (reason) {
    case ExclusionReason::rigid:
      return 0;
    case ExclusionReason::adjacent:
      return 1;
    case ExclusionReason::touch:
      return 2;
    case ExclusionReason::user:
      return 3;
    case ExclusionReason::srdf_adjacent:
      return 4;
    case ExclusionReason::srdf_default:
      return 5;
    case ExclusionReason::srdf_user:
      return 6;
    case ExclusionReason::srdf_never:
      return 7;
    case ExclusionReason::srdf_proved:
      return 8;
  }
  throw std::logic_error("a pair is excluded for no reason");
}

void put_header(Writer& out, Kind kind, const Scene& scene, const Runs& runs,
                const CheckOptions& options) {
  for (const char c : kMagic) out.put(static_cast<std::uint8_t>(c));
  const int degree = runs.degree();
  const bool plain = degree == 1 && scene.timed().empty();
  const bool sensed = std::ranges::any_of(
      scene.bodies(), [](const Body& body) { return !body.geometry->grains().empty(); });
  out.put(sensed           ? kSensedVersion
          : runs.slots > 0 ? kLateVersion
          : plain          ? kStraightVersion
                           : kCurvedVersion);
  out.put(static_cast<std::uint8_t>(kind));
  out.put(static_cast<std::uint8_t>(plain ? 0 : degree));
  out.put(scene.hash());
  out.put(hash_motion(*runs.on_time));
  out.put(options.clearance.world);
  out.put(options.tracking_error.general);
  out.put(count(runs.num_segments()));
  if (runs.slots > 0 || sensed) out.put(static_cast<std::uint32_t>(runs.slots));
  out.put(count(scene.pairs().size()));
  out.put(count(scene.excluded_pairs().size()));
  for (const ExcludedPair& pair : scene.excluded_pairs()) {
    out.put(static_cast<std::uint32_t>(pair.a));
    out.put(static_cast<std::uint32_t>(pair.b));
    out.put(code_of(pair.reason));
    out.put(std::string_view(pair.note));
  }
}

void put_body(Writer& out, std::span<const std::uint8_t> body) {
  out.put(static_cast<std::uint64_t>(body.size()));
  // Not set to zero: proofs shrink a lot, and what is not written takes no memory.
  const std::size_t most = ZSTD_compressBound(body.size());
  const auto stored = std::unique_ptr<std::uint8_t[]>(new std::uint8_t[most]);
  const std::size_t size =
      ZSTD_compress(stored.get(), most, body.data(), body.size(), kCompressionLevel);
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  out.put(static_cast<std::uint64_t>(size));
  out.put(std::span<const std::uint8_t>(stored.get(), size));
}

Certificate sealed(Writer& out) {
  out.put(static_cast<std::uint64_t>(XXH3_64bits(out.bytes().data(), out.bytes().size())));
  return std::move(out.bytes());
}

}  // namespace

Hash128 hash_motion(const Motion& motion) {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(motion.waypoints.size()));
  for (const std::vector<double>& q : motion.waypoints) hasher.add(std::span<const double>(q));
  if (motion.straight()) return hasher.finish();
  for (const auto& points : motion.inner) {
    hasher.add(static_cast<std::uint64_t>(points.size()));
    for (const std::vector<double>& q : points) hasher.add(std::span<const double>(q));
  }
  return hasher.finish();
}

std::size_t Runs::num_segments() const {
  std::size_t sum = 0;
  // A motion of one waypoint is a segment of no length.
  for (const Motion& motion : motions) sum += std::max<std::size_t>(1, motion.waypoints.size() - 1);
  return sum;
}

int Runs::degree() const {
  int most = 1;
  for (const Motion& motion : motions) most = std::max(most, motion.degree());
  return most;
}

Certificate make_certificate(const Scene& scene, const Motion& motion, const CheckOptions& options,
                             std::span<const std::span<const std::uint8_t>> segment_proofs) {
  return make_certificate(scene, Runs{{&motion, 1}, 0, &motion}, options, segment_proofs);
}

Certificate make_certificate(const Scene& scene, const Motion& motion, const CheckOptions& options,
                             const Witness& witness) {
  return make_certificate(scene, Runs{{&motion, 1}, 0, &motion}, options, witness);
}

Certificate make_certificate(const Scene& scene, const Runs& runs, const CheckOptions& options,
                             std::span<const std::span<const std::uint8_t>> segment_proofs) {
  Writer out, body;
  put_header(out, Kind::proof, scene, runs, options);
  std::size_t size = 0;
  for (const auto& proof : segment_proofs) size += proof.size();
  body.bytes().reserve(size);
  for (const auto& proof : segment_proofs) body.put(proof);
  put_body(out, body.bytes());
  return sealed(out);
}

Certificate make_certificate(const Scene& scene, const Runs& runs, const CheckOptions& options,
                             const Witness& witness) {
  Writer out, body;
  put_header(out, Kind::witness, scene, runs, options);
  body.put(static_cast<std::uint8_t>(witness.kind));
  body.put(static_cast<std::uint32_t>(witness.segment));
  body.put(witness.t);
  for (const int b : witness.bodies) body.put(static_cast<std::uint32_t>(b));
  for (const int piece : witness.pieces) body.put(static_cast<std::int32_t>(piece));
  for (const Vec3& point : witness.points) body.put(point);
  body.put(witness.distance);
  put_body(out, body.bytes());
  return sealed(out);
}

}  // namespace proven
