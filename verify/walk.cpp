#include "verify/walk.h"

#include <fmt/format.h>

#include <optional>

#include "proven/base/parallel.h"
#include "verify/quick.h"
#include "verify/rule.h"

namespace proven::verifier {
namespace {

constexpr int kDeepestSplit = 50;                                  // times stay exact in double
constexpr std::int64_t kLargestComponent = std::int64_t{1} << 53;  // exact in double as well

// Leaves are judged in batches: of one segment each, and not so many that memory matters.
constexpr std::size_t kLargestBatch = 4096;
constexpr std::size_t kBatchesPerThread = 16;
// Fewer are not worth a thread.
constexpr std::size_t kFewLeaves = 256;

// Evaluates the rule in the arithmetic T.
template <class T>
class LeafTest {
 public:
  // `begin` and `end`: the piece's times by the clock.
  LeafTest(const Model& model, const MotionPiece& piece, double begin, double end,
           std::span<const double> errors)
      : model_(model),
        motion_(model, piece, errors),
        begin_(begin),
        duration_(T(end) - T(begin)),
        tracks_(!errors.empty() || !piece.straight()) {}

  SegmentMotion<T>& motion() { return motion_; }

  void begin(const Unit& unit) {
    unit_ = &unit;
    slack_ = 0.0;
    if (tracks_) slack_ = motion_.tracking_slack(unit.a, unit.ancestor);
    if (tracks_ && unit.b >= 0) slack_ = slack_ + motion_.tracking_slack(unit.b, unit.ancestor);
  }

  // `still` is the still body that B belongs to; -1: to none, or to several.
  bool holds(const Leaf& leaf, const Node& A, const Node& B, int still, const Asked& asked) {
    motion_.make_room();
    const auto [of_a, of_b] = motions(leaf, still);
    const Required<T> c = required(asked, leaf.anchor);
    return verifier::holds<T>(leaf, A, of_a, B, of_b, c) ||
           verifier::holds<T>(leaf, by_pieces(A), of_a, by_pieces(B), of_b, c);
  }

  Required<T> required(const Asked& asked, double t) const {
    if (asked.growth == 0) return {T(asked.clearance) + slack_};
    return {T(asked.clearance) + slack_ + T(asked.growth) * (begin_ + T(t) * duration_),
            T(asked.growth) * duration_};
  }
  // By the pieces of small nodes, which tell more than their boxes.
  LeafBounds measured(const Leaf& leaf, const Node& A, const Node& B, int still) {
    const auto [of_a, of_b] = motions(leaf, still);
    return measure(leaf, by_pieces(A), of_a, by_pieces(B), of_b);
  }

 private:
  struct TwoMotions {
    const BodyMotion<T>&a, &b;
  };
  TwoMotions motions(const Leaf& leaf, int still) {
    const BodyMotion<T>& of_a = motion_.at(leaf, unit_->a, unit_->ancestor);
    return {of_a, unit_->b >= 0 ? motion_.at(leaf, unit_->b, unit_->ancestor)
                  : still >= 0  ? motion_.at({}, still, 0)
                                : nothing_};
  }
  static Node by_pieces(Node node) {
    node.by_pieces = true;
    return node;
  }

  const Model& model_;
  SegmentMotion<T> motion_;
  T begin_, duration_;
  bool tracks_;
  const Unit* unit_ = nullptr;
  T slack_;
  BodyMotion<T> nothing_;
};

// A leaf as it was read.
struct ReadLeaf : Leaf {
  const Unit* unit = nullptr;
  Node A, B;
};

// Leaves of one segment in the order of the proof, and what became of them.
struct Batch {
  const Motion* motion = nullptr;
  std::size_t segment = 0;
  std::vector<ReadLeaf> leaves;

