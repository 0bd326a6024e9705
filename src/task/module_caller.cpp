#include "task/module_caller.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "proven/task/module.h"
#include "proven/task/module_c.h"
#include "task/failure.h"
#include "task/module_python.h"
#include "task/s_expression.h"

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Atoms and numbers by their text "name object ...".
class NameIndex {
 public:
  explicit NameIndex(const GroundTask& task) : task_(task) {
    for (const Predicate& predicate : task.domain->predicates)
      predicates_.push_back(predicate.name);
    for (const FluentDeclaration& fluent : task.domain->fluents)
      (fluent.types.empty() ? fluents_ : predicates_).push_back(fluent.name);
    for (std::size_t i = 0; i < task.atoms.size(); ++i)
      atoms_[key(predicates_[at(task.atoms[i].predicate)], task.atoms[i].arguments)] =
          static_cast<int>(i);
    for (std::size_t i = 0; i < task.numbers.size(); ++i)
      numbers_[key(fluents_[at(task.numbers[i].fluent)], task.numbers[i].arguments)] =
          static_cast<int>(i);
  }

  bool has_predicate(const std::string& name) const {
    return std::find(predicates_.begin(), predicates_.end(), name) != predicates_.end();
  }
  bool has_fluent(const std::string& name) const {
    return std::find(fluents_.begin(), fluents_.end(), name) != fluents_.end();
  }
  int atom(const std::string& text) const { return find(atoms_, text); }
  int number(const std::string& text) const { return find(numbers_, text); }
  const std::string& predicate_name(int predicate) const { return predicates_[at(predicate)]; }
  const std::string& fluent_name(int fluent) const { return fluents_[at(fluent)]; }
  const GroundTask& task() const { return task_; }

 private:
  std::string key(std::string text, const std::vector<int>& arguments) const {
    for (const int object : arguments) text += " " + task_.objects[at(object)];
    return text;
  }
  static int find(const std::unordered_map<std::string, int>& map, const std::string& text) {
    const auto it = map.find(text);
    return it == map.end() ? -1 : it->second;
  }

  const GroundTask& task_;
  std::vector<std::string> predicates_, fluents_;
  std::unordered_map<std::string, int> atoms_, numbers_;
};

// A state as modules see it; notes what they ask for.
struct StateView {
  const NameIndex& names;
  const State& state;
  ModuleOracle::Reads& reads;
  std::string& reason;
  std::vector<const char*> objects = {};  // of the atom listed last

  bool fact(int atom) {
    const GroundAtom& known = names.task().atoms[at(atom)];
    if (known.fact < 0) return known.truth;
    reads.facts.push_back(known.fact);
    return state.fact(known.fact);
  }
  double number(int index) {
    const GroundNumber& known = names.task().numbers[at(index)];
    if (known.variable < 0) return known.value;
    reads.variables.push_back(known.variable);
    return state.values[at(known.variable)];
  }
};

StateView& view_of(const proven_state* state) {
  return *const_cast<StateView*>(reinterpret_cast<const StateView*>(state));
}

std::string text_of(const char* name, int count, const char* const* objects) {
  std::string text = modules::toLower(name);
  for (int i = 0; i < count; ++i) text += " " + modules::toLower(objects[i]);
  return text;
}

int c_fact(const proven_state* state, const char* name, int count, const char* const* objects) {
  StateView& view = view_of(state);
  if (!view.names.has_predicate(modules::toLower(name))) return -1;
  const int atom = view.names.atom(text_of(name, count, objects));
  return atom >= 0 && view.fact(atom) ? 1 : 0;
}

int c_number(const proven_state* state, const char* name, int count, const char* const* objects,
             double* value) {
  StateView& view = view_of(state);
  if (!view.names.has_fluent(modules::toLower(name))) return -1;
  const int number = view.names.number(text_of(name, count, objects));
  if (number < 0) return 0;
  *value = view.number(number);
  return std::isnan(*value) ? 0 : 1;
}

