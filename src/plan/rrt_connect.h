// RRT-Connect (Kuffner, LaValle) with every edge proved: two trees, the smaller of which grows
// towards a random point; the other then reaches for the new node.
//
// Nodes at obstacles collect samples that never extend them. Such a node is chosen again only for
// samples nearby (dynamic domains: Yershova, Jaillet, Siméon, LaValle).
#pragma once

#include <array>
#include <vector>

#include "plan/informed_samples.h"
#include "plan/inquiry.h"
#include "plan/solve.h"
#include "plan/tree.h"

namespace proven {

class RrtConnect : public Inquiry {
 public:
  // The start is free, and the first goal is as it is written; only paths shorter than `longest`
  // are of use.
  struct Task {
    const JointSpace& space;
    const Point& start;
    const std::vector<Point>& goals;
    std::uint64_t seed;
    double longest;
    IterationCount& iterations;
  };
  explicit RrtConnect(const Task& task);

  const MotionQuestion* next() override;
  void take(bool proved) override;
  // At its end.
  Solution solution() const;
  std::int64_t asked() const { return asked_; }  // motions

 private:
  struct Side {
    Side(const JointSpace& space, double domain);
    int add(std::span<const double> point, int parent, bool is_free);
    // A node that failed takes only samples nearby.
    void limit(int node);
    bool takes(const SearchTree::Near& near) const {
      return near.distance <= domain || !limited[static_cast<std::size_t>(near.node)];
    }
    bool all_limited() const { return num_limited == tree.size(); }

    const JointSpace& space;
    double domain;  // how far these samples may be
    SearchTree tree;
    std::vector<char> free;     // per node: known to be free
    std::vector<char> limited;  // per node
    int num_limited = 0;
    std::vector<Interval> nearby;  // values of the space that are so near to those of some node
  };
  // What is asked: straight from the start to a goal; a step of the smaller tree towards a sample;
  // steps of the other one towards the new node; the motion that joins them.
  enum class Stage { straight, grow, reach, join, end };

  Side& growing() { return sides_[static_cast<std::size_t>(growing_)]; }
  Side& other() { return sides_[static_cast<std::size_t>(1 - growing_)]; }
  bool choose();
  void step(const Side& side);
  void join_trees();
  void end(std::vector<Point> path);

  Task task_;
  Random random_;
  InformedSamples samples_;
  double range_;
  std::array<Side, 2> sides_;  // from the start, from the goals
  Stage stage_ = Stage::straight;
  bool waiting_ = false;  // for the answer to question_
  MotionQuestion question_;
  std::int64_t asked_ = 0;
  std::size_t goal_ = 0;  // that is tried straight
  int growing_ = 0;       // side
  int near_ = 0;          // node from which the step under work begins
  int added_ = 0;         // node that the other tree reaches for
  std::vector<double> target_, step_;
  std::vector<Point> path_;
};

}  // namespace proven
