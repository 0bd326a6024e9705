// check and verify.
#include "proven/certify/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl/filesystem.h>

#include <limits>
#include <mutex>
#include <optional>

#include "archive.h"
#include "convert.h"
#include "docs.h"
#include "goals.h"
#include "proven/base/parallel.h"
#include "proven/io/certificate_file.h"
#include "proven/kinematics/interpolation.h"
#include "proven/verify/verify.h"

namespace proven::python {
namespace {

Checker checker_of(std::string_view name) {
  if (const auto found = parse_word<Checker>(name)) return *found;
  throw LibraryError{bad_input(
      fmt::format("no checker '{}'; there are: {}", name, fmt::join(kWords<Checker>, ", ")))};
}

py::tuple names_of(const std::array<int, 2>& bodies, const PyScene& scene) {
  const auto name = [&](int body) -> py::object {
    if (body < 0) return py::none();
    return py::str(scene.scene.body(body).name);
  };
  return py::make_tuple(name(bodies[0]), name(bodies[1]));
}

py::object collision_of(const PyCheckResult& r) {
  if (!r.result.collision) return py::none();
  const Witness& w = *r.result.collision;
  py::dict d;
  d["kind"] = std::string(to_string(w.kind));
  d["text"] = std::string(proven::describe(w.kind));
  d["segment"] = w.segment;
  d["t"] = w.t;
  d["t_lower"] = w.t_lower;
  d["configuration"] = to_array(w.configuration);
  d["pair"] = names_of(w.bodies, *r.scene);
  d["points"] = py::make_tuple(to_array(w.points[0]), to_array(w.points[1]));
  d["distance"] = w.distance;
  return d;
}

py::object undecided_of(const PyCheckResult& r) {
  if (!r.result.undecided) return py::none();
  const Undecided& u = *r.result.undecided;
  py::dict d;
  d["reason"] = std::string(to_string(u.reason));
  d["text"] = std::string(proven::describe(u.reason));
  d["segment"] = u.segment;
  d["t"] = u.t;
  d["configuration"] = to_array(u.configuration);
  d["pair"] = names_of(u.bodies, *r.scene);
  d["distance"] = u.distance;
  return d;
}

py::dict stats_of(const PyCheckResult& r) {
  const CheckStats& s = r.result.stats;
  py::dict d;
  d["box_tests"] = s.box_tests;
  d["triangle_tests"] = s.triangle_tests;
  d["configurations"] = s.configurations;
  d["cells"] = s.cells;
  d["seconds"] = s.seconds;
  return d;
}

std::string describe(const PyCheckResult& r) {
  const Verdict verdict = r.result.verdict;
  std::string more;
  if (const auto& w = r.result.collision)
    more =
        fmt::format(": {} and {} at segment {}, t = {:.6g}", r.scene->scene.body(w->bodies[0]).name,
                    r.scene->scene.body(w->bodies[1]).name, w->segment, w->t);
  if (const auto& u = r.result.undecided) more = fmt::format(": {}", proven::describe(u->reason));
  for (const auto& [name, statement] : sensed_of(*r.scene))
    more += fmt::format("; {} is {}", name, statement);
  return fmt::format("<proven.CheckResult: {}{}>", to_string(verdict), more);
}

CheckOptions options_of(const std::string& checker, const Clearances& clearance, double resolution,
                        bool first, double step, const TrackingError& tracking_error,
                        bool certificate, const std::string& limits) {
  CheckOptions options;
  options.limits = limits_of(limits);
  options.checker = checker_of(checker);
  options.clearance = clearance;
  options.resolution = resolution;
  options.first = first;
  options.step = step;
  options.tracking_error = tracking_error;
  options.certificate = certificate;
  return options;
}

struct PyModel {
  std::shared_ptr<PyScene> scene;
  std::shared_ptr<Prepared> prepared;

