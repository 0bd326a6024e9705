// Certificates taken apart and put together again, for tests that alter them.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "verify/rule.h"
#include "verify/walk.h"

namespace proven::test {

using Bytes = std::vector<std::uint8_t>;

struct PlainExclusion {
  std::uint32_t a = 0, b = 0;
  std::uint8_t reason = 0;
  std::string note;
};

struct PlainCertificate {
  std::uint16_t version = 1;
  std::uint8_t kind = 0, degree = 0;  // as written: 0 in version 1
  std::uint64_t hashes[4] = {1, 2, 3, 4};
  double clearance = 0, tracking_error = 0;
  std::uint32_t segments = 0, tested = 0;
  std::uint32_t slots = 0;  // written from version 3 on
  std::vector<PlainExclusion> excluded;
  Bytes body;
};

class ByteWriter {
 public:
  void put(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value), 8); }
  Bytes out;
};

inline void seal(Bytes& bytes) {
  ByteWriter sum;
  sum.put(XXH3_64bits(bytes.data(), bytes.size()), 8);
  bytes.insert(bytes.end(), sum.out.begin(), sum.out.end());
}

inline Bytes write(const PlainCertificate& c) {
  ByteWriter w;
  for (const char x : std::string("PROVEN\r\n")) w.put(static_cast<std::uint8_t>(x), 1);
  w.put(c.version, 2), w.put(c.kind, 1), w.put(c.degree, 1);
  for (const std::uint64_t hash : c.hashes) w.put(hash, 8);
  w.put(c.clearance), w.put(c.tracking_error);
  w.put(c.segments, 4);
  if (c.version >= 3) w.put(c.slots, 4);
  w.put(c.tested, 4), w.put(c.excluded.size(), 4);
  for (const PlainExclusion& e : c.excluded) {
    w.put(e.a, 4), w.put(e.b, 4), w.put(e.reason, 1), w.put(e.note.size(), 4);
    for (const char x : e.note) w.put(static_cast<std::uint8_t>(x), 1);
  }
  Bytes stored(ZSTD_compressBound(c.body.size()));
  stored.resize(ZSTD_compress(stored.data(), stored.size(), c.body.data(), c.body.size(), 3));
  w.put(c.body.size(), 8), w.put(stored.size(), 8);
  w.out.insert(w.out.end(), stored.begin(), stored.end());
  seal(w.out);
  return w.out;
}

// Of a well-formed certificate.
inline PlainCertificate read(const Bytes& bytes) {
  const verifier::Header header = verifier::read_header(bytes);
  PlainCertificate c;
  c.kind = static_cast<std::uint8_t>(header.kind);
  c.version = bytes[8];
  c.degree = bytes[11];
  std::memcpy(c.hashes, bytes.data() + 12, 32);
  c.clearance = header.clearance;
  c.tracking_error = header.tracking_error;
  c.segments = header.segments;
  c.slots = header.slots;
  c.tested = header.tested_pairs;
  for (const verifier::Excluded& e : header.excluded)
    c.excluded.push_back({static_cast<std::uint32_t>(e.a),
                          static_cast<std::uint32_t>(e.b),
                          static_cast<std::uint8_t>(e.reason),
                          {}});
  c.body.resize(header.body_size);
  const std::size_t size = ZSTD_decompress(c.body.data(), c.body.size(), header.stored_body.data(),
                                           header.stored_body.size());
  if (ZSTD_isError(size) || size != c.body.size()) throw std::runtime_error("bad body");
  return c;
}

// A proof as a tree.
struct ProofNode {
  std::uint8_t code = 0;
  std::array<std::int64_t, 3> direction = {};
  std::vector<ProofNode> children;

  bool is_leaf() const { return code >= 0x10; }
};
using Proofs = std::vector<std::vector<ProofNode>>;  // of segments, of units

inline void put_direction(const ProofNode& node, ByteWriter& w) {
  const int width = node.code % 8;
  if (width == 0) return;
  for (const std::int64_t x : node.direction)
    w.put(static_cast<std::uint64_t>(x), 1 << (width - 1));
}

inline void write(const ProofNode& node, ByteWriter& w) {
  w.put(node.code, 1);
  if (node.is_leaf()) put_direction(node, w);
  for (const ProofNode& child : node.children) write(child, w);
}

inline Bytes write(const Proofs& proofs) {
  ByteWriter w;
  for (const auto& segment : proofs)
    for (const ProofNode& proof : segment) write(proof, w);
  return w.out;
}

