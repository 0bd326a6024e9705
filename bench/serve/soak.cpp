// A server under many clients for a long time: edits, clouds, checks, plans, monitors, cancels,
// broken messages, clients and servers that are killed. Every answer is compared with the
// library's own on the scene of the version that it names.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "bench/bench.h"
#include "bench/serve/wire.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "proven/kinematics/interpolation.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Edit = std::function<Result<Scene>(const Scene&)>;

constexpr const char* kScene = "demo";
constexpr int kClients = 4;
constexpr int kThings = 6;    // of each client, at most
constexpr double kRate = 20;  // requests per second and client
constexpr const char* kFast = "fast";

// What an answer said, to be compared with the library's own.
struct Said {
  std::int64_t version = 0;
  Motion motion;
  std::vector<std::string> verdicts;  // of the motion, or of each segment
  bool by_segment = false;
};

struct Log {
  std::mutex mutex;
  std::map<std::int64_t, Edit> edits;  // by the version that they made
  std::vector<Said> said;
  std::vector<double> latency_ms;
  std::vector<std::int64_t> system, allocated;
  std::atomic<std::int64_t> known = 0;  // versions that some client has heard of
  std::atomic<std::int64_t> requests = 0, checks = 0, plans = 0, statuses = 0, cancels = 0,
                            broken = 0, kills = 0, events = 0, stale = 0, wrong = 0;
  std::string first_wrong;

  void note_wrong(const std::string& what) {
    ++wrong;
    const std::lock_guard lock(mutex);
    if (first_wrong.empty()) first_wrong = what;
  }
};

Json pose_json(const Vec3& p) {
  return {{"xyz", {p.x, p.y, p.z}}};
}

Json path_json(const Scene& scene, const Motion& motion) {
  Json joints = Json::array();
  for (const Coordinate& c : scene.tree().coordinates()) joints.push_back(c.name);
  return {{"proven", 1}, {"joints", joints}, {"waypoints", motion.waypoints}};
}

class SoakClient {
 public:
  // `rate`: requests per second; 0: each at once when the one before is answered.
  SoakClient(std::string socket, const Scene& scene, int number, std::uint64_t seed, double rate,
             Log& log)
      : socket_(std::move(socket)),
        scene_(scene),
        number_(number),
        random_(seed),
        rate_(rate),
        log_(log) {}

  // Until `stop`, or the server is gone.
  void run(const std::atomic<bool>& stop) {
    wire_.emplace(Wire::open(socket_).value());
    watched_ = random_motion(4);
    if (!ask({{"do", "monitor"}, {"name", "job"}, {"path", path_json(scene_, watched_)}})) return;
    auto next = Clock::now();
    while (!stop && act()) {
      if (rate_ <= 0) continue;
      next += std::chrono::microseconds(static_cast<int>(1e6 / rate_));
      std::this_thread::sleep_until(next);
    }
  }

 private:
  Motion random_motion(int segments) {
    Motion motion;
    motion.waypoints.push_back(random_configuration(scene_.tree(), random_));
    while (motion.num_segments() < segments) {
      const auto& last = motion.waypoints.back();
      std::vector<double> q(last.size());
      interpolate(scene_.tree(), last, random_configuration(scene_.tree(), random_), 0.15, q);
      motion.waypoints.push_back(q);
    }
    return motion;
  }
  Vec3 random_place() {
    return {random_.uniform(-1.2, 1.2), random_.uniform(-1.2, 1.2), random_.uniform(0, 1.5)};
  }

  // Sends, reads up to the answer, and sees that it is not about an older scene than was known.
  std::optional<Json> ask(Json message, const std::string& frame = {}) {
    const std::int64_t known = log_.known;
    const std::int64_t id = ++id_;
    message["id"] = id;
    if (!frame.empty()) message["bytes"] = frame.size();
    ++log_.requests;
    if (!wire_->send(message.dump() + "\n" + frame)) return std::nullopt;
    auto answer = read_answer(id);
    if (!answer) return std::nullopt;
    if (answer->contains("version")) {
      const std::int64_t version = (*answer)["version"];
      if (version < known) ++log_.stale;
      std::int64_t before = log_.known;
      while (before < version && !log_.known.compare_exchange_weak(before, version)) {
      }
    }
    const std::lock_guard lock(log_.mutex);
    log_.latency_ms.push_back((*answer)["ms"]["total"]);
    return answer;
  }
  std::optional<Json> read_answer(std::int64_t id) {
    while (auto answer = wire_->read()) {
      if (answer->contains("event")) {
        ++log_.events;
        note_status(*answer);
        continue;
      }
      if ((*answer)["id"] == id) return answer;
    }
    return std::nullopt;
  }

