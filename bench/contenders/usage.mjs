// What this process has cost so far, in bytes. On Linux the peak starts at what its parent used when it was forked.

export function usage() {
  return { peakRssBytes: process.resourceUsage().maxRSS * 1024 };
}
