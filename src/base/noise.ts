/** Stray output: text on a child's stdout that is not a message, such as a banner or a log line. Never fatal. */
export interface Noise {
  offset: number;
  length: number;
  /** At most the first 1,024 characters of the output. */
  text: string;
}
