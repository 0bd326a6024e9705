/* A check from C: a bar turns about the origin, with a post in its way beyond half a turn.
 *
 *     cc 10_from_c.c $(pkg-config --cflags --libs proven-c)
 */
#include <proven/c/proven.h>
#include <stdio.h>

static const char* const kRobot =
    "<robot name='bar'><link name='base'/>"
    "<link name='arm'><collision><origin xyz='0.5 0 0'/><geometry><box size='1 0.1 0.1'/></geometry></collision></link>"
    "<joint name='turn' type='continuous'><axis xyz='0 0 1'/><parent link='base'/><child link='arm'/></joint>"
    "</robot>";

/* Says what is wrong; 1 if something is. */
static int failed(proven_error* error) {
  if (!error) return 0;
  fprintf(stderr, "%s\n", proven_error_text(error));
  proven_error_free(error);
  return 1;
}

/* Checks a turn from 0 to `angle`, and has the verifier confirm the answer. */
static int turn(const proven_scene* scene, const proven_model* model, double angle) {
  const double waypoints[2] = {0, angle};
  proven_result* result = NULL;
  proven_report* report = NULL;
  size_t size = 0;
  const uint8_t* certificate;
  if (failed(proven_check(model, waypoints, 2, 0, &result))) return 1;
  certificate = proven_result_certificate(result, &size);
  if (failed(proven_verify(scene, waypoints, 2, 0, certificate, size, &report))) return 1;
  printf("%.1f rad: %s, %s\n", angle, proven_result_text(result),
         proven_report_accepted(report) ? "accepted" : "rejected");
  proven_report_free(report);
  proven_result_free(result);
  return 0;
}

int main(void) {
  const double pose[16] = {1, 0, 0, -0.8, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const double sizes[3] = {0.2, 0.2, 1};
  proven_scene *bar = NULL, *scene = NULL;
  proven_model* model = NULL;
  proven_check_options options;
  int wrong = 0;
  if (proven_c_version() != PROVEN_C_VERSION) return 2;
  proven_check_options_init(&options);
  options.certificate = 1;
  wrong = failed(proven_scene_from_urdf(kRobot, NULL, &bar)) ||
          failed(proven_scene_with_obstacle(bar, "post", pose, PROVEN_BOX, sizes, &scene)) ||
          failed(proven_model_new(scene, &options, &model)) || turn(scene, model, 2) || turn(scene, model, 4);
  proven_model_free(model);
  proven_scene_free(scene);
  proven_scene_free(bar);
  return wrong;
}
