"""The interface for C through ctypes, without the package for Python: 10_from_ctypes.py [libproven.so.1]"""

import ctypes
import sys

LIBRARY = sys.argv[1] if len(sys.argv) > 1 else "libproven.so.1"
ROBOT = b"""<robot name='bar'><link name='base'/>
<link name='arm'><collision><origin xyz='0.5 0 0'/><geometry><box size='1 0.1 0.1'/></geometry></collision></link>
<joint name='turn' type='continuous'><axis xyz='0 0 1'/><parent link='base'/><child link='arm'/></joint></robot>"""

proven = ctypes.CDLL(LIBRARY)
handle, numbers = ctypes.c_void_p, ctypes.POINTER(ctypes.c_double)
for name, answer, arguments in (
    ("proven_error_text", ctypes.c_char_p, [handle]),
    ("proven_error_free", None, [handle]),
    ("proven_scene_from_urdf", handle, [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(handle)]),
    ("proven_scene_with_obstacle", handle,
     [handle, ctypes.c_char_p, numbers, ctypes.c_int, numbers, ctypes.POINTER(handle)]),
    ("proven_scene_free", None, [handle]),
    ("proven_model_new", handle, [handle, handle, ctypes.POINTER(handle)]),
    ("proven_model_free", None, [handle]),
    ("proven_check", handle, [handle, numbers, ctypes.c_size_t, ctypes.c_double, ctypes.POINTER(handle)]),
    ("proven_result_text", ctypes.c_char_p, [handle]),
    ("proven_result_free", None, [handle]),
):
    function = getattr(proven, name)
    function.restype, function.argtypes = answer, arguments


def made(function, *arguments):
    """Calls a function whose last argument is where its handle goes; an error becomes an exception."""
    out = handle()
    error = getattr(proven, function)(*arguments, ctypes.byref(out))
    if error:
        text = proven.proven_error_text(error).decode()
        proven.proven_error_free(error)
        raise ValueError(text)
    return out


def doubles(*values):
    return (ctypes.c_double * len(values))(*values)


BOX = 0
bar = made("proven_scene_from_urdf", ROBOT, None)
pose = doubles(1, 0, 0, -0.8, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
scene = made("proven_scene_with_obstacle", bar, b"post", pose, BOX, doubles(0.2, 0.2, 1))
model = made("proven_model_new", scene, None)
for angle in (2.0, 4.0):
    result = made("proven_check", model, doubles(0, angle), 2, 0.0)
    print(f"{angle} rad:", proven.proven_result_text(result).decode())
    proven.proven_result_free(result)
try:
    made("proven_scene_from_urdf", b"<robot>", None)
except ValueError as error:
    print("error:", error)
proven.proven_model_free(model)
for old in (scene, bar):
    proven.proven_scene_free(old)
