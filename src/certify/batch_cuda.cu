// Batches on a GPU: a warp for each segment, entry or task, and queues between the stages. A
// library of its own (cmake/cuda.cmake) that is loaded where it is found; nothing else needs CUDA.
#include <algorithm>
#include <cstring>
#include <vector>

#include "batch_backend_abi.h"
#include "batch_search.h"
#include "proven/base/cuda_calls.h"

namespace proven::batch {
namespace {

using cuda::allocate;
using cuda::require;

constexpr int kChunk = 1 << 18;  // segments that are under way together
// Of so many segments: what does not fit is left to the host.
constexpr unsigned kEntriesEach = 16, kTasksEach = 8;
constexpr int kStreams = 3;
constexpr int kWarps = 8;                  // of a block, at most
constexpr int kSearchWarps = 4;            // of one that searches
constexpr std::size_t kSharedBytes = 220 * 1024;  // of a multiprocessor; less where it has less

// Blocks of a multiprocessor: registers are shared out by it.
constexpr int kSweepBlocks = 2, kNarrowBlocks = 3, kSearchBlocks = 4;

struct Counters {
  unsigned next_segment, next_entry, next_task;  // tickets
  unsigned entries, tasks;
};

// A state, and the pair and the moment of a contact, as one number: the largest stays.
using Word = unsigned long long;
__host__ __device__ constexpr Word word_of(State state, const Found& found) {
  return static_cast<Word>(state) << 48 |
         static_cast<Word>(static_cast<std::uint32_t>(found.pair < 0 ? 0 : found.pair)) << 16 |
         static_cast<Word>(found.moment);
}
__host__ __device__ constexpr State state_of(Word word) {
  return static_cast<State>(word >> 48);
}
constexpr Word kOpen = word_of(State::open, {-1, 0}), kFree = word_of(State::free, {-1, 0});

// What the kernels of one chunk work on.
struct Work {
  const double* from;
  const double* to;
  int count, row;
  int starts_free;
  int most_steps;  // of a task
  Word* words;  // what is known of each segment
  int* open;    // how many of its entries and tasks are
  Entry* entries;
  Task* tasks;
  Record* records;  // of each warp that searches
  Counters* counters;
  unsigned most_entries, most_tasks;
};

__device__ __forceinline__ unsigned take_ticket(unsigned* counter) {
  unsigned ticket = 0;
  if (own_lane() == 0) ticket = atomicAdd(counter, 1u);
  return __shfl_sync(kWarp, ticket, 0);
}

__device__ __forceinline__ Segment segment_of(const Work& work, int index) {
  const long long at = static_cast<long long>(index) * work.row;
  return {work.from + at, work.to + at, index};
}

// What stands later in State wins.
__device__ __forceinline__ void settle(const Work& work, int segment, State state,
                                       const Found& found) {
  if (own_lane() == 0) atomicMax(work.words + segment, word_of(state, found));
}

__device__ __forceinline__ State known_state(const Work& work, int segment) {
  const Word word = *reinterpret_cast<volatile Word*>(work.words + segment);
  return state_of(__shfl_sync(kWarp, word, 0));
}

struct Lister {
  const Work& work;
  __device__ bool operator()(const Entry& entry) {
    unsigned place = 0;
    if (own_lane() == 0) {
      place = atomicAdd(&work.counters->entries, 1u);
      if (place < work.most_entries) work.entries[place] = entry;
    }
    return __shfl_sync(kWarp, place, 0) < work.most_entries;
  }
};

__host__ __device__ inline std::size_t sweep_bytes(const Tables& t) {
  return sizeof(double) * SweepRoom::kFrame * static_cast<std::size_t>(t.num_slots) +
         sizeof(float) * (SweepRoom::kFrame * static_cast<std::size_t>(t.num_joints) +
                          8 * static_cast<std::size_t>(t.num_bodies));
}

__global__ void __launch_bounds__(32 * kWarps, kSweepBlocks) sweep_segments(const __grid_constant__ Tables t,
                                                              const __grid_constant__ Work work) {
  extern __shared__ double shared[];
  char* room = reinterpret_cast<char*>(shared) + (threadIdx.x / 32) * sweep_bytes(t);
  double* slots = reinterpret_cast<double*>(room);
  float* frames = reinterpret_cast<float*>(slots + SweepRoom::kFrame * t.num_slots);
  float* boxes = frames + SweepRoom::kFrame * t.num_joints;
  Lister list{work};
  BallSweep<Lister> sweep(t, {frames, slots, boxes, boxes + 6 * t.num_bodies},
                          work.starts_free != 0, list);
  for (;;) {
    const unsigned i = take_ticket(&work.counters->next_segment);
    if (i >= static_cast<unsigned>(work.count)) return;
    const Outcome out = sweep.run(segment_of(work, static_cast<int>(i)));
    if (own_lane() == 0) {
      const bool free = out.state == State::open && out.entries == 0;
      work.words[i] = word_of(free ? State::free : out.state, out.found);
      work.open[i] = out.entries;
    }
    __syncwarp();
  }
}

// An entry or a task is done: the segment is free when none is left.
__device__ __forceinline__ void done(const Work& work, int segment, int more) {
  if (own_lane() != 0) return;
  const int left = atomicAdd(work.open + segment, more - 1) + more - 1;
  if (left == 0) atomicCAS(work.words + segment, kOpen, kFree);
}

struct TaskLister {
  const Work& work;
  __device__ bool operator()(const Task& task) const {
    unsigned place = 0;
    if (own_lane() == 0) {
      place = atomicAdd(&work.counters->tasks, 1u);
      if (place < work.most_tasks) work.tasks[place] = task;
    }
    return __shfl_sync(kWarp, place, 0) < work.most_tasks;
  }
};

__global__ void __launch_bounds__(32 * kWarps, kNarrowBlocks) narrow_entries(const __grid_constant__ Tables t,
                                                              const __grid_constant__ Work work) {
  OutlineStage stage(t);
  const unsigned count = min(work.counters->entries, work.most_entries);
  for (;;) {
    const unsigned i = take_ticket(&work.counters->next_entry);
    if (i >= count) return;
    const Entry entry = work.entries[i];
    if (known_state(work, entry.segment) != State::open) continue;
    const Narrowed out = stage.run(entry, segment_of(work, entry.segment));
    if (out.found.pair >= 0) {
      settle(work, entry.segment, State::contact, out.found);
      continue;
    }
    if (out.open == 0) {
      done(work, entry.segment, 0);
      continue;
    }
    if (TaskLister{work}(task_of(t, entry, out.open)))
      done(work, entry.segment, 1);
    else
      settle(work, entry.segment, State::host, {-1, 0});
  }
}

__global__ void __launch_bounds__(32 * kSearchWarps, kSearchBlocks)
    search_tasks(const __grid_constant__ Tables t, const __grid_constant__ Work work) {
  __shared__ double poses[kSearchWarps][SearchRoom::kPoses];
  const int warp = static_cast<int>(threadIdx.x / 32);
  PieceSearch search(t, {poses[warp], work.records + (blockIdx.x * kSearchWarps + warp) *
                                                      SearchRoom::kRecords});
  const unsigned count = min(work.counters->tasks, work.most_tasks);
  for (;;) {
    const unsigned i = take_ticket(&work.counters->next_task);
    if (i >= count) return;
    const Task task = work.tasks[i];
    if (known_state(work, task.segment) == State::contact) continue;
    const SearchOutcome out = search.run(task, segment_of(work, task.segment), work.most_steps);
    if (out.result == Searched::contact || out.result == Searched::likely)
      settle(work, task.segment,
             out.result == Searched::contact ? State::contact : State::likely,
             {scene_pair(t, task), out.moment});
    else if (out.result == Searched::unknown)
      settle(work, task.segment, State::host, {-1, 0});
    else
      done(work, task.segment, 0);
  }
}

// The memory of one chunk, there and here.
struct Stream {
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  double *from = nullptr, *to = nullptr, *staged = nullptr;
  Work work = {};
  Word* words = nullptr;  // here
  Counters* counters = nullptr;
  int first = -1, count = 0;  // of the question under way
};

class Opened {
 public:
  Opened(const Tables& tables, const void* bytes, std::size_t size) : t_(tables) {
    try {
      prepare(bytes, size);
    } catch (...) {
      release();
      throw;
    }
  }
  ~Opened() { release(); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  // Chunks go round the streams: one is copied and one is told about while others are worked on.
  void run(const Question& question, const Listener& listener, Counts& counts) {
    const int chunk = std::min(kChunk, question.count);
    make_room(chunk);
    const struct Abandon {
      Opened& self;
      ~Abandon() { self.abandon(); }
    } on_failure{*this};
    int next = 0;
    for (int turn = 0; next < question.count || busy(); ++turn) {
      Stream& s = streams_[turn % kStreams];
      const int first = s.first, answered = finish(s, counts);
      if (next < question.count) {
        const int count = std::min(chunk, question.count - next);
        start(s, question, next, count);
        next += count;
      }
      if (answered > 0)
        listener.take(listener.self, {first, answered, states_.data(), found_.data()});
    }
  }

 private:
  void prepare(const void* bytes, std::size_t size) {
    cuda::require_gpu();
    allocate(tables_, size, "its memory");
    require(cudaMemcpy(tables_, bytes, size, cudaMemcpyHostToDevice), "copying the model");
    const char* base = static_cast<const char*>(bytes);
    each_array(t_, [&](auto*& array) {
      using Pointer = std::remove_reference_t<decltype(array)>;
      array = reinterpret_cast<Pointer>(tables_ + (reinterpret_cast<const char*>(array) - base));
    });
    int multiprocessors = 0, shared = 0;
    require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "asking it");
    require(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "asking it");
    const std::size_t own = sweep_bytes(t_), most = std::min<std::size_t>(kSharedBytes, shared);
    if (own > most)
      throw cuda::Failed{cudaErrorInvalidValue, "the robot has too many joints for its memory"};
    sweep_warps_ = static_cast<int>(std::min<std::size_t>(kWarps, most / own));
    sweep_shared_ = own * static_cast<std::size_t>(sweep_warps_);
    require(cudaFuncSetAttribute(sweep_segments, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(sweep_shared_)),
            "its memory");
    const auto blocks = [&](auto* kernel, int warps, std::size_t bytes_of_block) {
      int per = 0;
      require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, kernel, 32 * warps, bytes_of_block),
              "asking it");
      return std::max(1, per) * multiprocessors;
    };
    sweep_blocks_ = blocks(sweep_segments, sweep_warps_, sweep_shared_);
    narrow_blocks_ = blocks(narrow_entries, kWarps, 0);
    search_blocks_ = blocks(search_tasks, kSearchWarps, 0);
    for (Stream& s : streams_) {
      require(cudaStreamCreate(&s.stream), "a stream");
      require(cudaEventCreate(&s.begin), "an event");
      require(cudaEventCreate(&s.end), "an event");
    }
  }