  bool act() {
    switch (random_.index(12)) {
      case 0:
      case 1:
      case 2:
        return edit();
      case 3:
        return put_cloud();
      case 4:
      case 5:
        return check();
      case 6:
        return plan();
      case 7:
        return status();
      case 8:
        return cancel();
      case 9:
        return send_broken();
      case 10:
        return kill_in_the_middle();
      default:
        return stats();
    }
  }

  std::string thing(int k) const { return fmt::format("c{}-{}", number_, k); }

  bool apply(const Json& edits, Edit edit, const std::string& frame = {}) {
    const auto answer = ask({{"do", "edit"}, {"edits", edits}}, frame);
    if (!answer) return false;
    if (!(*answer)["ok"]) {
      log_.note_wrong("an edit was refused: " + answer->dump());
      return true;
    }
    const std::lock_guard lock(log_.mutex);
    log_.edits[(*answer)["version"]] = std::move(edit);
    return true;
  }

  // Two things at once: one comes, or moves, or goes, and the clearance changes now and then.
  bool edit() {
    const int k = random_.index(kThings);
    const std::string name = thing(k);
    const Vec3 p = random_place(), half = 0.5 * Vec3{random_.uniform(0.05, 0.2), 0.1, 0.15};
    const Pose X = Pose::translation(p);
    if (!there_[k]) {
      there_[k] = true;
      return apply({{{"add",
                      {{"name", name},
                       {"box", {2 * half.x, 2 * half.y, 2 * half.z}},
                       {"pose", pose_json(p)}}}}},
                   [=](const Scene& s) {
                     return s.with_obstacle({name, {{Box{half}, {}, ""}}, X});
                   });
    }
    if (random_.index(4) == 0) {
      there_[k] = false;
      return apply({{{"remove", name}}}, [=](const Scene& s) { return s.without(name); });
    }
    const double clearance = 0.002 * random_.index(3);
    return apply({{{"move", {{"name", name}, {"pose", pose_json(p)}}}}, {{"clearance", clearance}}},
                 [=](const Scene& s) -> Result<Scene> {
                   auto moved = s.with_pose(name, X);
                   if (!moved.ok()) return moved;
                   return moved.value().with_clearance(Clearances(clearance));
                 });
  }

  bool put_cloud() {
    const std::string name = fmt::format("c{}-cloud", number_);
    const Vec3 p = random_place();
    std::vector<float> xyz;
    auto cloud = std::make_shared<PointCloud>();
    cloud->radius = 0.01;
    for (int i = 0; i < 2000; ++i) {
      Vec3& x = cloud->points.emplace_back();
      for (int k = 0; k < 3; ++k) {
        xyz.push_back(static_cast<float>(random_.uniform(-0.1, 0.1)));
        x[k] = static_cast<double>(xyz.back());
      }
    }
    const std::shared_ptr<const PointCloud> seen = cloud;
    std::string frame(xyz.size() * sizeof(float), '\0');
    std::memcpy(frame.data(), xyz.data(), frame.size());
    const Json points = {{"type", "float32"}, {"count", 2000}};
    return apply(
        {{{"put",
           {{"name", name},
            {"cloud", {{"points", points}, {"radius", 0.01}}},
            {"pose", pose_json(p)}}}}},
        [=](const Scene& s) -> Result<Scene> {
          const auto without = s.find_body(name) >= 0 ? s.without(name) : Result<Scene>(s);
          if (!without.ok()) return without;
          return without.value().with_obstacle({name, {{seen, {}, ""}}, Pose::translation(p)});
        },
        frame);
  }

  bool check() {
    ++log_.checks;
    const Motion motion = random_motion(2);
    const auto answer = ask({{"do", "check"}, {"path", path_json(scene_, motion)}});
    if (!answer) return false;
    note({(*answer)["version"], motion, {(*answer)["verdict"]}, false});
    return true;
  }

