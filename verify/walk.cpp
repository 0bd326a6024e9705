#include "verify/walk.h"

#include <fmt/format.h>

#include <optional>

#include "verify/rule.h"

namespace proven::verifier {
namespace {

constexpr int kDeepestSplit = 50;                                  // times stay exact in double
constexpr std::int64_t kLargestComponent = std::int64_t{1} << 53;  // exact in double as well

// What is required of a pair, or of several.
struct Asked {
  double clearance = 0;
  double growth = 0;  // metres per second
};
Asked larger(const Asked& a, const Asked& b) {
  return {std::max(a.clearance, b.clearance), std::max(a.growth, b.growth)};
}

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

  void begin(const Unit& unit) {
    a_ = unit.a;
    b_ = unit.b;
    ancestor_ = 0;
    if (b_ >= 0) ancestor_ = model_.lowest_common_ancestor(link_of(a_), link_of(b_));
    slack_ = 0.0;
    if (tracks_) slack_ = motion_.tracking_slack(a_, ancestor_);
    if (tracks_ && b_ >= 0) slack_ = slack_ + motion_.tracking_slack(b_, ancestor_);
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
    const BodyMotion<T>& of_a = motion_.at(leaf, a_, ancestor_);
    return {of_a, b_ >= 0      ? motion_.at(leaf, b_, ancestor_)
                  : still >= 0 ? motion_.at({}, still, 0)
                               : nothing_};
  }
  static Node by_pieces(Node node) {
    node.by_pieces = true;
    return node;
  }
  int link_of(int body) const { return model_.bodies[static_cast<std::size_t>(body)].link; }

  const Model& model_;
  SegmentMotion<T> motion_;
  T begin_, duration_;
  bool tracks_;
  int a_ = 0, b_ = -1, ancestor_ = 0;
  T slack_;
  BodyMotion<T> nothing_;
};

class Walk {
 public:
  Walk(const Model& model, const Motion& motion, std::span<const double> errors,
       const VerifyOptions& options, BodyStream& in, WalkCounts& counts)
      : model_(model),
        motion_(motion),
        errors_(errors),
        options_(options),
        in_(in),
        counts_(counts) {}

