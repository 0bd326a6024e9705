#include "tools/view/session.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "proven/base/failure.h"
#include "proven/io/document.h"
#include "proven/io/file.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
using io::Node;

constexpr std::string_view kFirstKey = "{\"proven_session\":";
constexpr long kMost = std::int64_t{1} << 53;

// Reads line after line, and remembers what the next one may speak of.
class Reader {
 public:
  void read_first(const Node& line) {
    line.allow_keys({"proven_session", "time", "version", "hash", "document"});
    if (line.at("proven_session").integer(0, kMost) != 1)
      line.at("proven_session").fail("this program reads recordings of version 1");
    take_time(line);
    version_ = line.at("version").integer(0, kMost);
    line.at("hash").string();
    const Node& document = line.at("document");
    num_coordinates_ = document.at("channels").array().size();
    num_frames_ = document.at("frames").array().size();
    if (num_frames_ == 0) document.at("frames").fail("there is at least the world");
    const auto num_meshes = static_cast<long>(document.at("meshes").array().size());
    for (const Node& body : document.at("bodies").array()) {
      body.at("mesh").integer(0, num_meshes - 1);
      take_body(body);
    }
  }

  void read(const Node& line) {
    if (ended_) line.fail("nothing follows the end");
    take_time(line);
    static constexpr std::string_view kEvents[] = {"edit", "motion", "stands", "drop",
                                                   "left", "asked",  "end"};
    switch (line.at("event").index_in(kEvents)) {
      case 0:
        return read_edit(line);
      case 1:
        return read_motion(line);
      case 2:
        return read_stands(line);
      case 3:
        line.allow_keys({"time", "event", "client", "name"});
        monitors_.erase(key_of(line));
        return;
      case 4:
        line.allow_keys({"time", "event", "client"});
        std::erase_if(monitors_, [client = line.at("client").integer(0, kMost)](const auto& m) {
          return m.first.first == client;
        });
        return;
      case 5:
        line.allow_keys(
            {"time", "event", "client", "do", "version", "verdict", "status", "reason"});
        line.at("do").string();
        line.at("client").integer(0, kMost);
        return;
      default:
        line.allow_keys({"time", "event", "reason"});
        line.at("reason").string();
        ended_ = true;
    }
  }

 private:
  using Key = std::pair<long, std::string>;

  void take_time(const Node& line) {
    const double time = line.at("time").nonnegative_number();
    if (time < time_) line.at("time").fail(fmt::format("time goes back: it was {}", time_));
    time_ = time;
  }

  Key key_of(const Node& line) const {
    return {line.at("client").integer(0, kMost), line.at("name").string()};
  }

  void take_body(const Node& body) {
    body.allow_keys({"name", "frame", "pose", "kind", "group", "mesh", "grows"});
    body.at("frame").integer(0, static_cast<long>(num_frames_) - 1);
    if (body.at("pose").numbers().size() != 12) body.at("pose").fail("expected twelve numbers");
    static constexpr std::string_view kKinds[] = {"robot", "obstacle", "attached"};
    body.at("kind").index_in(kKinds);
    bodies_.insert(body.at("name").string());
  }

  void read_edit(const Node& line) {
    line.allow_keys({"time", "event", "version", "hash", "bodies", "gone", "frames"});
    const long version = line.at("version").integer(0, kMost);
    if (version <= version_)
      line.at("version").fail(fmt::format("versions grow: it was {}", version_));
    version_ = version;
    line.at("hash").string();
    if (const Node* frames = line.find("frames")) num_frames_ = frames->array().size();
    for (const Node& name : line.at("gone").array())
      if (bodies_.erase(name.string()) == 0) name.fail("there is no such body");
    for (const Node& body : line.at("bodies").array()) {
      if (!body.find("mesh") && !bodies_.contains(body.at("name").string()))
        body.fail("a new body has a mesh");
      take_body(body);
    }
  }

  void read_motion(const Node& line) {
    line.allow_keys({"time", "event", "client", "name", "motion"});
    const Node& motion = line.at("motion");
    motion.allow_keys({"knots", "unit", "values", "curve", "clock", "degrees", "inner"});
    motion.at("values").string();
    const auto knots = motion.at("knots").numbers();
    for (std::size_t i = 1; i < knots.size(); ++i)
      if (!(knots[i - 1] < knots[i])) motion.at("knots").fail("times of waypoints grow");
    if (knots.size() < 2) motion.at("knots").fail("a motion has two waypoints or more");
    monitors_[key_of(line)] = static_cast<long>(knots.size()) - 1;
  }

  void read_place(const Node& place, long segments, std::string_view last) {
    place.allow_keys({"segment", "t", "configuration", "pair", "points", "distance", last});
    place.at("segment").integer(0, segments - 1);
    place.at("t").number();
    place.at(last).string();
    configuration(place.at("configuration"));
    if (const Node* pair = place.find("pair")) {
      pair->array_of(2);
      for (const Node& name : pair->array()) name.string();
      for (const Node& point : place.at("points").array_of(2)) point.vec3();
    }
  }

  void configuration(const Node& q) const {
    if (q.numbers().size() != num_coordinates_)
      q.fail(fmt::format("expected {} numbers", num_coordinates_));
  }

  void read_stands(const Node& line) {
    line.allow_keys({"time", "event", "client", "name", "version", "verdict", "ahead", "segments",
                     "fell", "undecided", "place"});
    const auto found = monitors_.find(key_of(line));
    if (found == monitors_.end()) line.fail("nothing was said of its motion");
    const long segments = line.at("segments").integer(1, kMost);
    if (segments != found->second)
      line.at("segments").fail(fmt::format("its motion has {}", found->second));
    line.at("version").integer(0, kMost);
    static constexpr std::string_view kVerdicts[] = {"free", "collision", "undecided"};
    line.at("verdict").index_in(kVerdicts);
    line.at("ahead").allow_keys({"segment", "t"});
    line.at("ahead").at("segment").integer(0, segments - 1);
    line.at("ahead").at("t").number();
    for (const Node& place : line.at("fell").array()) read_place(place, segments, "kind");
    for (const Node& place : line.at("undecided").array()) read_place(place, segments, "reason");
    configuration(line.at("place"));
  }

  double time_ = 0;
  long version_ = 0;
  std::size_t num_coordinates_ = 0, num_frames_ = 0;
  std::set<std::string> bodies_;
  std::map<Key, long> monitors_;  // and how many segments they have
  bool ended_ = false;
};

}  // namespace

bool is_session(const std::filesystem::path& file) {
  const auto text = read_file(file);
  return text.ok() && text.value().starts_with(kFirstKey);
}

Result<ViewDocument> load_session(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text.ok()) return text.error();
  Json lines = Json::array();
  std::string title;
  std::string_view rest = text.value();
  try {
    Reader reader;
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end + 1);
      const io::Document parsed = io::parse_json(file, line, static_cast<long>(lines.size()) + 1);
      if (lines.empty()) {
        reader.read_first(parsed.root());
        title = parsed.root().at("document").at("title").string();
      } else {
        reader.read(parsed.root());
      }
      lines.push_back(line);
    }
  } catch (const Failure& failure) {
    return failure.error();
  }
  if (lines.empty()) return bad_input("the recording has no whole line", file.string());
  ViewDocument document(title);
  if (!rest.empty())
    document.json()["warnings"].push_back(
        "The recording ends in the middle of a line: the server was killed.");
  document.json()["session"] = {{"lines", std::move(lines)}};
  return document;
}

}  // namespace proven::tools
