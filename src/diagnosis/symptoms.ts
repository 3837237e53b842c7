// What is known of a server that did not answer: the input of every rule. Plain data, so that a rule can be tested with
// a string. Knows nothing of processes or pipes.

export interface Symptoms {
  /** The command line as it was started. */
  command: string;
  /** The framing by which its messages are read. */
  framing: string;
  /** The first bytes that the server wrote to stdout. */
  stdout: Uint8Array;
  /** How many bytes it wrote in all. */
  stdoutBytes: number;
  /** How many of them had come when its stdin was closed; absent while stdin is open. */
  bytesBeforeEof?: number | undefined;
  /** The last text that it wrote to stderr. */
  stderr: string;
  /** Absent while it runs. */
  exitCode?: number | null | undefined;
  signal?: string | null | undefined;
  /** Hides secrets in what is quoted. */
  redact?: (text: string) => string;
}

export interface Finding {
  /** What the server does, as the rest of a sentence that begins with "the server". */
  problem: string;
  /** What to change. */
  fix: string;
}

export interface Diagnosis extends Finding {
  /** A stable name: a heading of docs/troubleshooting.md. */
  name: string;
  /** No valid answer can follow output of this kind: waiting longer is of no use. */
  isFinal: boolean;
}