int c_true_fact(const proven_state* state, int index, const char** predicate, int* count,
                const char* const** objects) {
  StateView& view = view_of(state);
  const GroundTask& task = view.names.task();
  view.reads.everything = true;
  int seen = 0;
  for (const GroundAtom& atom : task.atoms) {
    const bool truth = atom.fact < 0 ? atom.truth : view.state.fact(atom.fact);
    if (!truth || seen++ < index) continue;
    *predicate = view.names.predicate_name(atom.predicate).c_str();
    view.objects.clear();
    for (const int object : atom.arguments)
      view.objects.push_back(task.objects[at(object)].c_str());
    *count = static_cast<int>(view.objects.size());
    *objects = view.objects.data();
    return 1;
  }
  return 0;
}

void c_explain(const proven_state* state, const char* reason) {
  constexpr std::size_t kLongest = 500;
  if (reason) view_of(state).reason = std::string(reason).substr(0, kLongest);
}

const proven_state_functions kStateFunctions = {PROVEN_MODULE_INTERFACE, c_fact, c_number,
                                                c_true_fact, c_explain};

// The C++ callbacks have no state argument: the call being made on this thread.
thread_local StateView* current_view = nullptr;

modules::ParameterList parameters_of(const GroundTask& task, const std::vector<int>& arguments,
                                     const std::vector<TypedName>* formal) {
  modules::ParameterList list;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& type = task.object_types[at(arguments[i])];
    const bool named = formal && i < formal->size();
    list.emplace_back(named ? (*formal)[i].name : "", named ? (*formal)[i].types[0] : type,
                      task.objects[at(arguments[i])]);
  }
  return list;
}

bool predicate_callback(modules::PredicateList*& list) {
  StateView* view = current_view;
  if (!view) return false;
  const GroundTask& task = view->names.task();
  if (!list) {
    view->reads.everything = true;
    list = new modules::PredicateList;
    for (const GroundAtom& atom : task.atoms)
      list->emplace_back(view->names.predicate_name(atom.predicate),
                         parameters_of(task, atom.arguments, nullptr),
                         atom.fact < 0 ? atom.truth : view->state.fact(atom.fact));
    return true;
  }
  for (modules::Predicate& predicate : *list) {
    if (!view->names.has_predicate(predicate.name)) return false;
    std::string text = predicate.name;
    for (const modules::Parameter& parameter : predicate.parameters) text += " " + parameter.value;
    const int atom = view->names.atom(text);
    predicate.value = atom >= 0 && view->fact(atom);
  }
  return true;
}

bool number_callback(modules::NumericalFluentList*& list) {
  StateView* view = current_view;
  if (!view) return false;
  const GroundTask& task = view->names.task();
  if (!list) {
    view->reads.everything = true;
    list = new modules::NumericalFluentList;
    for (const GroundNumber& number : task.numbers)
      list->emplace_back(
          view->names.fluent_name(number.fluent), parameters_of(task, number.arguments, nullptr),
          number.variable < 0 ? number.value : view->state.values[at(number.variable)]);
    return true;
  }
  for (modules::NumericalFluent& fluent : *list) {
    if (!view->names.has_fluent(fluent.name)) return false;
    std::string text = fluent.name;
    for (const modules::Parameter& parameter : fluent.parameters) text += " " + parameter.value;
    const int number = view->names.number(text);
    if (number < 0) return false;
    fluent.value = view->number(number);
  }
  return true;
}

// The interface that lacks `explain`.
constexpr std::uint32_t kOldestInterface = 1;
// For what takes no time.
constexpr double kLoadSeconds = 60;

