#include "proven/spacetime/afterwards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace proven::spacetime {
namespace {

constexpr std::array<std::string_view, 3> kWordsOfAfterwards = {"rest", "continue", "gone"};
constexpr double kMostSteps = 1000;

double end_of(const Obstacle& obstacle) {
  if (obstacle.moves()) return obstacle.motion.t.back();
  double end = obstacle.occupancies[0].t_end;
  for (const Occupancy& part : obstacle.occupancies) end = std::max(end, part.t_end);
  return end;
}

double begin_of(const Obstacle& obstacle) {
  if (obstacle.moves()) return obstacle.motion.t.front();
  double begin = obstacle.occupancies[0].t_begin;
  for (const Occupancy& part : obstacle.occupancies) begin = std::min(begin, part.t_begin);
  return begin;
}

// Steps as long as the last one keep boxes small, and bounded accelerations mean little.
void lengthen(Trajectory& m, Afterwards after, double until) {
  const auto n = m.t.size() - 1;
  const double t = m.t[n], step = t - m.t[n - 1], x = m.x[n], y = m.y[n], heading = m.heading[n];
  const bool rests = after == Afterwards::rest;
  const double vx = rests ? 0 : (x - m.x[n - 1]) / step, vy = rests ? 0 : (y - m.y[n - 1]) / step;
  const bool plain = rests && m.between != Interpolation::bounded_acceleration;
  const double wanted = plain ? 1 : std::ceil((until - t) / step);
  const int steps = static_cast<int>(std::clamp(wanted, 1.0, kMostSteps));
  for (int k = 1; k <= steps; ++k) {
    const double at = k == steps ? until : t + (until - t) * k / steps;
    if (!(at > m.t.back())) continue;
    m.t.push_back(at);
    m.x.push_back(x + vx * (at - t)), m.y.push_back(y + vy * (at - t));
    m.heading.push_back(heading);
    for (std::vector<double>* deviation : {&m.position_deviation, &m.heading_deviation})
      if (!deviation->empty()) deviation->push_back((*deviation)[n]);
  }
}

}  // namespace

std::string_view word_of(Afterwards after) {
  return kWordsOfAfterwards[static_cast<std::size_t>(after)];
}

std::optional<Afterwards> afterwards_of(std::string_view word) {
  const auto found = std::ranges::find(kWordsOfAfterwards, word);
  if (found == kWordsOfAfterwards.end()) return std::nullopt;
  return static_cast<Afterwards>(found - kWordsOfAfterwards.begin());
}

Obstacle lasting(Obstacle obstacle, Afterwards after, double until) {
  if (after == Afterwards::gone || !(obstacle.moves() || obstacle.is_set())) return obstacle;
  const double end = end_of(obstacle);
  if (!(until > end)) return obstacle;
  if (obstacle.moves() && obstacle.motion.size() > 1 && validate(obstacle.motion).ok())
    lengthen(obstacle.motion, after, until);
  for (Occupancy& part : obstacle.occupancies)
    if (part.t_end == end) part.t_end = until;
  return obstacle;
}

std::vector<Obstacle> lasting(std::vector<Obstacle> obstacles, Afterwards after, double until) {
  for (Obstacle& obstacle : obstacles) obstacle = lasting(std::move(obstacle), after, until);
  return obstacles;
}

std::vector<Span> spans_of(std::span<const Obstacle> obstacles) {
  std::vector<Span> spans;
  for (const Obstacle& obstacle : obstacles) {
    Span span;
    span.for_ever = !(obstacle.moves() || obstacle.is_set());
    if (!span.for_ever) span.begin = begin_of(obstacle), span.end = end_of(obstacle);
    const auto same = std::ranges::find_if(spans, [&](const Span& s) {
      return s.for_ever == span.for_ever && s.begin == span.begin && s.end == span.end;
    });
    Span& of = same == spans.end() ? spans.emplace_back(std::move(span)) : *same;
    of.names.push_back(obstacle.name);
  }
  return spans;
}

std::string describe(const Span& span, Afterwards after) {
  const std::string names = fmt::format("{}", fmt::join(span.names, ", "));
  if (span.for_ever) return names + ": there at all times";
  const std::string known = fmt::format("{}: known from {} to {} s", names, span.begin, span.end);
  switch (after) {
    case Afterwards::rest:
      return known + ", after that at rest";
    case Afterwards::go_on:
      return known + ", after that straight on as in the last step";
    case Afterwards::gone:
      return known + ", after that gone";
  }
  return known;
}

}  // namespace proven::spacetime
