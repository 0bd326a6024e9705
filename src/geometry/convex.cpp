#include "proven/geometry/convex.h"
