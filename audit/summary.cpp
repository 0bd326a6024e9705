#include "audit/summary.h"

#include <algorithm>
#include <cmath>

#include "audit/rows.h"
#include "proven/io/document.h"
#include "proven/io/journal.h"

namespace proven::audit {
namespace {

using io::Node;

void read_header(const Node& header, Summary& summary) {
  header.require_version();
  summary.version = header.at("audit").string();
  summary.data_set = header.at("data_set").string();
  summary.paths = static_cast<std::int64_t>(header.at("paths").number());
  if (const Node& sample = header.at("sample"); !sample.is(Node::Kind::null))
    summary.sample = static_cast<std::int64_t>(sample.at("paths").number());
  if (const Node& shard = header.at("shard"); !shard.is(Node::Kind::null))
    summary.shard = shard.string();
  const Node& options = header.at("options");
  summary.certificates = options.at("certificates").boolean();
  summary.clearance = options.at("clearance").at("world").number();
}

void add_to(Counts& counts, const std::string& verdict) {
  if (verdict == "free")
    ++counts.free;
  else if (verdict == kSwept)
    ++counts.swept;
  else if (verdict == "collision")
    ++counts.collision;
  else if (verdict == "undecided")
    ++counts.undecided;
  else
    ++counts.error;
}

std::size_t bin_of(double length) {
  std::size_t bin = 0;
  for (double limit = 0.25; bin + 1 < Summary::kLengths && length >= limit; limit *= 2) ++bin;
  return bin;
}

std::array<std::string, 2> pair_of(const Node& place) {
  const std::vector<std::string> names = place.at("pair").strings();
  if (names.size() != 2) return {};
  return {names[0], names[1]};
}

Collision collision_of(const Node& row) {
  const Node& place = row.at("collision");
  Collision c;
  c.index = static_cast<std::int64_t>(row.at("index").number());
  c.group = row.at("group").string();
  c.name = row.at("name").string();
  c.pair = pair_of(place);
  c.segment = static_cast<int>(place.at("segment").number());
  c.t = place.at("t").number();
  if (const Node& depth = place.at("depth"); !depth.is(Node::Kind::null)) c.depth = depth.number();
  c.configuration = place.at("configuration").numbers();
  const std::vector<Node>& points = place.at("points").array();
  for (std::size_t i = 0; i < 2 && i < points.size(); ++i) {
    const Vec3 p = points[i].vec3();
    c.points[i] = {p.x, p.y, p.z};
  }
  return c;
}

bool is_worse(const Collision& a, const Collision& b) {
  const double x = a.depth.value_or(0), y = b.depth.value_or(0);
  return x != y ? x > y : a.index < b.index;
}

// Others of the same pair that are deeper push it out, and so does a list that is full.
void keep_worst(Collision c, std::size_t kept, std::vector<Collision>& worst) {
  worst.insert(std::ranges::upper_bound(worst, c, is_worse), c);
  std::size_t of_pair = 0;
  for (auto it = worst.begin(); it != worst.end(); ++it)
    if (it->pair == c.pair && ++of_pair > Summary::kPerPair) {
      worst.erase(it);
      break;
    }
  if (worst.size() > kept) worst.pop_back();
}

Failed failed_of(const Node& row, const std::string& why) {
  return {static_cast<std::int64_t>(row.at("index").number()), row.at("group").string(),
          row.at("name").string(), why};
}

void read_row(const Node& row, std::size_t kept, Summary& summary) {
  const std::string& verdict = row.at("verdict").string();
  const std::string& group = row.at("group").string();
  if (summary.groups.empty() || summary.groups.back().first != group)
    summary.groups.emplace_back(group, Counts{});
  add_to(summary.counts, verdict);
  add_to(summary.groups.back().second, verdict);
  if (const Node* length = row.find("length"))
    add_to(summary.lengths[bin_of(length->number())], verdict);
  if (row.find("refuted_sweep")) ++summary.refuted;
  if (const Node* clearance = row.find("clearance"))
    ++summary.clearances[clearance->at("at_least").number()];
  if (row.find("collision")) {
    Collision c = collision_of(row);
    ++summary.pairs[c.pair];
    keep_worst(std::move(c), kept, summary.worst);
  }
  if (const Node* undecided = row.find("undecided")) {
    const std::string& reason = undecided->at("reason").string();
    ++summary.reasons[reason];
    if (summary.undecided.size() < kept) summary.undecided.push_back(failed_of(row, reason));
  }
  if (const Node* error = row.find("error"); error && summary.errors.size() < kept)
    summary.errors.push_back(failed_of(row, error->string()));
}

// The logarithm of the probability that a binomial variable is k.
double log_binomial(std::int64_t k, std::int64_t n, double p) {
  const auto x = static_cast<double>(k), m = static_cast<double>(n);
  return std::lgamma(m + 1) - std::lgamma(x + 1) - std::lgamma(m - x + 1) + x * std::log(p) +
         (m - x) * std::log1p(-p);
}

// P(X <= k) of a binomial variable, summed from its largest term down: terms that no longer count
// are left out.
double at_most(std::int64_t k, std::int64_t n, double p) {
  double sum = 0;
  const auto mode = std::min(k, static_cast<std::int64_t>(static_cast<double>(n) * p));
  for (std::int64_t i = mode; i >= 0; --i) {
    const double term = std::exp(log_binomial(i, n, p));
    sum += term;
    if (term < 1e-18 * sum || sum == 0) break;
  }
  for (std::int64_t i = mode + 1; i <= k; ++i) {
    const double term = std::exp(log_binomial(i, n, p));
    sum += term;
    if (term < 1e-18 * sum) break;
  }
  return std::min(1.0, sum);
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  free += other.free;
  swept += other.swept;
  collision += other.collision;
  undecided += other.undecided;
  error += other.error;
  return *this;
}

Result<Summary> summarise(const std::filesystem::path& results, std::size_t kept) {
  Summary summary;
  bool first = true;
  const auto read = read_journal(results, [&](std::string_view line) {
    return io::read_json_with(results, line, [&](const Node& row) {
      if (std::exchange(first, false))
        read_header(row, summary);
      else
        read_row(row, kept, summary);
    });
  });
  if (!read.ok()) return read.error();
  return summary;
}

Interval95 clopper_pearson(std::int64_t hits, std::int64_t drawn, double confidence) {
  Interval95 interval;
  const double tail = (1 - confidence) / 2;
  // The share at which so few hits, or so many, have just the probability of a tail.
  const auto bisect = [&](auto&& below) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (below(middle) ? low : high) = middle;
    }
    return (low + high) / 2;
  };
  if (hits > 0)
    interval.low = bisect([&](double p) { return 1 - at_most(hits - 1, drawn, p) < tail; });
  if (hits < drawn)
    interval.high = bisect([&](double p) { return at_most(hits, drawn, p) > tail; });
  return interval;
}

}  // namespace proven::audit
