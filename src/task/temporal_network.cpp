#include "task/temporal_network.h"

#include <algorithm>
#include <cmath>

namespace proven::task {
namespace {

// Times are sums of some hundred numbers; a violation below this is rounding, far below any
// separation between events.
double rounding_bound(double time) {
  return 1e-9 * (1 + std::abs(time));
}

}  // namespace

int TemporalNetwork::add_event(double earliest, double latest) {
  Event event;
  event.time = earliest;
  event.latest = latest;
  events_.push_back(event);
  return size() - 1;
}

void TemporalNetwork::bound_latest(int event, double latest) {
  Event& e = events_[static_cast<std::size_t>(event)];
  e.latest = std::min(e.latest, latest);
  if (e.time > e.latest + rounding_bound(e.time)) infeasible_ = true;
}

void TemporalNetwork::add_edge(int from, int to, double least, bool loose) {
  pending_.push_back({from, to, least, loose});
}

bool TemporalNetwork::propagate() {
  for (const PendingEdge& edge : pending_)
    if (infeasible_ || !insert(edge)) {
      infeasible_ = true;
      break;
    }
  pending_.clear();
  return !infeasible_;
}

bool TemporalNetwork::widen(double least) {
  for (int from = 0; from < size(); ++from)
    for (int i = events_[static_cast<std::size_t>(from)].first_edge; i >= 0;
         i = edges_[static_cast<std::size_t>(i)].next)
      if (const Edge& edge = edges_[static_cast<std::size_t>(i)]; edge.loose)
        add_edge(from, edge.to, least);
  return propagate();
}

// All other edges hold. If moving `to` up comes back to move `from` up as well, the new edge closes
// a cycle that can never hold; otherwise the moves end.
bool TemporalNetwork::insert(const PendingEdge& added) {
  Event& source = events_[static_cast<std::size_t>(added.from)];
  edges_.push_back({added.to, source.first_edge, added.least, added.loose});
  source.first_edge = static_cast<int>(edges_.size()) - 1;
  if (!move_up(added.to, source.time + added.least)) return false;
  for (std::size_t next = 0; next < moved_.size(); ++next) {
    const Event& from = events_[static_cast<std::size_t>(moved_[next])];
    const double time = from.time;
    for (int i = from.first_edge; i >= 0; i = edges_[static_cast<std::size_t>(i)].next) {
      const Edge& edge = edges_[static_cast<std::size_t>(i)];
      const std::size_t before = moved_.size();
      if (!move_up(edge.to, time + edge.least)) return false;
      if (edge.to == added.from && moved_.size() > before) return false;
    }
  }
  moved_.clear();
  return true;
}

// False: the event would come after its latest time.
bool TemporalNetwork::move_up(int event, double time) {
  Event& e = events_[static_cast<std::size_t>(event)];
  if (time <= e.time + rounding_bound(e.time)) return true;
  e.time = time;
  moved_.push_back(event);
  return time <= e.latest + rounding_bound(time);
}

}  // namespace proven::task
