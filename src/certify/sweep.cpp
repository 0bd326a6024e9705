#include "sweep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace proven {
namespace {

// Balls that overlap what holds a solid by more than this are all but sure to collide.
constexpr float kDeep = 0.005f;
// What is required, rounded down: it was rounded up to a float.
constexpr float kNeedDown = 1 - 0x1p-20f;

// Chords that bend by more than this settle little.
constexpr double kFar = 0.01;

// Pairs of balls that cost about as much as a direction between two outlines.
constexpr std::size_t kManyBalls = 48;

// A float that is not smaller than what is not negative.
float up(double x) {
  return static_cast<float>(x) * (1 + 0x1p-22f) + 0x1p-126f;
}

}  // namespace

bool Sweep::run(const SweepModel& model, const SegmentMotion& motion, bool starts_free, bool pause,
                const SegmentPart& part, bool hurries) {
  if (!model.usable()) return false;
  const bool known = knows_speeds_ && model_ == &model && part.level == 0 && speeds_are_of(motion);
  knows_speeds_ = false;
  model_ = &model;
  motion_ = &motion;
  part_ = part;
  starts_free_ = starts_free;
  open_.clear();
  hint_ = {};
  contact_.reset();
  pauses_ = false;
  if (!known) find_speeds();
  if (!place_joints()) return false;
  balls_.resize(model.balls().size());
  clusters_.resize(model.clusters().size());
  if (hurries && meets_again()) return true;
  ask_tables();
  if (contact_) return true;
  groups_.resize(model.groups().size());
  wholes_.resize(model.bodies().size());
  has_whole_.assign(wholes_.size(), 0);
  has_clusters_.assign(wholes_.size(), 0);
  has_balls_.assign(model.clusters().size(), 0);
  near_solids_.clear();
  near_pairs_.clear();
  look();
  if (!contact_) look_deeper();
  if (contact_) return true;
  pauses_left_ = pause ? kMostPauses : 0;
  next_pair_ = -1;
  if (hint_.overlap > kDeep) this->pause();
  if (!pauses_) go_on();
  return true;
}

int Sweep::wanted_level(const SweepModel& model, const SegmentMotion& motion) {
  knows_speeds_ = false;
  if (!model.usable() || model.bodies().empty()) return 0;
  model_ = &model;
  motion_ = &motion;
  part_ = {};
  find_speeds();
  knows_speeds_ = true;
  speeds_from_.assign(motion.from.begin(), motion.from.end());
  speeds_to_.assign(motion.to.begin(), motion.to.end());
  speeds_inner_.assign(motion.inner.begin(), motion.inner.end());
  double most = bend(model.levers(model.bodies().back()), 0, &SweepModel::Lever::radius);
  int level = 0;
  for (; level < kMostLevels && most > kFar; ++level) most /= 4;
  return level;
}

bool Sweep::speeds_are_of(const MotionPiece& motion) const {
  return std::ranges::equal(motion.from, speeds_from_) &&
         std::ranges::equal(motion.to, speeds_to_) &&
         std::ranges::equal(motion.inner, speeds_inner_);
}

// Balls tell contacts for little; outlines are asked where no ball tells one.
void Sweep::look() {
  // Most contacts are near the tip.
  for (std::size_t g = groups_.size(); g-- > 0;) {
    place_group(g);
    look_at_solids(model_->groups()[g]);
    if (contact_) return;
  }
  find_near_groups();
  for (const SweepModel::GroupPair& both : model_->group_pairs()) {
    if (are_near(both.a, both.b)) look_at_pairs(both);
    if (contact_) return;
  }
}

// Which groups come near each other at all, sixteen at a time.
void Sweep::find_near_groups() {
  const auto groups = model_->groups();
  const std::size_t words = (groups.size() + kMoments - 1) / kMoments;
  group_boxes_.resize(words);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const float around = groups[g].radius + groups_[g].bend + groups[g].error;
    BoxLanes& boxes = group_boxes_[g / kMoments];
    for (std::size_t i = 0; i < 3; ++i) {
      boxes.v[i][g % kMoments] = groups_[g].box[i] - around;
      boxes.v[i + 3][g % kMoments] = groups_[g].box[i + 3] + around;
    }
  }
  near_groups_.resize(groups.size() * words);
  for (std::size_t g = 0; g < groups.size(); ++g)
    sweep_kernel->near(
        group_boxes_.data(), static_cast<int>(groups.size()), groups_[g].box.data(),
        groups[g].radius + groups_[g].bend + groups[g].error + groups[g].most_pair_needed,
        near_groups_.data() + g * words);
}