  // For chunks of so many segments.
  void make_room(int chunk) {
    if (chunk <= room_) return;
    const auto n = static_cast<std::size_t>(chunk);
    const std::size_t values = n * static_cast<std::size_t>(t_.num_coordinates);
    for (Stream& s : streams_) {
      release(s);
      allocate(s.from, values, "memory for segments");
      allocate(s.to, values, "memory for segments");
      allocate(s.work.words, n, "memory for segments");
      allocate(s.work.open, n, "memory for segments");
      allocate(s.work.entries, n * kEntriesEach, "memory for entries");
      allocate(s.work.tasks, n * kTasksEach, "memory for tasks");
      allocate(s.work.records,
               static_cast<std::size_t>(search_blocks_) * kSearchWarps * SearchRoom::kRecords,
               "memory for records");
      allocate(s.work.counters, 1, "memory for counters");
      s.work.most_entries = static_cast<unsigned>(n) * kEntriesEach;
      s.work.most_tasks = static_cast<unsigned>(n) * kTasksEach;
      cuda::allocate_here(s.staged, 2 * values, "memory for copies");
      cuda::allocate_here(s.words, n, "memory for copies");
      cuda::allocate_here(s.counters, 1, "memory for copies");
    }
    states_.resize(n);
    found_.resize(n);
    room_ = chunk;
  }

