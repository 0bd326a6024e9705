// The checker `directional`: separating directions to second order
// (docs/algorithms/directional.md).
#pragma once

#include <vector>

#include "anchor_cache.h"
#include "cell_queue.h"
#include "pair_rule.h"
#include "proof.h"
#include "segment_search.h"
#include "sweep.h"

namespace proven {

// At the middle of a cell's interval each node pair is proved on both sides, on one, or on none; it
// is then split in time if there is a gap, else in space, at once. What is left goes to cells of
// the two halves.
//
// The queue knows what is left to do, the rule what holds, the recorder what was proved; the search
// only decides. One object serves many segments one after the other: its memory stays.
class DirectionalSearch : public SegmentSearch {
 public:
  // `starts_free`: the first configuration is known to be free. Model, options and motion must
  // outlive the search.
  void begin(const ModelData& model, const CheckOptions& options, const SegmentMotion& motion,
             bool starts_free);
  // The same where a sweep has left these parts open; all else is proved.
  void begin(const ModelData& model, const CheckOptions& options, const SegmentMotion& motion,
             bool starts_free, std::span<const OpenPart> open);

  // Before the first step: looks for a contact of the pair at t, and ends if there is one.
  void try_moment(int pair, double t, Scratch::State& scratch);

  // Before the first step: looks for a contact of these pairs in the middle, and ends if there is
  // one.
  void try_pairs(std::span<const int> pairs, Scratch::State& scratch);
  void step(Scratch::State& scratch) override;
  bool open() const override { return !done_; }
  double urgency() const override;
  std::int64_t num_cells() const override { return num_cells_; }
  void write_proof(std::vector<std::uint8_t>& out) const override;
  std::span<const Effort> efforts() const override { return efforts_; }

 private:
  // Cells that contain a moment with a gap below clearance + resolution are split this many times
  // more before they are given up: a touch at one moment must not hide a collision next to it.
  static constexpr int kPatience = 8;
  // Surfaces that slide on each other touch in thousands of pieces at every time, and no splitting
  // decides that: after so many moments of pieces that decide nothing, none is split for them.
  static constexpr std::int64_t kMostTouches = 20'000;

  // A node pair that stays open on one side of the anchor.
  struct Left {
    NodePair entry;
    double urgency;
  };

  void start(Scratch::State& scratch);
  void start_open_parts(Scratch::State& scratch);
  void push_open(const OpenPart& open, int level, int index, Scratch::State& scratch);
  void process_first_cell(Scratch::State& scratch);
  void set_interval(double t_begin, double t_end, Scratch::State& scratch);
  void run_match(int match, bool spheres_failed, Scratch::State& scratch);
  void find_movers();
  bool stays_free(int match) const;
  bool settled_by_spheres(const NodePair& entry, const Slack& slack);
  void evaluate(const NodePair& entry, Scratch::State& scratch);
  bool evaluate_points(const NodePair& entry, Slack& slack);
  void evaluate_pieces(const NodePair& entry, const Vec3& guess, Scratch::State& scratch);
  void touch(const NodePair& entry, const Gap& gap);
  void descend(const NodePair& entry, const Vec3& n);
  void descend_still(const NodePair& entry);
  bool finish(const NodePair& entry, const Slack& slack);
  void split_time(const NodePair& entry, const Slack& slack);
  void prove(int proof, ProofTree::At at, const Vec3& n, const NodePair& entry);
  double urgency_of(double gap) const;
  void leave(const NodePair& entry, bool before, double urgency);
  void mark_apart(const NodePair& entry);
  void found(const NodePair& entry, const Gap& gap);
  void emit(int match);
  void push_left(const std::vector<Left>& left, int match, double t_begin, double t_end);
  void settle_containment(Scratch::State& scratch);
  void bound_first_contact();
  void note_test(const NodePair& entry, double gap);

  const ModelData* model_ = nullptr;
  const CheckOptions* options_ = nullptr;
  const SegmentMotion* motion_ = nullptr;
  std::vector<JointRate> rates_;
  std::vector<int> movers_;           // per link; empty if the start is not known to be free
  std::vector<OpenPart> open_parts_;  // of a sweep; empty: everything is open
  bool started_ = false, done_ = false;
  std::int64_t num_cells_ = 0, touches_ = 0;
  CellQueue queue_;
  ProofRecorder recorder_;
  std::vector<std::uint8_t> apart_;   // per pair: seen apart as a whole
  std::vector<std::uint8_t> unsure_;  // per pair: a cell was given up
  double unproved_from_ = 1;          // where the first cell begins that was dropped
  std::vector<Effort> efforts_;       // per match, if asked for

  // The cell under work.
  double t_begin_ = 0, t_end_ = 0, t_ = 0;
  PairRule rule_;
  bool boxes_ready_ = false;
  std::vector<NodePair> work_, deferred_, emitted_;
  std::vector<Left> before_, after_;
};

}  // namespace proven
