/** Text on a child's stdout that is not a message: a banner, a log line. Never fatal. */
export interface Noise {
  offset: number;
  length: number;
  /** At most 1,024 characters of it. */
  text: string;
}
