// The collision geometry of one rigid body, prepared for queries. Immutable once built.
//
// A body is a list of pieces in its own frame B: triangles first, then solid convex pieces (boxes,
// spheres, cylinders, capsules, hulls); what a sensor saw has grains instead. A tree of boxes
// stands over all pieces; a second tree, of tighter volumes that take longer to fit, is made when
// it is first asked for.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "proven/base/hash.h"
#include "proven/base/result.h"
#include "proven/geometry/ball_cover.h"
#include "proven/geometry/box_tree.h"
#include "proven/geometry/bv_tree.h"
#include "proven/geometry/convex.h"
#include "proven/geometry/grains.h"
#include "proven/geometry/outline.h"
#include "proven/geometry/shapes.h"

namespace proven {

// A connected part of a body's triangles (corners with equal coordinates are one), or one convex
// piece: one of its points tells whether all of it lies inside another body.
struct Component {
  Vec3 point;             // a point of the component
  bool closed = false;    // it belongs to shells, and nothing of it is open; convex pieces are
  bool directed = false;  // closed, and each edge is used as often in one direction as in the other
  int first_piece = 0;    // convex components: the piece; mesh components: the first triangle
};

// A closed surface of triangles, as docs/inside.md says.
struct Shell {
  bool directed = false;  // winding numbers count; else the parity of crossings
  int weight = 1;         // -1: a cavity
};

// Open triangles hold a point if their generalised winding number reaches this: at most a
// thousandth of all directions leads out.
inline constexpr double kAlmostWhole = 1 - 0x1p-10;

// Shapes of trees that were found earlier, by the hash of their body. May be called by several
// threads at once, for different bodies.
class BoxTreeShapes {
 public:
  virtual ~BoxTreeShapes() = default;
  // A shape that is not valid for the body's pieces is taken for none.
  virtual std::optional<BoxTreeShape> find(const Hash128& body) = 0;
  virtual void store(const Hash128& body, const BoxTreeShape& shape) = 0;
};

struct MeshView;

class BodyGeometry {
 public:
  // Fails on empty or non-finite input, sizes that are not positive, indices out of range, poses
  // that are not rigid and coordinates beyond 1e6 m, naming the element's source. Zero-area
  // triangles are kept: they are segments or points that collide.
  // `shapes`, if given, is asked for the shape of the tree of boxes, and told it otherwise.
  static Result<std::shared_ptr<const BodyGeometry>> build(std::vector<CollisionElement> elements,
                                                           BoxTreeShapes* shapes = nullptr);

  std::span<const CollisionElement> elements() const { return elements_; }
  std::span<const Triangle> triangles() const { return triangles_; }
  std::span<const Convex> convexes() const { return convexes_; }
  // Of a cloud or a voxel set: then there is nothing else. Each of them is a component, too.
  const Grains& grains() const { return grains_; }
  int num_pieces() const {
    return static_cast<int>(triangles_.size() + convexes_.size() + grains_.size());
  }
  bool is_triangle(int piece) const { return piece < static_cast<int>(triangles_.size()); }
  // A piece that is no triangle; `room` holds it if it is a grain.
  const Convex& convex(int piece, Convex& room) const {
    if (!grains_.empty()) return room = grains_.convex(piece);
    return convexes_[static_cast<std::size_t>(piece) - triangles_.size()];
  }