class Library {
 public:
  Library(const std::string& name, const ModuleOptions& options, const std::string& place) {
    if (name.ends_with(".py")) {
      start_python(name, options, place);
      return;
    }
    std::string tried;
    for (const std::string& folder : options.search_path) {
      const std::string file = (std::filesystem::path(folder) / name).string();
      if ((handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))) break;
      if (std::filesystem::exists(file)) fail(place, fmt::format("cannot load it: {}", dlerror()));
      tried += (tried.empty() ? "" : ", ") + file;
    }
    if (!handle_) handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_)
      fail(place,
           fmt::format("library '{}' not found{}{}; name its folder with --modules", name,
                       tried.empty() ? "" : "; tried ", tried),
           ErrorCode::not_found);
    if (const auto* version =
            static_cast<const std::uint32_t*>(dlsym(handle_, "proven_module_interface"))) {
      plain_c_ = true;
      if (*version < kOldestInterface || *version > PROVEN_MODULE_INTERFACE)
        fail(place, fmt::format("library '{}' uses module interface {}, this planner has {}", name,
                                *version, PROVEN_MODULE_INTERFACE));
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool plain_c() const { return plain_c_; }
  PythonModules* python() const { return python_.get(); }  // null: a shared library

  // C++ functions may carry mangled names: those of the published signatures are tried as well.
  void* function(const std::string& name, const std::string& mangled_arguments,
                 const std::string& place) const {
    void* found = dlsym(handle_, name.c_str());
    if (!found && !plain_c_)
      found = dlsym(handle_, fmt::format("_Z{}{}{}", name.size(), name, mangled_arguments).c_str());
    if (!found) fail(place, fmt::format("the library has no function '{}'", name));
    return found;
  }

 private:
  void start_python(const std::string& name, const ModuleOptions& options,
                    const std::string& place) {
    std::string tried;
    for (const std::string& folder : options.search_path) {
      const std::filesystem::path file = std::filesystem::absolute(folder) / name;
      tried += (tried.empty() ? "" : ", ") + file.string();
      if (!std::filesystem::exists(file)) continue;
      python_ = std::make_unique<PythonModules>(file.string());
      if (!python_->failure().empty())
        fail(place, fmt::format("cannot use {}: {}", file.string(), python_->failure()));
      return;
    }
    fail(place, fmt::format("Python file '{}' not found; tried {}", name, tried),
         ErrorCode::not_found);
  }

  std::unique_ptr<PythonModules> python_;
  void* handle_ = nullptr;  // kept open: modules may hold threads or exit handlers
  bool plain_c_ = false;
};

// "const vector<modules::Parameter>&, two callbacks, int" as the compiler spells it.
const char* const kConditionArguments =
    "RKSt6vectorIN7modules9ParameterESaIS1_EEPFbRPS_INS0_9PredicateESaIS6_EEEPFbRPS_INS0_"
    "15NumericalFluentESaISD_EEEi";
const char* const kEffectArguments =
    "RKSt6vectorIN7modules9ParameterESaIS1_EEPFbRPS_INS0_9PredicateESaIS6_EEEPFbRPS_INS0_"
    "15NumericalFluentESaISD_EEEiRS_IdSaIdEE";
const char* const kInitArguments = "iPPc";

class DirectCaller : public ModuleCaller {
 public:
  DirectCaller(const GroundTask& task, const ModuleOptions& options)
      : task_(task), names_(task), options_(options) {
    const Domain& domain = *task.domain;
    for (const ModuleOption& option : domain.module_options) run_option(option, domain.file);
    for (const ModuleOption& option : task.problem->module_options)
      run_option(option, task.problem->file);
    for (const ModuleDeclaration& module : domain.modules) {
      const std::string place = place_text(domain.file, module.place);
      const char* arguments =
          module.kind == ModuleDeclaration::Kind::effect ? kEffectArguments : kConditionArguments;
      Library& made = library(module.library, place);
      if (made.python()) {
        const auto found =
            made.python()->ask({"find", word_of(module.kind), module.function}, kLoadSeconds, {});
        if (!found.error.empty()) fail(place, found.error);
      }
      functions_.push_back(made.python() ? nullptr
                                         : made.function(module.function, arguments, place));
    }
  }

  // A call that is under way here cannot be ended.
  // Of the interpreters; what runs in this process is its own.
  double processor_elsewhere() override {
    double seconds = 0;
    for (const auto& [name, library] : libraries_)
      if (library->python()) seconds += library->python()->processor_seconds();
    return seconds;
  }

