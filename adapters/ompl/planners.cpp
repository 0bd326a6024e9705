// OMPL's geometric planners by name: those that need nothing but a space and a validator.
// LazyLBTRRT is left out: OMPL 1.5.2 aborts in it when an edge at the start turns out to be
// invalid.
#include <ompl/geometric/planners/AnytimePathShortening.h>
#include <ompl/geometric/planners/cforest/CForest.h>
#include <ompl/geometric/planners/est/BiEST.h>
#include <ompl/geometric/planners/est/EST.h>
#include <ompl/geometric/planners/est/ProjEST.h>
#include <ompl/geometric/planners/fmt/BFMT.h>
#include <ompl/geometric/planners/fmt/FMT.h>
#include <ompl/geometric/planners/informedtrees/ABITstar.h>
#include <ompl/geometric/planners/informedtrees/AITstar.h>
#include <ompl/geometric/planners/informedtrees/BITstar.h>
#include <ompl/geometric/planners/kpiece/BKPIECE1.h>
#include <ompl/geometric/planners/kpiece/KPIECE1.h>
#include <ompl/geometric/planners/kpiece/LBKPIECE1.h>
#include <ompl/geometric/planners/pdst/PDST.h>
#include <ompl/geometric/planners/prm/LazyPRM.h>
#include <ompl/geometric/planners/prm/LazyPRMstar.h>
#include <ompl/geometric/planners/prm/PRM.h>
#include <ompl/geometric/planners/prm/PRMstar.h>
#include <ompl/geometric/planners/prm/SPARS.h>
#include <ompl/geometric/planners/prm/SPARStwo.h>
#include <ompl/geometric/planners/rlrt/BiRLRT.h>
#include <ompl/geometric/planners/rlrt/RLRT.h>
#include <ompl/geometric/planners/rrt/BiTRRT.h>
#include <ompl/geometric/planners/rrt/InformedRRTstar.h>
#include <ompl/geometric/planners/rrt/LBTRRT.h>
#include <ompl/geometric/planners/rrt/LazyRRT.h>
#include <ompl/geometric/planners/rrt/RRT.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/geometric/planners/rrt/RRTXstatic.h>
#include <ompl/geometric/planners/rrt/RRTsharp.h>
#include <ompl/geometric/planners/rrt/RRTstar.h>
#include <ompl/geometric/planners/rrt/SORRTstar.h>
#include <ompl/geometric/planners/rrt/TRRT.h>
#include <ompl/geometric/planners/rrt/pRRT.h>
#include <ompl/geometric/planners/sbl/SBL.h>
#include <ompl/geometric/planners/sbl/pSBL.h>
#include <ompl/geometric/planners/sst/SST.h>
#include <ompl/geometric/planners/stride/STRIDE.h>

#include "adapters/ompl/adapter.h"

namespace proven::adapters {
namespace {

namespace ob = ompl::base;
namespace og = ompl::geometric;

struct Entry {
  const char* name;
  ob::PlannerPtr (*make)(const ob::SpaceInformationPtr&);
};

template <class Planner>
ob::PlannerPtr make(const ob::SpaceInformationPtr& si) {
  return std::make_shared<Planner>(si);
}

constexpr Entry kPlanners[] = {
    {"RRTConnect", make<og::RRTConnect>},
    {"RRT", make<og::RRT>},
    {"RRTstar", make<og::RRTstar>},
    {"RRTsharp", make<og::RRTsharp>},
    {"RRTXstatic", make<og::RRTXstatic>},
    {"InformedRRTstar", make<og::InformedRRTstar>},
    {"SORRTstar", make<og::SORRTstar>},
    {"LazyRRT", make<og::LazyRRT>},
    {"LBTRRT", make<og::LBTRRT>},
    {"TRRT", make<og::TRRT>},
    {"BiTRRT", make<og::BiTRRT>},
    {"pRRT", make<og::pRRT>},
    {"RLRT", make<og::RLRT>},
    {"BiRLRT", make<og::BiRLRT>},
    {"SBL", make<og::SBL>},
    {"pSBL", make<og::pSBL>},
    {"EST", make<og::EST>},
    {"BiEST", make<og::BiEST>},
    {"ProjEST", make<og::ProjEST>},
    {"KPIECE1", make<og::KPIECE1>},
    {"BKPIECE1", make<og::BKPIECE1>},
    {"LBKPIECE1", make<og::LBKPIECE1>},
    {"PDST", make<og::PDST>},
    {"STRIDE", make<og::STRIDE>},
    {"SST", make<og::SST>},
    {"PRM", make<og::PRM>},
    {"PRMstar", make<og::PRMstar>},
    {"LazyPRM", make<og::LazyPRM>},
    {"LazyPRMstar", make<og::LazyPRMstar>},
    {"SPARS", make<og::SPARS>},
    {"SPARStwo", make<og::SPARStwo>},
    {"FMT", make<og::FMT>},
    {"BFMT", make<og::BFMT>},
    {"BITstar", make<og::BITstar>},
    {"ABITstar", make<og::ABITstar>},
    {"AITstar", make<og::AITstar>},
    {"CForest", make<og::CForest>},
    {"AnytimePathShortening", make<og::AnytimePathShortening>},
};

}  // namespace

std::vector<std::string> ompl_planners() {
  std::vector<std::string> names;
  for (const Entry& entry : kPlanners) names.emplace_back(entry.name);
  return names;
}

ob::PlannerPtr make_ompl_planner(const std::string& name, const ob::SpaceInformationPtr& si) {
  for (const Entry& entry : kPlanners)
    if (name == entry.name) return entry.make(si);
  return nullptr;
}

}  // namespace proven::adapters