// Which nodes of the tree over still bodies count for a unit.
inline std::vector<bool> nodes_that_count(const verifier::Model& model,
                                          const verifier::Unit& unit) {
  std::vector<bool> counts(model.still_tree.size(), false);
  for (std::size_t i = counts.size(); i-- > 0;) {
    const verifier::BoxNode& node = model.still_tree[i];
    if (node.item >= 0) {
      for (const verifier::Pair& pair : unit.pairs)
        if (pair.b == model.still[static_cast<std::size_t>(node.item)]) counts[i] = true;
    } else {
      for (const int child : node.children)
        if (counts[static_cast<std::size_t>(child)]) counts[i] = true;
    }
  }
  return counts;
}

// A pair of nodes and what a split of them leads to.
struct NodePair {
  verifier::Node A, B;
};

inline verifier::Node root_of(const verifier::Body& body) {
  return {&body, &body.tree, 0};
}

inline verifier::Node entered(const verifier::Model& model, const verifier::Node& node) {
  if (node.body || node.get().item < 0) return node;
  const int body = model.still[static_cast<std::size_t>(node.get().item)];
  return root_of(model.bodies[static_cast<std::size_t>(body)]);
}

inline NodePair roots(const verifier::Model& model, const verifier::Unit& unit) {
  const verifier::Node A = root_of(model.bodies[static_cast<std::size_t>(unit.a)]);
  if (unit.b >= 0) return {A, root_of(model.bodies[static_cast<std::size_t>(unit.b)])};
  return {A, entered(model, {nullptr, &model.still_tree, 0})};
}

// Empty if the node is a single piece. `code` is 1 (split A) or 2 (split B).
inline std::vector<NodePair> split(const verifier::Model& model, const std::vector<bool>& counts,
                                   const NodePair& pair, int code) {
  std::vector<NodePair> children;
  const verifier::Node& node = code == 1 ? pair.A : pair.B;
  if (node.get().item >= 0) return children;
  for (const int child : node.get().children) {
    if (!node.body && !counts[static_cast<std::size_t>(child)]) continue;
    const verifier::Node next = entered(model, {node.body, node.tree, child});
    children.push_back(code == 1 ? NodePair{next, pair.B} : NodePair{pair.A, next});
  }
  return children;
}

// Reads proofs by code of its own; throws on what makes no sense.
class ProofParser {
 public:
  ProofParser(const verifier::Model& model, std::span<const std::uint8_t> bytes)
      : model_(model), bytes_(bytes) {}

  Proofs parse(std::size_t segments) {
    Proofs proofs(segments);
    for (auto& segment : proofs) {
      last_ = {};
      for (const verifier::Unit& unit : model_.units) {
        counts_ = nodes_that_count(model_, unit);
        segment.push_back(parse_node(roots(model_, unit), 0));
      }
    }
    if (at_ != bytes_.size()) throw std::runtime_error("trailing bytes");
    return proofs;
  }

 private:
  std::uint8_t next() {
    if (at_ == bytes_.size()) throw std::runtime_error("too short");
    return bytes_[at_++];
  }
  ProofNode parse_node(const NodePair& pair, int depth) {
    ProofNode node;
    node.code = next();
    if (node.is_leaf()) {
      const int width = node.code % 8;
      for (std::size_t i = 0; i < 3 && width > 0; ++i) {
        std::uint64_t value = 0;
        const int size = 1 << (width - 1);
        for (int k = 0; k < size; ++k) value |= static_cast<std::uint64_t>(next()) << (8 * k);
        const int shift = 64 - 8 * size;
        last_[i] = static_cast<std::int64_t>(value << shift) >> shift;
      }
      if (node.code >= 0x28 || width > 4 || last_ == std::array<std::int64_t, 3>{})
        throw std::runtime_error("bad leaf");
      node.direction = last_;
      return node;
    }
    if (node.code == 0) {
      if (depth == 50) throw std::runtime_error("too deep");
      for (int i = 0; i < 2; ++i) node.children.push_back(parse_node(pair, depth + 1));
      return node;
    }
    const auto parts =
        node.code <= 2 ? split(model_, counts_, pair, node.code) : std::vector<NodePair>{};
    if (parts.empty()) throw std::runtime_error("bad split");
    for (const NodePair& part : parts) node.children.push_back(parse_node(part, depth));
    return node;
  }

  const verifier::Model& model_;
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::array<std::int64_t, 3> last_ = {};
  std::vector<bool> counts_;
};

inline PlainCertificate blank_certificate(const verifier::Model& model, const Motion& motion) {
  PlainCertificate c;
  if (!motion.straight()) {
    c.version = 2;
    c.degree = static_cast<std::uint8_t>(motion.degree());
  }
  c.segments = static_cast<std::uint32_t>(verifier::num_segments(motion));
  c.tested = static_cast<std::uint32_t>(model.pairs.size());
  for (const verifier::Excluded& e : model.excluded)
    c.excluded.push_back({static_cast<std::uint32_t>(e.a),
                          static_cast<std::uint32_t>(e.b),
                          static_cast<std::uint8_t>(e.reason),
                          {}});
  return c;
}

}  // namespace proven::test
