// A probabilistic roadmap: configurations and edges that are clear, built once, used many times.
//
// Nodes are joined to their k nearest neighbours, continuous joints measured the short way round.
// An eager roadmap checks all its edges when it is built; a lazy one only those on the paths that
// it finds. Every path that a query returns is proved. Queries add what they learn. The same
// options give the same roadmap on any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/certify/batch.h"
#include "proven/plan/plan.h"

namespace proven {

enum class GraphSearch {
  a_star,         // shortest in joint space
  breadth_first,  // fewest edges
};

struct RoadmapOptions {
  int nodes = 1000;  // free ones
  int neighbours = 10;
  bool lazy = false;
  std::uint64_t seed = 1;
  int threads = 1;
  // The device that checks the edges.
  BatchDevice device = BatchDevice::threads;
  CheckOptions check = proving_check();
  // Give up on a scene where fewer than one in so many samples is free.
  int tries_per_node = 1000;
};

enum class EdgeState : std::uint8_t {
  unknown,
  clear,    // nothing was found in the way, by the pre-check or the search
  blocked,  // something is in the way, or that nothing is was not decided
};

class Roadmap {
 public:
  struct Edge {
    int a = 0, b = 0;  // a < b
    EdgeState state = EdgeState::unknown;
  };

  // Coordinates that are not planned keep the values of `rest`, a full configuration. Ball joints
  // cannot be planned for.
  static Result<Roadmap> build(const Scene& scene, std::span<const int> planned,
                               std::span<const double> rest, const RoadmapOptions& options,
                               const Budget& budget = {});

  int num_nodes() const;
  std::span<const double> node(int index) const;  // planned coordinates
  std::vector<Edge> edges() const;
  // The hash of the scene that it was built for.
  const Hash128& scene_hash() const;

  // A path between two configurations, which are joined to the roadmap for this query. The scene
  // must be the one that the roadmap was built for. Uses the query's start and goal; planned
  // coordinates must be the roadmap's. What the query proves of edges is kept. The check that
  // counts is the roadmap's own; the options only say whether there is a certificate.
  Result<PlanResult> query(const Scene& scene, const Query& query, GraphSearch search,
                           const PlanOptions& options, const Budget& budget = {});

  // Text, one node or edge per line; values come back bit for bit.
  std::string to_text() const;
  // Fails on another scene, checker or clearance than the roadmap was built for.
  static Result<Roadmap> from_text(const Scene& scene, std::string_view text,
                                   const CheckOptions& check);

  Roadmap(Roadmap&&) noexcept;
  Roadmap& operator=(Roadmap&&) noexcept;
  ~Roadmap();

  struct State;  // src/plan/roadmap_state.h

 private:
  explicit Roadmap(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proven
