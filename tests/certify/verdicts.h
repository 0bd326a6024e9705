// Verdicts, pre-checks and batches compared.
#pragma once

#include "proven/certify/batch.h"
#include "proven/certify/verdict.h"

namespace proven::test {

// The verdict that the pre-check expects.
inline Verdict verdict_of(PreVerdict verdict) {
  switch (verdict) {
    case PreVerdict::clear:
      return Verdict::free;
    case PreVerdict::contact:
      return Verdict::collision;
    case PreVerdict::open:
      break;
  }
  return Verdict::undecided;
}
inline Verdict verdict_of(BatchVerdict verdict) {
  switch (verdict) {
    case BatchVerdict::free:
    case BatchVerdict::clear:
      return Verdict::free;
    case BatchVerdict::collision:
      return Verdict::collision;
    case BatchVerdict::undecided:
      break;
  }
  return Verdict::undecided;
}

}  // namespace proven::test
