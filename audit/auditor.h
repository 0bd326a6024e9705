// Judges paths of a data set, some at a time. What it says of a path depends on the path, its scene
// and the options alone: not on threads, on the order, or on what was asked before.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proven/certify/batch.h"
#include "proven/certify/certificate.h"
#include "proven/certify/check.h"
#include "proven/io/data_set.h"

namespace proven::audit {

struct AuditOptions {
  CheckOptions check;
  PathOptions path;
  // Of free paths, between which of the clearances 1, 2, 4 … 1024 mm the least one lies.
  bool least_clearance = false;
  // Paths that the pre-check finds clear are not searched, but for one in kSweptSample, drawn by
  // chance: their rows say `free (swept)`, which is no proof. Not with certificates or the least
  // clearance.
  bool swept = false;
  // The device of the pre-check, with `swept`.
  BatchDevice device = BatchDevice::threads;
};

// With AuditOptions::swept one path in so many is searched all the same.
inline constexpr std::uint64_t kSweptSample = 100;

// How the scene of a group is found: a file, or the name of a built-in scene.
using SceneLoader = std::function<Result<Scene>(const std::string& scene)>;

struct Audited {
  std::string row;  // a line of JSON, with its end
  Certificate certificate;
};

class Auditor {
 public:
  // Keeps a reference to the data set.
  Auditor(const DataSet& set, AuditOptions options, SceneLoader load, int threads);
  ~Auditor();

  // Of these paths, which increase. Fails only if the data set changes meanwhile.
  Result<std::vector<Audited>> judge(std::span<const std::int64_t> paths);

  // Of the scene that path has, as rows tell it; the text of an error if it cannot be loaded.
  std::string scene_of(std::int64_t path);

 private:
  struct Group;
  const Group& prepare(const PathGroup& group);
  std::vector<char> find_clear(const Group& group, std::span<const PathItem> items);
  Audited judge_one(const Group& group, std::int64_t index, const PathItem& item, bool clear,
                    Scratch& scratch) const;

  const DataSet& set_;
  AuditOptions options_;
  SceneLoader load_;
  std::vector<Scratch> scratch_;  // by thread
  std::unique_ptr<Group> group_;  // the last one
};

}  // namespace proven::audit
