// Ctrl-C. A command that can stop by itself watches the flag and keeps what it has; all others end
// at once.
#pragma once

#include <atomic>

namespace proven::tools {

// From main, once: Ctrl-C ends the program with kInterrupted.
void end_on_interrupt();

// From now on the first Ctrl-C only sets the flag; the second ends the program.
const std::atomic<bool>* stop_on_interrupt();

bool interrupted();

}  // namespace proven::tools
