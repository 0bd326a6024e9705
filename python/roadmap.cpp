// proven.roadmap: planning among changing obstacles.
#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "archive.h"
#include "convert.h"
#include "docs_layers.h"
#include "proven/io/roadmap_file.h"
#include "proven/roadmap/planner.h"

namespace proven::python {

template <class A>
void fields(A& a, roadmap::QueryResult& r) {
  a(r.status, r.reason, r.path, r.length, r.expanded, r.tried, r.won_back, r.checked,
    r.seconds_connect, r.seconds_search, r.seconds_win_back);
}

namespace {

using namespace roadmap;
using CellArray = py::array_t<std::uint32_t>;

BuildOptions to_options(int nodes, int neighbours, double cell, bool planar, std::uint64_t seed,
                        int threads) {
  BuildOptions options;
  options.nodes = nodes;
  options.neighbours = neighbours;
  options.cell = cell;
  options.planar = planar;
  options.seed = seed;
  options.threads = threads;
  return options;
}

std::shared_ptr<Model> build_here(const PyScene& scene, const BuildOptions& options) {
  std::atomic<bool> cancel = false;
  Budget budget;
  budget.cancel = &cancel;
  auto model = interruptible(cancel, [&] {
    // To Python the thread that calls helpers is one, with what it keeps, from first to last.
    const py::gil_scoped_acquire known;
    const py::gil_scoped_release release;
    return build(scene.scene, {}, scene.scene.home(), options, budget);
  });
  return std::make_shared<Model>(value_of(std::move(model)));
}

std::shared_ptr<Model> build_one(const std::shared_ptr<PyScene>& scene, int nodes, int neighbours,
                                 double cell, bool planar, std::uint64_t seed, int threads) {
  return build_here(*scene, to_options(nodes, neighbours, cell, planar, seed, threads));
}

py::bytes to_python(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

BuildBlock to_block(const std::string& bytes) {
  return {bytes.begin(), bytes.end()};
}

// A function of Python that gives blocks: do_blocks(stage, known, blocks, give).
class PyHelpers : public BuildHelpers {
 public:
  explicit PyHelpers(const py::function& work) : work_(work) {}
  void do_blocks(BuildStage stage, std::span<const std::uint8_t> known, std::span<const int> blocks,
                 const Give& give) override {
    const py::gil_scoped_acquire acquire;
    const auto take = [&give](const std::string& bytes) { return give(to_block(bytes)); };
    work_(std::string(to_string(stage)), to_python(known),
          std::vector<int>(blocks.begin(), blocks.end()), py::cpp_function(take));
  }

 private:
  const py::function& work_;
};

// Builds into a file, as `proven roadmap build` does: what an earlier run left is gone on with.
std::shared_ptr<Model> build_file(const PyScene& scene, const std::filesystem::path& file,
                                  const py::function& work, int nodes, int neighbours, double cell,
                                  bool planar, std::uint64_t seed) {
  BuildOptions options = to_options(nodes, neighbours, cell, planar, seed, 0);
  const auto identity = hash_of(scene.scene, {}, scene.scene.home(), options);
  const auto journal = value_of(FileJournal::open(file.string() + ".part", identity));
  PyHelpers helpers(work);
  options.journal = journal.get();
  options.helpers = &helpers;
  auto model = build_here(scene, options);
  value_of(save_roadmap(file, *model));
  journal->discard();
  return model;
}

std::unique_ptr<BlockWorker> make_worker(const PyScene& scene, int nodes, int neighbours,
                                         double cell, bool planar, std::uint64_t seed) {
  return std::make_unique<BlockWorker>(value_of(BlockWorker::create(
      scene.scene, {}, scene.scene.home(), to_options(nodes, neighbours, cell, planar, seed, 1))));
}

py::bytes do_block(BlockWorker& worker, const std::string& word, int block) {
  const auto stage = parse_word<BuildStage>(word);
  if (!stage) throw LibraryError{bad_input(fmt::format("there is no stage '{}'", word))};
  auto bytes = [&] {
    py::gil_scoped_release release;
    return worker.do_block(*stage, block);
  }();
  return to_python(value_of(std::move(bytes)));
}

std::string describe(const Model& model) {
  return fmt::format("<proven.roadmap.Model: {} nodes, {} arcs, {} x {} x {} cells>",
                     model.graph.num_nodes(), model.graph.num_edges(), model.grid.count[0],
                     model.grid.count[1], model.grid.count[2]);
}

CellArray to_cells(const CellMask& mask) {
  const std::vector<std::uint32_t> cells = mask.cells();
  return CellArray(static_cast<py::ssize_t>(cells.size()), cells.data());
}

// The cells that the scene's obstacles touch.
CellArray voxelise(const Model& model, const PyScene& scene) {
  CellMask mask(model.grid);
  for (const ObstacleSource& o : scene.scene.description().obstacles)
    value_of(mark_obstacle(model.grid, o.elements, o.X_WB, mask));
  return to_cells(mask);
}

CellArray voxelise_points(const Model& model, const Array& points, double radius) {
  if (points.ndim() != 2 || points.shape(1) != 3)
    throw LibraryError{bad_input("points must be an array with the columns x, y and z")};
  std::vector<Vec3> cloud;
  const auto rows = points.unchecked<2>();
  for (py::ssize_t i = 0; i < rows.shape(0); ++i)
    cloud.push_back({rows(i, 0), rows(i, 1), rows(i, 2)});
  CellMask mask(model.grid);
  mark_points(model.grid, cloud, radius, mask);
  return to_cells(mask);
}

// A planner with what it looks at.
struct PyPlanner {
  std::shared_ptr<Model> model;
  std::shared_ptr<PyScene> scene;
  Planner planner;
};

std::unique_ptr<PyPlanner> make_planner(std::shared_ptr<Model> model,
                                        std::shared_ptr<PyScene> scene) {
  Planner planner = value_of(Planner::create(*model, scene->scene));
  return std::make_unique<PyPlanner>(
      PyPlanner{std::move(model), std::move(scene), std::move(planner)});
}

void set_occupied(PyPlanner& self, const py::array_t<std::uint32_t, py::array::forcecast>& cells) {
  const auto limit = static_cast<std::uint32_t>(self.model->grid.outside());
  CellMask mask(self.model->grid);
  for (py::ssize_t i = 0; i < cells.size(); ++i) {
    const std::uint32_t cell = cells.data()[i];
    if (cell > limit) throw LibraryError{bad_input(fmt::format("there is no cell {}", cell))};
    mask.set(static_cast<int>(cell));
  }
  py::gil_scoped_release release;
  self.planner.set_occupied(mask);
}

struct PyQueryResult {
  QueryResult result;
  std::shared_ptr<PyScene> scene;
};

PyQueryResult plan_one(PyPlanner& self, const Array& start, const Array& goal,
                       const std::shared_ptr<PyScene>& truth, const Clearances& clearance,
                       bool any_turn) {
  const auto from = to_vector(start, "the start"), to = to_vector(goal, "the goal");
  QueryOptions options;
  options.check.clearance = clearance;
  options.any_turn = any_turn;
  std::atomic<bool> cancel = false;
  auto result = interruptible(cancel, [&] {
    return self.planner.plan(from, to, truth ? &truth->scene : nullptr, options);
  });
  return {value_of(std::move(result)), self.scene};
}

}  // namespace

void bind_roadmap(py::module_& parent) {
  py::module_ module = parent.def_submodule("roadmap", "Planning among changing obstacles");
  py::class_<Model, std::shared_ptr<Model>>(module, "Model", doc::roadmap_model)
      .def_property_readonly("num_nodes", [](const Model& m) { return m.graph.num_nodes(); })
      .def_property_readonly("num_arcs", [](const Model& m) { return m.graph.num_edges(); })
      .def_property_readonly("num_cells", [](const Model& m) { return m.grid.num_cells(); })
      .def_property_readonly(
          "nodes",
          [](const Model& m) {
            py::array_t<double> nodes({m.graph.num_nodes(), m.graph.dimension()});
            std::copy(m.graph.nodes.begin(), m.graph.nodes.end(), nodes.mutable_data());
            return nodes;
          })
      .def_property_readonly("arcs",
                             [](const Model& m) {
                               py::array_t<std::uint32_t> arcs({m.graph.num_edges(), 2});
                               for (std::size_t i = 0; i < m.graph.edges.size(); ++i)
                                 std::copy_n(m.graph.edges[i].data(), 2,
                                             arcs.mutable_data() + 2 * i);
                               return arcs;
                             })
      .def(
          "cell_box",
          [](const Model& m, int cell) {
            if (cell < 0 || cell >= m.grid.num_cells())
              throw LibraryError{bad_input(fmt::format("there is no cell {}", cell))};
            const Aabb box = m.grid.box(cell);
            return py::make_tuple(to_array(box.lo), to_array(box.hi));
          },
          py::arg("cell"), doc::cell_box)
      .def("__repr__", [](const Model& m) { return describe(m); });
  py::class_<PyQueryResult> queried(module, "QueryResult", doc::roadmap_result);
  pickles_with_scene(queried, &PyQueryResult::result);
  no_truth_value(queried, "status");
  queried
      .def_property_readonly(
          "status", [](const PyQueryResult& r) { return std::string(to_string(r.result.status)); })
      .def_property_readonly("reason", [](const PyQueryResult& r) { return r.result.reason; })
      .def_property_readonly("path",
                             [](const PyQueryResult& r) {
                               return PyMotion{r.result.path, r.scene};
                             })
      .def_property_readonly("length", [](const PyQueryResult& r) { return r.result.length; })
      .def_property_readonly("won_back", [](const PyQueryResult& r) { return r.result.won_back; })
      .def("__repr__", [](const PyQueryResult& whole) {
        const QueryResult& r = whole.result;
        return r.status == QueryStatus::solved
                   ? fmt::format(
                         "<proven.roadmap.QueryResult: solved, {} waypoints, length {:.4g}>",
                         r.path.waypoints.size(), r.length)
                   : fmt::format("<proven.roadmap.QueryResult: {}: {}>", to_string(r.status),
                                 r.reason);
      });
  py::class_<PyPlanner>(module, "Planner", doc::roadmap_planner)
      .def(py::init(&make_planner), py::arg("model"), py::arg("scene"))
      .def("set_occupied", set_occupied, py::arg("cells"), doc::set_occupied)
      .def_property_readonly(
          "occupied",
          [](const PyPlanner& p) { return to_cells(p.planner.blocked_edges().occupied()); })
      .def("plan", plan_one, py::arg("start"), py::arg("goal"), py::kw_only(),
           py::arg("truth") = nullptr, py::arg("clearance") = 0.0, py::arg("any_turn") = false,
           doc::roadmap_plan)
      .def("__repr__", [](const PyPlanner& p) {
        return fmt::format("<proven.roadmap.Planner of {}, {} cells occupied>", describe(*p.model),
                           p.planner.blocked_edges().occupied().cells().size());
      });
  module.def("build", build_one, py::arg("scene"), py::kw_only(), py::arg("nodes") = 2000,
             py::arg("neighbours") = 8, py::arg("cell") = 0.05, py::arg("planar") = false,
             py::arg("seed") = 1, py::arg("threads") = 0, doc::roadmap_build);
  // Of proven.scale.
  module.def("build_file", build_file, py::arg("scene"), py::arg("file"), py::arg("work"),
             py::kw_only(), py::arg("nodes") = 2000, py::arg("neighbours") = 8,
             py::arg("cell") = 0.05, py::arg("planar") = false, py::arg("seed") = 1);
  py::class_<BlockWorker>(module, "BlockWorker")
      .def(py::init(&make_worker), py::arg("scene"), py::kw_only(), py::arg("nodes") = 2000,
           py::arg("neighbours") = 8, py::arg("cell") = 0.05, py::arg("planar") = false,
           py::arg("seed") = 1)
      .def(
          "learn",
          [](BlockWorker& worker, const std::string& known) {
            const BuildBlock bytes = to_block(known);
            value_of(worker.learn(bytes));
          },
          py::arg("known"))
      .def("do_block", do_block, py::arg("stage"), py::arg("block"));
  module.def("voxelise", voxelise, py::arg("model"), py::arg("scene"), doc::voxelise);
  module.def("voxelise_points", voxelise_points, py::arg("model"), py::arg("points"),
             py::arg("radius") = 0.0, doc::voxelise_points);
  module.def(
      "load_roadmap",
      [](const std::filesystem::path& file) {
        return std::make_shared<Model>(value_of(load_roadmap(file)));
      },
      py::arg("file"), doc::load_roadmap);
  module.def(
      "save_roadmap",
      [](const std::filesystem::path& file, const Model& model) {
        value_of(save_roadmap(file, model));
      },
      py::arg("file"), py::arg("model"), doc::save_roadmap);
}

}  // namespace proven::python
