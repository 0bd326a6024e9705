#include "tools/serve/door.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string_view>

namespace proven::tools {

std::unique_ptr<Door::Place> Door::arrive(int descriptor) {
  std::unique_ptr<Place> place(new Place(shared_from_this()));
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMostWaiting) {
    constexpr std::string_view kGo =
        "{\"id\":null,\"ok\":false,\"error\":\"too many connections wait without a first message, "
        "and this one has waited longest\"}\n";
    Place& oldest = *waiting_.front();
    (void)!::send(oldest.watched_, kGo.data(), kGo.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    ::shutdown(oldest.watched_, SHUT_RDWR);
    stop_waiting(oldest);
  }
  place->watched_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  waiting_.push_back(place.get());
  return place;
}

void Door::stop_waiting(Place& place) {
  waiting_.remove(&place);
  if (place.watched_ >= 0) ::close(place.watched_);
  place.watched_ = -1;
}

bool Door::Place::admit() {
  const std::lock_guard lock(door_->mutex_);
  door_->stop_waiting(*this);
  if (admitted_ || door_->clients_ >= kMostClients) return admitted_;
  ++door_->clients_;
  return admitted_ = true;
}

Door::Place::~Place() {
  const std::lock_guard lock(door_->mutex_);
  door_->stop_waiting(*this);
  if (admitted_) --door_->clients_;
}

}  // namespace proven::tools
