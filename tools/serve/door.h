// Who has come to a listener and has not said yet who it is, and how many clients there are.
//
// A connection counts as a client from its first message on; on a port that is the hello with the
// token. Until then it waits. Those that wait have a limit of their own, so that they never keep a
// client out: where too many wait, the one that has waited longest has to go.
#pragma once

#include <list>
#include <memory>
#include <mutex>

namespace proven::tools {

class Door : public std::enable_shared_from_this<Door> {
 public:
  static constexpr int kMostClients = 64, kMostWaiting = 32;

  // Of one connection, for as long as it is served. Any thread may use it.
  class Place {
   public:
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    // It has said who it is: it waits no more. False if there is no room for another client.
    bool admit();

   private:
    friend class Door;
    explicit Place(std::shared_ptr<Door> door) : door_(std::move(door)) {}
    std::shared_ptr<Door> door_;
    int watched_ = -1;  // waiting: a descriptor of its own for the same connection
    bool admitted_ = false;
  };

  std::unique_ptr<Place> arrive(int descriptor);

 private:
  void stop_waiting(Place& place);  // with the lock held

  std::mutex mutex_;
  std::list<Place*> waiting_;  // the oldest first
  int clients_ = 0;
};

}  // namespace proven::tools