  ModuleAnswer ask(int index, const State& state, double seconds, const Budget& budget) override {
    seconds = std::min(seconds, budget.seconds_left());
    const GroundCall& call = task_.calls[at(index)];
    const ModuleDeclaration& module = task_.domain->modules[at(call.module)];
    ModuleAnswer answer;
    answer.reads.everything = false;
    answer.values.assign(call.written.size(), 0);
    for (std::size_t i = 0; i < call.written.size(); ++i)
      answer.values[i] = state.values[at(call.written[i])];
    StateView view{names_, state, answer.reads, answer.reason};
    try {
      const Library& made = *libraries_.at(module.library);
      if (made.python())
        ask_python(*made.python(), call, module, view, seconds, answer);
      else if (made.plain_c())
        ask_c(call, module, view, seconds, answer);
      else
        ask_cpp(call, module, view, answer);
    } catch (const std::exception& exception) {
      answer.error = fmt::format("threw an exception: {}", exception.what());
    } catch (...) {
      answer.error = "threw an exception";
    }
    current_view = nullptr;
    for (const double value : answer.values)
      if (!std::isfinite(value) && answer.truth == Truth::yes && answer.error.empty() &&
          module.kind == ModuleDeclaration::Kind::effect)
        answer.error = "returned a value that is not a number";
    if (answer.error.empty() && module.kind == ModuleDeclaration::Kind::cost &&
        answer.truth == Truth::yes && !(answer.cost >= 0))
      answer.error = fmt::format("returned {} for a cost", answer.cost);
    if (!answer.error.empty() && !answer.reason.empty()) answer.error += ": " + answer.reason;
    tidy(answer.reads.facts);
    tidy(answer.reads.variables);
    return answer;
  }

