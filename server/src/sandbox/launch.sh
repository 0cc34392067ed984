# Starts a job. $1: the seccomp filter, or nothing; $2: a folder to mount things in, or nothing; then what to
# mount, ended by --; then the command.
set -eu
if [ -n "$1" ]; then exec 9<"$1"; fi
stage=$2
shift 2
if [ -n "$stage" ]; then
    # In this process's own mount namespace: a user without rights can reach it here, whoever owns its parent folders.
    mount -t tmpfs -o mode=0755,size=1m meshmark "$stage"
fi
n=0
while [ "$1" != -- ]; do
    if [ -d "$1" ]; then mkdir "$stage/$n"; else : >"$stage/$n"; fi
    mount --bind "$1" "$stage/$n"
    n=$((n + 1))
    shift
done
shift
exec "$@"
