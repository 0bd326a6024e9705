#pragma once
#include "moveit_stub.h"
