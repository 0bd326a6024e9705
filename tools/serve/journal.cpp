#include "tools/serve/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <unordered_map>

#include "tools/view/document.h"
#include "tools/view/scene_json.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
// Beyond so many edits that nobody has been told of yet, several are told as one.
constexpr int kMostEditsWaiting = 16;

std::vector<double> as_vector(std::span<const double> values) {
  return {values.begin(), values.end()};
}

bool same_pose(const Pose& a, const Pose& b) {
  for (int i = 0; i < 3; ++i) {
    if (a.p[i] != b.p[i]) return false;
    for (int j = 0; j < 3; ++j)
      if (a.R(i, j) != b.R(i, j)) return false;
  }
  return true;
}

// Bodies that are new, moved or of another shape, and the names of those that went.
void add_changes(const Scene& before, const Scene& after, Json& line) {
  std::unordered_map<std::string_view, const Body*> old;
  for (const Body& body : before.bodies()) old.emplace(body.name, &body);
  line["bodies"] = Json::array();
  for (const Body& body : after.bodies()) {
    const auto found = old.find(body.name);
    const Body* was = found == old.end() ? nullptr : found->second;
    if (was) old.erase(found);
    const bool same_shape = was && was->geometry == body.geometry;
    if (same_shape && was->link == body.link && was->grows == body.grows &&
        same_pose(was->X_LB, body.X_LB))
      continue;
    Json json = body_json(after, body);
    if (!same_shape) json["mesh"] = mesh_json(*body.geometry);
    line["bodies"].push_back(std::move(json));
  }
  line["gone"] = Json::array();
  for (const Body& body : before.bodies())
    if (old.contains(body.name)) line["gone"].push_back(body.name);
}

}  // namespace

std::optional<std::string> Follower::next(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return ended_ || !lines_.empty(); });
  if (lines_.empty()) return std::nullopt;
  const auto line = std::move(lines_.front());
  lines_.pop_front();
  bytes_ -= line->size();
  return *line;
}

bool Follower::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_ && lines_.empty();
}

Journal::Journal(World& world, std::string title) : title_(std::move(title)), told_(world.now()) {
  world.on_edit([this](std::shared_ptr<const Snapshot> snapshot) {
    tell({seconds(), std::move(snapshot), {}});
  });
  thread_ = std::thread([this] { work(); });
}

Journal::~Journal() {
  end();
}

