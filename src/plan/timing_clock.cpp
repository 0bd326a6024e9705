#include "plan/timing_clock.h"

#include <algorithm>
#include <cmath>

#include "proven/scene/splines.h"

namespace proven {
namespace {

// Shorter pieces are merged: a nanosecond would be too large a part of them.
constexpr double kShortest = 1e-6;
constexpr double kStep = 2e-9;  // pieces that cannot be merged last at least as long

// Derivatives by time at one end of a piece.
struct Rates {
  double first, second, third;
};

Rates rates_at(const TimedPiece& piece, bool at_end, std::size_t axis) {
  const std::size_t last = piece.control.size() - 1;
  const auto c = [&](std::size_t k) {
    return k > last ? 0 : piece.control[at_end ? last - k : k][axis];
  };
  const auto n = static_cast<double>(last);
  const double T = at_end ? -piece.seconds : piece.seconds;
  const double first = n * (c(1) - c(0)) / T;
  const double second = n * (n - 1) * ((c(2) - c(1)) - (c(1) - c(0))) / (T * T);
  const double third = n * (n - 1) * (n - 2) *
                       (((c(3) - c(2)) - (c(2) - c(1))) - ((c(2) - c(1)) - (c(1) - c(0)))) /
                       (T * T * T);
  return {first, last < 2 ? 0 : second, last < 3 ? 0 : third};
}

double readable(double rate) {
  return std::fabs(rate) < kSplineRates.lower ? 0 : rate;
}

// What the run does `late` seconds after two of its pieces meet. The longer one knows the rates
// there better.
Knot knot_between(const TimedPiece& before, const TimedPiece& after, std::size_t axis,
                  double late) {
  const Rates rates =
      before.seconds > after.seconds ? rates_at(before, true, axis) : rates_at(after, false, axis);
  const Rates there = late < 0 ? rates_at(before, true, axis) : rates_at(after, false, axis);
  return {after.control.front()[axis] + late * (rates.first + 0.5 * late * there.second),
          readable(rates.first + late * there.second), readable(rates.second + late * there.third)};
}

// Where pieces of the result meet: after which pieces of the run, and when.
struct Meeting {
  std::size_t pieces;
  double run_time, time;
};

std::vector<Meeting> meetings_of(const std::vector<TimedPiece>& run, double begin, double longest) {
  std::vector<double> ends;
  for (const TimedPiece& piece : run)
    ends.push_back((ends.empty() ? begin : ends.back()) + piece.seconds);
  std::vector<Meeting> meetings = {{0, begin, begin}};
  for (std::size_t i = 0; i < run.size(); ++i) {
    const double before = meetings.back().time;
    const bool last = i + 1 == run.size();
    const bool is_short = !last && std::min(ends[i] - before, ends[i + 1] - ends[i]) < kShortest;
    if (is_short && ends[i + 1] - before <= longest) continue;
    const double time =
        std::clamp(ends[i], before + kStep, std::max(before + longest, before + kStep));
    meetings.push_back({i + 1, ends[i], whole_nanoseconds(time)});
  }
  return meetings;
}

std::vector<Knot> knots_at(const std::vector<TimedPiece>& run, const Meeting& meeting) {
  const std::size_t axes = run.front().control.front().size(), i = meeting.pieces;
  std::vector<Knot> knots;
  for (std::size_t k = 0; k < axes; ++k) {
    if (i == 0)
      knots.push_back({run.front().control.front()[k]});
    else if (i == run.size())
      knots.push_back({run.back().control.back()[k]});
    else
      knots.push_back(knot_between(run[i - 1], run[i], k, meeting.time - meeting.run_time));
  }
  return knots;
}

TimedPiece piece_between(const std::vector<Knot>& from, const std::vector<Knot>& to, double seconds,
                         Joined joined) {
  const std::size_t inner = joined == Joined::velocities ? 2 : 4;
  TimedPiece piece{seconds, std::vector<Row>(inner + 2, Row(from.size())), -1};
  for (std::size_t k = 0; k < from.size(); ++k) {
    const auto write = [&](const auto& between) {
      for (std::size_t i = 0; i < inner; ++i) piece.control[i + 1][k] = between[i];
    };
    piece.control.front()[k] = from[k].position;
    if (joined == Joined::velocities)
      write(cubic_between(from[k], to[k], seconds));
    else
      write(quintic_between(from[k], to[k], seconds));
    piece.control.back()[k] = to[k].position;
  }
  return piece;
}

}  // namespace

double whole_nanoseconds(double seconds) {
  const double sec = std::floor(seconds), nanosec = std::round((seconds - sec) * 1e9);
  return nanosec < 1e9 ? sec + 1e-9 * nanosec : sec + 1;
}

std::vector<TimedPiece> on_whole_nanoseconds(const std::vector<TimedPiece>& run, double begin,
                                             double longest, Joined joined) {
  const std::vector<Meeting> meetings = meetings_of(run, begin, longest);
  std::vector<TimedPiece> pieces;
  std::vector<Knot> from = knots_at(run, meetings[0]);
  for (std::size_t i = 1; i < meetings.size(); ++i) {
    std::vector<Knot> to = knots_at(run, meetings[i]);
    pieces.push_back(piece_between(from, to, meetings[i].time - meetings[i - 1].time, joined));
    for (std::size_t k = meetings[i - 1].pieces; k < meetings[i].pieces; ++k)
      pieces.back().corner = std::max(pieces.back().corner, run[k].corner);
    from = std::move(to);
  }
  return pieces;
}

}  // namespace proven