bool Sweep::are_near(int a, int b) const {
  const auto own = static_cast<std::size_t>(a), other = static_cast<std::size_t>(b);
  const std::size_t words = near_groups_.size() / groups_.size();
  return (near_groups_[own * words + other / kMoments] >> (other % kMoments) & 1) != 0;
}

void Sweep::pause() {
  if (pauses_left_ == 0) return;
  --pauses_left_;
  pauses_ = true;
}

void Sweep::go_on() {
  pauses_ = false;
  if (next_pair_ < 0) begin_tests();
  while (next_pair_ < std::ssize(near_pairs_) && !contact_ && !pauses_)
    test_pair(near_pairs_[static_cast<std::size_t>(next_pair_++)]);
  if (!contact_ && !pauses_ && std::ranges::find(open_, hint_.pair, &OpenPart::pair) == open_.end())
    hint_at_end();
}

void Sweep::begin_tests() {
  look_at_end();
  std::span<const NearSolid> rest = near_solids_;
  for (std::size_t b = model_->bodies().size(); b-- > 0 && !contact_;) {
    std::size_t own = 0;
    while (own < rest.size() && rest[own].body == b) ++own;
    test_solids(b, rest.first(own));
    rest = rest.subspan(own);
  }
  // Those that come nearest mostly collide, if any does.
  std::ranges::sort(near_pairs_, {},
                    [](const NearPair& near) { return std::tuple(near.nearest.gap, near.pair); });
  next_pair_ = 0;
}

// Pairs that are open to the end of the segment mostly collide there: balls inside tell that for
// less than outlines fail.
void Sweep::look_at_end() {
  for (const NearPair& near : near_pairs_) {
    const SweepModel::Pair& pair = model_->pairs()[near.pair];
    if (near.open >> (kChords - 1) != 0 && !(pair.table && !pair.table->spun))
      look_inside(pair, kChords);
    if (contact_) return;
  }
}

void Sweep::hint_at_end() {
  for (const OpenPart& part : open_)
    if (part.chords >> (kChords - 1) != 0) {
      hint_ = {part.pair, part_.moment(kChords), 0};
      return;
    }
}

// Chords that the table leaves open. Cells that are not known to be free mostly collide, if a chord
// after the other runs through them: `look(likely)` is told what the table names, in the order of
// the model's pair.
template <class Look>
std::uint32_t Sweep::ask_table(const PairTable& table, int pair, const Look& look) {
  if (!motion_->straight()) return kAllChords;
  const PairTable::Line line = this->line();
  const std::uint32_t open = table.open_chords(line);
  if (open == 0 || table.spun) return open;
  std::array<PairTable::Likely, PairTable::kMostLikely> likely;
  const int found = table.likely_contacts(line, open, likely);
  for (int i = 0; i < found && !contact_; ++i) look(likely[static_cast<std::size_t>(i)]);
  const bool reaches_end = (open >> (kChords - 1)) != 0;
  if (((open & (open >> 1)) != 0 || reaches_end) && hint_.pair < 0)
    hint_ = {pair,
             part_.moment(reaches_end || found == 0 ? likely_moments(open).moments[0]
                                                    : likely[0].moment),
             0};
  return open;
}

