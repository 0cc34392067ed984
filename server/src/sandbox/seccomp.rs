//! Which system calls a job may make: a list of what Blender, Python and their libraries need. Anything else
//! answers "not implemented", for which they have fallbacks.

use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// Namespaces that a `clone` may not make, as `sched.h` numbers them.
const NEW_NAMESPACE: u64 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u64;

/// The filter as the kernel and bubblewrap's `--seccomp` take it: an array of `struct sock_filter`.
pub(super) fn filter() -> io::Result<Vec<u8>> {
    let compile = || -> Result<BpfProgram, Box<dyn std::error::Error + Send + Sync>> {
        let without_namespaces = SeccompRule::new(vec![SeccompCondition::new(
            0,
            SeccompCmpArgLen::Qword,
            SeccompCmpOp::MaskedEq(NEW_NAMESPACE),
            0,
        )?])?;
        let only_local = SeccompRule::new(vec![SeccompCondition::new(
            0,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::Eq,
            libc::AF_UNIX as u64,
        )?])?;
        let rules = COMMON
            .iter()
            .chain(OLDER)
            .map(|call| (*call, Vec::new()))
            .chain([(libc::SYS_clone, vec![without_namespaces]), (libc::SYS_socketpair, vec![only_local])])
            .collect();
        let arch = std::env::consts::ARCH.try_into()?;
        Ok(SeccompFilter::new(rules, SeccompAction::Errno(libc::ENOSYS as u32), SeccompAction::Allow, arch)?
            .try_into()?)
    };
    let program = compile().map_err(io::Error::other)?;
    Ok(program
        .iter()
        .flat_map(|step| {
            let mut bytes = [0; 8];
            bytes[..2].copy_from_slice(&step.code.to_ne_bytes());
            bytes[2] = step.jt;
            bytes[3] = step.jf;
            bytes[4..].copy_from_slice(&step.k.to_ne_bytes());
            bytes
        })
        .collect())
}

macro_rules! calls {
    ($($name:ident)*) => { &[$(libc::$name),*] };
}

