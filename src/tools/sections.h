/*
 * What the shell's help lists operations and commands under, in this order.
 *
 * Anyone above may use it.
 */
#ifndef KOTA_TOOLS_SECTIONS_H
#define KOTA_TOOLS_SECTIONS_H

#define SECTION_MEMORIES "Memories"
#define SECTION_CHANGES  "What changed, and back"
#define SECTION_UPKEEP   "Looking after them"
#define SECTION_OTHERS   "Other memories"

#endif