void Sweep::ask_tables() {
  const auto bodies = model_->bodies();
  // Those that tell no contacts are asked where the pair comes near.
  tables_.assign(model_->pairs().size(), kAllChords);
  for (const SweepModel::ToldPairs& told : model_->told_pairs()) {
    if (told.all && motion_->straight() && told.all->open_chords(line()) == 0) {
      for (const int p : told.pairs) tables_[static_cast<std::size_t>(p)] = 0;
      continue;
    }
    for (const int index : told.pairs) {
      const auto p = static_cast<std::size_t>(index);
      const SweepModel::Pair& pair = model_->pairs()[p];
      tables_[p] = ask_table(*pair.table, pair.pair, [&](const PairTable::Likely& likely) {
        const SweepModel::Body &A = bodies[static_cast<std::size_t>(pair.a)],
                               &B = bodies[static_cast<std::size_t>(pair.b)];
        overlap(inner_pair(pair, likely.moment), in_frame(likely.contact->a, A.X_FB),
                in_frame(likely.contact->b, B.X_FB));
      });
      if (contact_) return;
    }
  }
  links_.assign(static_cast<std::size_t>(model_->num_still_links()), {kAllChords, kAllChords, -1});
  for (const SweepModel::ToldLink& told : model_->told_links()) {
    const SweepModel::Body& body = bodies[static_cast<std::size_t>(told.body)];
    const SweepModel::StillLink& link = body.still_links[static_cast<std::size_t>(told.link)];
    const int pair = body.still_pairs[static_cast<std::size_t>(link.still)];
    const bool first = model_->model().pair(pair).a == body.body;
    const auto open = ask_table(*link.table, pair, [&](const PairTable::Likely& likely) {
      const PairTable::Contact& balls = *likely.contact;
      const Pose& X_WB = model_->model().still_pose(model_->model().still_body(link.still));
      overlap(inner_pair(body, link, likely.moment), in_frame(first ? balls.a : balls.b, body.X_FB),
              in_frame(first ? balls.b : balls.a, X_WB));
    });
    if (contact_) return;
    link_state(body, told.link) = {open, open, -1};
  }
}

void Sweep::place_group(std::size_t g) {
  const SweepModel::Group& group = model_->groups()[g];
  Whole& whole = groups_[g];
  whole.bend = up(bend(model_->levers(group), 0, &SweepModel::Lever::radius));
  sweep_kernel->track(frames_[static_cast<std::size_t>(group.joint)], group.centre.data(),
                      whole.track, whole.box.data());
}

void Sweep::need_whole(std::size_t b) {
  if (has_whole_[b]) return;
  has_whole_[b] = 1;
  const SweepModel::Body& body = model_->bodies()[b];
  const auto g = static_cast<std::size_t>(body.group);
  if (model_->groups()[g].num_bodies == 1)
    wholes_[b] = groups_[g].track;
  else
    sweep_kernel->tracks(frame_of(body), body.centre.data(), 1, &wholes_[b]);
}

void Sweep::need_clusters(std::size_t b) {
  if (has_clusters_[b]) return;
  has_clusters_[b] = 1;
  const SweepModel::Body& body = model_->bodies()[b];
  sweep_kernel->tracks(frame_of(body), model_->cluster_centres(body), body.num_clusters,
                       clusters_.data() + body.first_cluster);
}

void Sweep::need_balls(const SweepModel::Body& body, std::size_t cluster) {
  if (has_balls_[cluster]) return;
  has_balls_[cluster] = 1;
  const auto& [first, count] = model_->clusters()[cluster];
  sweep_kernel->tracks(frame_of(body), model_->centres(body) + 3 * (first - body.first_ball), count,
                       balls_.data() + first);
}

void Sweep::leave(int pair, std::uint32_t chords) {
  if (chords == 0) return;
  for (OpenPart& part : open_)
    if (part.pair == pair) {
      part.chords |= chords;
      return;
    }
  open_.push_back({pair, chords, part_});
}

// The balls inside of two bodies.
void Sweep::look_for_contact(const SweepModel::Pair& pair, int x, int y) {
  const SweepBall &a = model_->balls()[static_cast<std::size_t>(x)],
                  &b = model_->balls()[static_cast<std::size_t>(y)];
  const Track &from = balls_[static_cast<std::size_t>(x)],
              &to = balls_[static_cast<std::size_t>(y)];
  int nearest = 0;
  const float square = sweep_kernel->nearest(from, to, nearest);
  const float gap = std::sqrt(square) - a.depth - b.depth;
  note({x, y}, gap, nearest);
  const float most = gap + model_->bodies()[static_cast<std::size_t>(pair.a)].error +
                     model_->bodies()[static_cast<std::size_t>(pair.b)].error;
  if (a.depth > 0 && b.depth > 0 && std::isfinite(pair.need) && most < pair.need * kNeedDown)
    contact_ = {pair.pair,
                part_.moment(nearest),
                most,
                {from.v[0][nearest], from.v[1][nearest], from.v[2][nearest]}};
}