  bool plan() {
    ++log_.plans;
    const Motion ends = random_motion(1);
    Json query = path_json(scene_, ends);
    query.erase("waypoints");
    query["start"] = ends.waypoints[0];
    query["goal"] = ends.waypoints[1];
    const auto answer = ask({{"do", "plan"}, {"query", query}, {"budget", 0.2}});
    if (!answer) return false;
    if (!(*answer)["ok"]) log_.note_wrong("a plan was refused: " + answer->dump());
    if ((*answer)["ok"] && (*answer)["status"] == "solved") {
      Motion path;
      path.waypoints = (*answer)["path"]["waypoints"];
      note({(*answer)["version"], path, {"free"}, false});
    }
    return true;
  }

  void note_status(const Json& state) {
    if (state.contains("error")) return log_.note_wrong("a monitor failed: " + state.dump());
    Said said{state["version"], watched_, std::vector<std::string>(4, "free"), true};
    for (const auto& [key, verdict] :
         {std::pair("fell", "collision"), std::pair("undecided", "undecided")})
      for (const Json& place : state[key])
        said.verdicts.at(place["segment"].get<std::size_t>()) = verdict;
    note(std::move(said));
  }
  bool status() {
    ++log_.statuses;
    const auto answer = ask({{"do", "status"}, {"name", "job"}});
    if (!answer) return false;
    note_status(*answer);
    return true;
  }

  // A plan that could go on for long, stopped by the next message.
  bool cancel() {
    ++log_.cancels;
    const Motion ends = random_motion(1);
    Json query = path_json(scene_, ends);
    query.erase("waypoints");
    query["start"] = query["goal"] = ends.waypoints[0];
    query["goal"] = ends.waypoints[1];
    const std::int64_t id = ++id_, stop = ++id_;
    const Json asked = {{"id", id},       {"do", "plan"},   {"query", query},
                        {"margin", 0.05}, {"smooth", true}, {"budget", 60}};
    const Json cancel = {{"id", stop}, {"do", "cancel"}, {"request", id}};
    const auto begin = Clock::now();
    if (!wire_->send(asked.dump() + "\n" + cancel.dump() + "\n")) return false;
    for (int answers = 0; answers < 2;) {
      const auto answer = wire_->read();
      if (!answer) return false;
      if (answer->contains("event"))
        note_status(*answer);
      else
        ++answers;
    }
    if (std::chrono::duration<double>(Clock::now() - begin).count() > 5)
      log_.note_wrong("a plan that was cancelled took more than 5 s");
    return true;
  }

  bool send_broken() {
    ++log_.broken;
    static const std::vector<std::string> kBroken = {
        "{\"id\": 1, \"do\": \"edit\"",
        "no JSON at all",
        "{\"do\": \"edit\", \"edits\": [{\"add\": {\"name\": \"x\", \"box\": [1, 1, 1]}}], \"x\": "
        "1}",
        "{\"do\": \"edit\", \"edits\": [{\"add\": {\"name\": \"x\", \"box\": [1, 1, 1]}}, "
        "{\"move\": {\"name\": \"nobody\", \"pose\": {}}}]}",
        "{\"do\": \"edit\", \"edits\": [{\"add\": {\"name\": \"x\", \"box\": [1, 1, 1], \"pose\": "
        "{\"quaternion\": [0, 0, 0, 2]}}}]}",
        "{\"do\": \"edit\", \"edits\": [{\"add\": {\"name\": \"x\", \"box\": [1, 1, -1]}}]}",
        "{\"do\": \"edit\", \"edits\": [{\"ad\": {\"name\": \"x\", \"box\": [1, 1, 1]}}]}",
        "{\"do\": \"chek\"}",
        "{\"do\": \"check\", \"path\": {}}",
        "[1, 2, 3]"};
    const std::string& text =
        kBroken[static_cast<std::size_t>(random_.index(static_cast<int>(kBroken.size())))];
    if (!wire_->send(text + "\n")) return false;
    while (const auto answer = wire_->read()) {
      if (answer->contains("event")) {
        note_status(*answer);
        continue;
      }
      if ((*answer)["ok"] || !answer->contains("error"))
        log_.note_wrong("a broken message was taken: " + text);
      return true;
    }
    return false;
  }

