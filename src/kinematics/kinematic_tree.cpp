#include "proven/kinematics/kinematic_tree.h"