// Whether a ball meets what it met not long ago. What it met is remembered for any model: two that
// overlap do so whatever was asked before.
bool Sweep::meets_again() {
  for (std::size_t i = 0; i < num_met_; ++i) {
    const Met& met = met_[i];
    met.solid >= 0 ? meet_solid(met) : met.inside ? meet_inside(met) : meet_pair(met);
    if (!contact_) continue;
    std::rotate(met_.begin(), met_.begin() + static_cast<std::ptrdiff_t>(i),
                met_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return true;
  }
  return false;
}

void Sweep::meet_solid(const Met& met) {
  if (met.of >= model_->bodies().size() ||
      static_cast<std::size_t>(met.solid) >= model_->solids().size())
    return;
  const SweepModel::Body& body = model_->bodies()[met.of];
  const auto still = static_cast<std::size_t>(model_->solid_body(met.solid));
  if (met.ball >= body.num_balls || body.still_pairs[still] < 0) return;
  const int ball = body.first_ball + met.ball;
  sweep_kernel->tracks(frame_of(body),
                       model_->centres(body) + 3 * static_cast<std::size_t>(met.ball), 1,
                       &balls_[static_cast<std::size_t>(ball)]);
  test_balls(met.of, ball, 1, met.solid, INFINITY, kAllChords);
}

void Sweep::meet_pair(const Met& met) {
  if (met.of >= model_->pairs().size()) return;
  const SweepModel::Pair& pair = model_->pairs()[met.of];
  const SweepModel::Body &A = model_->bodies()[static_cast<std::size_t>(pair.a)],
                         &B = model_->bodies()[static_cast<std::size_t>(pair.b)];
  if (met.ball >= A.num_balls || met.other >= B.num_balls) return;
  for (const auto& [body, ball] : {std::pair(&A, met.ball), std::pair(&B, met.other)})
    sweep_kernel->tracks(frame_of(*body),
                         model_->centres(*body) + 3 * static_cast<std::size_t>(ball), 1,
                         balls_.data() + body->first_ball + ball);
  look_for_contact(pair, A.first_ball + met.ball, B.first_ball + met.other);
}

void Sweep::remember(const Met& met) {
  num_met_ = std::min(num_met_ + 1, kMostMet);
  std::rotate(met_.begin(), met_.end() - 1, met_.end());
  met_.front() = met;
}

// Balls of a body, which have their tracks, against a solid, from which they must keep `need`: the
// chords that they leave open. What only holds a solid gives a hint.
std::uint32_t Sweep::test_balls(std::size_t b, int first, int count, int solid, float need,
                                std::uint32_t chords) {
  const SweepModel::Body& body = model_->bodies()[b];
  const SweepSolid& shape = model_->solids()[static_cast<std::size_t>(solid)];
  const auto still = static_cast<std::size_t>(model_->solid_body(solid));
  const float required = body.still_need[still];
  const bool tells = shape.whole && std::isfinite(required);
  SolidFound found;
  sweep_kernel->balls(balls_.data() + first, model_->balls().data() + first, count, shape, need,
                      chords, tells ? required * kNeedDown - body.error : -INFINITY, found);
  if (found.ball < 0) return 0;
  const int ball = first + found.ball, pair = body.still_pairs[still];
  note({ball, -1}, found.gap, found.moment);
  if (!shape.whole && body.still_link[still] < 0 && -found.gap > hint_.overlap)
    hint_ = {pair, part_.moment(found.moment), -found.gap};
  if (found.contact) {
    const Track& track = balls_[static_cast<std::size_t>(ball)];
    const auto moment = static_cast<std::size_t>(found.moment);
    contact_ = {pair,
                part_.moment(found.moment),
                found.gap + body.error,
                {track.v[0][moment], track.v[1][moment], track.v[2][moment]}};
  }
  return found.open;
}

// Which boxes come near at all.
void Sweep::look_at_solids(const SweepModel::Group& group) {
  const auto g = static_cast<std::size_t>(&group - model_->groups().data());
  const auto first_body = static_cast<std::size_t>(group.first_body);
  if (starts_free_ && !moves(model_->bodies()[first_body], 0)) return;
  const std::span<const BoxLanes> boxes = model_->solid_boxes();
  near_blocks_.resize(boxes.size());
  const int solids = static_cast<int>(model_->solids().size());
  if (!sweep_kernel->near(boxes.data(), solids, groups_[g].box.data(),
                          group.radius + group.error + group.most_needed + groups_[g].bend,
                          near_blocks_.data()))
    return;
  for (std::size_t b = first_body + static_cast<std::size_t>(group.num_bodies); b-- > first_body;) {
    const SweepModel::Body& body = model_->bodies()[b];
    const bool alone = group.num_bodies == 1;
    std::array<float, 6> box;
    if (alone) need_whole(b);
    if (!alone) {
      has_whole_[b] = 1;
      sweep_kernel->track(frame_of(body), body.centre.data(), wholes_[b], box.data());
    }
    for (std::size_t block = 0; block < boxes.size(); ++block) {
      std::uint16_t own = near_blocks_[block], of_body = own;
      if (own != 0 && !alone)
        sweep_kernel->near(&boxes[block], kMoments, box.data(),
                           body.radius + body.error + body.most_needed + groups_[g].bend, &of_body);
      for (own &= of_body; own != 0; own &= own - 1) {
        look_at_solid(b, static_cast<int>(block) * kMoments + std::countr_zero(own));
        if (contact_) return;
      }
    }
  }
}

void Sweep::look_at_solid(std::size_t b, int solid) {
  const SweepModel::Body& body = model_->bodies()[b];
  const int still = model_->solid_body(solid);
  const auto s = static_cast<std::size_t>(still);
  if (body.still_pairs[s] < 0) return;
  // A link that stands still has a table, and one outline for all its boxes.
  const int link = body.still_link[s];
  LinkState* state = link < 0 ? nullptr : &link_state(body, link);
  const std::uint32_t left = state ? state->left : kAllChords;
  if (left == 0) return;
  const float need = body.still_need[s] + bend_of(b) + body.error;
  const SweepSolid& shape = model_->solids()[static_cast<std::size_t>(solid)];
  std::uint32_t open = sweep_kernel->solid(wholes_[b], shape, need + body.radius) & left;
  if (open == 0) return;
  nearest_ = {};
  need_clusters(b);
  std::uint32_t near = 0;
  for (int i = body.first_cluster; i < body.first_cluster + body.num_clusters; ++i) {
    const auto c = static_cast<std::size_t>(i);
    const std::uint32_t own =
        sweep_kernel->solid(clusters_[c], shape, need + model_->cluster_balls()[c].radius) & open;
    if (own == 0) continue;
    need_balls(body, c);
    const auto& [first, count] = model_->clusters()[c];
    near |= test_balls(b, first, count, solid, need, own);
    if (!contact_) continue;
    remember({.of = b, .ball = nearest_.balls[0] - body.first_ball, .solid = solid});
    return;
  }
  open = near;
  if (open == 0 && starts_free_) return;
  if (state) state->left &= ~open;  // what is open need not be found so again
  if (state && state->near >= 0) {
    NearSolid& known = near_solids_[static_cast<std::size_t>(state->near)];
    known.open |= open;
    if (nearest_.gap < known.nearest.gap) known.solid = solid, known.nearest = nearest_;
    return;
  }
  if (state) state->near = static_cast<int>(near_solids_.size());
  near_solids_.push_back({b, solid, link, open, nearest_});
}

// What balls leave open, by outlines.
void Sweep::test_solids(std::size_t b, std::span<const NearSolid> near) {
  const SweepModel::Body& body = model_->bodies()[b];
  if (starts_free_ && near.empty()) return;
  open_still_.assign(static_cast<std::size_t>(model_->model().num_still()), 0);
  for (const NearSolid& solid : near) {
    test_solid(solid);
    if (contact_) return;
  }
  for (std::size_t still = 0; still < open_still_.size(); ++still)
    leave(body.still_pairs[still], open_still_[still]);
  if (starts_free_) return;
  // Of meshes only the surface was looked at.
  if (!model_->hollow_bodies().empty()) need_whole(b);
  for (const SweepModel::Hollow& hollow : model_->hollow_bodies()) {
    const auto s = static_cast<std::size_t>(hollow.still);
    if (body.still_pairs[s] < 0 || open_still_[s] == kAllChords) continue;
    const int link = body.still_link[s];
    if (link >= 0 && link_state(body, link).table == 0) continue;
    if (may_be_inside(b, hollow)) leave(body.still_pairs[s], kAllChords);
  }
}

void Sweep::test_solid(const NearSolid& near) {
  const SweepModel::Body& body = model_->bodies()[near.body];
  const int still = model_->solid_body(near.solid);
  const auto s = static_cast<std::size_t>(still);
  std::uint32_t open = near.open & ~open_still_[s];
  nearest_ = near.nearest;
  if (open != 0 && near.link >= 0) {
    const auto& link = body.still_links[static_cast<std::size_t>(near.link)];
    open = narrow(near.body, link, near.solid, open);
  } else if (open != 0) {
    open = narrow(near.body, near.solid, still, open);
  }
  if (open != 0) {
    const LikelyMoments likely = likely_moments(open);
    for (int i = 0; i < likely.count && !contact_; ++i)
      look_inside(near, likely.moments[static_cast<std::size_t>(i)]);
  }
  if (contact_) return;
  if (open != 0 && near.link >= 0) {
    const Facing both = facing(body, body.still_links[static_cast<std::size_t>(near.link)]);
    open = narrow_parts(both, both.needed, open);
  }
  if (open == 0 && !starts_free_ && !still_holds_nothing(near.body, still)) open = kAllChords;
  open_still_[s] |= open;
}

// Of both bodies, the clusters that come near one of the other's on some of the chords.
void Sweep::find_near_clusters(std::size_t a, std::size_t b, float need, std::uint32_t chords) {
  const auto balls = model_->cluster_balls();
  const SweepModel::Body &A = model_->bodies()[a], &B = model_->bodies()[b];
  need_clusters(a);
  need_clusters(b);
  near_clusters_[0].clear();
  near_clusters_[1].clear();
  std::array<int, SweepModel::kMostClusters> near;
  std::uint32_t some = 0;
  for (int i = A.first_cluster; i < A.first_cluster + A.num_clusters; ++i) {
    const auto c = static_cast<std::size_t>(i);
    const int count = sweep_kernel->near_track(
        clusters_.data() + B.first_cluster, balls.data() + B.first_cluster, B.num_clusters,
        clusters_[c], need + balls[c].radius, chords, near.data());
    if (count > 0) near_clusters_[0].push_back(i);
    for (int k = 0; k < count; ++k) some |= 1u << near[static_cast<std::size_t>(k)];
  }
  for (; some != 0; some &= some - 1)
    near_clusters_[1].push_back(B.first_cluster + std::countr_zero(some));
}

// Of both bodies, the balls of these that come near the other body.
void Sweep::find_near_balls(std::size_t a, std::size_t b, float need, std::uint32_t chords) {
  find_near_clusters(a, b, need, chords);
  for (const auto& [own, other, side] : {std::tuple(a, b, 0u), std::tuple(b, a, 1u)}) {
    const SweepModel::Body &body = model_->bodies()[own], &whole = model_->bodies()[other];
    std::vector<int>& near = near_balls_[side];
    near.resize(static_cast<std::size_t>(body.num_balls));
    std::size_t found = 0;
    for (const int cluster : near_clusters_[side]) {
      const auto c = static_cast<std::size_t>(cluster);
      need_balls(body, c);
      const auto& [first, count] = model_->clusters()[c];
      const int added = sweep_kernel->near_track(
          balls_.data() + first, model_->balls().data() + first, count, wholes_[other],
          need + whole.radius, chords, near.data() + found);
      for (int k = 0; k < added; ++k) near[found++] += first;
    }
    near.resize(found);
  }
}

// Which of the chords the balls that are near leave open.
std::uint32_t Sweep::test_balls(const SweepModel::Pair& pair, float need, std::uint32_t chords) {
  const auto balls = model_->balls();
  std::uint32_t open = 0;
  for (const int i : near_balls_[0])
    for (const int j : near_balls_[1]) {
      const auto x = static_cast<std::size_t>(i), y = static_cast<std::size_t>(j);
      const std::uint32_t both =
          sweep_kernel->pair(balls_[x], balls_[y], need + balls[x].radius + balls[y].radius) &
          chords;
      if (both == 0) continue;
      look_for_contact(pair, i, j);
      open |= both;
      if (contact_)
        remember({.of = static_cast<std::size_t>(&pair - model_->pairs().data()),
                  .ball = i - model_->bodies()[static_cast<std::size_t>(pair.a)].first_ball,
                  .other = j - model_->bodies()[static_cast<std::size_t>(pair.b)].first_ball});
      if (contact_ || open == chords) return open;
    }
  return open;
}

// Where the balls around two groups keep apart, so do all bodies in them.
void Sweep::look_at_pairs(const SweepModel::GroupPair& groups) {
  const auto a = static_cast<std::size_t>(groups.a), b = static_cast<std::size_t>(groups.b);
  const SweepModel::Group &A = model_->groups()[a], &B = model_->groups()[b];
  std::uint32_t chords = kAllChords;
  if (groups.pairs.size() > 1)
    chords = sweep_kernel->pair(
        groups_[a].track, groups_[b].track,
        groups.need + groups_[a].bend + groups_[b].bend + A.error + B.error + A.radius + B.radius);
  if (chords == 0) return;
  for (const int pair : groups.pairs) {
    look_at_pair(static_cast<std::size_t>(pair), chords);
    if (contact_) return;
  }
}

void Sweep::look_at_pair(std::size_t index, std::uint32_t chords) {
  const SweepModel::Pair& pair = model_->pairs()[index];
  if (starts_free_ && !moves(pair)) return;
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  need_whole(a);
  need_whole(b);
  const SweepModel::Body &A = model_->bodies()[a], &B = model_->bodies()[b];
  const float need = pair.need + bend_of(a) + bend_of(b) + A.error + B.error;
  std::uint32_t whole =
      sweep_kernel->pair(wholes_[a], wholes_[b], need + A.radius + B.radius) & chords;
  // Where a table says free at any time, neither lies inside the other.
  if (whole == 0 || tables_[index] == 0) return;
  if (pair.table && pair.table->spun)
    tables_[index] = ask_table(*pair.table, pair.pair, [](auto&) {});
  if (tables_[index] == 0) return;
  whole &= tables_[index];
  if (whole == 0) return;
  find_near_balls(a, b, need, whole);
  // Many balls that are near each other cost more than the outlines.
  const bool many = near_balls_[0].size() * near_balls_[1].size() > kManyBalls;
  nearest_ = {};
  if (many)
    note({near_balls_[0][0], near_balls_[1][0]}, 0, likely_moments(whole).moments[0]);
  else
    whole = test_balls(pair, need, whole);
  if (whole != 0 || !starts_free_) near_pairs_.push_back({index, whole, many, nearest_});
}

void Sweep::test_pair(const NearPair& near) {
  const SweepModel::Pair& pair = model_->pairs()[near.pair];
  nearest_ = near.nearest;
  std::uint32_t open = near.open;
  if (open != 0) open = narrow(pair, open);
  if (contact_) return;
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  if (open != 0 && near.many) {
    const float need =
        pair.need + bend_of(a) + bend_of(b) + model_->bodies()[a].error + model_->bodies()[b].error;
    find_near_balls(a, b, need, open);
    open = test_balls(pair, need, open);
  }
  // What a table of the pair itself names is deeper than this filling.
  const bool named = pair.table && !pair.table->spun;
  if (open != 0 && !named) {
    const LikelyMoments likely = likely_moments(open);
    for (int i = 0; i < likely.count && !contact_; ++i)
      look_inside(pair, likely.moments[static_cast<std::size_t>(i)]);
  }
  if (contact_) return;
  if (open != 0) open = narrow_parts(pair, open);
  if (open == 0 && !starts_free_ && !inside_nothing(a, b)) open = kAllChords;
  leave(pair.pair, open);
}

}  // namespace proven