  const CheckModel& model() const { return prepared->model; }
};

PyModel prepare(std::shared_ptr<PyScene> scene, const CheckOptions& options) {
  auto model = value_of(CheckModel::build(scene->scene, options));
  return {std::move(scene), std::make_shared<Prepared>(std::move(model))};
}

// Of what options_of sets.
bool same(const CheckOptions& a, const CheckOptions& b) {
  return a.checker == b.checker && a.clearance == b.clearance && a.resolution == b.resolution &&
         a.first == b.first && a.step == b.step && a.tracking_error == b.tracking_error &&
         a.certificate == b.certificate && a.limits == b.limits;
}

// The model of the last call, if it asked for the same.
PyModel prepare_again(std::shared_ptr<PyScene> scene, const CheckOptions& options) {
  {
    const std::scoped_lock lock(scene->mutex);
    if (scene->prepared && same(scene->prepared->model.options(), options))
      return {scene, scene->prepared};
  }
  PyModel made = prepare(std::move(scene), options);
  const std::scoped_lock lock(made.scene->mutex);
  made.scene->prepared = made.prepared;
  return made;
}

// Most questions take microseconds, and a thread of their own costs more than that: they are tried
// here first. What takes longer starts anew where Ctrl-C can stop it.
template <class Ask>
CheckResult answer(PyModel& m, double max_seconds, Ask&& ask) {
  constexpr double kQuick = 2e-3;
  {
    py::gil_scoped_release release;
    const std::unique_lock lock(m.prepared->mutex, std::try_to_lock);
    if (lock.owns_lock()) {
      CheckResult result =
          ask(m.prepared->scratch, Budget::of_seconds(std::min(kQuick, max_seconds)));
      const bool in_time = !result.undecided || result.undecided->reason != UndecidedReason::time;
      if (in_time || max_seconds <= kQuick) return result;
    }
  }
  std::atomic<bool> cancel = false;
  return interruptible(cancel, [&] {
    Scratch scratch;
    return ask(scratch, Budget::of_seconds(max_seconds, &cancel));
  });
}

PyModel make_model(std::shared_ptr<PyScene> scene, const std::string& checker,
                   const Clearances& clearance, double resolution, bool first, double step,
                   const TrackingError& tracking_error, bool certificate,
                   const std::string& limits) {
  return prepare(std::move(scene), options_of(checker, clearance, resolution, first, step,
                                              tracking_error, certificate, limits));
}

PyCheckResult check_path(PyModel& m, const py::object& path, double max_seconds) {
  const Motion motion = to_motion(path, *m.scene);
  std::optional<Error> error;
  CheckResult result = answer(m, max_seconds, [&](Scratch& scratch, const Budget& budget) {
    auto checked = m.model().check(motion, scratch, budget);
    if (checked.ok()) return std::move(checked).value();
    error = checked.error();
    return CheckResult{};
  });
  if (error) throw LibraryError{*error};
  return {std::move(result), m.scene};
}

// One comparison per joint where all is within limits.
void require_limits(const CheckModel& model, const std::vector<double>& q) {
  if (!model.within_limits(q))
    value_of(require_within_limits(model.scene(), Motion{{q}, {}, {}}, model.options()));
}

PyCheckResult check_configuration_of(PyModel& m, const Array& array, double max_seconds) {
  const std::vector<double> q = to_configuration(array, *m.scene);
  require_limits(m.model(), q);
  return {answer(m, max_seconds,
                 [&](Scratch& scratch, const Budget& budget) {
                   return m.model().check_configuration(q, scratch, budget);
                 }),
          m.scene};
}

PyCheckResult check_segment_of(PyModel& m, const Array& from, const Array& to, double max_seconds) {
  const std::vector<double> a = to_configuration(from, *m.scene),
                            b = to_configuration(to, *m.scene);
  for (const auto* q : {&a, &b}) require_limits(m.model(), *q);
  return {answer(m, max_seconds,
                 [&](Scratch& scratch, const Budget& budget) {
                   return m.model().check_segment({a, b}, scratch, budget);
                 }),
          m.scene};
}

// Configurations as rows: one, or many.
std::vector<std::vector<double>> configurations_of(const Array& array, const PyScene& scene) {
  const py::ssize_t size = scene.scene.tree().num_coordinates();
  if (array.ndim() < 1 || array.ndim() > 2 || array.shape(array.ndim() - 1) != size)
    throw LibraryError{bad_input(
        fmt::format("give a configuration of {} values, or an array with one in each row", size))};
  std::vector<std::vector<double>> rows;
  for (py::ssize_t i = 0; i < array.size(); i += size) {
    rows.emplace_back(array.data() + i, array.data() + i + size);
    value_of(check_configuration(scene.scene.tree(), rows.back()));
  }
  return rows;
}

// Calls ask(i, scratch, budget) for every item, on so many threads; Ctrl-C ends it.
template <class Ask>
void answer_all(std::size_t count, int threads, const Ask& ask) {
  std::atomic<bool> cancel = false;
  Budget budget;
  budget.cancel = &cancel;
  std::vector<Scratch> scratch(static_cast<std::size_t>(threads > 0 ? threads : default_threads()));
  interruptible(cancel, [&] {
    parallel_for(static_cast<int>(count), static_cast<int>(scratch.size()), [&](int i, int thread) {
      if (!cancel)
        ask(static_cast<std::size_t>(i), scratch[static_cast<std::size_t>(thread)], budget);
    });
  });
}

py::object is_free(PyModel& m, const Array& from, const py::object& to, int threads) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  if (from.ndim() == 1 && to.is_none())
    return py::bool_(check_configuration_of(m, from, kForever).result.verdict == Verdict::free);
  const Array end = to.is_none() ? from : to.cast<Array>();
  if (from.ndim() == 1 && end.ndim() == 1)
    return py::bool_(check_segment_of(m, from, end, kForever).result.verdict == Verdict::free);
  const bool stands = to.is_none();
  const auto a = configurations_of(from, *m.scene), b = configurations_of(end, *m.scene);
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1)
    throw LibraryError{bad_input("there are as many starts as ends, or one of either")};
  for (const auto* rows : {&a, &b})
    for (const std::vector<double>& q : *rows) require_limits(m.model(), q);
  py::array_t<bool> free(static_cast<py::ssize_t>(std::max(a.size(), b.size())));
  bool* out = free.mutable_data();
  answer_all(static_cast<std::size_t>(free.size()), threads,
             [&](std::size_t i, Scratch& scratch, const Budget& budget) {
               const auto &start = a[a.size() == 1 ? 0 : i], &goal = b[b.size() == 1 ? 0 : i];
               const CheckResult result =
                   stands ? m.model().check_configuration(start, scratch, budget)
                          : m.model().check_segment({start, goal}, scratch, budget);
               out[i] = result.verdict == Verdict::free;
             });
  return free;
}

