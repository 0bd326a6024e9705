#include "bench/plan/judge.h"

#include <fmt/format.h>

namespace proven::bench {

Result<Judgement> Judge::judge(const Path& path) {
  CheckOptions options;
  options.limits = Limits::ignore;  // random values go where they like
  options.certificate = true;
  const auto result = check(scene_, path, options, scratch_);
  if (!result.ok()) return result.error();
  Judgement judgement;
  judgement.verdict = result.value().verdict;
  if (judgement.verdict != Verdict::undecided)
    judgement.verified = verifier_.verify(path, result.value().certificate).accepted;
  if (const auto& w = result.value().collision)
    judgement.witness =
        fmt::format("{} and {} at segment {}, t = {:.6f}", scene_.body(w->bodies[0]).name,
                    scene_.body(w->bodies[1]).name, w->segment, w->t);
  return judgement;
}

void Judgements::add(const Judgement& judgement, const std::string& where) {
  switch (judgement.verdict) {
    case Verdict::free:
      ++free;
      verified_free += judgement.verified;
      break;
    case Verdict::collision:
      ++collision;
      verified_collisions += judgement.verified;
      if (witness.empty()) witness = fmt::format("{}: {}", where, judgement.witness);
      break;
    case Verdict::undecided:
      ++undecided;
      break;
  }
}

}  // namespace proven::bench