  bool busy() const {
    for (const Stream& s : streams_)
      if (s.first >= 0) return true;
    return false;
  }

  void start(Stream& s, const Question& question, int first, int count) {
    const auto row = static_cast<std::size_t>(t_.num_coordinates);
    const std::size_t values = static_cast<std::size_t>(count) * row;
    const std::size_t at = static_cast<std::size_t>(first) * row;
    std::memcpy(s.staged, question.from + at, values * sizeof(double));
    std::memcpy(s.staged + values, question.to + at, values * sizeof(double));
    require(cudaMemcpyAsync(s.from, s.staged, values * sizeof(double), cudaMemcpyHostToDevice,
                            s.stream),
            "copying segments");
    require(cudaMemcpyAsync(s.to, s.staged + values, values * sizeof(double),
                            cudaMemcpyHostToDevice, s.stream),
            "copying segments");
    s.work.from = s.from;
    s.work.to = s.to;
    s.work.count = count;
    s.work.row = t_.num_coordinates;
    s.work.starts_free = question.starts_free;
    s.work.most_steps = question.most_steps;
    require(cudaMemsetAsync(s.work.counters, 0, sizeof(Counters), s.stream), "clearing counters");
    require(cudaEventRecord(s.begin, s.stream), "an event");
    const auto few = [&](int blocks, int warps) {
      return std::max(1, std::min(blocks, (count + warps - 1) / warps));
    };
    sweep_segments<<<few(sweep_blocks_, sweep_warps_), 32 * sweep_warps_, sweep_shared_, s.stream>>>(
        t_, s.work);
    narrow_entries<<<narrow_blocks_, 32 * kWarps, 0, s.stream>>>(t_, s.work);
    if (question.most_steps > 0)
      search_tasks<<<search_blocks_, 32 * kSearchWarps, 0, s.stream>>>(t_, s.work);
    require(cudaGetLastError(), "starting work");
    require(cudaEventRecord(s.end, s.stream), "an event");
    const auto n = static_cast<std::size_t>(count);
    require(cudaMemcpyAsync(s.words, s.work.words, n * sizeof(Word), cudaMemcpyDeviceToHost,
                            s.stream),
            "copying answers");
    require(cudaMemcpyAsync(s.counters, s.work.counters, sizeof(Counters), cudaMemcpyDeviceToHost,
                            s.stream),
            "copying answers");
    s.first = first;
    s.count = count;
  }

