// Drives through the scenarios of the data folder and through variants of them (mirrored, turned
// and moved, other steps, speeds, goals and vehicles), judged by an evaluator that shares nothing
// with the planner. PROVEN_TRAFFIC_VARIANTS says how many variants; 200 is what the documentation
// tells.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "support.h"
#include "tools/commonroad_evaluator.h"
#include "tools/program.h"

namespace proven {
namespace {

namespace fs = std::filesystem;
using evaluator::Element;

class Variants : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("proven_variants_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::vector<fs::path> scenarios() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(test::data_dir() / "commonroad"))
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }

  // Runs the planner and holds every claim against the evaluator.
  void judge(const fs::path& file, const std::vector<std::string>& more, const std::string& what) {
    std::vector<std::string> words = {"traffic",
                                      "plan",
                                      file,
                                      "-o",
                                      folder_ / "page.html",
                                      "--json",
                                      "--candidates",
                                      "3000",
                                      "--trajectory",
                                      folder_ / "drive.json",
                                      "--certificate",
                                      folder_ / "drive.proof"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = test::run_program(words);
    ++drives_;
    if (result.exit_code == 4) {
      EXPECT_NE(result.err.find("on no lane"), std::string::npos) << what << result.err;
      ++refused_;
      return;
    }
    ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 3) << what << result.err;
    const auto json = nlohmann::json::parse(result.out);
    const evaluator::Scenario scenario = evaluator::read(file);
    const evaluator::Drive drive(json);
    const bool claimed = json["outcome"] == "goal_reached";
    EXPECT_EQ(claimed, result.exit_code == 0) << what << result.out.substr(0, 400);
    if (claimed) {
      EXPECT_TRUE(at_goal(scenario, scenario.problem(""), drive)) << what;
    }
    reached_ += claimed;
    if (drive.t.size() < 2) return;
    EXPECT_TRUE(json["driven_free"].get<bool>()) << what;
    EXPECT_GT(least_distance(scenario, drive), 0) << what;
    EXPECT_EQ(evaluator::beyond_model(drive), "") << what;
    const auto road = on_road(scenario, drive);
    EXPECT_LE(road.off, 0.01L) << what << ": off the road at " << road.off_at;
    EXPECT_EQ(road.against, 0) << what;
    std::vector<std::string> verify = {"traffic",
                                       "verify",
                                       file,
                                       folder_ / "drive.json",
                                       "--certificate",
                                       folder_ / "drive.proof"};
    for (const std::string& id : drive.left_out) verify.insert(verify.end(), {"--leave-out", id});
    const auto verified = test::run_program(verify);
    EXPECT_EQ(verified.exit_code, 0) << what << verified.out << verified.err;
  }

