#include "proven/scene/scene.h"