void Journal::end() {
  {
    const std::lock_guard lock(queue_mutex_);
    ending_ = true;
  }
  queue_changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

double Journal::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void Journal::tell(Happened happened) {
  {
    std::unique_lock lock(queue_mutex_);
    if (ending_) never_.wait(lock, [] { return false; });
    if (happened.snapshot) ++edits_waiting_;
    queue_.push_back(std::move(happened));
  }
  queue_changed_.notify_one();
}

void Journal::motion(std::int64_t client, const std::string& name, Json motion) {
  Json line = {{"event", "motion"}, {"client", client}, {"name", name}};
  line["motion"] = std::move(motion);
  tell({seconds(), nullptr, std::move(line)});
}

void Journal::stands(std::int64_t client, const std::string& name, Json state,
                     std::span<const double> place) {
  Json line = {{"event", "stands"}, {"client", client}, {"name", name}};
  line.update(state);
  line["place"] = as_vector(place);
  tell({seconds(), nullptr, std::move(line)});
}

void Journal::dropped(std::int64_t client, const std::string& name) {
  tell({seconds(), nullptr, {{"event", "drop"}, {"client", client}, {"name", name}}});
}

void Journal::left(std::int64_t client) {
  tell({seconds(), nullptr, {{"event", "left"}, {"client", client}}});
}

void Journal::asked(std::int64_t client, Json about) {
  if (num_followers_ == 0) return;
  Json line = {{"event", "asked"}, {"client", client}};
  line.update(about);
  tell({seconds(), nullptr, std::move(line)});
}

void Journal::work() {
  while (true) {
    Happened happened;
    bool skip = false;
    {
      std::unique_lock lock(queue_mutex_);
      queue_changed_.wait(lock, [&] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) break;
      happened = std::move(queue_.front());
      queue_.pop_front();
      if (happened.snapshot) skip = edits_waiting_-- > kMostEditsWaiting;
    }
    const std::lock_guard lock(told_mutex_);
    if (happened.snapshot) {
      // What is skipped here is part of the next difference.
      if (!skip) tell_edit(happened);
      continue;
    }
    Json line = {{"time", happened.time}};
    line.update(happened.line);
    const auto kind = line["event"].get<std::string>();
    if (kind == "left") {
      const auto client = line["client"].get<std::int64_t>();
      std::erase_if(monitors_, [&](const auto& known) { return known.first.first == client; });
    } else if (kind != "asked") {
      const Key key = {line["client"].get<std::int64_t>(), line["name"].get<std::string>()};
      if (kind == "motion") monitors_[key] = {line, {}};
      if (kind == "stands") monitors_[key].stands = line;
      if (kind == "drop") monitors_.erase(key);
    }
    send(line);
  }
  const std::lock_guard lock(told_mutex_);
  send({{"time", seconds()}, {"event", "end"}, {"reason", "the server ended"}});
  for (const auto& follower : followers_) {
    const std::lock_guard one(follower->mutex_);
    follower->ended_ = true;
    follower->changed_.notify_all();
  }
}

void Journal::tell_edit(const Happened& edit) {
  const auto before = std::exchange(told_, edit.snapshot);
  if (followers_.empty()) return;
  const Scene& scene = told_->scene();
  Json line = {{"time", edit.time},
               {"event", "edit"},
               {"version", told_->version},
               {"hash", scene.hash().hex()}};
  add_changes(before->scene(), scene, line);
  if (Json frames = frames_json(scene); frames != frames_json(before->scene()))
    line["frames"] = std::move(frames);
  send(line);
}

Json Journal::first_line() const {
  ViewDocument document(title_);
  document.set_scene(told_->scene(), size_of(told_->scene()));
  document.json().erase("motions");
  return {{"proven_session", kFormat},
          {"time", seconds()},
          {"version", told_->version},
          {"hash", told_->scene().hash().hex()},
          {"document", std::move(document.json())}};
}

std::shared_ptr<Follower> Journal::follow() {
  const std::lock_guard lock(told_mutex_);
  auto follower = std::make_shared<Follower>();
  const auto add = [&](Json line) {
    line["time"] = seconds();
    follower->lines_.push_back(std::make_shared<const std::string>(line.dump()));
    follower->bytes_ += follower->lines_.back()->size();
  };
  add(first_line());
  for (const auto& [key, known] : monitors_) {
    if (!known.motion.is_null()) add(known.motion);
    if (!known.stands.is_null()) add(known.stands);
  }
  followers_.push_back(follower);
  num_followers_ = static_cast<int>(followers_.size());
  return follower;
}

void Journal::send(const Json& line) {
  if (followers_.empty()) return;
  const auto text = std::make_shared<const std::string>(line.dump());
  std::erase_if(followers_, [&](const std::shared_ptr<Follower>& follower) {
    if (follower.use_count() == 1) return true;  // nobody holds it any more
    const std::lock_guard lock(follower->mutex_);
    follower->lines_.push_back(text);
    follower->bytes_ += text->size();
    follower->ended_ = follower->bytes_ > Follower::kMostBytes;
    follower->changed_.notify_all();
    return follower->ended_;
  });
  num_followers_ = static_cast<int>(followers_.size());
}

struct Recorder::State {
  int file = -1;
  std::size_t written = 0, most = 0;
  std::shared_ptr<Follower> follower;
  std::thread thread;

  bool write(std::string line) {
    line += '\n';
    std::span<const char> rest = line;
    while (!rest.empty()) {
      const ssize_t some = ::write(file, rest.data(), rest.size());
      if (some < 0 && errno == EINTR) continue;
      if (some <= 0) return false;
      rest = rest.subspan(static_cast<std::size_t>(some));
    }
    written += line.size();
    return true;
  }

  void work() {
    constexpr std::chrono::milliseconds kPatience{1000};
    double time = 0;
    while (!follower->ended()) {
      auto line = follower->next(kPatience);
      if (!line) continue;
      // All lines have their time in front; the last one is written whatever the limit.
      const auto at = line->find("\"time\":");
      if (at != std::string::npos) time = std::strtod(line->c_str() + at + 7, nullptr);
      if (written + line->size() + 1 > most) {
        write(fmt::format(
            "{{\"time\":{},\"event\":\"end\",\"reason\":\"the recording has reached its limit "
            "of {} MB\"}}",
            time, most >> 20));
        break;
      }
      if (!write(std::move(*line))) break;
    }
    follower.reset();  // no more lines are kept for it
  }
};

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recorder::Recorder(Recorder&&) noexcept = default;

Result<Recorder> Recorder::open(const std::string& path, Journal& journal, std::size_t most_bytes) {
  auto state = std::make_unique<State>();
  constexpr int kMode = 0644;
  state->file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, kMode);
  if (state->file < 0)
    return bad_input(fmt::format("cannot be written: {}", std::strerror(errno)), path);
  state->most = most_bytes;
  state->follower = journal.follow();
  state->thread = std::thread([raw = state.get()] { raw->work(); });
  return Recorder(std::move(state));
}

// The journal has ended before: its last line is in the file.
Recorder::~Recorder() {
  if (!state_) return;
  state_->thread.join();
  ::close(state_->file);
}

}  // namespace proven::tools