 private:
  static void tidy(std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  Library& library(const std::string& name, const std::string& place) {
    auto& slot = libraries_[name];
    if (!slot) slot = std::make_unique<Library>(name, options_, place);
    return *slot;
  }

  void run_option(const ModuleOption& option, const std::string& file) {
    const std::string place = place_text(file, option.place);
    Library& made = library(option.library, place);
    if (made.python()) {
      PythonModules::Words words{"init", option.function};
      words.insert(words.end(), option.arguments.begin(), option.arguments.end());
      const auto done = made.python()->ask(words, HUGE_VAL, {});
      if (!done.error.empty()) fail(place, done.error);
      if (done.word != "yes") fail(place, fmt::format("'{}' reports a failure", option.function));
      return;
    }
    void* function = made.function(option.function, kInitArguments, place);
    std::vector<std::string> words{option.function};
    words.insert(words.end(), option.arguments.begin(), option.arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    const int count = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    if (made.plain_c()) {
      if (reinterpret_cast<proven_init>(function)(count, pointers.data()) != 0)
        fail(place, fmt::format("'{}' reports a failure", option.function));
    } else {
      try {
        reinterpret_cast<modules::moduleInitType>(function)(count, pointers.data());
      } catch (const std::exception& exception) {
        fail(place, fmt::format("'{}' reports a failure: {}", option.function, exception.what()));
      }
    }
  }

  void ask_c(const GroundCall& call, const ModuleDeclaration& module, StateView& view,
             double seconds, ModuleAnswer& answer) {
    std::vector<const char*> objects, types;
    for (const int object : call.arguments) {
      objects.push_back(task_.objects[at(object)].c_str());
      types.push_back(task_.object_types[at(object)].c_str());
    }
    const proven_call made{
        module.name.c_str(), static_cast<int>(objects.size()),      objects.data(),
        types.data(),        static_cast<int>(call.written.size()), seconds,
        &kStateFunctions};
    const auto* state = reinterpret_cast<const proven_state*>(&view);
    void* function = functions_[at(call.module)];
    proven_answer result = PROVEN_FAILED;
    if (module.kind == ModuleDeclaration::Kind::condition)
      result = reinterpret_cast<proven_condition>(function)(&made, state);
    else if (module.kind == ModuleDeclaration::Kind::cost)
      result = reinterpret_cast<proven_cost>(function)(&made, state, &answer.cost);
    else
      result = reinterpret_cast<proven_effect>(function)(&made, state, answer.values.data());
    if (result == PROVEN_FAILED) answer.error = "reports a failure";
    if (static_cast<int>(result) < PROVEN_NO || static_cast<int>(result) > PROVEN_FAILED)
      answer.error =
          fmt::format("answered {}, which is no proven_answer", static_cast<int>(result));
    answer.truth = result == PROVEN_YES  ? Truth::yes
                   : result == PROVEN_NO ? Truth::no
                                         : Truth::unknown;
    if (module.kind == ModuleDeclaration::Kind::cost && answer.truth == Truth::no)
      answer.cost = HUGE_VAL;
  }

  static const char* word_of(ModuleDeclaration::Kind kind) {
    return kind == ModuleDeclaration::Kind::condition ? "condition"
           : kind == ModuleDeclaration::Kind::cost    ? "cost"
                                                      : "effect";
  }

  void ask_python(PythonModules& python, const GroundCall& call, const ModuleDeclaration& module,
                  StateView& view, double seconds, ModuleAnswer& answer) {
    const auto* state = reinterpret_cast<const proven_state*>(&view);
    PythonModules::Words question{"call", word_of(module.kind), module.function,
                                  fmt::format("{:.17g}", std::min(seconds, 1e9)),
                                  std::to_string(call.written.size())};
    for (const int object : call.arguments) question.push_back(task_.objects[at(object)]);
    const auto reply =
        python.ask(question, seconds + options_.grace_seconds,
                   [&](const PythonModules::Words& words) { return tell_python(words, state); });
    answer.error = reply.error;
    answer.truth = reply.word == "yes"  ? Truth::yes
                   : reply.word == "no" ? Truth::no
                                        : Truth::unknown;
    if (module.kind == ModuleDeclaration::Kind::effect && answer.truth == Truth::yes)
      answer.values = reply.values;
    if (module.kind == ModuleDeclaration::Kind::cost)
      answer.cost =
          answer.truth == Truth::yes && !reply.values.empty() ? reply.values[0] : HUGE_VAL;
  }

  // Questions about the state go the way of the C interface.
  static std::string tell_python(const PythonModules::Words& words, const proven_state* state) {
    std::vector<const char*> objects;
    for (std::size_t i = 2; i < words.size(); ++i) objects.push_back(words[i].c_str());
    const int count = static_cast<int>(objects.size());
    const std::string name = words.size() > 1 ? words[1] : "";
    if (words[0] == "fact")
      return std::to_string(c_fact(state, name.c_str(), count, objects.data()));
    if (words[0] == "number") {
      double value = 0;
      const int known = c_number(state, name.c_str(), count, objects.data(), &value);
      return known == 1 ? fmt::format("{:.17g}", value) : known == 0 ? "undefined" : "-1";
    }
    if (words[0] == "explain") return c_explain(state, name.c_str()), "";
    std::string all;
    const char* predicate = nullptr;
    int arguments = 0;
    const char* const* list = nullptr;
    for (int i = 0; c_true_fact(state, i, &predicate, &arguments, &list) == 1; ++i) {
      all += (all.empty() ? "" : "\t") + std::string(predicate);
      for (int k = 0; k < arguments; ++k) all += std::string(" ") + list[k];
    }
    return all;
  }

  void ask_cpp(const GroundCall& call, const ModuleDeclaration& module, StateView& view,
               ModuleAnswer& answer) {
    const auto parameters = parameters_of(task_, call.arguments, &module.parameters);
    void* function = functions_[at(call.module)];
    current_view = &view;
    if (module.kind == ModuleDeclaration::Kind::effect) {
      const int changed = reinterpret_cast<modules::applyEffectType>(function)(
          parameters, predicate_callback, number_callback, 0, answer.values);
      answer.truth = changed ? Truth::yes : Truth::no;
      if (answer.values.size() != call.written.size())
        answer.error = "changed the number of written values";
      return;
    }
    answer.cost = reinterpret_cast<modules::conditionCheckerType>(function)(
        parameters, predicate_callback, number_callback, 0);
    if (std::isnan(answer.cost)) answer.error = "returned a cost that is not a number";
    answer.truth = answer.cost < HUGE_VAL ? Truth::yes : Truth::no;
  }

  const GroundTask& task_;
  NameIndex names_;
  const ModuleOptions& options_;
  std::map<std::string, std::unique_ptr<Library>> libraries_;
  std::vector<void*> functions_;
};

}  // namespace

std::string call_text(const GroundTask& task, int index) {
  const GroundCall& call = task.calls[at(index)];
  std::string text = "[" + task.domain->modules[at(call.module)].name;
  for (const int object : call.arguments) text += " " + task.objects[at(object)];
  return text + "]";
}

std::unique_ptr<ModuleCaller> make_caller(const GroundTask& task, const ModuleOptions& options) {
  return std::make_unique<DirectCaller>(task, options);
}

}  // namespace proven::task
