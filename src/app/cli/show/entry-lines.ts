// Entries as lines: aligned on a terminal, separated by tabs in a pipe.

import { counted } from '../../../base/terminal/counted.ts';
import { cutToWidth, padToWidth, textWidth } from '../../../base/terminal/text-width.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { Entry } from '../../../observe/show/entries.ts';
import { clientOf, durationMs, isTrouble, serverOf } from '../../../observe/show/entry-filter.ts';
import type { Output } from '../output/output.ts';
import {
  arrowOf,
  atMsOf,
  colourOf,
  dayText,
  durationText,
  type EntryContext,
  entryDocument,
  isoText,
  messageText,
  outcomeOf,
  timeText,
  whatOf,
} from './entry-texts.ts';

const WIDEST_NAME = 20;
const LEAST_WHAT = 20;
const OUTCOME = 14;
const DURATION = 9;

export class EntryLines {
  readonly #out: Output;
  readonly #context: EntryContext;
  /** Widths of the columns of names, which grow with the widest name. */
  #server = 0;
  #client = 0;
  #day = '';

  constructor(out: Output, context: EntryContext) {
    this.#out = out;
    this.#context = context;
  }

  print(entry: Entry): void {
    const out = this.#out;
    if (out.json) return out.documentLine(entryDocument(entry, this.#context));
    const lines = out.onTerminal ? this.#aligned(entry) : [this.#tabbed(entry)];
    out.write(`${[...lines, ...this.#messages(entry)].join('\n')}\n`);
  }

  #tabbed(entry: Entry): string {
    const head = [isoText(this.#context.dateMs(atMsOf(entry))), serverOf(entry) ?? '', clientOf(entry) ?? ''];
    if (entry.type === 'line') return [...head, entry.kind, entry.text].map(visibleLine).join('\t');
    if (entry.type === 'message') return [...head, 'message', entry.message?.method ?? ''].map(visibleLine).join('\t');
    const ms = durationMs(entry);
    const { method } = entry.exchange;
    const cells = [
      ...head,
      method,
      entry.target ?? '',
      outcomeOf(entry.exchange),
      ms === undefined ? '' : ms.toFixed(3),
    ];
    return cells.map(visibleLine).join('\t');
  }

  #aligned(entry: Entry): string[] {
    const { paint, width } = this.#out;
    const dateMs = this.#context.dateMs(atMsOf(entry));
    const day = dayText(dateMs);
    const lines = day === this.#day ? [] : [paint('dim', day)];
    this.#day = day;
    const head = `${timeText(dateMs)}  ${this.#names(entry)}`;
    const colour = colourOf(entry);
    const left = Math.max(LEAST_WHAT, width - textWidth(head));
    if (entry.type !== 'exchange') {
      const text = cutToWidth(visibleLine(whatOf(entry)), left);
      return [
        ...lines,
        `${paint('dim', head)}${colour && !(colour === 'dim' && isTrouble(entry)) ? paint(colour, text) : text}`,
      ];
    }
    const room = Math.max(LEAST_WHAT, left - OUTCOME - DURATION - 3);
    const what = padToWidth(cutToWidth(visibleLine(whatOf(entry)), room), room);
    const outcome = padToWidth(visibleLine(outcomeOf(entry.exchange)), OUTCOME);
    const duration = durationText(durationMs(entry)).padStart(DURATION);
    lines.push(`${paint('dim', head)}${what}  ${colour ? paint(colour, outcome) : outcome} ${duration}`);
    const { error } = entry.exchange;
    if (error && isTrouble(entry)) lines.push(`  ${paint('red', cutToWidth(visibleLine(error.message), width - 2))}`);
    return lines;
  }

  /** There is no column of clients before the first name of a client. */
  #names(entry: Entry): string {
    const [server, client] = [serverOf(entry), clientOf(entry)].map((name) =>
      cutToWidth(visibleLine(name ?? ''), WIDEST_NAME),
    );
    this.#server = Math.max(this.#server, textWidth(server!));
    this.#client = Math.max(this.#client, textWidth(client!));
    const columns = [padToWidth(server!, this.#server)];
    if (this.#client > 0) columns.push(padToWidth(client!, this.#client));
    return `${columns.join('  ')}  `;
  }

  #messages(entry: Entry): string[] {
    const frames = this.#context.messagesOf?.(entry);
    if (!frames || entry.type === 'line') return [];
    const shown = frames.map((frame) => `  ${arrowOf(frame.direction)} ${frame.length} bytes  ${messageText(frame)}`);
    const missing = (entry.type === 'exchange' ? entry.seqs.length : 1) - frames.length;
    return missing > 0 ? [...shown, `  (${counted(missing, 'message')} no longer in memory)`] : shown;
  }
}
