// What went over the pipes of one process, in order: the evidence of a verdict. Bytes are kept as they were.

export type EntryKind =
  /** Bytes to the process under test. One message, or what a rule wrote at once. */
  | 'sent'
  /** One message of it: of a line, without the newline. */
  | 'received'
  | 'stderr'
  /** What happened to the process: started, end of stdin, a signal, its exit. */
  | 'event';

export interface Entry {
  readonly kind: EntryKind;
  /** Of an event: its text in UTF-8. */
  readonly bytes: Uint8Array;
}

export class Transcript {
  readonly entries: Entry[] = [];

  add(kind: EntryKind, bytes: Uint8Array): Entry {
    const entry = { kind, bytes };
    this.entries.push(entry);
    return entry;
  }

  event(text: string): void {
    this.add('event', Buffer.from(text));
  }
}
