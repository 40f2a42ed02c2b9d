/* What a backend of the matrix engine provides: engine_emulated*.c anywhere, engine_device.c on a device. */
#ifndef HEXMLIR_RT_ENGINE_H
#define HEXMLIR_RT_ENGINE_H

#include "internal.h"

/* Make the engine usable for the calling thread, and no longer so; one thread at a time asks. */
void hexmlir_rt_engine_lock(void);
void hexmlir_rt_engine_unlock(void);

#endif