PyModel with_scene(const PyModel& m, std::shared_ptr<PyScene> scene) {
  CheckModel model = m.model().with_scene(scene->scene);
  return {std::move(scene), std::make_shared<Prepared>(std::move(model))};
}

PyCheckResult check_one(std::shared_ptr<PyScene> scene, const py::object& path,
                        const std::string& checker, const Clearances& clearance, double resolution,
                        bool first, double step, const TrackingError& tracking_error,
                        bool certificate, const std::string& limits, double max_seconds) {
  PyModel model = prepare_again(
      std::move(scene),
      options_of(checker, clearance, resolution, first, step, tracking_error, certificate, limits));
  return check_path(model, path, max_seconds);
}

py::list check_many_by(PyModel& m, const py::iterable& paths, int threads) {
  std::vector<Motion> all;
  for (const py::handle path : paths)
    all.push_back(to_motion(py::reinterpret_borrow<py::object>(path), *m.scene));
  std::vector<std::optional<Result<CheckResult>>> results(all.size());
  answer_all(all.size(), threads, [&](std::size_t i, Scratch& scratch, const Budget& budget) {
    results[i] = m.model().check(all[i], scratch, budget);
  });
  py::list list;
  for (auto& result : results) list.append(PyCheckResult{value_of(std::move(*result)), m.scene});
  return list;
}

