/* The same shelf through the plain C interface. */
#include <stdlib.h>
#include <string.h>

#include "proven/task/module_c.h"

const uint32_t proven_module_interface = PROVEN_MODULE_INTERFACE;

static double limit = 10;
static double needed_seconds = 0;

int shelfInit(int count, const char* const* arguments) {
  limit = count > 1 ? atof(arguments[1]) : 10;
  needed_seconds = count > 2 ? atof(arguments[2]) : 0;
  return count > 3; /* too many arguments: failure */
}

static double weight_of(const proven_call* call, const proven_state* state, const char* block) {
  double weight = 0;
  call->functions->number(state, "weight", 1, &block, &weight);
  return weight;
}

proven_answer carries(const proven_call* call, const proven_state* state) {
  const char* blocks[] = {"a", "b", "c", "d"};
  double sum = weight_of(call, state, call->arguments[0]);
  if (call->seconds < needed_seconds) return PROVEN_UNKNOWN;
  for (int i = 0; i < 4; ++i)
    if (call->functions->fact(state, "on-shelf", 1, &blocks[i]) == 1)
      sum += weight_of(call, state, blocks[i]);
  return sum <= limit ? PROVEN_YES : PROVEN_NO;
}

proven_answer moveTime(const proven_call* call, const proven_state* state, double* cost) {
  *cost = 1 + weight_of(call, state, call->arguments[0]);
  return PROVEN_YES;
}

proven_answer countMoves(const proven_call* call, const proven_state* state, double* values) {
  double moves = 0;
  if (call->functions->number(state, "moves", 0, NULL, &moves) != 1) return PROVEN_FAILED;
  values[0] = moves + 1;
  return PROVEN_YES;
}

proven_answer fails(const proven_call* call, const proven_state* state) {
  (void)call;
  (void)state;
  return PROVEN_FAILED;
}

proven_answer strange(const proven_call* call, const proven_state* state) {
  (void)call;
  (void)state;
  return (proven_answer)42;
}

proven_answer explains(const proven_call* call, const proven_state* state) {
  (void)call;
  call->functions->explain(state, "the shelf is being painted");
  return PROVEN_NO;
}

proven_answer burns(const proven_call* call, const proven_state* state) {
  (void)call;
  (void)state;
  for (volatile unsigned n = 0;; ++n) {
  }
}