  // Another client, which leaves in the middle of a message or while its request is at work.
  bool kill_in_the_middle() {
    ++log_.kills;
    auto other = Wire::open(socket_);
    if (!other) return false;
    const std::string half =
        "{\"do\": \"edit\", \"edits\": [{\"add\": {\"name\": \"never\", \"box\": [1, 1, 1]}}]}";
    if (random_.index(2) == 0) return other->send(half.substr(0, half.size() / 2)), true;
    if (random_.index(2) == 0)
      return other->send(
                 "{\"do\": \"edit\", \"bytes\": 1200, \"edits\": [{\"put\": {\"name\": \"never\", "
                 "\"cloud\": {\"points\": {\"type\": \"float32\", \"count\": 100}, \"radius\": "
                 "0.1}}}]}\nabc"),
             true;
    return other->send(
               Json{{"do", "check"}, {"path", path_json(scene_, random_motion(50))}}.dump() + "\n"),
           true;
  }

  bool stats() {
    const auto answer = ask({{"do", "stats"}});
    if (!answer) return false;
    const std::lock_guard lock(log_.mutex);
    log_.system.push_back((*answer)["system_bytes"]);
    log_.allocated.push_back((*answer)["allocated_bytes"]);
    return true;
  }

  void note(Said said) {
    const std::lock_guard lock(log_.mutex);
    log_.said.push_back(std::move(said));
  }

  std::string socket_;
  const Scene& scene_;
  int number_;
  Random random_;
  double rate_;
  Log& log_;
  std::optional<Wire> wire_;
  Motion watched_;
  std::map<int, bool> there_;
  std::int64_t id_ = 0;
};

// Makes every version again, edit by edit, and asks the library what clients asked the server.
void audit(const Scene& first, Log& log, std::int64_t& compared, std::int64_t& undecided,
           std::array<std::int64_t, 2>& outcomes) {
  std::ranges::stable_sort(log.said, {}, &Said::version);
  CheckModel model = CheckModel::build(first).value();
  Scratch scratch;
  std::int64_t version = 0;
  for (const Said& said : log.said) {
    for (; version < said.version; ++version) {
      const auto edit = log.edits.find(version + 1);
      // The answer to an edit was on its way when the server was killed: what follows is not known.
      if (edit == log.edits.end()) return;
      const auto scene = edit->second(model.scene());
      if (!scene.ok())
        return log.note_wrong("an edit that was taken fails: " + scene.error().text());
      model = model.with_scene(scene.value());
    }
    std::vector<Verdict> own;
    if (said.by_segment)
      for (int i = 0; i < said.motion.num_segments(); ++i) {
        const MotionPiece piece = said.motion.piece(i);
        own.push_back(model.check_segment({piece.from, piece.to}, scratch).verdict);
      }
    else
      own.push_back(model.check(said.motion, scratch).value().verdict);
    for (std::size_t i = 0; i < own.size(); ++i) {
      ++compared;
      ++outcomes[own[i] == Verdict::free ? 0 : 1];
      if (to_string(own[i]) == said.verdicts[i]) continue;
      if (own[i] == Verdict::undecided || said.verdicts[i] == "undecided")
        ++undecided;
      else
        log.note_wrong(fmt::format("version {}: the server said {}, it is {}", version,
                                   said.verdicts[i], to_string(own[i])));
    }
  }
}

double mean(std::span<const std::int64_t> all) {
  double sum = 0;
  for (const std::int64_t x : all) sum += static_cast<double>(x);
  return all.empty() ? 0 : sum / static_cast<double>(all.size());
}

// What the server held over its life, in MB, as means of tenths of it.
std::string over_life(std::span<const std::int64_t> held) {
  constexpr std::size_t kParts = 10;
  std::string text;
  for (std::size_t k = 0; k < kParts; ++k)
    text +=
        fmt::format("{}{:.1f}", k == 0 ? "" : ", ",
                    1e-6 * mean(held.subspan(k * (held.size() / kParts), held.size() / kParts)));
  return text;
}

