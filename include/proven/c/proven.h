/* Proven for C and for languages that call C: scenes, checks, certificates, plans (docs/c.md).
 *
 * Handles are opaque and made by functions whose last argument is where they go; each is given back
 * by its own *_free, which takes NULL. Scenes and models never change: any number of threads may
 * use one. Texts and arrays that a function returns belong to the handle and live as long as it
 * does.
 *
 * A function that can fail returns a proven_error, or NULL for success; then, and only then, what
 * it was asked for is written. An error is a value: proven_error_text says what is wrong, where,
 * and the remedy, and proven_error_free gives it back. No exception and no C++ type crosses this
 * line.
 *
 * Configurations are rows of doubles, one for each joint of the scene in its order. Lengths are
 * metres, angles radians, times seconds. A pose is 16 doubles, row by row; its last row is 0 0 0 1.
 *
 * PROVEN_C_VERSION counts versions of this file that older programs cannot use; the library's name
 * bears it (libproven.so.1). Functions are only added within one.
 */
#ifndef PROVEN_C_H
#define PROVEN_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROVEN_C_VERSION 1

#if defined(__GNUC__)
#define PROVEN_C_API __attribute__((visibility("default")))
#else
#define PROVEN_C_API
#endif

typedef struct proven_error proven_error;
typedef struct proven_scene proven_scene;
typedef struct proven_model proven_model;
typedef struct proven_result proven_result;
typedef struct proven_report proven_report;
typedef struct proven_path proven_path;

/* PROVEN_C_VERSION of the library, and its own version ("0.2.0"). */
PROVEN_C_API int proven_c_version(void);
PROVEN_C_API const char* proven_version(void);

/* --- Errors ----------------------------------------------------------------------------------- */

typedef enum {
  PROVEN_BAD_INPUT = 1,   /* the contents of a file or an argument are wrong */
  PROVEN_NOT_FOUND = 2,   /* a file or a name does not exist */
  PROVEN_UNSUPPORTED = 3, /* well-formed, but outside what can be treated soundly */
  PROVEN_EXHAUSTED = 4,   /* memory, depth or size ran out */
  PROVEN_DEFECT = 5       /* a mistake of the library; please report it */
} proven_error_kind;

PROVEN_C_API proven_error_kind proven_error_kind_of(const proven_error* error);
PROVEN_C_API const char* proven_error_text(const proven_error* error);
PROVEN_C_API void proven_error_free(proven_error* error);

/* --- Scenes ----------------------------------------------------------------------------------- */

/* A scene file, a URDF, or a planning scene. */
PROVEN_C_API proven_error* proven_scene_load(const char* file, proven_scene** out);
/* One robot from the text of a URDF, and of an SRDF unless that is NULL. */
PROVEN_C_API proven_error* proven_scene_from_urdf(const char* urdf, const char* srdf,
                                                  proven_scene** out);
PROVEN_C_API void proven_scene_free(proven_scene* scene);

PROVEN_C_API size_t proven_scene_joints(const proven_scene* scene);
/* NULL beyond the last. */
PROVEN_C_API const char* proven_scene_joint_name(const proven_scene* scene, size_t joint);
/* lower and upper each have room for as many doubles as there are joints. */
PROVEN_C_API void proven_scene_limits(const proven_scene* scene, double* lower, double* upper);
PROVEN_C_API size_t proven_scene_bodies(const proven_scene* scene);
PROVEN_C_API const char* proven_scene_body_name(const proven_scene* scene, size_t body);
/* 32 hexadecimal digits: equal hashes, equal answers. */
PROVEN_C_API const char* proven_scene_hash(const proven_scene* scene);

/* Edits: each gives another scene that shares what did not change. A shape's sizes are full
 * extents: of a box x, y, z; of a sphere its radius; of a cylinder and a capsule radius, length. */
typedef enum {
  PROVEN_BOX = 0,
  PROVEN_SPHERE = 1,
  PROVEN_CYLINDER = 2,
  PROVEN_CAPSULE = 3
} proven_shape;
PROVEN_C_API proven_error* proven_scene_with_obstacle(const proven_scene* scene, const char* name,
                                                      const double pose[16], int shape,
                                                      const double* sizes, proven_scene** out);
/* A surface: rows of three coordinates, rows of three indices of vertices. */
PROVEN_C_API proven_error* proven_scene_with_mesh(const proven_scene* scene, const char* name,
                                                  const double pose[16], const double* vertices,
                                                  size_t num_vertices, const uint32_t* triangles,
                                                  size_t num_triangles, proven_scene** out);
/* What a sensor saw: a ball of this radius around each of the points. */
PROVEN_C_API proven_error* proven_scene_with_cloud(const proven_scene* scene, const char* name,
                                                   const double pose[16], const double* points,
                                                   size_t num_points, double radius,
                                                   proven_scene** out);
PROVEN_C_API proven_error* proven_scene_with_pose(const proven_scene* scene, const char* name,
                                                  const double pose[16], proven_scene** out);
PROVEN_C_API proven_error* proven_scene_without(const proven_scene* scene, const char* name,
                                                proven_scene** out);