py::list check_many(std::shared_ptr<PyScene> scene, const py::iterable& paths,
                    const std::string& checker, const Clearances& clearance, double resolution,
                    bool certificate, const std::string& limits, int threads) {
  PyModel model = prepare_again(std::move(scene), options_of(checker, clearance, resolution, false,
                                                             0.01, 0, certificate, limits));
  return check_many_by(model, paths, threads);
}

py::dict cell_of(const ProofLeaf& leaf, const PyScene& scene) {
  py::dict d;
  d["segment"] = leaf.segment;
  d["begin"] = leaf.begin;
  d["end"] = leaf.end;
  d["anchor"] = leaf.anchor;
  d["pair"] = names_of({leaf.a.body, leaf.b.body}, scene);
  d["direction"] = to_array(leaf.direction);
  d["required"] = leaf.required;
  d["lower"] = py::make_tuple(leaf.lower_begin, leaf.lower_anchor, leaf.lower_end);
  return d;
}

struct PyVerifyReport {
  VerifyReport report;
  std::vector<ProofLeaf> leaves;
  std::shared_ptr<PyScene> scene;
};

PyVerifyReport verify_one(std::shared_ptr<PyScene> scene, const py::object& path,
                          const py::bytes& certificate, const Clearances& clearance,
                          const TrackingError& tracking_error, bool cells,
                          const py::object& constraints) {
  const Motion motion = to_motion(path, *scene);
  const std::string_view bytes = certificate;
  PyVerifyReport result;
  result.scene = scene;
  VerifyOptions options;
  options.clearance = clearance;
  options.tracking_error = tracking_error;
  const SceneSource source = scene->scene.description();
  options.trust_srdf_never = source.trust_srdf_never;
  options.constraints = to_kept(source, constraints);
  if (cells) options.on_leaf = [&](const ProofLeaf& leaf) { result.leaves.push_back(leaf); };
  std::atomic<bool> cancel = false;
  options.cancel = &cancel;
  result.report = interruptible(cancel, [&] {
    return verify(source, motion,
                  {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, options);
  });
  return result;
}

py::list cells_of(const PyVerifyReport& r) {
  py::list cells;
  for (const ProofLeaf& leaf : r.leaves) cells.append(cell_of(leaf, *r.scene));
  return cells;
}

}  // namespace

