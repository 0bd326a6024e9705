#include "tools/slurm_script.h"

#include <fmt/format.h>

#include "proven/io/file.h"

namespace proven::tools {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// A shard's exit codes up to 4 are verdicts, or rows with errors: whether its rows are all there is
// for the merge to say, which refuses what is missing. So a shard fails on all others alone.
constexpr const char* kScript = R"script(#!/bin/bash
# Audits a data set in {shards} shards and merges them. `bash FILE` submits it; a shard that is killed or
# runs out of time goes on where it ended: submit again, and finished shards end at once.
#SBATCH --job-name=proven-audit
#SBATCH --cpus-per-task={threads}
#SBATCH --requeue
set -u
cd {folder} || exit 1
proven=${{PROVEN:-proven}}
results={results}
certificates={certificates}
shards="$results.shards"
script=${{PROVEN_AUDIT_SCRIPT:-$(readlink -f "$0")}}
case "${{1:-submit}}" in
  submit)
    mkdir -p "$shards" || exit 1
    export PROVEN_AUDIT_SCRIPT="$script"
    job=$(sbatch --parsable --array=1-{shards} --output="$shards/%a.log" "$script" shard) || exit 1
    sbatch --dependency=afterany:"${{job%%;*}}" --output="$shards/merge.log" "$script" merge ;;
  shard)
    i=$SLURM_ARRAY_TASK_ID
    "$proven" audit {arguments} --quiet --threads "${{SLURM_CPUS_PER_TASK:-{threads}}}" \
      --shard "$i/{shards}" -o "$shards/$i.jsonl" ${{certificates:+--certificates "$shards/$i.proofs"}}
    code=$?
    [ $code -le 4 ] && [ $code -ne 2 ] ;;
  merge)
    files=()
    for i in $(seq {shards}); do
      files+=("$shards/$i.jsonl")
      [ -n "$certificates" ] && files+=("$shards/$i.proofs")
    done
    "$proven" audit merge "${{files[@]}}" -o "$results" ${{certificates:+--certificates "$certificates"}}
    code=$?
    [ $code -le 1 ] || [ $code -eq 3 ] ;;
esac
)script";

}  // namespace

Result<void> write_slurm_script(const SlurmJob& job, const std::filesystem::path& file) {
  std::string arguments;
  for (const std::string& argument : job.arguments)
    (arguments += arguments.empty() ? "" : " ") += shell_quoted(argument);
  return write_file(
      file,
      fmt::format(fmt::runtime(kScript), fmt::arg("shards", job.shards),
                  fmt::arg("threads", job.threads),
                  fmt::arg("folder", shell_quoted(std::filesystem::current_path().string())),
                  fmt::arg("arguments", arguments), fmt::arg("results", shell_quoted(job.results)),
                  fmt::arg("certificates",
                           job.certificates.empty() ? "" : shell_quoted(job.certificates))));
}

}  // namespace proven::tools
