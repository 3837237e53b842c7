// The shell script of the watchdog. It reads one line for each change of the watched servers, until its stdin ends:
// `+ mark:group:start:keepsDaemons` (0 for an unknown group or start), `- mark`, both with the number of the lease for a server that runs
// under one, and `= lease left all seconds`: the lease ends after `left` ticks of `seconds` seconds. Such a line follows each change of the
// servers of a lease.
//
// For each lease with servers, a subshell counts the ticks, since `read` of POSIX has no timeout. SIGUSR1 signals a renewal, without an
// extra process. At zero the subshell kills the servers of the lease, and again with every tick until it is renewed. When the servers
// change, a new subshell replaces it, and SIGUSR2 ends the old one after its `sleep`, so that no orphan is left.
//
// The end of stdin means that the host has exited. After one second, in which servers can exit by themselves, the remaining processes get
// SIGTERM, after another second SIGKILL, until two checks in a row have found none. A server consists of its group and the processes with
// its mark. With keepsDaemons, processes with the mark that left the session are spared once the group is known. A reused pid is never
// signalled: the start time of a leader and the mark of any other process are checked right before.
//
// Signals are ignored rather than handled: the watchdog must outlive the Ctrl-C that ends its host. `sleep` takes whole seconds in POSIX.
// The script needs only POSIX, /proc on Linux and `ps -E` on macOS.

/** On Linux, one grep searches all processes; a second one checks each found process right before the signal. */
const signalMarkedByProc = `
signal_marked() {
  for file in $(grep -lsF $every /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    stat_of "$pid" || continue
    case " $groups " in *" $pgrp:"*) continue ;; esac
    case " $sessions " in
      *" $session "*) marks=$every ;;
      *) marks=$ended ;;
    esac
    if [ "$marks" ] && grep -qsF $marks "$file" && kill -s "$1" "$pid"; then found=yes; fi
  done
}
`;

/** On macOS, `ps -E` shows the environment of most programs of the same user, but not of system programs. */
const signalMarkedByPs = `
is_marked() {
  for mark in $ended; do
    case $1 in *"$mark"*) [ "$mark" = -e ] || return 0 ;; esac
  done
  return 1
}
list_marked() {
  ps -A -E -ww -o pid=,pgid=,command= | while read -r pid pgrp line; do
    if is_marked "$line"; then echo "$pid:$pgrp"; fi
  done
}
signal_marked() {
  for listed in $(list_marked); do
    pid=\${listed%:*}
    case " $groups " in *" \${listed#*:}:"*) continue ;; esac
    if is_marked "$(ps -E -ww -o command= -p "$pid")" && kill -s "$1" "$pid"; then found=yes; fi
  done
}
`;

const signalMarkedNowhere = `
signal_marked() { :; }
`;

export function watchdogScript(platform: NodeJS.Platform = process.platform): string {
  const signalMarked =
    platform === 'linux' ? signalMarkedByProc : platform === 'darwin' ? signalMarkedByPs : signalMarkedNowhere;
  return `# Standpipe: ends the servers of a host that vanished, and those of leases that were not renewed.
trap '' HUP INT QUIT TERM PIPE USR1

# Fields 5, 6 and 22 of proc(5). The name before them may hold spaces and parentheses.
stat_of() {
  read -r stat <"/proc/$1/stat" || return 1
  set -- \${stat##*) }
  pgrp=$3
  session=$4
  start=\${20}
}
signal_groups() {
  kept=
  for entry in $groups; do
    group=\${entry%:*}
    known=\${entry#*:}
    if [ "$known" != 0 ] && stat_of "$group" && [ "$start" != "$known" ]; then continue; fi
    if kill -s "$1" -- "-$group"; then
      kept="$kept $entry"
      found=yes
    fi
  done
  groups=$kept
}
${signalMarked}
identify() {
  groups=   # group:start
  sessions=
  every=    # all marks, as options of grep
  ended=    # those of servers of which nothing is spared
  for server; do
    mark=\${server%%:*}
    [ \${#mark} -ge 16 ] || continue   # a shorter one could occur in any environment
    rest=\${server#*:}
    keeps=\${rest##*:}
    group=\${rest%:*}
    every="$every -e $mark"
    case $group:$keeps in 0:*|*:0) ended="$ended -e $mark" ;; esac
    case $group in
      0:*) ;;
      *) groups="$groups $group" sessions="$sessions \${group%:*}" ;;
    esac
  done
}

# Ticks left, ticks in all, seconds of a tick. $$ is the watchdog: if that was killed, its successor counts.
count_down() {
  left=$1
  trap "left=$2" USR1
  trap 'exit 0' USR2
  identify $leased
  while kill -s 0 $$; do
    sleep "$3" || sleep 1 || exit
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
      signal_groups KILL
      signal_marked KILL
    fi
  done
}
# The lease, ticks left, ticks in all, seconds of a tick.
renew() {
  eval "leased=\\$leased_$1 counted=\\$counted_$1 counter=\\$counter_$1"
  if [ "$2 $4 $leased" = "$3 $counted" ]; then
    if [ "$counter" ]; then kill -s USR1 "$counter"; fi
    return
  fi
  if [ "$counter" ]; then kill -s USR2 "$counter"; fi
  jobs >/dev/null   # reaps those that have ended
  if [ -z "$leased" ]; then
    unset "leased_$1" "counted_$1" "counter_$1"
    return
  fi
  counted="$4 $leased"
  count_down "$2" "$3" "$4" </dev/null &
  eval "counter_$1=$! counted_$1=\\$counted"
}

servers=
without() {
  gone=$1
  shift
  kept=
  for other; do
    case $other in "$gone":*) ;; *) kept="$kept $other" ;; esac
  done
}
while read -r change server lease; do
  if [ "$change" = = ]; then
    renew "$server" $lease
    continue
  fi
  new=
  if [ "$change" = + ]; then new=" $server"; fi
  without "\${server%%:*}" $servers
  servers=$kept$new
  [ "$lease" ] || continue
  eval "leased=\\$leased_$lease"
  without "\${server%%:*}" $leased
  eval "leased_$lease=\\$kept\\$new"
done
[ "$servers" ] || exit 0

identify $servers
empty=0
for step in TERM KILL KILL KILL KILL KILL KILL KILL KILL KILL; do
  sleep 1
  found=
  signal_groups "$step"
  signal_marked "$step"
  if [ "$found" ]; then empty=0; else empty=$((empty + 1)); fi
  [ "$empty" -lt 2 ] || exit 0
done
`;
}
