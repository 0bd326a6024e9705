/* The plain C interface for modules of PDDL domains, version 2. Libraries that use version 1, which
 * lacks `explain`, are served as before.
 *
 * A library that uses it exports
 *
 *     const uint32_t proven_module_interface = PROVEN_MODULE_INTERFACE;
 *
 * and one function per declared module. Functions get everything through their arguments, keep no
 * pointer after they return, and may be called from several threads at once.
 *
 * They answer PROVEN_YES or PROVEN_NO only for what is proved. Whatever could not be decided within
 * call->seconds is PROVEN_UNKNOWN: the planner asks again later with more time and never takes it
 * for PROVEN_NO. PROVEN_FAILED ends planning with an error, and so do an answer that is none of
 * these, a cost that is not a number or negative, and a written value that is not a number.
 *
 * Answers are kept and reused in every state that agrees on what the function asked for, so a
 * function must not depend on anything but its call and the state, apart from the time. After a
 * PROVEN_NO search tries to change what was read: read no more than decides the answer.
 */
#ifndef PROVEN_TASK_MODULE_C_H
#define PROVEN_TASK_MODULE_C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROVEN_MODULE_INTERFACE 2u

typedef enum { PROVEN_NO = 0, PROVEN_YES = 1, PROVEN_UNKNOWN = 2, PROVEN_FAILED = 3 } proven_answer;

/* The state of the world; valid during the call. Names are those of the domain in lower case. */
typedef struct proven_state proven_state;

typedef struct {
  uint32_t interface_version; /* PROVEN_MODULE_INTERFACE of the planner */
  /* 1 true, 0 false, -1 no such predicate. An object fluent counts as a predicate whose last
     argument is its value. Derived predicates are not offered. */
  int (*fact)(const proven_state*, const char* predicate, int count, const char* const* objects);
  /* 1 with *value set, 0 undefined, -1 no such fluent. */
  int (*number)(const proven_state*, const char* fluent, int count, const char* const* objects,
                double* value);
  /* The facts that hold, one by one: 0 at the end. The answer then depends on all facts. */
  int (*true_fact)(const proven_state*, int index, const char** predicate, int* count,
                   const char* const** objects);
  /* Why the answer will be no, unknown or failed, in words: shown where no plan is found. The text
     is copied; the last one counts. Since version 2. */
  void (*explain)(const proven_state*, const char* reason);
} proven_state_functions;

typedef struct {
  const char* module; /* as declared */
  int argument_count;
  const char* const* arguments; /* objects */
  const char* const* types;     /* their declared types */
  int written_count;            /* effect modules: how many numbers to fill */
  double seconds;               /* budget for this answer */
  const proven_state_functions* functions;
} proven_call;

/* conditionchecker */
typedef proven_answer (*proven_condition)(const proven_call*, const proven_state*);
/* cost: *cost is used where the answer is PROVEN_YES; PROVEN_NO means impossible. */
typedef proven_answer (*proven_cost)(const proven_call*, const proven_state*, double* cost);
/* effect: fills values[0 .. written_count); PROVEN_NO leaves the state unchanged. */
typedef proven_answer (*proven_effect)(const proven_call*, const proven_state*, double* values);
/* (:moduleoptions (function@library argument ...)): 0 for success. arguments[0] is the function. */
typedef int (*proven_init)(int count, const char* const* arguments);

#ifdef __cplusplus
}
#endif

#endif
