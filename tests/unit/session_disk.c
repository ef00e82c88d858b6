#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>

#include "base/fd.h"
#include "session/disk.h"

static void
is(uint64_t magic, const char *name, bool network)
{
	bool seen = !network;

	assert_string_equal(disk_kind(magic, &seen), name);
	assert_int_equal(seen, network);
}

static void
network_disks_are_recognised(void **state)
{
	(void)state;
	is(NFS_SUPER_MAGIC, "nfs", true);
	is(SMB_SUPER_MAGIC, "smb", true);
	is(CIFS_SUPER_MAGIC, "cifs", true);
	is(SMB2_SUPER_MAGIC, "smb", true);
	is(V9FS_MAGIC, "9p", true);
	is(AFS_SUPER_MAGIC, "afs", true);
	is(CEPH_SUPER_MAGIC, "ceph", true);
	is(FUSE_SUPER_MAGIC, "fuse", true);
	is(EXT4_SUPER_MAGIC, "ext4", false);
	is(XFS_SUPER_MAGIC, "xfs", false);
	is(BTRFS_SUPER_MAGIC, "btrfs", false);
	is(TMPFS_MAGIC, "tmpfs", false);
	is(OVERLAYFS_SUPER_MAGIC, "overlay", false);
	is(0x12345678, "unknown", false);
}

static void
a_real_disk_reports_its_room(void **state)
{
	auto_close int fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct disk d;

	(void)state;
	assert_int_equal(disk_look(fd, &d), 0);
	assert_non_null(d.kind);
	assert_false(d.read_only);
	assert_true(d.total > 0 && d.free <= d.total);
	assert_int_equal(disk_look(-1, &d), -EBADF);
}

static void
advice_is_given_when_needed(void **state)
{
	struct disk d = { .kind = "ext4" };

	(void)state;
	assert_null(disk_advice(&d));
	d.network = true;
	assert_non_null(strstr(disk_advice(&d), "other machines"));
	d.read_only = true;
	assert_non_null(strstr(disk_advice(&d), "read-only"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(network_disks_are_recognised),
		cmocka_unit_test(a_real_disk_reports_its_room),
		cmocka_unit_test(advice_is_given_when_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
