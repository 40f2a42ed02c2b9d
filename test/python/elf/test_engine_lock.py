"""The lock of a device's matrix engine, with a resource manager of our own."""

import subprocess

from binaries import compiled, hexagon_compiler, needs_qemu

from hexagon_mlir.codegen.artifacts import link

MANAGER = {
    "HAP_power.h": """
enum { HAP_power_set_HMX = 9 };
typedef struct { int type; struct { int power_up; } hmx; } HAP_power_request_t;
int HAP_power_set(void *context, HAP_power_request_t *request);
""",
    "HAP_compute_res.h": """
typedef struct { int hmx; } compute_res_attr_t;
int HAP_compute_res_attr_init(compute_res_attr_t *attributes);
int HAP_compute_res_attr_set_hmx_param(compute_res_attr_t *attributes, int yes);
unsigned int HAP_compute_res_acquire(compute_res_attr_t *attributes, unsigned int microseconds);
int HAP_compute_res_hmx_lock(unsigned int context);
int HAP_compute_res_hmx_unlock(unsigned int context);
""",
}
CALLS = r"""
#include <HAP_compute_res.h>
#include <HAP_power.h>
#include <stdio.h>
#include <stdlib.h>
#include "hexmlir_rt.h"
static int refuses;
int HAP_power_set(void *context, HAP_power_request_t *request) {
  (void)context;
  printf("power %d\n", request->type == HAP_power_set_HMX && request->hmx.power_up);
  return 0;
}
int HAP_compute_res_attr_init(compute_res_attr_t *attributes) { return attributes->hmx = 0; }
int HAP_compute_res_attr_set_hmx_param(compute_res_attr_t *attributes, int yes) { return attributes->hmx = yes, 0; }
unsigned int HAP_compute_res_acquire(compute_res_attr_t *attributes, unsigned int microseconds) {
  printf("context %d\n", attributes->hmx && microseconds);
  return 77;
}
int HAP_compute_res_hmx_lock(unsigned int context) { return printf("lock %u\n", context), refuses; }
int HAP_compute_res_hmx_unlock(unsigned int context) { return printf("unlock %u\n", context), 0; }
static void use(void *argument) {
  (void)argument;
  hexmlir_rt_engine_acquire();
  hexmlir_rt_engine_release();
}
int main(int count, char **words) {
  (void)words;
  setvbuf(stdout, 0, _IONBF, 0);
  use(0);
  refuses = count > 1 ? 5 : 0;
  hexmlir_rt_thread_join(hexmlir_rt_thread_create(use, 0));
  return 0;
}
"""


@needs_qemu
def test_the_lock_of_a_device(tmp_path):
    """Power and context once, the lock on each thread that uses the engine."""
    for name, text in MANAGER.items():
        (tmp_path / name).write_text(text)
    sources = [str(file) for file in link.runtime_sources() if not file.name.startswith("engine_emulated")]
    program = compiled(hexagon_compiler(), tmp_path, CALLS, f"-I{tmp_path}", f"-I{link.runtime_folder() / 'src'}",
                       str(link.runtime_folder() / "src" / "engine_device.c"), *sources)
    done = subprocess.run(["qemu-hexagon", "-cpu", "v67", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "power 1\ncontext 1\nlock 77\nunlock 77\nlock 77\nunlock 77\n"
    done = subprocess.run(["qemu-hexagon", "-cpu", "v67", program, "refuse"], capture_output=True, text=True)
    assert done.returncode == 86 and "the matrix engine cannot be locked: status 5" in done.stderr
