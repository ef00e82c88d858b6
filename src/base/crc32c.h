#ifndef TEND_BASE_CRC32C_H
#define TEND_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * CRC-32C (Castagnoli, as in iSCSI and ext4) of the bytes, going on from crc:
 * 0 at the beginning, the last result for the next piece.  It uses the
 * processor's instruction where there is one.
 */
uint32_t crc32c(uint32_t crc, const void *p, size_t len);

/* The same by table, for any machine. */
uint32_t crc32c_table(uint32_t crc, const void *p, size_t len);

#endif
