// proven completion: scripts that teach a shell the program's commands and options.
#include "tools/completion.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tools/command.h"

namespace proven::tools {

Command completion_command(const Catalogue& catalogue) {
  return {"completion", "Print a completion script for a shell",
          "  proven completion bash > ~/.local/share/bash-completion/completions/proven\n"
          "  proven completion zsh > ~/.zfunc/_proven    with fpath+=~/.zfunc before compinit\n"
          "  proven completion fish > ~/.config/fish/completions/proven.fish",
          [&catalogue](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto shell = std::make_shared<std::string>("bash");
            arguments.add_choice("shell", *shell, {"bash", "zsh", "fish"}, "For which shell");
            return [shell, &catalogue, &common] {
              const std::string script = *shell == "bash"  ? bash_completion(catalogue)
                                         : *shell == "zsh" ? zsh_completion(catalogue)
                                                           : fish_completion(catalogue);
              if (common.json)
                fmt::print("{}\n",
                           nlohmann::ordered_json{{"shell", *shell}, {"script", script}}.dump());
              else
                fmt::print("{}", script);
              return static_cast<int>(kOk);
            };
          }};
}

}  // namespace proven::tools
