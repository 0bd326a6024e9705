#include "task/landmarks.h"

#include <algorithm>

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

bool contains(const std::vector<std::uint64_t>& set, std::size_t i) {
  return set[i / 64] >> (i % 64) & 1;
}

void insert(std::vector<std::uint64_t>& set, std::size_t i) {
  set[i / 64] |= std::uint64_t{1} << (i % 64);
}

}  // namespace

Landmarks::Landmarks(const RelaxedTask& relaxed, const State& initial, std::size_t max_bytes,
                     const Watch& watch)
    : relaxed_(relaxed) {
  const auto n = at(relaxed.proposition_count());
  if (n * (n / 64 + 1) * sizeof(std::uint64_t) > max_bytes) return;
  std::vector<char> reached;
  const std::vector<Set> sets = sets_of(initial, reached, watch);
  for (const int goal : relaxed.goals())
    if (!reached[at(goal)]) return;
  choose(sets);
  order(sets, watch);
}

std::vector<Landmarks::Set> Landmarks::sets_of(const State& initial, std::vector<char>& reached,
                                               const Watch& watch) const {
  const auto& rules = relaxed_.rules();
  const auto n = at(relaxed_.proposition_count());
  const std::size_t words = n / 64 + 1;
  std::vector<Set> sets(n);
  reached.assign(n, 0);
  std::vector<int> queue;
  std::vector<char> queued(rules.size());
  const auto schedule = [&](int r) {
    if (!queued[at(r)]) queued[at(r)] = 1, queue.push_back(r);
  };
  std::vector<int> missing(rules.size());
  for (std::size_t r = 0; r < rules.size(); ++r) {
    missing[r] = static_cast<int>(rules[r].conditions.size());
    if (missing[r] == 0) schedule(static_cast<int>(r));
  }
  const auto discover = [&](int p) {
    reached[at(p)] = 1;
    for (const int r : relaxed_.needed_by(p))
      if (--missing[at(r)] == 0) schedule(r);
  };
  for (int p = 0; p < relaxed_.proposition_count(); ++p)
    if (relaxed_.holds(p, initial)) {
      sets[at(p)].assign(words, 0);
      insert(sets[at(p)], at(p));
      discover(p);
    }
  const auto offer = [&](int p, const Set& before) {
    Set& own = sets[at(p)];
    if (!reached[at(p)]) {
      own = before;
      insert(own, at(p));
      return discover(p);
    }
    bool changed = false;
    for (std::size_t w = 0; w < words; ++w) {
      std::uint64_t kept = own[w] & before[w];
      if (at(p) / 64 == w) kept |= std::uint64_t{1} << (at(p) % 64);
      changed |= kept != own[w];
      own[w] = kept;
    }
    if (!changed) return;
    for (const int r : relaxed_.needed_by(p))
      if (missing[at(r)] == 0) schedule(r);
  };
  Set before(words);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    watch.look();
    const int r = queue[next];
    queued[at(r)] = 0;
    std::fill(before.begin(), before.end(), 0);
    for (const int p : rules[at(r)].conditions)
      for (std::size_t w = 0; w < words; ++w) before[w] |= sets[at(p)][w];
    for (const int p : rules[at(r)].adds) offer(p, before);
    for (const int p : rules[at(r)].comparisons) offer(p, before);
  }
  return sets;
}

void Landmarks::choose(const std::vector<Set>& sets) {
  const auto n = at(relaxed_.proposition_count());
  std::vector<char> chosen(n);
  for (const int goal : relaxed_.goals())
    for (std::size_t p = 0; p < n; ++p)
      if (contains(sets[at(goal)], p) &&
          (relaxed_.is_fact(static_cast<int>(p)) || static_cast<int>(p) == goal))
        chosen[p] = 1;
  for (std::size_t p = 0; p < n; ++p) {
    if (!chosen[p]) continue;
    const auto& goals = relaxed_.goals();
    const bool goal = std::find(goals.begin(), goals.end(), static_cast<int>(p)) != goals.end();
    landmarks_.push_back({static_cast<int>(p), goal, {}, {}});
  }
}

void Landmarks::order(const std::vector<Set>& sets, const Watch& watch) {
  std::vector<int> index(at(relaxed_.proposition_count()), -1);
  for (std::size_t i = 0; i < landmarks_.size(); ++i)
    index[at(landmarks_[i].proposition)] = static_cast<int>(i);
  for (std::size_t i = 0; i < landmarks_.size(); ++i) {
    watch.look();
    for (std::size_t j = 0; j < landmarks_.size(); ++j)
      if (i != j && contains(sets[at(landmarks_[i].proposition)], at(landmarks_[j].proposition)))
        landmarks_[i].before.push_back(static_cast<int>(j));
  }
  // Needed right before: conditions that all rules share which add the landmark for the first time.
  std::vector<std::vector<int>> shared(landmarks_.size());
  std::vector<char> seen(landmarks_.size());
  for (const Rule& rule : relaxed_.rules())
    for (const int p : rule.adds) {
      const int i = index[at(p)];
      if (i < 0) continue;
      watch.look();
      const bool later =
          std::any_of(rule.conditions.begin(), rule.conditions.end(), [&](int condition) {
            return !sets[at(condition)].empty() && contains(sets[at(condition)], at(p));
          });
      if (later) continue;
      std::vector<int> needed;
      for (const int condition : rule.conditions)
        if (index[at(condition)] >= 0) needed.push_back(index[at(condition)]);
      std::sort(needed.begin(), needed.end());
      if (!seen[at(i)]) {
        shared[at(i)] = std::move(needed);
      } else {
        std::vector<int> both;
        std::set_intersection(shared[at(i)].begin(), shared[at(i)].end(), needed.begin(),
                              needed.end(), std::back_inserter(both));
        shared[at(i)] = std::move(both);
      }
      seen[at(i)] = 1;
    }
  for (std::size_t i = 0; i < landmarks_.size(); ++i)
    for (const int j : shared[i]) landmarks_[at(j)].enables.push_back(static_cast<int>(i));
}

void Landmarks::accept(const State& state, Accepted& accepted) const {
  for (std::size_t i = 0; i < landmarks_.size(); ++i) {
    const Landmark& landmark = landmarks_[i];
    if (contains(accepted, i) || !relaxed_.holds(landmark.proposition, state)) continue;
    if (std::all_of(landmark.before.begin(), landmark.before.end(),
                    [&](int j) { return contains(accepted, at(j)); }))
      insert(accepted, i);
  }
}

int Landmarks::missing(const State& state, const Accepted& accepted) const {
  int count = 0;
  for (std::size_t i = 0; i < landmarks_.size(); ++i) {
    const Landmark& landmark = landmarks_[i];
    if (!contains(accepted, i)) {
      ++count;
      continue;
    }
    if (relaxed_.holds(landmark.proposition, state)) continue;
    const bool again =
        landmark.goal || std::any_of(landmark.enables.begin(), landmark.enables.end(),
                                     [&](int j) { return !contains(accepted, at(j)); });
    if (again) ++count;
  }
  return count;
}

}  // namespace proven::task
