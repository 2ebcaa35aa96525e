#!/usr/bin/env bash
# A Slurm cluster of two nodes on this machine, each with two simulated GPUs, for tests. Needs root and
# Debian's packages:
#
#   apt-get install --no-install-recommends slurmctld slurmd slurm-client munge
#   scripts/slurm.sh start
#   scripts/slurm.sh stop
#
# All files are in target/slurm, except munge's key and slurm.conf, which Slurm reads in /etc/slurm.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p target/slurm
folder=$(cd target/slurm && pwd)

stop() {
    for file in "$folder"/*.pid; do
        [ -e "$file" ] || continue
        process=$(cat "$file")
        kill "$process" 2>/dev/null || true
        for ((k = 0; k < 100; k++)); do
            kill -0 "$process" 2>/dev/null || break
            sleep 0.1
        done
        rm -f "$file"
    done
}

start() {
    if [ -e /etc/slurm/slurm.conf ] && ! grep -q '^ClusterName=odes$' /etc/slurm/slurm.conf; then
        echo "slurm.sh: /etc/slurm/slurm.conf is that of another cluster" >&2
        exit 1
    fi
    install -d -o munge -g munge /run/munge /var/lib/munge /var/log/munge
    install -d -o munge -g munge -m 700 /etc/munge
    [ -e /etc/munge/munge.key ] || dd if=/dev/urandom of=/etc/munge/munge.key bs=1024 count=1 status=none
    chown munge:munge /etc/munge/munge.key
    chmod 400 /etc/munge/munge.key
    # munge keeps running, because other programs may use it.
    munge -n >/dev/null 2>&1 || runuser -u munge -- munged

    host=$(hostname -s)
    mkdir -p "$folder/state" "$folder/spool-n1" "$folder/spool-n2" /etc/slurm
    # Slurm only checks that a GPU is an existing character device.
    for device in 0 1; do [ -e "$folder/gpu$device" ] || mknod "$folder/gpu$device" c 1 3; done
    cat >/etc/slurm/slurm.conf <<CONF
ClusterName=odes
SlurmctldHost=$host
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobRequeue=1
KillWait=5
SchedulerParameters=sched_interval=2,bf_interval=2
GresTypes=gpu
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[17001-17002] CPUs=4 Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    echo "Name=gpu File=$folder/gpu[0-1]" >/etc/slurm/gres.conf
    slurmctld -c
    slurmd -N n1
    slurmd -N n2
    for ((k = 0; k < 100; k++)); do
        [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && return
        sleep 0.2
    done
    sinfo
    echo "slurm.sh: the nodes are not idle" >&2
    exit 1
}

case "${1:-}" in
start) stop; start ;;
stop) stop ;;
*) echo "usage: scripts/slurm.sh start | stop" >&2; exit 2 ;;
esac