  std::int64_t judged = 0, wide = 0;
  std::optional<Rejected> failure;  // of the last one judged
};

[[noreturn]] void fail(std::size_t segment, double begin, double end, const Node& A, const Node& B,
                       const std::string& what) {
  throw Rejected{fmt::format("segment {}, {} and {}, t from {} to {}: {}", segment, A.body->name,
                             B.body ? B.body->name : "still bodies", begin, end, what)};
}

int still_body(const Model& model, const BoxNode& node) {
  return model.still[static_cast<std::size_t>(node.item)];
}

// Judges leaves, one batch after another. For one thread.
class Judge {
 public:
  Judge(const Model& model, std::span<const double> errors, const VerifyOptions& options)
      : model_(model), errors_(errors), options_(options), quick_(model) {}

  void judge(Batch& batch) {
    try {
      begin(batch);
      for (const ReadLeaf& leaf : batch.leaves) {
        stop_if_cancelled(options_);
        ++batch.judged;
        if (leaf.unit != unit_) begin(*leaf.unit);
        judge(leaf, batch);
      }
    } catch (const Rejected& rejected) {
      batch.failure = rejected;
    }
  }

 private:
  void begin(const Batch& batch) {
    motion_ = batch.motion;
    segment_ = batch.segment;
    unit_ = nullptr;
    in_intervals_.emplace(model_, piece(), clock(0), clock(1), errors_);
    widely_.reset();
    is_straight_ = piece().straight();
    if (is_straight_) quick_.begin(in_intervals_->motion());
  }
  void begin(const Unit& unit) {
    unit_ = &unit;
    in_intervals_->begin(unit);
    if (is_straight_) quick_.begin(unit);
    if (widely_) widely_->begin(unit);
  }

  MotionPiece piece() const { return motion_->piece(static_cast<int>(segment_)); }
  // Of the piece's begin or end by the clock; 0 if there is none.
  double clock(std::size_t end) const {
    if (model_.timed.empty()) return 0;
    return motion_->times[std::min(segment_ + end, motion_->times.size() - 1)];
  }

  void judge(const ReadLeaf& leaf, Batch& batch) {
    const int still =
        unit_->b < 0 && leaf.B.body ? static_cast<int>(leaf.B.body - model_.bodies.data()) : -1;
    const Asked c = still >= 0 ? *unit_->asked[static_cast<std::size_t>(still)] : unit_->largest;
    if (!(is_straight_ &&
          quick_.holds(leaf, leaf.A, leaf.B, still, in_intervals_->required(c, leaf.anchor))) &&
        !in_intervals_->holds(leaf, leaf.A, leaf.B, still, c))
      judge_widely(leaf, still, c, batch);
    if (options_.on_leaf) report(leaf, still, c);
  }

  void judge_widely(const ReadLeaf& leaf, int still, const Asked& c, Batch& batch) {
    ++batch.wide;
    if (!widely_) {
      widely_.emplace(model_, piece(), clock(0), clock(1), errors_);
      widely_->begin(*unit_);
    }
    if (!widely_->holds(leaf, leaf.A, leaf.B, still, c))
      fail(segment_, leaf.anchor - leaf.before, leaf.anchor + leaf.after, leaf.A, leaf.B,
           fmt::format("the rule does not hold along ({}, {}, {}){}", leaf.direction.x,
                       leaf.direction.y, leaf.direction.z, kUnverified));
  }

  void report(const ReadLeaf& leaf, int still, const Asked& c) {
    ProofLeaf told;
    told.segment = static_cast<std::int64_t>(segment_);
    told.begin = leaf.anchor - leaf.before;
    told.end = leaf.anchor + leaf.after;
    told.anchor = leaf.anchor;
    told.a = described(leaf.A);
    told.b = described(leaf.B);
    told.direction = (1 / norm(leaf.direction)) * leaf.direction;
    told.required = in_intervals_->required(c, leaf.anchor).clearance.hi;
    const LeafBounds bounds = in_intervals_->measured(leaf, leaf.A, leaf.B, still);
    told.plane_a = bounds.plane_a;
    told.plane_b = bounds.plane_b;
    // The rule holds, if only in wider arithmetic than the bounds were computed in.
    const auto at_least = [&](double bound, double t) {
      return std::max(bound, in_intervals_->required(c, t).clearance.lo);
    };
    told.lower_begin = at_least(bounds.begin, told.begin);
    told.lower_anchor = at_least(bounds.anchor, leaf.anchor);
    told.lower_end = at_least(bounds.end, told.end);
    options_.on_leaf(told);
  }

