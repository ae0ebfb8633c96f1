/*
 * The table of system calls of a scene: fake_sys() with more that can go wrong.
 *
 *	scene_sys_init(row.plant);      fake_sys(), or a careless program over it
 *	scene_sys_read_only(true);      EROFS for whatever would write
 *	scene_sys_room(100);            100 more bytes can be written, then the disk is full
 *
 * Plants: unchecked-error (an injected failure of write, pwrite, fsync or renameat2 passes for
 * success), no-journal (the journal goes as soon as it is there). For the programs of tests/torture
 * that work in process; one state for the whole program, as in fake_sys.h.
 */
#ifndef KOTA_TORTURE_SCENE_SYS_H
#define KOTA_TORTURE_SCENE_SYS_H

#include "base/sys.h"

#include <stdbool.h>
#include <stddef.h>

/* Room that never ends. */
#define SCENE_ROOM SIZE_MAX

/* Chooses the plant, NULL for none, and takes the rest back; ends the program if it is unknown. */
void scene_sys_init(const char *plant);

/* Static storage. */
const struct sys *scene_sys(void);

void scene_sys_read_only(bool on);

/* So many bytes can be written from now on; the write that does not fit falls short. */
void scene_sys_room(size_t bytes);

/* How many bytes were written since scene_sys_room(). */
size_t scene_sys_written(void);

#endif
