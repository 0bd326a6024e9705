// The independent verifier: checks a certificate (docs/certificate_format.md) against a scene and a
// path, and shares nothing with the checker that made it but the plain data types of its inputs.
//
// It believes nothing that a certificate says: bodies, pairs, boxes, poses, clearances and bounds
// are derived anew, in interval arithmetic. docs/verifier.md says what is proved and how to read
// the code in verify/.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "proven/scene/motion.h"
#include "proven/scene/scene_source.h"

namespace proven {

// A leaf of a proof of `free` that was found to hold: two nodes that stay apart for a while. Times
// are on the segment; planes, directions and the boxes of still bodies are in world coordinates.
struct ProofLeaf {
  struct Node {
    int body = -1;           // -1: a box over several still bodies
    int index = 0;           // in the body's tree, or in the tree over still bodies
    Vec3 box_lo, box_hi;     // holds the node, in the frame of the body
    std::vector<int> items;  // its pieces, if they are few; without a body the still bodies in it
  };
  std::int64_t segment = 0;
  double begin = 0, end = 0, anchor = 0;
  Node a, b;
  Vec3 direction;  // unit, from a to b
  // At the anchor a lies where direction · x <= plane_a, and b beyond plane_b (to rounding).
  double plane_a = 0, plane_b = 0;
  double required = 0;  // clearance and, with a tracking error, what that adds
  // Proved lower bounds on the distance of the nodes. Between two of these times the distance is
  // at least what the straight line between their bounds says.
  double lower_begin = 0, lower_anchor = 0, lower_end = 0;
};

// An axis of a frame within an angle of a direction of the world; vectors of any length but 0.
struct KeptCone {
  Vec3 axis = {0, 0, 1}, direction = {0, 0, 1};
  double angle = 0;  // radians, above 0
};
// The origin of a frame in a box of the world.
struct KeptBox {
  Pose X_WB;
  Vec3 size;  // full extents
};
// What a frame must keep at every time of the motion, besides (docs/formats.md#constraints).
struct KeptFrame {
  std::string link;  // "robot/link"
  Pose X_LF;
  std::variant<KeptCone, KeptBox> within;
};

struct VerifyOptions {
  // Required of pairs, in metres; a pair's own or the scene's is used where it is larger.
  Clearances clearance;
  // Prove every motion whose joints stay within this of the path's.
  TrackingError tracking_error;
  // Leave out the pairs that an SRDF disables as "Never" (never seen colliding: not a proof).
  bool trust_srdf_never = false;
  // What a motion that is free must keep, too. Certificates say nothing of it: the verifier finds a
  // proof of its own, or rejects.
  std::vector<KeptFrame> constraints = {};
  // A body that says it is longer than this, uncompressed, is refused. (It is read as a stream and
  // never held in memory as a whole.)
  std::int64_t max_bytes = std::int64_t{1} << 34;
  // Segments are verified on so many threads (0: all); the report is the same for any number.
  int threads = 1;
  // Set from another thread to stop soon: what is not verified by then is not accepted, and the
  // reason says so. May be null; must live as long as a Verifier that was given it.
  const std::atomic<bool>* cancel = nullptr;
  // Called with every leaf, in the order of the proof, on the caller's thread; costs about as much
  // again as verifying on one.
  std::function<void(const ProofLeaf&)> on_leaf = nullptr;
};

enum class CertificateKind { free, collision };

struct VerifyReport {
  bool accepted = false;
  std::string reason;  // why not: the first failure
  CertificateKind kind = CertificateKind::free;
  // What has been proved, in sentences; empty unless accepted.
  std::vector<std::string> theorem;

  // Tested bodies with an open mesh: that something starts inside them may not be noticed
  // (docs/inside.md). The theorem names them too.
  std::vector<std::string> no_inside;

  int degree = 1;  // the highest of the motion's pieces; 1: a path
  std::int64_t segments = 0, tested_pairs = 0, excluded_pairs = 0;
  std::int64_t leaves = 0;       // of the proof, as far as it was read
  std::int64_t wide_leaves = 0;  // those that double intervals did not decide
  double seconds = 0;
  // What the certificate says it was made for. Hashes prove nothing; a reader may compare them.
  std::string scene_hash, path_hash;  // 32 hexadecimal digits; empty if it could not be read
  double claimed_clearance = 0, claimed_tracking_error = 0;
};

// Prepares a scene once, for many paths and threads. The scene must outlive it.
class Verifier {
 public:
  Verifier(const SceneSource& scene, const VerifyOptions& options);
  // The same, for a scene that changes: what `previous` prepared of bodies that have the same name
  // and shapes is taken over. Its scene must still be there; it rejects everything from then on.
  Verifier(const SceneSource& scene, const VerifyOptions& options, Verifier&& previous);
  ~Verifier();
  Verifier(Verifier&&) noexcept;
  Verifier& operator=(Verifier&&) noexcept;

  VerifyReport verify(const Motion& motion, std::span<const std::uint8_t> certificate) const;

 private:
  struct State;
  Verifier(const SceneSource& scene, const VerifyOptions& options, State* previous);
  std::unique_ptr<State> state_;
};

// The same for one path.
VerifyReport verify(const SceneSource& scene, const Motion& motion,
                    std::span<const std::uint8_t> certificate, const VerifyOptions& options = {});

}  // namespace proven
