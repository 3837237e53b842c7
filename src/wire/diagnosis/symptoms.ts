// The known facts about a server that did not answer: the input of every rule. Plain data, so that a rule can be tested
// with a string. Must not know about processes or pipes.

export interface Symptoms {
  /** The command line of the server. */
  command: string;
  /** The framing with which messages of the server are read. */
  framing: string;
  /** The first bytes that the server wrote to stdout. */
  stdout: Uint8Array;
  /** The number of bytes that the server wrote to stdout. */
  stdoutBytes: number;
  /** The number of bytes that had arrived when its stdin was closed; absent while stdin is open. */
  bytesBeforeEof?: number | undefined;
  /** The last text that the server wrote to stderr. */
  stderr: string;
  /** Names of variables that are set here but were not passed to the server. */
  withheld?: readonly string[] | undefined;
  /** The exit code; absent while the server runs. */
  exitCode?: number | null | undefined;
  signal?: string | null | undefined;
  /** Hides secrets in quoted output. */
  redact?: (text: string) => string;
}

export interface SymptomFinding {
  /** The behaviour of the server, as the rest of a sentence that begins with "the server". */
  problem: string;
  /** The change to make. */
  fix: string;
}

export interface Diagnosis extends SymptomFinding {
  /** A stable name: a heading of docs/troubleshooting.md. */
  name: string;
  /** True if a valid answer cannot follow output of this kind: waiting longer does not help. */
  isFinal: boolean;
}
