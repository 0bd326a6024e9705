// What becomes of a planner's path: check at its default resolution, and the independent verifier
// on the evidence.
#pragma once

#include <string>

#include "proven/certify/check.h"
#include "proven/verify/verify.h"

namespace proven::bench {

struct Judgement {
  Verdict verdict = Verdict::undecided;
  bool verified = false;  // the verifier accepts the certificate of `free` or of `collision`
  std::string witness;    // of a collision: where and between what
};

// For one thread. Both must outlive it.
class Judge {
 public:
  Judge(const SceneSource& source, const Scene& scene) : scene_(scene), verifier_(source, {}) {}
  Result<Judgement> judge(const Path& path);

 private:
  const Scene& scene_;
  Verifier verifier_;
  Scratch scratch_;
};

struct Judgements {
  int free = 0, collision = 0, undecided = 0;
  int verified_free = 0, verified_collisions = 0;
  std::string witness;  // the first

  // `where` names the path.
  void add(const Judgement& judgement, const std::string& where);
};

}  // namespace proven::bench
