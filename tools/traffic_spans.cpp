#include "tools/traffic_spans.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/terminal.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
using spacetime::Afterwards;
using spacetime::Span;

void collect_ended(ToldSpans& told, double until) {
  for (const Span& span : told.spans)
    if (!span.for_ever && span.end < until)
      told.ended.insert(told.ended.end(), span.names.begin(), span.names.end());
}

}  // namespace

ToldSpans spans_until(const std::vector<spacetime::Obstacle>& obstacles, ChosenAfterwards chosen,
                      double until) {
  ToldSpans told{chosen, spacetime::spans_of(obstacles), {}};
  collect_ended(told, until);
  return told;
}

ToldSpans spans_until(const std::vector<spacetime::MovingBody>& bodies, ChosenAfterwards chosen,
                      double until) {
  // Of the times alone.
  std::vector<spacetime::Obstacle> obstacles;
  for (const spacetime::MovingBody& body : bodies) {
    spacetime::Obstacle& o = obstacles.emplace_back();
    o.name = body.name;
    if (!body.motion.moves()) continue;
    o.motion.t = body.motion.t;
    o.motion.x.resize(body.motion.t.size());
  }
  return spans_until(obstacles, chosen, until);
}

void add_spans(const ToldSpans& told, Json& json) {
  json["after"] = word_of(told.chosen.after);
  Json spans = Json::array();
  for (const Span& span : told.spans) {
    Json entry = {{"from", nullptr}, {"to", nullptr}, {"obstacles", span.names}};
    if (!span.for_ever) entry["from"] = span.begin, entry["to"] = span.end;
    spans.push_back(std::move(entry));
  }
  json["spans"] = std::move(spans);
  json["ended_early"] = told.ended;
}

void print_spans(const ToldSpans& told) {
  const Afterwards after = told.chosen.after;
  for (const Span& span : told.spans)
    if (!span.for_ever) fmt::print("{}\n", describe(span, after));
  if (told.ended.empty()) return;
  const char* what = after == Afterwards::rest    ? "rests"
                     : after == Afterwards::go_on ? "goes straight on"
                                                  : "is gone";
  fmt::print("{}\n",
             paint(Colour::yellow,
                   fmt::format("note: the trajectories last longer than what is known of {}: from "
                               "there on each {} ({}--after {})",
                               fmt::join(told.ended, ", "), what,
                               told.chosen.asked_for ? "" : "the default; rest, continue or gone: ",
                               word_of(after))));
}

}  // namespace proven::tools
