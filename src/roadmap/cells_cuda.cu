// Cells on a GPU: a warp for each part of what passes. A room is a stream with memory of its own, so
// that copies of one overlap with the work of others.
#include <cstring>
#include <vector>

#include "proven/base/cuda_calls.h"
#include "roadmap/cells_abi.h"
#include "roadmap/cells_part.h"

namespace proven::roadmap {
namespace {

using cuda::require;

constexpr int kWarps = 4;              // of a block
constexpr std::size_t kPartsEach = 4;  // of a passage, as a rule

struct Work {
  const Passage* passages;
  const CellTask* tasks;
  int num_tasks;
  std::uint64_t* masks;
  std::int64_t words;  // of an item
};

__global__ void __launch_bounds__(32 * kWarps)
    mark_cells(const __grid_constant__ CellTables tables, const __grid_constant__ Work work) {
  __shared__ PartRoom rooms[kWarps];
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int task = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (task >= work.num_tasks) return;
  run_task(tables, work.passages, work.tasks[task], rooms[warp], work.masks, work.words);
}

// The same here and there, which grows.
template <class T>
class Both {
 public:
  Both() = default;
  ~Both() { release(); }
  Both(const Both&) = delete;
  Both& operator=(const Both&) = delete;

  // What was in it is lost. Nothing may be under way.
  void make_room(std::size_t count) {
    release();
    cuda::allocate(there_, count, "memory for cells");
    cuda::allocate_here(here_, count, "memory for copies");
    room_ = count;
  }
  void require_room(std::size_t count) {
    if (count > room_) make_room(2 * count);
  }
  T* here() const { return here_; }
  T* there() const { return there_; }
  void send(std::size_t count, cudaStream_t stream) const {
    require(cudaMemcpyAsync(there_, here_, count * sizeof(T), cudaMemcpyHostToDevice, stream),
            "copying what passes");
  }
  void fetch(std::size_t count, cudaStream_t stream) const {
    require(cudaMemcpyAsync(here_, there_, count * sizeof(T), cudaMemcpyDeviceToHost, stream),
            "copying cells");
  }

 private:
  void release() {
    cudaFree(there_);
    cudaFreeHost(here_);
    here_ = there_ = nullptr;
    room_ = 0;
  }

  T *here_ = nullptr, *there_ = nullptr;
  std::size_t room_ = 0;
};

struct Room {
  cudaStream_t stream = nullptr;
  Both<Passage> passages;
  Both<CellTask> tasks;
  Both<std::uint64_t> masks;
  Room() = default;
  ~Room() {
    if (!stream) return;
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
};

class Opened {
 public:
  Opened(const CellTables& tables, const CellRooms& rooms)
      : t_(tables), words_(static_cast<std::size_t>(rooms.words)), rooms_(rooms.rooms) {
    try {
      cuda::require_gpu();
      copy(t_.points, t_.num_points);
      copy(t_.normals, t_.num_normals);
      copy(t_.parts, t_.num_parts);
      for (Room& room : rooms_) {
        require(cudaStreamCreateWithFlags(&room.stream, cudaStreamNonBlocking), "a stream");
        const auto passages = static_cast<std::size_t>(rooms.passages);
        room.passages.make_room(passages);
        room.tasks.make_room(kPartsEach * passages);
        room.masks.make_room(words_ * static_cast<std::size_t>(rooms.most_items));
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~Opened() { release(); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  void begin(Room& room, const Passage* passages, int num_passages, int num_items) {
    std::size_t num_tasks = 0;
    for (int p = 0; p < num_passages; ++p)
      num_tasks += static_cast<std::size_t>(passages[p].num_parts);
    if (num_tasks > 1u << 30) throw cuda::Failed{cudaErrorInvalidValue, "too many parts at once"};
    const auto count = static_cast<std::size_t>(num_passages);
    room.passages.require_room(count);
    room.tasks.require_room(num_tasks);
    std::memcpy(room.passages.here(), passages, count * sizeof(Passage));
    CellTask* task = room.tasks.here();
    for (int p = 0; p < num_passages; ++p)
      for (int i = 0; i < passages[p].num_parts; ++i) *task++ = {p, passages[p].first_part + i};
    const std::size_t words = words_ * static_cast<std::size_t>(num_items);
    require(cudaMemsetAsync(room.masks.there(), 0, words * sizeof(std::uint64_t), room.stream),
            "clearing cells");
    if (num_tasks > 0) {
      room.passages.send(count, room.stream);
      room.tasks.send(num_tasks, room.stream);
      const int tasks = static_cast<int>(num_tasks);
      mark_cells<<<(tasks + kWarps - 1) / kWarps, 32 * kWarps, 0, room.stream>>>(
          t_, {room.passages.there(), room.tasks.there(), tasks, room.masks.there(),
               static_cast<std::int64_t>(words_)});
      require(cudaGetLastError(), "marking cells");
    }
    room.masks.fetch(words, room.stream);
  }

  const std::uint64_t* finish(const Room& room) const {
    require(cudaStreamSynchronize(room.stream), "marking cells");
    return room.masks.here();
  }

  Room& room(int index) { return rooms_[static_cast<std::size_t>(index)]; }

 private:
  template <class T>
  void copy(const T*& array, int count) {
    T* there = nullptr;
    cuda::allocate(there, static_cast<std::size_t>(count), "its memory");
    copies_.push_back(there);
    require(cudaMemcpy(there, array, static_cast<std::size_t>(count) * sizeof(T),
                       cudaMemcpyHostToDevice),
            "copying the robot");
    array = there;
  }
  void release() {
    for (const Room& room : rooms_)
      if (room.stream) cudaStreamSynchronize(room.stream);
    for (void* p : copies_) cudaFree(p);
  }

  CellTables t_;
  std::size_t words_;
  std::vector<Room> rooms_;
  std::vector<void*> copies_;
};

void* open(const CellTables* tables, const CellRooms* rooms, CudaText why) {
  Opened* opened = nullptr;
  cuda::went_through(why, [&] { opened = new Opened(*tables, *rooms); });
  return opened;
}

bool begin(void* opened, int room, const Passage* passages, int num_passages, int num_items,
           CudaText why) {
  return cuda::went_through(why, [&] {
    auto& self = *static_cast<Opened*>(opened);
    self.begin(self.room(room), passages, num_passages, num_items);
  });
}

const std::uint64_t* finish(void* opened, int room, CudaText why) {
  const std::uint64_t* masks = nullptr;
  cuda::went_through(why, [&] {
    auto& self = *static_cast<Opened*>(opened);
    masks = self.finish(self.room(room));
  });
  return masks;
}

void close(void* opened) {
  delete static_cast<Opened*>(opened);
}

}  // namespace
}  // namespace proven::roadmap

extern "C" const proven::roadmap::CellFunctions proven_cuda_cells = {
    proven::roadmap::open, proven::roadmap::begin, proven::roadmap::finish,
    proven::roadmap::close};
