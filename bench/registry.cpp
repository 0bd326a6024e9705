#include "bench/bench.h"

namespace proven::bench {

Benchmark table1();
Benchmark hull_hash();
Benchmark fig5();
Benchmark fig9();
Benchmark table2();
Benchmark edit();
Benchmark monitor();
Benchmark serve_soak();
Benchmark certificates();
Benchmark batch();
Benchmark together();
Benchmark table3();
Benchmark table6();
Benchmark table8();
Benchmark table9();
Benchmark table10();
Benchmark table11();
Benchmark mbm_straight();
Benchmark mbm();
Benchmark tool_lines();
Benchmark anytime();
Benchmark table4();
Benchmark table5();
Benchmark table7();
Benchmark ipc();
Benchmark task_suite();
Benchmark tables();
Benchmark dexterity();
Benchmark worlds();
Benchmark drm_fig3();
Benchmark drm_fig5();
Benchmark drm_fig12();
Benchmark drm_table1();
Benchmark drm_latency();
Benchmark drm_stream();
Benchmark drm_cells();
Benchmark doors();
Benchmark fail_safe();
Benchmark audit_benchmark();
Benchmark problem_sets();
Benchmark million();
Benchmark never_meet();
#ifdef PROVEN_BENCH_WITH_FCL
Benchmark drm_soundness();
Benchmark drm_conservatism();
Benchmark drm_robot();
Benchmark never_wrong();
Benchmark traffic();
Benchmark traffic_misses();
Benchmark directional();
Benchmark directional_suite();
Benchmark motions();
Benchmark motion_suite();
Benchmark speed();
Benchmark sweep_suite();
Benchmark windings();
Benchmark sensed();
Benchmark sensed_suite();
#endif

std::span<const Benchmark> benchmarks() {
  static const std::vector<Benchmark> all = {
      table1(),        hull_hash(),        fig5(),         fig9(),
      edit(),          certificates(),     batch(),        together(),
      table2(),        table3(),           table6(),       table8(),
      table9(),        table10(),          table11(),      mbm_straight(),
      mbm(),           tool_lines(),       anytime(),      table4(),
      table5(),        table7(),           ipc(),          task_suite(),
      tables(),        dexterity(),        drm_fig3(),     drm_fig5(),
      drm_fig12(),     drm_table1(),       drm_latency(),  doors(),
      monitor(),       serve_soak(),       fail_safe(),    audit_benchmark(),
      problem_sets(),  million(),          worlds(),       never_meet(),
      drm_stream(),    drm_cells(),
#ifdef PROVEN_BENCH_WITH_FCL
      drm_soundness(), drm_conservatism(), drm_robot(),    never_wrong(),
      traffic(),       traffic_misses(),   directional(),  directional_suite(),
      motions(),       motion_suite(),     speed(),        sweep_suite(),
      windings(),      sensed(),           sensed_suite(),
#endif
  };
  return all;
}

}  // namespace proven::bench