  // How many answers there are now.
  int finish(Stream& s, Counts& counts) {
    if (s.first < 0) return 0;
    require(cudaStreamSynchronize(s.stream), "working");
    for (int i = 0; i < s.count; ++i) {
      const Word word = s.words[i];
      const State state = state_of(word);
      states_[i] = state == State::open ? State::host : state;
      found_[i] = {static_cast<int>(word >> 16 & 0xffffffffu), static_cast<int>(word & 0xffffu)};
    }
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, s.begin, s.end), "an event");
    counts.seconds += 1e-3 * static_cast<double>(milliseconds);
    counts.entries += s.counters->entries;
    counts.tasks += s.counters->tasks;
    s.first = -1;
    return s.count;
  }

  // Nothing is under way any more, nor told to who asks next.
  void abandon() {
    for (Stream& s : streams_) {
      if (s.first >= 0) cudaStreamSynchronize(s.stream);
      s.first = -1;
    }
  }

  static void release(Stream& s) {
    for (void* p : {static_cast<void*>(s.from), static_cast<void*>(s.to),
                    static_cast<void*>(s.work.words), static_cast<void*>(s.work.open),
                    static_cast<void*>(s.work.entries),
                    static_cast<void*>(s.work.tasks), static_cast<void*>(s.work.records),
                    static_cast<void*>(s.work.counters)})
      cudaFree(p);
    for (void* p : {static_cast<void*>(s.staged), static_cast<void*>(s.words),
                    static_cast<void*>(s.counters)})
      cudaFreeHost(p);
    s.from = s.to = s.staged = nullptr;
    s.work = {};
    s.words = nullptr;
    s.counters = nullptr;
  }

  void release() {
    for (Stream& s : streams_) {
      release(s);
      if (s.stream) cudaStreamDestroy(s.stream);
      if (s.begin) cudaEventDestroy(s.begin);
      if (s.end) cudaEventDestroy(s.end);
    }
    cudaFree(tables_);
  }

  Tables t_;
  char* tables_ = nullptr;
  int sweep_warps_ = 1, sweep_blocks_ = 1, narrow_blocks_ = 1, search_blocks_ = 1;
  std::size_t sweep_shared_ = 0;
  int room_ = 0;
  std::vector<State> states_;  // of the chunk that was finished last
  std::vector<Found> found_;
  Stream streams_[kStreams];
};

void* open(const Tables* tables, const void* bytes, unsigned long size, CudaText why) {
  Opened* opened = nullptr;
  cuda::went_through(why, [&] { opened = new Opened(*tables, bytes, size); });
  return opened;
}

bool run(void* opened, const Question* question, const Listener* listener, Counts* counts,
         CudaText why) {
  return cuda::went_through(
      why, [&] { static_cast<Opened*>(opened)->run(*question, *listener, *counts); });
}

void close(void* opened) {
  delete static_cast<Opened*>(opened);
}

}  // namespace
}  // namespace proven::batch

extern "C" const proven::batch::CudaFunctions proven_cuda_batch = {
    proven::batch::open, proven::batch::run, proven::batch::close};