/// Left out on purpose: sockets (but for pairs), `clone3` (its flags lie in memory, where no filter sees them; libraries
/// fall back to `clone`), namespaces, mounts, tracing other processes, keys, BPF, performance counters, `userfaultfd`,
/// io_uring, modules, clocks, and whatever is newer than this list.
#[rustfmt::skip]
const COMMON: &[libc::c_long] = calls![
    // Files.
    SYS_read SYS_write SYS_readv SYS_writev SYS_pread64 SYS_pwrite64 SYS_preadv SYS_pwritev SYS_preadv2 SYS_pwritev2
    SYS_openat SYS_openat2 SYS_close SYS_close_range SYS_lseek SYS_dup SYS_dup3 SYS_fcntl SYS_ioctl SYS_flock
    SYS_fsync SYS_fdatasync SYS_sync_file_range SYS_syncfs SYS_truncate SYS_ftruncate SYS_fallocate SYS_fadvise64
    SYS_readahead SYS_sendfile SYS_splice SYS_tee SYS_copy_file_range SYS_fstat SYS_newfstatat SYS_statx SYS_statfs
    SYS_fstatfs SYS_getdents64 SYS_getcwd SYS_chdir SYS_fchdir SYS_mkdirat SYS_unlinkat SYS_linkat SYS_symlinkat
    SYS_readlinkat SYS_renameat SYS_renameat2 SYS_faccessat SYS_faccessat2 SYS_fchmod SYS_fchmodat SYS_fchown
    SYS_fchownat SYS_utimensat SYS_umask SYS_mknodat SYS_memfd_create SYS_getxattr SYS_lgetxattr SYS_fgetxattr
    SYS_listxattr SYS_llistxattr SYS_flistxattr SYS_inotify_init1 SYS_inotify_add_watch SYS_inotify_rm_watch
    // Waiting.
    SYS_pipe2 SYS_ppoll SYS_pselect6 SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait SYS_epoll_pwait2 SYS_eventfd2
    SYS_timerfd_create SYS_timerfd_settime SYS_timerfd_gettime SYS_signalfd4 SYS_sendto SYS_recvfrom SYS_sendmsg
    SYS_recvmsg SYS_sendmmsg SYS_recvmmsg SYS_shutdown SYS_getsockname SYS_getpeername SYS_getsockopt SYS_setsockopt
    // Memory.
    SYS_mmap SYS_mprotect SYS_munmap SYS_mremap SYS_madvise SYS_brk SYS_msync SYS_mincore SYS_mlock SYS_mlock2
    SYS_munlock SYS_membarrier SYS_mbind SYS_get_mempolicy SYS_set_mempolicy SYS_pkey_alloc SYS_pkey_free
    SYS_pkey_mprotect SYS_shmget SYS_shmat SYS_shmctl SYS_shmdt SYS_semget SYS_semop SYS_semctl SYS_semtimedop
    // Processes, threads, signals.
    SYS_execve SYS_execveat SYS_exit SYS_exit_group SYS_wait4 SYS_waitid SYS_kill SYS_tkill SYS_tgkill SYS_getpid
    SYS_getppid SYS_gettid SYS_getpgid SYS_setpgid SYS_getsid SYS_setsid SYS_getuid SYS_geteuid SYS_getgid SYS_getegid
    SYS_getresuid SYS_getresgid SYS_getgroups SYS_setuid SYS_setgid SYS_setreuid SYS_setregid SYS_setresuid
    SYS_setresgid SYS_setgroups SYS_capget SYS_capset SYS_prctl SYS_prlimit64 SYS_getrlimit SYS_setrlimit SYS_getrusage
    SYS_times SYS_getpriority SYS_setpriority SYS_sched_yield SYS_sched_getaffinity SYS_sched_setaffinity
    SYS_sched_getparam SYS_sched_setparam SYS_sched_getscheduler SYS_sched_setscheduler SYS_sched_getattr
    SYS_sched_get_priority_max SYS_sched_get_priority_min SYS_sched_rr_get_interval SYS_set_tid_address
    SYS_set_robust_list SYS_get_robust_list SYS_futex SYS_rseq SYS_getcpu SYS_rt_sigaction SYS_rt_sigprocmask
    SYS_rt_sigreturn SYS_rt_sigpending SYS_rt_sigtimedwait SYS_rt_sigqueueinfo SYS_rt_tgsigqueueinfo SYS_rt_sigsuspend
    SYS_sigaltstack SYS_restart_syscall SYS_pidfd_open SYS_pidfd_send_signal SYS_seccomp
    // Time and the system's own facts.
    SYS_clock_gettime SYS_clock_getres SYS_clock_nanosleep SYS_nanosleep SYS_gettimeofday SYS_getitimer SYS_setitimer
    SYS_timer_create SYS_timer_settime SYS_timer_gettime SYS_timer_getoverrun SYS_timer_delete SYS_uname SYS_sysinfo
    SYS_getrandom
];

/// Older spellings that only this architecture still has.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const OLDER: &[libc::c_long] = calls![
    SYS_open SYS_creat SYS_stat SYS_lstat SYS_access SYS_mkdir SYS_rmdir SYS_rename SYS_link SYS_unlink SYS_symlink
    SYS_readlink SYS_chmod SYS_chown SYS_lchown SYS_mknod SYS_getdents SYS_utime SYS_utimes SYS_futimesat SYS_dup2
    SYS_pipe SYS_poll SYS_select SYS_epoll_create SYS_epoll_wait SYS_eventfd SYS_signalfd SYS_inotify_init SYS_fork
    SYS_vfork SYS_getpgrp SYS_pause SYS_alarm SYS_time SYS_arch_prctl
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[libc::c_long] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_compiles_and_is_short_enough_for_the_kernel() {
        let bytes = filter().unwrap();
        assert!(bytes.len().is_multiple_of(8) && bytes.len() / 8 <= 4096, "{} steps", bytes.len() / 8);
    }

    #[test]
    fn what_reaches_outside_is_not_on_the_list() {
        for call in [
            libc::SYS_socket,
            libc::SYS_connect,
            libc::SYS_clone3,
            libc::SYS_ptrace,
            libc::SYS_mount,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_io_uring_setup,
            libc::SYS_bpf,
            libc::SYS_userfaultfd,
            libc::SYS_process_vm_readv,
        ] {
            assert!(!COMMON.contains(&call) && !OLDER.contains(&call), "system call {call}");
        }
    }
}
