// Words for names, descriptions and queries: 400 of them, so that each is in many tools.

const words = Array.from(
  { length: 400 },
  (_, n) => `${'bcdfghklmnprst'[n % 14]}${'aeiou'[n % 5]}${'lmnrst'[n % 6]}${n}`,
);
export const word = (n) => words[(n * 2_654_435_761) % words.length];
