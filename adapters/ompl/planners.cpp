// OMPL's geometric planners by name. Those that ask for more than a space and a validator get the
// plainest choice: the joint space as its own task space or single level, a constant vector field.
#include <ompl/base/ScopedState.h>
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
#include <ompl/geometric/planners/quotientspace/QRRT.h>
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
#include <ompl/geometric/planners/rrt/TSRRT.h>
#include <ompl/geometric/planners/rrt/VFRRT.h>
#include <ompl/geometric/planners/rrt/pRRT.h>
#include <ompl/geometric/planners/sbl/SBL.h>
#include <ompl/geometric/planners/sbl/pSBL.h>
#include <ompl/geometric/planners/sst/SST.h>
#include <ompl/geometric/planners/stride/STRIDE.h>

#include "proven/ompl/adapter.h"

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

// The joint space as the task space.
class JointTaskSpace : public og::TaskSpaceConfig {
 public:
  explicit JointTaskSpace(const ob::SpaceInformationPtr& si)
      : space_(si->getStateSpace()), sampler_(si->allocStateSampler()), sample_(si) {}
  int getDimension() const override { return static_cast<int>(space_->getDimension()); }
  void project(const ob::State* state, Eigen::Ref<Eigen::VectorXd> point) const override {
    std::vector<double> reals;
    space_->copyToReals(reals, state);
    for (std::size_t k = 0; k < reals.size(); ++k) point(static_cast<Eigen::Index>(k)) = reals[k];
  }
  void sample(Eigen::Ref<Eigen::VectorXd> point) const override {
    sampler_->sampleUniform(sample_.get());
    project(sample_.get(), point);
  }
  bool lift(const Eigen::Ref<Eigen::VectorXd>& point, const ob::State*,
            ob::State* state) const override {
    std::vector<double> reals(point.data(), point.data() + point.size());
    space_->copyFromReals(state, reals);
    return true;
  }

 private:
  ob::StateSpacePtr space_;
  ob::StateSamplerPtr sampler_;
  mutable ob::ScopedState<> sample_;
};

ob::PlannerPtr make_tsrrt(const ob::SpaceInformationPtr& si) {
  return std::make_shared<og::TSRRT>(si, std::make_shared<JointTaskSpace>(si));
}

ob::PlannerPtr make_vfrrt(const ob::SpaceInformationPtr& si) {
  const auto dimension = static_cast<Eigen::Index>(si->getStateDimension());
  const auto field = [dimension](const ob::State*) -> Eigen::VectorXd {
    return Eigen::VectorXd::Ones(dimension).normalized();
  };
  constexpr double kExploration = 0.7, kLambda = 1;
  constexpr unsigned kUpdates = 100;
  return std::make_shared<og::VFRRT>(si, field, kExploration, kLambda, kUpdates);
}

ob::PlannerPtr make_qrrt(const ob::SpaceInformationPtr& si) {
  std::vector<ob::SpaceInformationPtr> levels = {si};
  return std::make_shared<og::QRRT>(levels, "QRRT");
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
    {"TSRRT", make_tsrrt},
    {"VFRRT", make_vfrrt},
    {"QRRT", make_qrrt},
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
