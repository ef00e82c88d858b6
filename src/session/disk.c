#include "session/disk.h"

#include <errno.h>
#include <stddef.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

/* From statfs(2); linux/magic.h lacks the ones given as numbers. */
static const struct kind {
	uint64_t magic;
	const char *name;
	bool network;
} kinds[] = {
	{ 0xEF53, "ext4", false }, { 0x58465342, "xfs", false },
	{ 0x9123683E, "btrfs", false }, { 0x2FC12FC1, "zfs", false },
	{ 0xF2F52010, "f2fs", false }, { 0x01021994, "tmpfs", false },
	{ 0x794C7630, "overlay", false }, { 0x4D44, "vfat", false },
	{ 0x2011BAB0, "exfat", false }, { 0x7366746E, "ntfs", false },
	{ 0x73717368, "squashfs", false }, { 0x9660, "iso9660", false },
	{ 0x6969, "nfs", true }, { 0xFF534D42, "cifs", true },
	{ 0xFE534D42, "smb", true }, { 0x517B, "smb", true },
	{ 0x01021997, "9p", true }, { 0x00C36400, "ceph", true },
	{ 0x5346414F, "afs", true }, { 0x73757245, "coda", true },
	{ 0x0BD00BD0, "lustre", true }, { 0x47504653, "gpfs", true },
	{ 0x01161970, "gfs2", true }, { 0x7461636F, "ocfs2", true },
	{ 0x65735546, "fuse", true }, /* sshfs and others: may be remote */
};

const char *
disk_kind(uint64_t magic, bool *network)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].magic == magic) {
			*network = kinds[i].network;
			return kinds[i].name;
		}
	*network = false;
	return "unknown";
}

int
disk_look(int fd, struct disk *out)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return -errno;
	/* Some architectures have a signed 32-bit field there. */
	out->kind = disk_kind((uint32_t)fs.f_type, &out->network);
	out->read_only = fs.f_flags & ST_RDONLY;
	out->free = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	out->total = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize;
	return 0;
}

const char *
disk_advice(const struct disk *d)
{
	if (d->read_only)
		return "it is mounted read-only: you can read ended sessions, but "
		       "start none";
	if (d->network)
		return "other machines may use it too: only the machine that runs "
		       "a session knows that it runs, and two machines can give "
		       "the same name; a local home is faster and safer";
	return NULL;
}
