// A simple temporal network: events with least distances, solved for the earliest times.
//
// An edge (from, to, w) means time(to) >= time(from) + w. All events are at or after 0; each may
// have a latest time. The earliest solution is the least in every component, so the network is
// consistent if and only if propagation ends with every event at or before its latest time.
#pragma once

#include <limits>
#include <vector>

namespace proven::task {

class TemporalNetwork {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  int add_event(double earliest, double latest);
  void bound_latest(int event, double latest);
  // A loose edge asks for no distance but would like one: see widen.
  void add_edge(int from, int to, double least, bool loose = false);

  // Moves times up until all edges hold; false: no solution.
  bool propagate();
  // Every loose edge asks for this distance from now on; false: no solution.
  bool widen(double least);

  int size() const { return static_cast<int>(events_.size()); }
  double time(int event) const { return events_[static_cast<std::size_t>(event)].time; }
  std::size_t bytes() const {
    return events_.size() * sizeof(Event) + edges_.size() * sizeof(Edge);
  }

 private:
  struct Event {
    double time = 0, latest = kNever;
    int first_edge = -1;
  };
  struct Edge {
    int to = 0, next = -1;
    double least = 0;
    bool loose = false;
  };
  struct PendingEdge {
    int from = 0, to = 0;
    double least = 0;
    bool loose = false;
  };

  bool insert(const PendingEdge& edge);
  bool move_up(int event, double time);

  std::vector<Event> events_;
  std::vector<Edge> edges_;
  std::vector<PendingEdge> pending_;
  std::vector<int> moved_;
  bool infeasible_ = false;
};

}  // namespace proven::task
