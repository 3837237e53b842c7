// The shell script of the watchdog. It reads one line for each change of the servers to watch, until its stdin ends:
// `+ mark:group:start:keepsDaemons` (0 for a group or start that is not known yet), `- mark`.
//
// Then the host is gone. After a second, in which polite servers leave by themselves, what is left gets SIGTERM, after
// another second SIGKILL, until two looks in a row have found nothing. What belongs to a server: its group and what bears its
// mark. With keepsDaemons what bears the mark but has left the session is spared, once the group is known; before that the
// server cannot have started much. No signal goes to a stranger who got a pid of ours: the start time of a leader and the
// mark of any other process are checked right before it.
//
// Signals are ignored rather than handled: the watchdog must outlive the Ctrl-C that ends its host. `sleep` in whole seconds,
// because POSIX has no others. Nothing here needs more than POSIX, /proc on Linux and `ps -E` on macOS.

/** Linux. One grep looks at all processes, a second one at each that was found, right before the signal. */
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

/** macOS, which shows the environment of most programs of the same user, but not of those that belong to the system. */
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
  return `# Standpipe: ends the servers of a host that vanished.
trap '' HUP INT QUIT TERM PIPE
servers=
forget() {
  kept=
  for other in $servers; do
    case $other in "$1":*) ;; *) kept="$kept $other" ;; esac
  done
  servers=$kept
}
while read -r change server; do
  forget "\${server%%:*}"
  if [ "$change" = + ]; then servers="$servers $server"; fi
done
[ "$servers" ] || exit 0

groups=   # group:start
sessions=
every=    # all marks, as options of grep
ended=    # those of servers of which nothing is spared
for server in $servers; do
  mark=\${server%%:*}
  [ \${#mark} -ge 16 ] || continue   # a short one could stand in the environment of anybody
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
