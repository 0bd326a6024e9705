// Roadmaps as text.
#include <fmt/format.h>

#include <algorithm>

#include "plan/roadmap_state.h"
#include "proven/base/numbers.h"

namespace proven {
namespace {

constexpr std::string_view kHeader = "proven-roadmap 2";
constexpr std::string_view kStates[] = {"unknown", "clear", "blocked"};

// Words of the text, line by line.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool next_line() {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line_ = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    return true;
  }
  std::string_view line() const { return line_; }
  std::string_view word() {
    const std::size_t begin = std::min(line_.find_first_not_of(' '), line_.size());
    const std::size_t end = std::min(line_.find(' ', begin), line_.size());
    const std::string_view found = line_.substr(begin, end - begin);
    line_.remove_prefix(end);
    return found;
  }
  bool rest_is_empty() const { return line_.find_first_not_of(' ') == std::string_view::npos; }
  Error fail(std::string what) const {
    return bad_input(std::move(what), fmt::format("roadmap, line {}", number_));
  }

 private:
  std::string_view text_, line_;
  std::size_t at_ = 0;
  int number_ = 0;
};

// "keyword words..."; the words are left in the reader.
Result<void> expect(Reader& reader, std::string_view keyword) {
  if (!reader.next_line() || reader.word() != keyword)
    return reader.fail(fmt::format("expected a line '{} …'", keyword));
  return {};
}

Result<std::vector<double>> read_numbers(Reader& reader) {
  std::vector<double> numbers;
  while (!reader.rest_is_empty()) {
    const std::string_view word = reader.word();
    const auto number = parse_double(word);
    if (!number) return reader.fail(fmt::format("'{}' is not a number", word));
    numbers.push_back(*number);
  }
  return numbers;
}

Result<long> read_count(Reader& reader, std::string_view keyword, long most) {
  if (auto line = expect(reader, keyword); !line.ok()) return line.error();
  const auto count = parse_integer(reader.word());
  if (!count || *count < 0 || *count > most || !reader.rest_is_empty())
    return reader.fail(fmt::format("'{}' takes a number from 0 to {}", keyword, most));
  return *count;
}

}  // namespace

std::string Roadmap::to_text() const {
  const State& s = *state_;
  std::string text = fmt::format(
      "{}\nscene {}\ncheck {} {:.17g} {:.17g} {:.17g} {:.17g}\nneighbours {}\nplanned", kHeader,
      s.scene_hash.hex(), to_string(s.check.checker), s.check.clearance.world,
      s.check.clearance.robots, s.check.clearance.self, s.check.clearance.attached, s.neighbours);
  for (const int c : s.graph.planned) text += fmt::format(" {}", c);
  text += "\nrest";
  for (const double value : s.graph.rest) text += fmt::format(" {:.17g}", value);
  text += fmt::format("\nnodes {}\n", num_nodes());
  for (int i = 0; i < num_nodes(); ++i) {
    std::string separator;
    for (const double value : node(i)) {
      text += fmt::format("{}{:.17g}", separator, value);
      separator = " ";
    }
    text += "\n";
  }
  text += fmt::format("edges {}\n", s.graph.num_edges());
  for (const Edge& e : edges())
    text += fmt::format("{} {} {}\n", e.a, e.b, kStates[static_cast<std::size_t>(e.state)]);
  return text;
}

namespace {

Result<void> read_head(Reader& reader, const Scene& scene, const CheckOptions& check,
                       Roadmap::State& state) {
  if (!reader.next_line() || reader.line() != kHeader)
    return reader.fail(fmt::format("a roadmap begins with '{}'", kHeader));
  if (auto line = expect(reader, "scene"); !line.ok()) return line.error();
  if (reader.word() != scene.hash().hex())
    return reader.fail("the roadmap was built for another scene");
  if (auto line = expect(reader, "check"); !line.ok()) return line.error();
  const std::string_view checker = reader.word();
  state.check = check;
  Clearances& kept = state.check.clearance;
  const Clearances& asked = check.clearance;
  bool enough = checker != to_string(Checker::fixed);
  for (const auto& [metres, least] :
       {std::pair(&kept.world, asked.world), std::pair(&kept.robots, asked.robots),
        std::pair(&kept.self, asked.self), std::pair(&kept.attached, asked.attached)}) {
    const auto read = parse_double(reader.word());
    enough = enough && read && *read >= least;
    if (read) *metres = *read;
  }
  if (!enough)
    return reader.fail(
        fmt::format("the roadmap was proved by '{}' with less clearance than asked for", checker));
  const auto neighbours = read_count(reader, "neighbours", 1'000'000);
  if (!neighbours.ok()) return neighbours.error();
  state.neighbours = static_cast<int>(neighbours.value());
  if (auto line = expect(reader, "planned"); !line.ok()) return line.error();
  const auto planned = read_numbers(reader);
  if (!planned.ok()) return planned.error();
  if (auto line = expect(reader, "rest"); !line.ok()) return line.error();
  const auto rest = read_numbers(reader);
  if (!rest.ok()) return rest.error();
  const std::vector<int> coordinates(planned.value().begin(), planned.value().end());
  if (auto ready = prepare_roadmap(scene, coordinates, rest.value(), state); !ready.ok())
    return reader.fail(ready.error().message);
  return {};
}

Result<void> read_nodes(Reader& reader, Roadmap::State& state) {
  const auto count = read_count(reader, "nodes", 100'000'000);
  if (!count.ok()) return count.error();
  for (long i = 0; i < count.value(); ++i) {
    if (!reader.next_line()) return reader.fail("nodes are missing");
    const auto values = read_numbers(reader);
    if (!values.ok()) return values.error();
    if (values.value().size() != state.graph.planned.size())
      return reader.fail(fmt::format("a node has {} values", state.graph.dimension()));
    state.graph.add_node(values.value());
  }
  return {};
}

Result<void> read_edges(Reader& reader, Roadmap::State& state) {
  const auto count = read_count(reader, "edges", 1'000'000'000);
  if (!count.ok()) return count.error();
  const long nodes = state.graph.num_nodes();
  for (long i = 0; i < count.value(); ++i) {
    if (!reader.next_line()) return reader.fail("edges are missing");
    const auto a = parse_integer(reader.word()), b = parse_integer(reader.word());
    const auto found = std::ranges::find(kStates, reader.word());
    if (!a || !b || *a < 0 || *b <= *a || *b >= nodes || found == std::end(kStates))
      return reader.fail("an edge is 'a b state' with nodes a < b");
    state.graph.edges.push_back({static_cast<std::uint32_t>(*a), static_cast<std::uint32_t>(*b)});
    state.states.push_back(static_cast<EdgeState>(found - std::begin(kStates)));
  }
  return {};
}

}  // namespace

Result<Roadmap> Roadmap::from_text(const Scene& scene, std::string_view text,
                                   const CheckOptions& check) {
  Reader reader(text);
  auto state = std::make_unique<State>();
  if (auto done = read_head(reader, scene, check, *state); !done.ok()) return done.error();
  if (auto done = read_nodes(reader, *state); !done.ok()) return done.error();
  if (auto done = read_edges(reader, *state); !done.ok()) return done.error();
  return Roadmap(std::move(state));
}

}  // namespace proven