  ProofLeaf::Node described(const Node& node) const {
    ProofLeaf::Node told;
    if (node.body) told.body = static_cast<int>(node.body - model_.bodies.data());
    told.index = node.index;
    told.box_lo = node.get().box.lo;
    told.box_hi = node.get().box.hi;
    if (!node.body || node.get().count <= kSmallNode) add_items(node, told.items);
    return told;
  }

  void add_items(const Node& node, std::vector<int>& items) const {
    if (node.get().item >= 0)
      items.push_back(node.body ? node.get().item : still_body(model_, node.get()));
    else
      for (const int child : node.get().children)
        if (node.body || unit_->counts[static_cast<std::size_t>(child)])
          add_items({node.body, node.tree, child}, items);
  }

  const Model& model_;
  std::span<const double> errors_;
  const VerifyOptions& options_;
  const Motion* motion_ = nullptr;
  std::size_t segment_ = 0;
  bool is_straight_ = false;
  const Unit* unit_ = nullptr;
  QuickRule quick_;
  std::optional<LeafTest<Interval>> in_intervals_;
  std::optional<LeafTest<Wide>> widely_;
};

// Collects leaves, and has them judged.
class Jury {
 public:
  Jury(const Model& model, std::span<const double> errors, const VerifyOptions& options,
       WalkCounts& counts)
      : counts_(counts) {
    threads_ = options.threads > 0 ? options.threads : default_threads();
    if (options.on_leaf) threads_ = 1;
    for (int i = 0; i < threads_; ++i) judges_.emplace_back(model, errors, options);
  }

  void begin(const Motion& motion, std::size_t segment) {
    close();
    Batch& batch = batches_.emplace_back();
    batch.motion = &motion;
    batch.segment = segment;
  }
  void add(const ReadLeaf& leaf) {
    if (batches_.back().leaves.size() == kLargestBatch) {
      const Motion& motion = *batches_.back().motion;
      begin(motion, batches_.back().segment);
    }
    batches_.back().leaves.push_back(leaf);
  }
  // Judges all that are waiting. Throws the first failure in the order of the proof.
  void finish() {
    std::size_t leaves = 0;
    for (const Batch& batch : batches_) leaves += batch.leaves.size();
    parallel_for(
        static_cast<int>(batches_.size()), leaves < kFewLeaves ? 1 : threads_,
        [&](int item, int thread) {
          judges_[static_cast<std::size_t>(thread)].judge(batches_[static_cast<std::size_t>(item)]);
        });
    const std::vector<Batch> judged = std::move(batches_);
    batches_.clear();
    for (const Batch& batch : judged) {
      counts_.leaves += batch.judged;
      counts_.wide_leaves += batch.wide;
      if (batch.failure) throw *batch.failure;
    }
  }

 private:
  void close() {
    const std::size_t most = threads_ == 1 ? 1 : kBatchesPerThread * judges_.size();
    if (batches_.size() >= most) finish();
  }

  WalkCounts& counts_;
  int threads_ = 1;
  std::vector<Judge> judges_;
  std::vector<Batch> batches_;
};

// Follows the bytes of a motion's proof.
class Walk {
 public:
  Walk(const Model& model, const Motion& motion, BodyStream& in, Jury& jury)
      : model_(model), motion_(motion), in_(in), jury_(jury) {}