  void run() {
    for (segment_ = 0; segment_ < num_segments(motion_); ++segment_) {
      quick_.emplace(model_, piece(), clock(0), clock(1), errors_);
      wide_.reset();
      direction_ = {};
      for (const Unit& unit : model_.units) {
        begin(unit);
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

  void begin(const Unit& unit) {
    unit_ = &unit;
    quick_->begin(unit);
    if (wide_) wide_->begin(unit);
    largest_ = {unit.pairs[0].clearance, unit.pairs[0].growth};
    for (const Pair& pair : unit.pairs) largest_ = larger(largest_, {pair.clearance, pair.growth});
    if (unit.b >= 0) return;
    // Which still bodies, and which nodes over them, count.
    asked_.assign(model_.bodies.size(), std::nullopt);
    for (const Pair& pair : unit.pairs)
      asked_[static_cast<std::size_t>(pair.b)] = Asked{pair.clearance, pair.growth};
    counts_node_.assign(model_.still_tree.size(), false);
    for (std::size_t i = model_.still_tree.size(); i-- > 0;) {  // children come after their parents
      const BoxNode& node = model_.still_tree[i];
      if (node.item >= 0)
        counts_node_[i] = asked_[static_cast<std::size_t>(still_body(node))].has_value();
      else
        counts_node_[i] = counts_node_[static_cast<std::size_t>(node.children[0])] ||
                          counts_node_[static_cast<std::size_t>(node.children[1])];
    }
  }

  MotionPiece piece() const { return motion_.piece(static_cast<int>(segment_)); }
  // Of the piece's begin or end by the clock; 0 if there is none.
  double clock(std::size_t end) const {
    if (model_.timed.empty()) return 0;
    return motion_.times[std::min(segment_ + end, motion_.times.size() - 1)];
  }
  int still_body(const BoxNode& node) const {
    return model_.still[static_cast<std::size_t>(node.item)];
  }
  Node root(int body) const {
    const Body& b = model_.bodies[static_cast<std::size_t>(body)];
    return {&b, &b.tree, 0};
  }
  // A leaf of the tree over still bodies is the root of that body's own tree.
  Node entered(const Node& node) const {
    return !node.body && node.get().item >= 0 ? root(still_body(node.get())) : node;
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
        if (B.body || counts_node_[static_cast<std::size_t>(child)])
          prove(time, depth, A, entered({B.body, B.tree, child}));
    } else if (code >= 0x10 && code < 0x10 + 3 * 8 && code % 8 <= 4) {
      check_leaf(code - 0x10, time, A, B);
    } else {
      fail(time, A, B, "the proof holds an unknown code");
    }
  }

  void check_leaf(int code, Time time, const Node& A, const Node& B) {
    const int anchor = code / 8, width = code % 8;
    const double length = time.end - time.begin;
    Leaf leaf;
    leaf.anchor = anchor == 0 ? time.begin : anchor == 1 ? time.begin + 0.5 * length : time.end;
    leaf.before = anchor * 0.5 * length;
    leaf.after = length - leaf.before;
    if (width > 0)
      for (int i = 0; i < 3; ++i) {
        const std::int64_t component = in_.signed_number(1 << (width - 1));
        if (component < -kLargestComponent || component > kLargestComponent)
          fail(time, A, B, "a direction is too long");
        direction_[i] = static_cast<double>(component);
      }
    if (direction_ == Vec3{}) fail(time, A, B, "a leaf has no direction");
    leaf.direction = direction_;
    ++counts_.leaves;
    const int still = unit_->b < 0 && B.body ? static_cast<int>(B.body - model_.bodies.data()) : -1;
    const Asked c = still >= 0 ? *asked_[static_cast<std::size_t>(still)] : largest_;
    if (!quick_->holds(leaf, A, B, still, c)) check_widely(leaf, time, A, B, still, c);
    if (options_.on_leaf) report(leaf, time, A, B, still, c);
  }

  void check_widely(const Leaf& leaf, Time time, const Node& A, const Node& B, int still,
                    const Asked& c) {
    ++counts_.wide_leaves;
    if (!wide_) {
      wide_.emplace(model_, piece(), clock(0), clock(1), errors_);
      wide_->begin(*unit_);
    }
    if (!wide_->holds(leaf, A, B, still, c))
      fail(time, A, B,
           fmt::format("the rule does not hold along ({}, {}, {})", direction_.x, direction_.y,
                       direction_.z));
  }

  void report(const Leaf& leaf, Time time, const Node& A, const Node& B, int still,
              const Asked& c) {
    ProofLeaf told;
    told.segment = static_cast<std::int64_t>(segment_);
    told.begin = time.begin;
    told.end = time.end;
    told.anchor = leaf.anchor;
    told.a = described(A);
    told.b = described(B);
    told.direction = (1 / norm(leaf.direction)) * leaf.direction;
    told.required = quick_->required(c, leaf.anchor).clearance.hi;
    const LeafBounds bounds = quick_->measured(leaf, A, B, still);
    told.plane_a = bounds.plane_a;
    told.plane_b = bounds.plane_b;
    // The rule holds, if only in wider arithmetic than the bounds were computed in.
    const auto at_least = [&](double bound, double t) {
      return std::max(bound, quick_->required(c, t).clearance.lo);
    };
    told.lower_begin = at_least(bounds.begin, time.begin);
    told.lower_anchor = at_least(bounds.anchor, leaf.anchor);
    told.lower_end = at_least(bounds.end, time.end);
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
      items.push_back(node.body ? node.get().item : still_body(node.get()));
    else
      for (const int child : node.get().children)
        if (node.body || counts_node_[static_cast<std::size_t>(child)])
          add_items({node.body, node.tree, child}, items);
  }

  [[noreturn]] void fail(Time time, const Node& A, const Node& B, const std::string& what) const {
    throw Rejected{fmt::format("segment {}, {} and {}, t from {} to {}: {}", segment_, A.body->name,
                               B.body ? B.body->name : "still bodies", time.begin, time.end, what)};
  }

  const Model& model_;
  const Motion& motion_;
  std::span<const double> errors_;
  const VerifyOptions& options_;
  BodyStream& in_;
  WalkCounts& counts_;
  std::optional<LeafTest<Interval>> quick_;
  std::optional<LeafTest<Wide>> wide_;

  std::size_t segment_ = 0;
  const Unit* unit_ = nullptr;
  Vec3 direction_;  // of the last leaf in this segment
  Asked largest_;
  std::vector<std::optional<Asked>> asked_;  // of the unit's first body with each still one
  std::vector<bool> counts_node_;            // of the tree over still bodies
};

}  // namespace

std::size_t num_segments(const Motion& motion) {
  return std::max<std::size_t>(1, motion.waypoints.size() - 1);
}

void walk_proof(const Model& model, std::span<const Motion> runs, std::span<const double> errors,
                const VerifyOptions& options, BodyStream& body, WalkCounts& counts) {
  for (const Motion& motion : runs) Walk(model, motion, errors, options, body, counts).run();
  body.finish();
}

}  // namespace proven::verifier
