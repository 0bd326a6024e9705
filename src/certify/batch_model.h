// A model as the flat arrays that batches are asked of.
#pragma once

#include <cstddef>
#include <vector>

#include "batch_tables.h"
#include "sweep.h"

namespace proven {

class BatchModel {
 public:
  explicit BatchModel(const SweepModel& sweep);

  // Whether segments of this model can be asked in batches.
  bool usable() const { return usable_; }
  const batch::Tables& tables() const { return tables_; }
  // All arrays, one after the other: the tables point into it.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void add_joints();
  void add_bodies();
  void add_stills();
  void add_pairs();
  // With the poses in which its contacts are wanted; `swapped`: the second body first.
  int add_table(const PairTable* table, const Pose& X_a, const Pose& X_b, bool swapped);
  int add_shape(int body, const Pose& X);
  batch::Outline add_outline(const SweepModel::Outline& outline);
  batch::Inner add_inner(const InnerLanes& inside);
  void lay_out();

  const SweepModel& sweep_;
  bool usable_ = true;
  batch::Tables tables_ = {};
  std::vector<std::byte> bytes_;

  std::vector<double> ranges_;
  std::vector<batch::Joint> joints_;
  std::vector<batch::Lever> levers_;
  std::vector<batch::Ball> balls_;
  std::vector<float> points_, inner_, solid_bounds_;
  std::vector<batch::Body> bodies_;
  std::vector<batch::StillPair> still_pairs_;
  std::vector<batch::StillLink> still_links_;
  std::vector<batch::Still> stills_;
  std::vector<batch::Solid> solids_;
  std::vector<batch::Pair> pairs_;
  std::vector<batch::Table> pair_tables_;
  std::vector<std::uint64_t> table_bits_;
  std::vector<int> contact_places_;
  std::vector<batch::TableContact> contacts_;
  std::vector<batch::Shape> shapes_;
  std::vector<batch::Node> nodes_;
  std::vector<float> node_points_;
  std::vector<batch::Piece> pieces_;
  std::vector<double> components_;
};

}  // namespace proven
