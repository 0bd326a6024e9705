// The collision geometry of one rigid body, prepared for queries. Immutable once built.
//
// A body is a list of pieces in its own frame B: triangles first, then solid convex pieces (boxes,
// spheres, cylinders, capsules, hulls). A tree of boxes stands over all pieces; a second tree, of
// tighter volumes that take longer to fit, is made when it is first asked for.
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
#include "proven/geometry/box_tree.h"
#include "proven/geometry/bv_tree.h"
#include "proven/geometry/convex.h"
#include "proven/geometry/shapes.h"

namespace proven {

// A connected component of a body's triangles (vertices with equal coordinates are welded), or one
// convex piece. Used to decide whether a body lies wholly inside another one.
struct Component {
  Vec3 point;             // a point of the component
  bool closed = false;    // has an inside: every welded edge is used by an even number of triangles
  bool oriented = false;  // each edge is used as often in one direction as in the other
  int first_piece = 0;    // convex components: the piece; mesh components: the first triangle
};

// Shapes of trees that were found earlier, by the hash of their body. May be called by several
// threads at once, for different bodies.
class BoxTreeShapes {
 public:
  virtual ~BoxTreeShapes() = default;
  // A shape that is not valid for the body's pieces is taken for none.
  virtual std::optional<BoxTreeShape> find(const Hash128& body) = 0;
  virtual void store(const Hash128& body, const BoxTreeShape& shape) = 0;
};

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
  int num_pieces() const { return static_cast<int>(triangles_.size() + convexes_.size()); }
  bool is_triangle(int piece) const { return piece < static_cast<int>(triangles_.size()); }

  // Oriented boxes and swept spheres. Built by the first call, while others wait for it; takes much
  // longer than all the rest of the body.
  const BvTree& tree() const {
    const BvTree* built = built_tree_.load(std::memory_order_acquire);
    return built ? *built : build_tree();
  }
  // Boxes along the axes of B over the same pieces.
  const BoxTree& box_tree() const { return box_tree_; }
  std::span<const Component> components() const { return components_; }
  // Whether any part of the body has an inside: a convex piece or a closed mesh component.
  bool has_inside() const { return has_inside_; }
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

  // Whether the point (in B) is inside the body: in a convex piece, or inside any closed mesh
  // component, that is, its winding number about the component is not zero (or odd, if the
  // triangles are not consistently directed). One component inside another hollows nothing out.
  // Points within rounding of the surface may go either way. Looks at few triangles.
  bool contains(const Vec3& p_B) const;

 private:
  std::vector<CollisionElement> elements_;
  std::vector<Triangle> triangles_;
  std::vector<Convex> convexes_;
  std::vector<Vec3> vertices_;  // of the triangles, welded
  std::vector<int> triangle_component_;
  BoxTree box_tree_;
  BoxTree component_boxes_;  // around each closed component of the triangles
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

  const BvTree& build_tree() const;
  void add_element(const CollisionElement& element);
  void find_components();
  void measure();
  void build_boxes(BoxTreeShapes* shapes);
  void bound_components();
};

}  // namespace proven