  // Oriented boxes and swept spheres. Built by the first call, while others wait for it; takes much
  // longer than all the rest of the body.
  const BvTree& tree() const {
    const BvTree* built = built_tree_.load(std::memory_order_acquire);
    return built ? *built : build_tree();
  }
  // Few balls in B that hold the body. Made by the first call, while others wait for it.
  const std::vector<CoverBall>& balls() const {
    const auto* made = made_balls_.load(std::memory_order_acquire);
    return made ? *made : make_balls();
  }
  bool has_balls() const { return made_balls_.load(std::memory_order_acquire) != nullptr; }
  // Few points in B whose hull, widened, holds the body. Made together with the balls.
  const Outline& outline() const {
    (void)balls();
    return outline_;
  }
  // The same of parts of its surface (outlines_of_parts).
  const std::vector<Outline>& part_outlines() const {
    (void)balls();
    return part_outlines_;
  }
  // Balls that fill the body, as far as few do. Made together with those that hold it.
  const std::vector<InnerBall>& inner_balls() const {
    (void)balls();
    return inner_balls_;
  }
  // Boxes along the axes of B over the same pieces.
  const BoxTree& box_tree() const { return box_tree_; }
  std::span<const Component> components() const { return components_; }  // but for grains
  // Whether anything can lie inside the body: it has a convex piece, a shell, or open triangles
  // enough to enclose a point.
  bool has_inside() const { return has_inside_; }
  // Whether the inside is well defined: no triangle is open.
  bool is_solid() const { return open_.empty(); }
  // How far welding moved corners, at most: the inside is known outside of this distance of the
  // surface only, so that pairs need at least this clearance.
  double weld_error() const { return weld_error_; }
  // A small sphere that holds the body; its radius is rounded up.
  const BoundingSphere& bounding_sphere() const { return bounding_sphere_; }
  // An upper bound on the distance of any point of the body to a line (a point on it, a unit
  // direction): exact but for rounding, and for cylinders, whose rim may count 0.2 % wider.
  double max_distance_to_line(const Vec3& point, const Vec3& unit_direction) const;
  // For rounding bounds: at least the largest |coordinate| of any point of the body, and of the
  // values from which its points were computed.
  double max_coordinate() const { return max_coordinate_; }
  // Smallest corner and largest corner of the body in B.
  const std::array<Vec3, 2>& bounds() const { return bounds_; }

  // Of all pieces, in order.
  const Hash128& hash() const { return hash_; }

  // Whether the point (in B) is inside the body, as docs/inside.md defines it: in a convex piece,
  // in shells that are not hollow there, or almost wholly enclosed by open triangles. Points within
  // rounding, or within weld_error(), of the surface may go either way. Looks at few triangles.
  bool contains(const Vec3& p_B) const;
  // Whether shells alone put it inside: the answer is the same for all points that can be reached
  // from it without coming within weld_error() of a triangle.
  bool shells_contain(const Vec3& p_B) const;

 private:
  std::vector<CollisionElement> elements_;
  std::vector<Triangle> triangles_;
  std::vector<Convex> convexes_;
  Grains grains_;
  std::vector<Vec3> vertices_;       // of the triangles
  std::vector<Triangle> welded_;     // the triangles, if welding moved corners; else empty
  std::vector<int> triangle_shell_;  // as MeshTopology says
  std::vector<int> first_of_shell_;  // triangles
  std::vector<Shell> shells_;
  std::vector<int> open_;  // triangles
  Aabb open_box_;
  double weld_error_ = 0;
  BoxTree box_tree_;
  BoxTree shell_boxes_;
  std::vector<Component> components_;
  bool has_inside_ = false;
  BoundingSphere bounding_sphere_;
  double max_coordinate_ = 0;
  std::array<Vec3, 2> bounds_;
  Hash128 hash_;
  // tree() changes nothing that can be seen: the tree follows from the pieces.
  mutable std::mutex tree_mutex_;
  mutable BvTree tree_;
  mutable std::atomic<const BvTree*> built_tree_ = nullptr;

  mutable std::mutex balls_mutex_;
  mutable std::vector<CoverBall> balls_;
  mutable std::vector<InnerBall> inner_balls_;
  mutable Outline outline_;
  mutable std::vector<Outline> part_outlines_;
  mutable std::atomic<const std::vector<CoverBall>*> made_balls_ = nullptr;

  const BvTree& build_tree() const;
  const std::vector<CoverBall>& make_balls() const;
  void add_element(const CollisionElement& element);
  void add_grains();
  void find_components();
  void measure();
  void build_boxes(BoxTreeShapes* shapes);
  void build_shells();
  MeshView mesh_view() const;
};

}  // namespace proven
