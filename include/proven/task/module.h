// The C++ interface of the published PDDL/M planner, so that modules written for it compile: the
// same names and signatures in namespace `modules`. For new modules prefer module_c.h, which has
// explicit states, three answers and no dependence on the compiler.
//
// A condition checker returns a cost: the condition is true if it is below infinity. The callbacks
// read the state of the call: with a list they fill in its values, with a null pointer they make
// the whole list, which then belongs to the module.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

namespace modules {

using std::string;
using std::vector;

const double INFINITE_COST = HUGE_VAL;

inline string toLower(string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// An object in its role: parameter `name` (without '?') of type `type` stands for `value`.
class Parameter {
 public:
  Parameter(string n, string t, string v = "")
      : name(toLower(!n.empty() && n[0] == '?' ? n.substr(1) : n)),
        type(toLower(t)),
        value(toLower(v)) {}
  string name, type, value;
};
typedef vector<Parameter> ParameterList;

class Predicate {
 public:
  Predicate(string n, ParameterList p, bool v = true)
      : name(toLower(n)), parameters(std::move(p)), value(v) {}
  string name;
  ParameterList parameters;
  bool value;
};
typedef vector<Predicate> PredicateList;

class NumericalFluent {
 public:
  NumericalFluent(string n, ParameterList p, double v = 0.0)
      : name(toLower(n)), parameters(std::move(p)), value(v) {}
  string name;
  ParameterList parameters;
  double value;
};
typedef vector<NumericalFluent> NumericalFluentList;

typedef bool (*predicateCallbackType)(PredicateList*& predicateList);
typedef bool (*numericalFluentCallbackType)(NumericalFluentList*& numericalFluentList);

typedef void (*moduleInitType)(int argc, char** argv);
// `relaxed` is 0 for an exact answer; larger levels allow approximations. The planner asks for 0.
typedef double (*conditionCheckerType)(const ParameterList& parameterList,
                                       predicateCallbackType predicateCallback,
                                       numericalFluentCallbackType numericalFluentCallback,
                                       int relaxed);
// Returns 0 to leave the state as it is.
typedef int (*applyEffectType)(const ParameterList& parameterList,
                               predicateCallbackType predicateCallback,
                               numericalFluentCallbackType numericalFluentCallback, int relaxed,
                               vector<double>& writtenVars);

}  // namespace modules

#define VERIFY_INIT_MODULE_DEF(name) modules::moduleInitType name##_def_check = name
#define VERIFY_CONDITIONCHECKER_DEF(name) modules::conditionCheckerType name##_def_check = name
#define VERIFY_APPLYEFFECT_DEF(name) modules::applyEffectType name##_def_check = name
