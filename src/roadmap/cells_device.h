// The cells of many motions, by a GPU: threads cut time, and it marks what passes
// (docs/algorithms/roadmap.md, "On a GPU").
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "proven/certify/batch.h"
#include "roadmap/cells_abi.h"
#include "roadmap/sweep.h"

namespace proven::roadmap {

// What marks: the host, or a GPU. Both run the same program, and rooms do not mind each other.
class CellBackend {
 public:
  virtual ~CellBackend() = default;
  virtual Result<void> begin(int room, std::span<const Passage> passages, int num_items) = 0;
  // The masks of all items, one after the other, until the room's next question.
  virtual Result<const std::uint64_t*> finish(int room) = 0;
};

std::unique_ptr<CellBackend> host_cells(const CellTables& tables, const CellRooms& rooms);
Result<std::unique_ptr<CellBackend>> cuda_cells(const CellTables& tables, const CellRooms& rooms);

class CellDevice {
 public:
  // Null: threads shall do it alone. Fails where a GPU is asked for and there is none. The sweeper
  // must outlive it.
  static Result<std::unique_ptr<CellDevice>> open(const Sweeper& sweeper, BatchDevice device,
                                                  int threads);

  // Appends what passes on the way of an item, under another number.
  using Append = std::function<void(int item, int number, std::vector<Passage>& passages)>;
  // Is given the cells of the next item, sorted.
  using Take = std::function<void(std::span<const std::uint32_t> cells)>;
  // All items in [first, end), in order; by each thread on its own. Throws a Failure if the GPU
  // fails.
  void list(int first, int end, int thread, const Append& append, const Take& take);

 private:
  CellDevice(std::unique_ptr<CellBackend> backend, const CellRooms& rooms, int threads);
  void take_masks(int room, int items, int thread, const Take& take);

  // Of a thread.
  struct Lists {
    std::vector<Passage> passages;
    std::vector<std::uint32_t> cells;
  };
  std::unique_ptr<CellBackend> backend_;
  CellRooms rooms_;
  std::vector<Lists> lists_;
};

}  // namespace proven::roadmap
