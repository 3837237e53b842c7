// What this process has cost so far. On Linux the peak starts at what its parent used when it was forked.

export function usage() {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return { peakRssBytes: maxRSS * 1024, cpuUs: userCPUTime + systemCPUTime };
}