void bind_check(py::module_& module) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  py::class_<PyCheckResult> result(module, "CheckResult", doc::check_result);
  pickles_with_scene(result, &PyCheckResult::result);
  no_truth_value(result, "verdict");
  result
      .def_property_readonly(
          "verdict",
          [](const PyCheckResult& r) { return std::string(to_string(r.result.verdict)); })
      .def_property_readonly("collision", collision_of)
      .def_property_readonly("undecided", undecided_of)
      .def_property_readonly("no_inside",
                             [](const PyCheckResult& r) { return names_without_inside(*r.scene); })
      .def_property_readonly("sensed", [](const PyCheckResult& r) { return sensed_of(*r.scene); })
      .def_property_readonly("warnings",
                             [](const PyCheckResult& r) { return remarks_of(*r.scene); })
      .def_property_readonly("stats", stats_of)
      .def_property_readonly("certificate",
                             [](const PyCheckResult& r) { return to_bytes(r.result.certificate); })
      .def("__repr__", describe);
  py::class_<PyModel>(module, "Model", doc::model)
      .def(py::init(&make_model), py::arg("scene"), py::kw_only(),
           py::arg("checker") = "directional", py::arg("clearance") = 0.0,
           py::arg("resolution") = 1e-6, py::arg("first") = false, py::arg("step") = 0.01,
           py::arg("tracking_error") = 0.0, py::arg("certificate") = false,
           py::arg("limits") = "refuse")
      .def(py::pickle(
          [](const PyModel& m) { return py::make_tuple(m.scene, to_archive(m.model().options())); },
          [](const py::tuple& state) {
            CheckOptions options;
            from_archive(state[1].cast<py::bytes>(), options);
            return prepare(state[0].cast<std::shared_ptr<PyScene>>(), options);
          }))
      .def_readonly("scene", &PyModel::scene)
      .def("check", check_path, py::arg("path"), py::kw_only(), py::arg("max_seconds") = kForever,
           doc::model_check)
      .def("check_all", check_many_by, py::arg("paths"), py::kw_only(), py::arg("threads") = 0,
           doc::model_check_all)
      .def("check_configuration", check_configuration_of, py::arg("configuration"), py::kw_only(),
           py::arg("max_seconds") = kForever, doc::check_configuration)
      .def("check_segment", check_segment_of, py::arg("start"), py::arg("end"), py::kw_only(),
           py::arg("max_seconds") = kForever, doc::check_segment)
      .def("is_free", is_free, py::arg("start"), py::arg("end") = py::none(), py::kw_only(),
           py::arg("threads") = 0, doc::is_free)
      .def("with_scene", with_scene, py::arg("scene"), doc::with_scene)
      .def("__repr__", [](const PyModel& m) {
        return fmt::format("<proven.Model of {} bodies, {} pairs>", m.scene->scene.bodies().size(),
                           m.scene->scene.pairs().size());
      });
  module.def("check", check_one, py::arg("scene"), py::arg("path"), py::kw_only(),
             py::arg("checker") = "directional", py::arg("clearance") = 0.0,
             py::arg("resolution") = 1e-6, py::arg("first") = false, py::arg("step") = 0.01,
             py::arg("tracking_error") = 0.0, py::arg("certificate") = false,
             py::arg("limits") = "refuse", py::arg("max_seconds") = kForever, doc::check);
  module.def("check_all", check_many, py::arg("scene"), py::arg("paths"), py::kw_only(),
             py::arg("checker") = "directional", py::arg("clearance") = 0.0,
             py::arg("resolution") = 1e-6, py::arg("certificate") = false,
             py::arg("limits") = "refuse", py::arg("threads") = 0, doc::check_all);
  py::class_<PyVerifyReport> report(module, "VerifyReport", doc::verify_report);
  pickles_with_scene(report, &PyVerifyReport::report, &PyVerifyReport::leaves);
  no_truth_value(report, "accepted");
  report
      .def_property_readonly("accepted", [](const PyVerifyReport& r) { return r.report.accepted; })
      .def_property_readonly("reason", [](const PyVerifyReport& r) { return r.report.reason; })
      .def_property_readonly("theorem", [](const PyVerifyReport& r) { return r.report.theorem; })
      .def_property_readonly("no_inside",
                             [](const PyVerifyReport& r) { return r.report.no_inside; })
      .def_property_readonly("sensed", [](const PyVerifyReport& r) { return sensed_of(*r.scene); })
      .def_property_readonly("leaves", [](const PyVerifyReport& r) { return r.report.leaves; })
      .def_property_readonly("seconds", [](const PyVerifyReport& r) { return r.report.seconds; })
      .def_property_readonly("cells", cells_of)
      .def("__repr__", [](const PyVerifyReport& r) {
        return r.report.accepted
                   ? fmt::format("<proven.VerifyReport: accepted, {} leaves>", r.report.leaves)
                   : fmt::format("<proven.VerifyReport: rejected: {}>", r.report.reason);
      });
  module.def(
      "load_certificate",
      [](const std::filesystem::path& file) { return to_bytes(value_of(load_certificate(file))); },
      py::arg("file"), doc::load_certificate);
  module.def(
      "save_certificate",
      [](const std::filesystem::path& file, const py::bytes& certificate) {
        const std::string_view bytes = certificate;
        value_of(save_certificate(file, Certificate(bytes.begin(), bytes.end())));
      },
      py::arg("file"), py::arg("certificate"), doc::save_certificate);
  module.def("verify", verify_one, py::arg("scene"), py::arg("path"), py::arg("certificate"),
             py::kw_only(), py::arg("clearance") = 0.0, py::arg("tracking_error") = 0.0,
             py::arg("cells") = false, py::arg("constraints") = py::none(), doc::verify);
}

}  // namespace proven::python