  fs::path folder_;
  int drives_ = 0, reached_ = 0, refused_ = 0;
};

template <class Do>
void for_all(Element* e, Do&& act) {
  for (Element* c = e->FirstChildElement(); c; c = c->NextSiblingElement()) {
    act(c);
    for_all(c, act);
  }
}

void set(Element* e, double value) {
  e->SetText(fmt::format("{:.12g}", value).c_str());
}
double value(const Element* e) {
  return std::strtod(e->GetText(), nullptr);
}

// Of <exact> or an interval, or of a shape's own number.
template <class Map>
void change_range(Element* e, Map&& map) {
  Element *exact = e->FirstChildElement("exact"), *low = e->FirstChildElement("intervalStart"),
          *high = e->FirstChildElement("intervalEnd");
  if (exact) set(exact, map(value(exact)));
  if (low && high) {
    const double a = map(value(low)), b = map(value(high));
    set(low, std::min(a, b));
    set(high, std::max(a, b));
  }
  if (!exact && !low) set(e, map(value(e)));
}

void mirror(Element* root) {
  for_all(root, [](Element* e) {
    const std::string name = e->Name();
    if (name == "y" && e->GetText()) set(e, -value(e));
    if (name == "orientation") change_range(e, [](double a) { return -a; });
    for (const auto& [from, to] : {std::pair{"leftBound", "rightBound"},
                                   {"rightBound", "leftBound"},
                                   {"adjacentLeft", "adjacentRight"},
                                   {"adjacentRight", "adjacentLeft"}})
      if (name == from) return e->SetName(to);
  });
}

// Shapes of obstacles are in their own frames and stay as they are.
void turn_and_move(Element* root, double angle, double dx, double dy) {
  const double c = std::cos(angle), s = std::sin(angle);
  const std::function<void(Element*, bool)> walk = [&](Element* parent, bool local) {
    for (Element* e = parent->FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string name = e->Name(), above = parent->Name();
      const bool own = local || (name == "shape" && above.ends_with("bstacle") &&
                                 above != "environmentObstacle");
      Element *x = e->FirstChildElement("x"), *y = e->FirstChildElement("y");
      if (x && y && !own) {
        const double px = value(x), py = value(y);
        set(x, c * px - s * py + dx);
        set(y, s * px + c * py + dy);
      }
      if (name == "orientation" && !own) change_range(e, [&](double a) { return a + angle; });
      walk(e, own);
    }
  };
  walk(root, false);
}

// Every other state, and steps of twice the length.
void coarser_steps(Element* root) {
  root->SetAttribute("timeStepSize", 2 * root->DoubleAttribute("timeStepSize"));
  std::vector<Element*> gone;
  for_all(root, [&](Element* e) {
    if (std::string(e->Name()) != "time" || !e->Parent()) return;
    Element* holder = e->Parent()->ToElement();
    Element *exact = e->FirstChildElement("exact"), *low = e->FirstChildElement("intervalStart"),
            *high = e->FirstChildElement("intervalEnd");
    if (low && high) {
      set(low, std::ceil(value(low) / 2));
      set(high, std::max(value(low), std::floor(value(high) / 2)));
      return;
    }
    const auto step = static_cast<int>(value(exact));
    const std::string name = holder->Name();
    if (step % 2 != 0 && (name == "state" || name == "occupancy")) return gone.push_back(holder);
    set(exact, step / 2);
  });
  for (Element* e : gone) e->Parent()->DeleteChild(e);
  // What was there for one step only is gone.
  gone.clear();
  for (Element* e = root->FirstChildElement(); e; e = e->NextSiblingElement())
    if (const Element* t = e->FirstChildElement("trajectory"); t && !t->FirstChildElement())
      gone.push_back(e);
  for (Element* e : gone) root->DeleteChild(e);
}

void change_start_speed(Element* root, double factor) {
  for (Element* p = root->FirstChildElement("planningProblem"); p;
       p = p->NextSiblingElement("planningProblem"))
    if (Element* v = p->FirstChildElement("initialState")->FirstChildElement("velocity"))
      change_range(v, [&](double a) { return factor * a; });
}

// Places along their own direction by a few metres, times by a few steps.
void move_goals(Element* root, double metres, int steps) {
  for (Element* p = root->FirstChildElement("planningProblem"); p;
       p = p->NextSiblingElement("planningProblem"))
    for (Element* g = p->FirstChildElement("goalState"); g;
         g = g->NextSiblingElement("goalState")) {
      if (Element* t = g->FirstChildElement("time"))
        change_range(t, [&](double a) { return std::max(0.0, a + steps); });
      Element* place = g->FirstChildElement("position");
      for (Element* r = place ? place->FirstChildElement("rectangle") : nullptr; r;
           r = r->NextSiblingElement("rectangle")) {
        const Element* o = r->FirstChildElement("orientation");
        const double angle = o ? value(o) : 0;
        Element* centre = r->FirstChildElement("center");
        Element *x = centre->FirstChildElement("x"), *y = centre->FirstChildElement("y");
        set(x, value(x) + metres * std::cos(angle));
        set(y, value(y) + metres * std::sin(angle));
      }
    }
}

TEST_F(Variants, SharedScenariosAreDrivenAsClaimed) {
  PROVEN_REQUIRE_DATA("commonroad");
  for (const fs::path& file : scenarios()) judge(file, {}, file.stem().string());
  EXPECT_GE(drives_, 11);
  EXPECT_GE(reached_, 8);
  EXPECT_EQ(refused_, 1);  // one starts beside its map
}

TEST_F(Variants, VariantsAreDrivenAsClaimed) {
  PROVEN_REQUIRE_DATA("commonroad");
  const char* wanted = std::getenv("PROVEN_TRAFFIC_VARIANTS");
  const int count = wanted ? std::atoi(wanted) : 18;
  std::vector<fs::path> files = scenarios();
  // Minutes of driving to a goal that no lane leads to say nothing new.
  std::erase_if(files, [](const fs::path& file) {
    return file.stem().string().starts_with("ZAM_Loading_Bay");
  });
  std::mt19937 random(7);
  const auto uniform = [&](double a, double b) {
    return a + (b - a) * static_cast<double>(random() >> 8) / static_cast<double>(1 << 24);
  };
  for (int i = 0; i < count; ++i) {
    const fs::path& from = files[static_cast<std::size_t>(i) % files.size()];
    tinyxml2::XMLDocument document;
    ASSERT_EQ(document.LoadFile(from.c_str()), tinyxml2::XML_SUCCESS);
    Element* root = document.RootElement();
    std::string what = from.stem().string() + " variant " + std::to_string(i) + ":";
    const int kind = i / static_cast<int>(files.size());
    std::vector<std::string> more;
    if (kind % 2 == 0) mirror(root), what += " mirrored";
    if (kind % 3 != 1) {
      const double angle = uniform(-3, 3);
      turn_and_move(root, angle, uniform(-500, 500), uniform(-500, 500));
      what += fmt::format(" turned by {:.2f}", angle);
    }
    if (kind % 4 == 1) coarser_steps(root), what += " coarser";
    if (kind % 3 == 2) change_start_speed(root, uniform(0.7, 1.1)), what += " other speed";
    if (kind % 2 == 1) move_goals(root, uniform(-6, 10), kind % 5 - 2), what += " moved goal";
    if (kind % 4 == 2) {
      const char* types[] = {"small-car", "van", "car"};
      more = {"--vehicle", types[random() % 3]};
      what += " " + more[1];
    }
    if (kind % 4 == 3) {
      more = {"--length", fmt::format("{:.2f}", uniform(3.5, 5.5)), "--width",
              fmt::format("{:.2f}", uniform(1.6, 2.1))};
      what += " " + more[1] + " by " + more[3];
    }
    const fs::path file = folder_ / "variant.xml";
    document.SaveFile(file.c_str());
    judge(file, more, what);
    if (HasFatalFailure()) return;
  }
  std::printf("%d drives, %d goals reached, %d start beside the road\n", drives_, reached_,
              refused_);
  EXPECT_GE(2 * reached_, drives_);
}

}  // namespace
}  // namespace proven
