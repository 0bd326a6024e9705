// The checker `directional`: separating directions to second order
// (docs/algorithms/directional.md).
#pragma once

#include <vector>

#include "anchor_cache.h"
#include "directional_model.h"
#include "proof.h"
#include "segment_search.h"
#include "separation.h"

namespace proven {

// A cell is an interval and a list of node pairs of one frame. At the middle of the interval each
// node pair is proved on both sides, on one, or on none; it is then split in time if there is a
// gap, else in space, at once. What is left goes to cells of the two halves.
class DirectionalSearch : public SegmentSearch {
 public:
  DirectionalSearch(const SearchContext& context, const DirectionalModel& model,
                    const SegmentMotion& motion, bool starts_free);

  // Before the first step: looks for a contact of these pairs in the middle, and ends if there is
  // one.
  void try_pairs(std::span<const int> pairs, Workspace::State& workspace);
  void step(Workspace::State& workspace) override;
  bool open() const override { return !done_; }
  double urgency() const override;
  std::int64_t num_cells() const override { return num_cells_; }
  void write_proof(std::vector<std::uint8_t>& out) const override;
  std::span<const Effort> efforts() const override { return efforts_; }

 private:
  struct Entry {
    int frame, node_a, node_b;
    int proof;     // node of the proof tree; -1 if none is kept
    int patience;  // splits left after moments that decide nothing
  };
  struct Cell {
    double urgency;
    double t_begin, t_end;
    int frame;
    int first, count;     // entries_
    bool spheres_failed;  // at the middle of the interval
  };
  struct Order {
    bool earliest_first;
    bool operator()(const Cell& x, const Cell& y) const {
      if (!earliest_first && x.urgency != y.urgency) return x.urgency < y.urgency;
      if (x.t_begin != y.t_begin) return x.t_begin > y.t_begin;
      return x.frame > y.frame;
    }
  };

  // Cells that contain a moment with a gap below clearance + resolution are split this many times
  // more before they are given up: a touch at one moment must not hide a collision next to it.
  static constexpr int kPatience = 8;

  void start(Workspace::State& workspace);
  void process(const Cell& cell, Workspace::State& workspace);
  void drop_dead_entries();
  void begin_frame(int frame);
  void run_frame(int frame, bool spheres_failed, Workspace::State& workspace);
  Side side_of(int body, int ancestor, BodyMotion& scratch);
  Side still_side() const;
  void find_movers();
  bool stays_free(int frame) const;
  MovingSphere sphere_of(int body, int ancestor);
  Slack test_spheres(int frame, Workspace::State& workspace);
  bool settled_by_spheres(const Entry& entry, const Slack& slack);
  void evaluate(const Entry& entry, Workspace::State& workspace);
  static std::span<const Vec3> points_of(const Side& side, const BoxNode& node,
                                         std::vector<Vec3>& points);
  bool evaluate_points(const Entry& entry, Slack& slack);
  void evaluate_pieces(const Entry& entry, const Vec3& guess, Workspace::State& workspace);
  void touch(const Entry& entry, const Gap& gap);
  bool a_goes_first(const BoxNode& a, const BoxNode& b, const Vec3& n) const;
  void descend(const Entry& entry, const Vec3& n);
  void descend_still(const Entry& entry);
  double distance_of(const Entry& entry) const;
  bool finish(const Entry& entry, const Slack& slack);
  void split_time(const Entry& entry, const Slack& slack);
  // How far the pair may come nearer on either side.
  double moved() const { return closing_speed_ * anchor_->reach(); }
  double urgency_of(double gap) const;
  void leave(const Entry& entry, bool before, double urgency);
  void prove(int proof, ProofTree::At at, const Vec3& n, const Entry& entry);
  void mark_apart(const Entry& entry);
  void found(const Entry& entry, const Gap& gap);
  Gap gap_of(const Entry& entry, const Vec3& point_a, const Vec3& point_b, double distance) const;
  void emit(int frame);
  void settle_containment(Workspace::State& workspace);
  void bound_first_contact();
  void note_test(const Entry& entry, double gap);
  bool recording() const { return context_.options.certificate; }

  const BoxNode& node_a(const Entry& entry) const;
  const BoxNode& node_b(const Entry& entry) const;

  const SearchContext context_;
  const DirectionalModel& model_;
  const SegmentMotion& motion_;
  std::vector<JointRate> rates_;
  std::vector<int> movers_;  // per link; empty if the start is not known to be free
  bool started_ = false, done_ = false;
  std::int64_t num_cells_ = 0;
  std::vector<Cell> cells_;  // a heap
  std::vector<Entry> entries_;
  std::size_t num_dead_ = 0;          // entries of cells that were taken
  std::vector<std::uint8_t> apart_;   // per pair: seen apart as a whole
  std::vector<std::uint8_t> unsure_;  // per pair: a cell was given up
  double unproved_from_ = 1;          // where the first cell begins that was dropped

  std::vector<Effort> efforts_;  // per frame, if asked for
  ProofTree proof_;
  std::vector<int> roots_;  // per unit

  // Of the cell under work.
  struct Left {
    Entry entry;
    double urgency;
  };
  double t_begin_ = 0, t_end_ = 0, t_ = 0;
  Anchor* anchor_ = nullptr;
  double closing_speed_ = 0;  // of the frame under work
  Side side_a_, side_b_;
  Separation separation_;
  BodyMotion scratch_a_, scratch_b_;
  std::vector<Entry> work_, deferred_;
  std::vector<Vec3> points_a_, points_b_;
  std::vector<Left> before_, after_;
};

}  // namespace proven
