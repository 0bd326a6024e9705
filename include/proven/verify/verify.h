// The independent verifier: checks a certificate (docs/certificate_format.md) against a scene and a
// path, and shares nothing with the checker that made it but the plain data types of its inputs.
//
// It believes nothing that a certificate says: bodies, pairs, boxes, poses, clearances and bounds
// are derived anew, in interval arithmetic. docs/verifier.md says what is proved and how to read
// the code in verify/.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proven/scene/path.h"
#include "proven/scene/scene_source.h"

namespace proven {

struct VerifyOptions {
  // Required of every pair, in metres; a pair's own or the scene's is used where it is larger.
  double clearance = 0;
  // Prove every motion whose joints stay within this of the path's, in radians or metres.
  double tracking_error = 0;
  // Leave out the pairs that an SRDF disables as "Never" (never seen colliding: not a proof).
  bool trust_srdf_never = false;
  // A body that says it is longer than this, uncompressed, is refused. (It is read as a stream and
  // never held in memory as a whole.)
  std::int64_t max_bytes = std::int64_t{1} << 34;
};

enum class CertificateKind { free, collision };

struct VerifyReport {
  bool accepted = false;
  std::string reason;  // why not: the first failure
  CertificateKind kind = CertificateKind::free;
  // What has been proved, in sentences; empty unless accepted.
  std::vector<std::string> theorem;

  std::int64_t segments = 0, tested_pairs = 0, excluded_pairs = 0;
  std::int64_t leaves = 0;       // of the proof, as far as it was read
  std::int64_t wide_leaves = 0;  // those that double intervals did not decide
  double seconds = 0;
  // What the certificate says it was made for. Hashes prove nothing; a reader may compare them.
  std::string scene_hash, path_hash;  // 32 hexadecimal digits; empty if it could not be read
  double claimed_clearance = 0, claimed_tracking_error = 0;
};

// Prepares a scene once, for many paths. The scene must outlive it.
class Verifier {
 public:
  Verifier(const SceneSource& scene, const VerifyOptions& options);
  ~Verifier();
  Verifier(Verifier&&) noexcept;

  VerifyReport verify(const Path& path, std::span<const std::uint8_t> certificate);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same for one path.
VerifyReport verify(const SceneSource& scene, const Path& path,
                    std::span<const std::uint8_t> certificate, const VerifyOptions& options = {});

}  // namespace proven
