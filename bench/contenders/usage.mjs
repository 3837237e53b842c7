// Processor time and peak memory of this process. On Linux the peak starts at the memory that the parent used when it
// forked.

export function usage() {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return { peakRssBytes: maxRSS * 1024, cpuUs: userCPUTime + systemCPUTime };
}