// One life of a server, until it is killed with all clients at work.
Result<Row> live(const Options& options, int life, double seconds, const std::string& socket,
                 Report& report) {
  const Scene scene = build_scene(make_scene(kScene).value()).value();
  auto server = ServerProcess::start(kScene, socket);
  if (!server.ok()) return server.error();
  Log log;
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int c = 0; c < kClients; ++c)
    threads.emplace_back([&, c] {
      SoakClient(socket, scene, c, options.seed * 1000 + static_cast<std::uint64_t>(10 * life + c),
                 options.set == kFast ? 0 : kRate, log)
          .run(stop);
    });
  const auto begin = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server.value().kill();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  std::int64_t compared = 0, undecided = 0;
  std::array<std::int64_t, 2> outcomes = {};
  audit(scene, log, compared, undecided, outcomes);
  // The first quarter is for what is made once.
  const auto quarter = [](std::span<const std::int64_t> all, std::size_t k) {
    return 1e-6 * mean(all.subspan(k * (all.size() / 4), all.size() / 4));
  };
  const double before = quarter(log.allocated, 1), after = quarter(log.allocated, 3);
  const bool grows = log.allocated.size() >= 8 && after > 1.25 * before + 4;
  const bool idle = log.edits.empty() || compared == 0 || outcomes[0] == 0 || outcomes[1] == 0;
  report.failed = report.failed || log.wrong > 0 || log.stale > 0 || grows || idle ||
                  undecided > compared / 100;
  report.notes.push_back(
      fmt::format("Life {}: MB held in tenths of it: {}.", life + 1, over_life(log.allocated)));
  Row row;
  row.add("life", life + 1)
      .add("seconds", seconds)
      .add("requests", log.requests)
      .add("edits", static_cast<std::int64_t>(log.edits.size()))
      .add("checks", log.checks)
      .add("plans", log.plans)
      .add("cancels", log.cancels)
      .add("events", log.events)
      .add("broken", log.broken)
      .add("killed", log.kills)
      .add("compared", compared)
      .add("free", outcomes[0])
      .add("wrong", log.wrong)
      .add("stale", log.stale)
      .add("ms: median", quantile(log.latency_ms, 0.5))
      .add("ms: 99 %", quantile(log.latency_ms, 0.99))
      .add("ms: most", quantile(log.latency_ms, 1))
      .add("MB: before", before)
      .add("MB: after", after)
      .add("MB: of the system", quarter(log.system, 3));
  if (!log.first_wrong.empty()) row.add("first", log.first_wrong);
  return row;
}

Result<Report> run(const Options& options) {
  // --cases: seconds in all.
  const double seconds = options.cases_or(6, 1800);
  if (!options.set.empty() && options.set != kFast)
    return bad_input("there is one set, 'fast'", options.set);
  const int lives = options.quick ? 2 : options.set == kFast ? 1 : 6;
  const std::string socket =
      (std::filesystem::temp_directory_path() / fmt::format("proven-soak-{}.sock", ::getpid()))
          .string();
  Report report;
  for (int life = 0; life < lives; ++life) {
    auto row = live(options, life, seconds / lives, socket, report);
    if (!row.ok()) return row.error();
    report.rows.push_back(std::move(row).value());
    options.progress((life + 1.0) / lives);
  }
  std::filesystem::remove(socket);
  report.notes.insert(
      report.notes.end(),
      {fmt::format("{} clients, {} on the scene '{}'; --cases says how many seconds in all, --set "
                   "fast sends each request as soon as the one before is answered. Each life ends "
                   "with the server killed while all clients are at work; the next one takes over "
                   "its socket.",
                   kClients,
                   options.set == kFast ? std::string("as fast as answers come")
                                        : fmt::format("{} requests a second each,", kRate),
                   kScene),
       "'killed': further clients that left in the middle of a message or of their request. "
       "'compared': verdicts, of motions, planned paths and monitored segments, against the "
       "library's own on the scene of the version that the answer names. 'stale': answers about an "
       "older version than some client had heard of before it asked.",
       "'ms': latency as the server states it, from the first byte read to the last byte written. "
       "'MB': memory that the server holds, the mean of the second and of the last quarter of its "
       "life; of the system: with what is free and kept for the next use."});
  return report;
}

}  // namespace

Benchmark serve_soak() {
  return {"serve-soak", "The server under many clients, kills and broken messages", run, true};
}

}  // namespace proven::bench
