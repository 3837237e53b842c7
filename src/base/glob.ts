// Case-sensitive patterns with `*` (any characters) and `?` (one character).

/** Backtracks only to the last `*`, so the time is at most the length of the text times the length of the pattern. */
export function globMatcher(glob: string): (text: string) => boolean {
  return (text) => {
    let at = 0;
    let inGlob = 0;
    let star = -1;
    let starAt = 0;
    while (at < text.length) {
      if (inGlob < glob.length && glob[inGlob] === '*') {
        star = inGlob++;
        starAt = at;
      } else if (inGlob < glob.length && (glob[inGlob] === '?' || glob[inGlob] === text[at])) {
        inGlob++;
        at++;
      } else if (star >= 0) {
        inGlob = star + 1;
        at = ++starAt;
      } else return false;
    }
    while (glob[inGlob] === '*') inGlob++;
    return inGlob === glob.length;
  };
}