  void run() {
    for (segment_ = 0; segment_ < num_segments(motion_); ++segment_) {
      jury_.begin(motion_, segment_);
      direction_ = {};
      for (const Unit& unit : model_.units) {
        unit_ = &unit;
        const Body& a = model_.bodies[static_cast<std::size_t>(unit.a)];
        const Node root_b = unit.b < 0 ? Node{nullptr, &model_.still_tree, 0} : root(unit.b);
        prove({0, 1}, 0, {&a, &a.tree, 0}, entered(root_b));
      }
    }
  }

 private:
  struct Time {
    double begin, end;
  };

  Node root(int body) const {
    const Body& b = model_.bodies[static_cast<std::size_t>(body)];
    return {&b, &b.tree, 0};
  }
  // A leaf of the tree over still bodies is the root of that body's own tree.
  Node entered(const Node& node) const {
    return !node.body && node.get().item >= 0 ? root(still_body(model_, node.get())) : node;
  }

  void prove(Time time, int depth, const Node& A, const Node& B) {
    const std::uint8_t code = in_.u8();
    if (code == 0) {
      if (depth == kDeepestSplit) fail(time, A, B, "time is split more than 50 times");
      const double middle = 0.5 * (time.begin + time.end);
      prove({time.begin, middle}, depth + 1, A, B);
      prove({middle, time.end}, depth + 1, A, B);
    } else if (code == 1) {
      if (A.get().item >= 0) fail(time, A, B, "the proof splits a single piece of the first body");
      for (const int child : A.get().children) prove(time, depth, {A.body, A.tree, child}, B);
    } else if (code == 2) {
      if (B.get().item >= 0) fail(time, A, B, "the proof splits a single piece of the second body");
      for (const int child : B.get().children)
        if (B.body || unit_->counts[static_cast<std::size_t>(child)])
          prove(time, depth, A, entered({B.body, B.tree, child}));
    } else if (code >= 0x10 && code < 0x10 + 3 * 8 && code % 8 <= 4) {
      read_leaf(code - 0x10, time, A, B);
    } else {
      fail(time, A, B, "the proof holds an unknown code");
    }
  }

  void read_leaf(int code, Time time, const Node& A, const Node& B) {
    const int anchor = code / 8, width = code % 8;
    const double length = time.end - time.begin;
    if (width > 0)
      for (int i = 0; i < 3; ++i) {
        const std::int64_t component = in_.signed_number(1 << (width - 1));
        if (component < -kLargestComponent || component > kLargestComponent)
          fail(time, A, B, "a direction is too long");
        direction_[i] = static_cast<double>(component);
      }
    if (direction_ == Vec3{}) fail(time, A, B, "a leaf has no direction");
    ReadLeaf leaf;
    leaf.anchor = anchor == 0 ? time.begin : anchor == 1 ? time.begin + 0.5 * length : time.end;
    leaf.before = anchor * 0.5 * length;
    leaf.after = length - leaf.before;
    leaf.direction = direction_;
    leaf.unit = unit_;
    leaf.A = A;
    leaf.B = B;
    jury_.add(leaf);
  }

  [[noreturn]] void fail(Time time, const Node& A, const Node& B, const std::string& what) const {
    verifier::fail(segment_, time.begin, time.end, A, B, what);
  }

  const Model& model_;
  const Motion& motion_;
  BodyStream& in_;
  Jury& jury_;

  std::size_t segment_ = 0;
  const Unit* unit_ = nullptr;
  Vec3 direction_;  // of the last leaf in this segment
};

}  // namespace

std::size_t num_segments(const Motion& motion) {
  return std::max<std::size_t>(1, motion.waypoints.size() - 1);
}

void walk_proof(const Model& model, std::span<const Motion> runs, std::span<const double> errors,
                const VerifyOptions& options, BodyStream& body, WalkCounts& counts) {
  Jury jury(model, errors, options, counts);
  try {
    for (const Motion& motion : runs) Walk(model, motion, body, jury).run();
  } catch (const Rejected&) {
    jury.finish();  // a leaf that fails comes before what could not be read
    throw;
  }
  jury.finish();
  body.finish();
}

}  // namespace proven::verifier