/* An obstacle becomes an object held by a link ("robot/link"), where it stands at the
 * configuration; it may touch the link and the bodies in `touch`. */
PROVEN_C_API proven_error* proven_scene_with_attached(const proven_scene* scene, const char* name,
                                                      const char* link, const double* configuration,
                                                      const char* const* touch, size_t num_touch,
                                                      proven_scene** out);
PROVEN_C_API proven_error* proven_scene_detached(const proven_scene* scene, const char* name,
                                                 const double* configuration, proven_scene** out);
/* Where a link or a body is at a configuration. */
PROVEN_C_API proven_error* proven_scene_pose(const proven_scene* scene, const char* name,
                                             const double* configuration, double pose[16]);

/* --- Checks ----------------------------------------------------------------------------------- */

/* Fill it by proven_check_options_init, then change what shall differ: `size` tells which of its
 * members the caller knows. */
typedef struct {
  size_t size;
  double clearance;  /* that pairs of robot and world must keep */
  double resolution; /* closer than clearance + this without a proof is undecided */
  int first;         /* find the earliest contact */
  int certificate;   /* keep the proof */
} proven_check_options;
PROVEN_C_API void proven_check_options_init(proven_check_options* options);

/* A scene prepared once for many questions; options may be NULL. It keeps what it needs of the
 * scene. */
PROVEN_C_API proven_error* proven_model_new(const proven_scene* scene,
                                            const proven_check_options* options,
                                            proven_model** out);
/* The model of an edited scene: costs what changed. */
PROVEN_C_API proven_error* proven_model_with_scene(const proven_model* model,
                                                   const proven_scene* scene, proven_model** out);
/* The same model, but values beyond the limits of joints are checked instead of refused. Pairs that
 * an SRDF excludes as proved never to meet are so within limits: this model tests them. */
PROVEN_C_API proven_error* proven_model_ignoring_limits(const proven_model* model,
                                                        proven_model** out);
PROVEN_C_API void proven_model_free(proven_model* model);

typedef enum { PROVEN_FREE = 0, PROVEN_COLLISION = 1, PROVEN_UNDECIDED = 2 } proven_verdict;

/* Is the whole continuous motion free? Straight lines between the rows. max_seconds <= 0: no limit.
 * Values beyond the limits of joints are PROVEN_BAD_INPUT unless the model ignores limits. */
PROVEN_C_API proven_error* proven_check(const proven_model* model, const double* waypoints,
                                        size_t rows, double max_seconds, proven_result** out);
/* One byte for each configuration, or for each straight motion from a row to the row of `ends`: 1
 * if it is proved free. `ends` may be NULL. threads 0: all. Limits as for proven_check. */
PROVEN_C_API proven_error* proven_are_free(const proven_model* model, const double* starts,
                                           const double* ends, size_t rows, int threads,
                                           unsigned char* out);

PROVEN_C_API proven_verdict proven_result_verdict(const proven_result* result);
/* One sentence for people. */
PROVEN_C_API const char* proven_result_text(const proven_result* result);
/* Where it collides or stayed undecided: segment, t in [0, 1] on it, the distance there, and the
 * configuration (NULL if it is free). */
PROVEN_C_API size_t proven_result_segment(const proven_result* result);
PROVEN_C_API double proven_result_t(const proven_result* result);
PROVEN_C_API double proven_result_distance(const proven_result* result);
PROVEN_C_API const double* proven_result_configuration(const proven_result* result);
/* The first (0) or second (1) body of the pair; NULL if there is none. */
PROVEN_C_API const char* proven_result_body(const proven_result* result, int which);
/* The bytes of a certificate; none unless asked for. */
PROVEN_C_API const uint8_t* proven_result_certificate(const proven_result* result, size_t* size);
PROVEN_C_API void proven_result_free(proven_result* result);

/* --- The independent verifier ----------------------------------------------------------------- */

PROVEN_C_API proven_error* proven_verify(const proven_scene* scene, const double* waypoints,
                                         size_t rows, double clearance, const uint8_t* certificate,
                                         size_t size, proven_report** out);
/* 1 if it is accepted. */
PROVEN_C_API int proven_report_accepted(const proven_report* report);
/* The theorem, or why it was not accepted. */
PROVEN_C_API const char* proven_report_text(const proven_report* report);
PROVEN_C_API void proven_report_free(proven_report* report);

/* --- Plans ------------------------------------------------------------------------------------ */

/* planner NULL: the usual one. Without a path there is no error: it has no rows, and its text says
 * why. */
PROVEN_C_API proven_error* proven_plan(const proven_scene* scene, const double* start,
                                       const double* goal, const char* planner, uint64_t seed,
                                       double clearance, double max_seconds, proven_path** out);
PROVEN_C_API size_t proven_path_rows(const proven_path* path);
PROVEN_C_API const double* proven_path_waypoints(const proven_path* path);
PROVEN_C_API const char* proven_path_text(const proven_path* path);
PROVEN_C_API void proven_path_free(proven_path* path);

#ifdef __cplusplus
}
#endif

#endif
