#include "recent_contacts.h"

#include <algorithm>

namespace proven {
namespace {

// Trying so many pairs first saves a tenth of the instructions of planning (UR5); with three, 8 %.
constexpr std::size_t kRecentContacts = 6;

}  // namespace

void remember_contact(const Scene& scene, const std::array<int, 2>& bodies,
                      std::vector<int>& recent) {
  const auto pairs = scene.pairs();
  const auto before = [](const BodyPair& pair, const std::array<int, 2>& key) {
    return pair.a != key[0] ? pair.a < key[0] : pair.b < key[1];
  };
  const auto found = std::lower_bound(pairs.begin(), pairs.end(), bodies, before);
  const int pair = static_cast<int>(found - pairs.begin());
  if (const auto known = std::ranges::find(recent, pair); known != recent.end())
    recent.erase(known);
  else if (recent.size() == kRecentContacts)
    recent.pop_back();
  recent.insert(recent.begin(), pair);
}

}  // namespace proven
