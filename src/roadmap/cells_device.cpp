#include "roadmap/cells_device.h"

#include <algorithm>

#include "proven/base/failure.h"
#include "proven/base/gpu.h"
#include "roadmap/cell_words.h"
#include "roadmap/cells_part.h"

namespace proven::roadmap {
namespace {

// Of a question: enough to fill a GPU a few times, and soon gathered.
constexpr std::size_t kEnoughPassages = 4096;
constexpr std::int64_t kMostItems = 64, kMaskBytes = 4 << 20;
constexpr int kRoomsEach = 2;  // of a thread: one is worked on while the other is filled

class HostCells : public CellBackend {
 public:
  HostCells(const CellTables& tables, const CellRooms& rooms)
      : tables_(tables), words_(rooms.words), masks_(static_cast<std::size_t>(rooms.rooms)) {}

  Result<void> begin(int room, std::span<const Passage> passages, int num_items) override {
    std::vector<std::uint64_t>& masks = masks_[static_cast<std::size_t>(room)];
    masks.assign(static_cast<std::size_t>(num_items) * static_cast<std::size_t>(words_), 0);
    PartRoom part_room;
    for (int p = 0; p < static_cast<int>(passages.size()); ++p) {
      const Passage& passage = passages[static_cast<std::size_t>(p)];
      for (int i = 0; i < passage.num_parts; ++i)
        run_task(tables_, passages.data(), {p, passage.first_part + i}, part_room, masks.data(),
                 words_);
    }
    return {};
  }
  Result<const std::uint64_t*> finish(int room) override {
    return masks_[static_cast<std::size_t>(room)].data();
  }

 private:
  const CellTables& tables_;
  int words_;
  std::vector<std::vector<std::uint64_t>> masks_;
};

class CudaCells : public CellBackend {
 public:
  CudaCells(const CellFunctions& functions, void* opened)
      : functions_(functions), opened_(opened) {}
  ~CudaCells() override { functions_.close(opened_); }
  CudaCells(const CudaCells&) = delete;
  CudaCells& operator=(const CudaCells&) = delete;

  Result<void> begin(int room, std::span<const Passage> passages, int num_items) override {
    GpuReason reason;
    if (functions_.begin(opened_, room, passages.data(), static_cast<int>(passages.size()),
                         num_items, reason.room()))
      return {};
    return reason.failed();
  }
  Result<const std::uint64_t*> finish(int room) override {
    GpuReason reason;
    if (const std::uint64_t* masks = functions_.finish(opened_, room, reason.room())) return masks;
    return reason.failed();
  }

 private:
  const CellFunctions& functions_;
  void* opened_;
};

}  // namespace

std::unique_ptr<CellBackend> host_cells(const CellTables& tables, const CellRooms& rooms) {
  return std::make_unique<HostCells>(tables, rooms);
}

Result<std::unique_ptr<CellBackend>> cuda_cells(const CellTables& tables, const CellRooms& rooms) {
  if (auto found = find_gpu(); !found.ok()) return found.error();
  const auto& functions = *static_cast<const CellFunctions*>(gpu_functions(kCellFunctions));
  GpuReason reason;
  void* opened = functions.open(&tables, &rooms, reason.room());
  if (!opened) return reason.not_used();
  return std::unique_ptr<CellBackend>(std::make_unique<CudaCells>(functions, opened));
}

CellDevice::CellDevice(std::unique_ptr<CellBackend> backend, const CellRooms& rooms, int threads)
    : backend_(std::move(backend)), rooms_(rooms), lists_(static_cast<std::size_t>(threads)) {}

Result<std::unique_ptr<CellDevice>> CellDevice::open(const Sweeper& sweeper, BatchDevice device,
                                                     int threads) {
  if (device == BatchDevice::threads) return std::unique_ptr<CellDevice>();
  const auto words = static_cast<int>(CellMask(sweeper.grid()).words().size());
  const std::int64_t items = kMaskBytes / (std::int64_t{8} * words);
  const CellRooms rooms{kRoomsEach * threads,
                        static_cast<int>(std::clamp<std::int64_t>(items, 1, kMostItems)), words,
                        static_cast<int>(kEnoughPassages + kEnoughPassages / 4)};
  auto backend = device == BatchDevice::emulated
                     ? Result<std::unique_ptr<CellBackend>>(host_cells(sweeper.tables(), rooms))
                     : cuda_cells(sweeper.tables(), rooms);
  if (backend.ok())
    return std::unique_ptr<CellDevice>(new CellDevice(std::move(backend).value(), rooms, threads));
  if (device == BatchDevice::gpu) return backend.error();
  return std::unique_ptr<CellDevice>();
}

void CellDevice::list(int first, int end, int thread, const Append& append, const Take& take) {
  std::vector<Passage>& passages = lists_[static_cast<std::size_t>(thread)].passages;
  int under_way = 0;  // items
  for (int turn = 0, next = first; next < end || under_way > 0; ++turn) {
    int items = 0;
    passages.clear();
    while (next < end && items < rooms_.most_items && passages.size() < kEnoughPassages)
      append(next++, items++, passages);
    const int room = kRoomsEach * thread;
    if (items > 0) {
      const auto begun = backend_->begin(room + turn % kRoomsEach, passages, items);
      if (!begun.ok()) throw Failure(begun.error());
    }
    if (under_way > 0) take_masks(room + (turn + 1) % kRoomsEach, under_way, thread, take);
    under_way = items;
  }
}

void CellDevice::take_masks(int room, int items, int thread, const Take& take) {
  std::vector<std::uint32_t>& cells = lists_[static_cast<std::size_t>(thread)].cells;
  const auto words = static_cast<std::size_t>(rooms_.words);
  const auto masks = backend_->finish(room);
  if (!masks.ok()) throw Failure(masks.error());
  for (int i = 0; i < items; ++i) {
    cells.clear();
    append_cells({masks.value() + static_cast<std::size_t>(i) * words, words}, cells);
    take(cells);
  }
}

}  // namespace proven::roadmap
