// A module library with the published C++ signatures: blocks with weights on a shelf that carries
// only so much.
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "proven/task/module.h"

using namespace modules;

static double limit = 10;

extern "C" {

void shelfInit(int argc, char** argv) {
  const string first = argc > 1 ? argv[1] : "";
  while (first == "hang") sleep(1);
  if (first == "crash") std::abort();
  if (argc > 1) limit = std::atof(argv[1]);
}

// Reads the whole state through null pointers, as older modules do.
double carries(const ParameterList& parameters, predicateCallbackType predicates,
               numericalFluentCallbackType numbers, int) {
  PredicateList* facts = nullptr;
  NumericalFluentList* weights = nullptr;
  if (!predicates(facts) || !numbers(weights)) return INFINITE_COST;
  const auto weight_of = [&](const string& block) {
    for (const NumericalFluent& f : *weights)
      if (f.name == "weight" && f.parameters[0].value == block) return f.value;
    return 0.0;
  };
  double sum = weight_of(parameters[0].value);
  for (const Predicate& p : *facts)
    if (p.name == "on-shelf" && p.value) sum += weight_of(p.parameters[0].value);
  delete facts;
  delete weights;
  return sum <= limit ? 0 : INFINITE_COST;
}

double moveTime(const ParameterList& parameters, predicateCallbackType,
                numericalFluentCallbackType numbers, int) {
  NumericalFluentList list{NumericalFluent("weight", parameters)};
  NumericalFluentList* pointer = &list;
  return numbers(pointer) ? 1 + list[0].value : INFINITE_COST;
}

int countMoves(const ParameterList&, predicateCallbackType, numericalFluentCallbackType numbers,
               int, vector<double>& written) {
  NumericalFluentList list{NumericalFluent("moves", {})};
  NumericalFluentList* pointer = &list;
  if (!numbers(pointer)) return 0;
  written[0] = list[0].value + 1;
  return 1;
}

double crash(const ParameterList&, predicateCallbackType, numericalFluentCallbackType, int) {
  std::abort();
}

double hang(const ParameterList&, predicateCallbackType, numericalFluentCallbackType, int) {
  for (;;) sleep(1);
}

double throws(const ParameterList&, predicateCallbackType, numericalFluentCallbackType, int) {
  throw std::runtime_error("out of luck");
}
}

// It has C++ linkage and is found by its mangled name.
double always(const ParameterList&, predicateCallbackType, numericalFluentCallbackType, int) {
  return 0;
}
VERIFY_CONDITIONCHECKER_DEF(always);
