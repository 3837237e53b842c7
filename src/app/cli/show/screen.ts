// The full-screen view as a state and its lines. Keys change the state; nothing here knows the terminal.

import type { Paint } from '../../../base/terminal/colours.ts';
import { cutToWidth, padToWidth, textWidth, wrapToWidth } from '../../../base/terminal/text-width.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { FrameEvent } from '../../../observe/flow/event.ts';
import type { Entry } from '../../../observe/show/entries.ts';
import { clientOf, durationMs, type EntryFilter, entryTest, serverOf } from '../../../observe/show/entry-filter.ts';
import { entryDetails } from './entry-details.ts';
import { EntryList } from './entry-list.ts';
import { atMsOf, colourOf, durationText, outcomeOf, timeText, whatOf } from './entry-texts.ts';
import { filterLine, parseFilter } from './parse-filter.ts';

export interface ScreenOptions {
  title: string;
  filter: EntryFilter;
  paint: Paint;
  dateMs: (atMs: number) => number;
  messagesOf: (entry: Entry) => readonly FrameEvent[];
  /** Sends the request again, or says how. Resolves to the lines to show. `confirmed`: the user has agreed. */
  resend: (entry: Entry, confirmed: boolean) => Promise<{ lines: string[]; asks?: boolean }>;
  changed: () => void;
}

type Mode = 'list' | 'details' | 'filter' | 'help' | 'confirm';

const WIDEST_SERVER = 16;
const OUTCOME = 14;
const DURATION = 8;

const help = [
  'Keys',
  '',
  'Up, Down, k, j          select an entry, or scroll the details',
  'Page Up, Page Down      one page',
  'Home, End, g, G         first, last; the last entry follows new ones',
  'Enter                   details with all messages',
  'Escape, Left            back to the list',
  'n, p                    next and previous entry, in the details',
  '/                       filter; Escape there removes it',
  'e                       only failures, or everything',
  'r                       send the request again, or show the command that does',
  'q, Ctrl-C               end',
  '',
  'Filters: server:NAME client:NAME method:NAME tool:NAME slower:1s errors, and any text.',
  'Names with spaces: client:"client 1".',
];

export class Screen {
  isOver = false;
  readonly #options: ScreenOptions;
  readonly #list: EntryList;
  #filter: EntryFilter;
  #mode: Mode = 'list';
  #selected: Entry | undefined;
  /** Whether the selection stays at the newest entry. */
  #follows = true;
  #top = 0;
  #scroll = 0;
  #typed = '';
  #message: string[] = [];
  #page = 10;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#filter = options.filter;
    this.#list = new EntryList(this.#test());
  }

  add(entry: Entry): void {
    this.#list.add(entry);
  }

  key(key: string): void {
    this.#message = this.#mode === 'confirm' ? this.#message : [];
    if (key === '\x03') this.isOver = true;
    else this.#keyOf(key);
    this.#options.changed();
  }

  #keyOf(key: string): void {
    if (this.#mode === 'filter') this.#filterKey(key);
    else if (this.#mode === 'confirm') this.#confirmKey(key);
    else if (this.#mode === 'help') this.#mode = 'list';
    else if (!this.#commonKey(key)) this.#moveKey(key);
  }

  #commonKey(key: string): boolean {
    if (key === 'q') this.isOver = true;
    else if (key === '?') this.#mode = 'help';
    else if (key === '/') {
      this.#mode = 'filter';
      this.#typed = filterLine(this.#filter);
    } else if (key === 'e') this.#use({ ...this.#filter, errorsOnly: !this.#filter.errorsOnly });
    else if (key === 'r') this.#resend(false);
    else return false;
    return true;
  }

  #moveKey(key: string): void {
    const isList = this.#mode === 'list';
    const move = (by: number) => (isList ? this.#select(this.#index() + by) : this.#scrollTo(this.#scroll + by));
    if (key === '\x1b[A' || key === '\x1bOA' || key === 'k') move(-1);
    else if (key === '\x1b[B' || key === '\x1bOB' || key === 'j') move(1);
    else if (key === '\x1b[5~') move(-this.#page);
    else if (key === '\x1b[6~' || key === ' ') move(this.#page);
    else if (key === '\x1b[H' || key === '\x1b[1~' || key === 'g') move(Number.NEGATIVE_INFINITY);
    else if (key === '\x1b[F' || key === '\x1b[4~' || key === 'G') move(Number.POSITIVE_INFINITY);
    else if (isList && (key === '\r' || key === '\x1b[C')) this.#open();
    else if (!isList && (key === '\x1b' || key === '\x1b[D' || key === '\r')) this.#mode = 'list';
    else if (!isList && (key === 'n' || key === 'p')) {
      this.#select(this.#index() + (key === 'n' ? 1 : -1));
      this.#scroll = 0;
    }
  }

  #filterKey(key: string): void {
    if (key === '\r') this.#mode = 'list';
    else if (key === '\x1b') {
      this.#typed = '';
      this.#mode = 'list';
    } else if (key === '\x7f' || key === '\b') this.#typed = [...this.#typed].slice(0, -1).join('');
    else if (key === '\x15') this.#typed = '';
    else if (/^[^\p{Cc}]+$/u.test(key)) this.#typed += key;
    this.#use(parseFilter(this.#typed));
  }

  #confirmKey(key: string): void {
    this.#mode = 'list';
    this.#message = [];
    if (key === 'y') this.#resend(true);
  }

  #resend(confirmed: boolean): void {
    const entry = this.#selected;
    if (!entry) return;
    void this.#options.resend(entry, confirmed).then(({ lines, asks }) => {
      this.#message = lines;
      if (asks) this.#mode = 'confirm';
      this.#options.changed();
    });
  }

  #use(filter: EntryFilter): void {
    this.#filter = filter;
    this.#list.filter(this.#test());
  }

  #test(): (entry: Entry) => boolean {
    const isWanted = entryTest(this.#filter, this.#options.messagesOf);
    const hasMessages = this.#filter.method.startsWith('notifications/');
    return (entry) => (entry.type !== 'message' || hasMessages || this.#filter.text !== '') && isWanted(entry);
  }

  #index(): number {
    const { shown } = this.#list;
    const at = this.#selected ? shown.lastIndexOf(this.#selected) : -1;
    return at < 0 ? shown.length - 1 : at;
  }

  #select(wanted: number): void {
    const last = this.#list.shown.length - 1;
    const at = Math.max(0, Math.min(last, wanted));
    this.#selected = this.#list.shown[at];
    this.#follows = at === last;
  }

  #scrollTo(wanted: number): void {
    this.#scroll = Math.max(0, wanted);
  }

  #open(): void {
    if (!this.#selected) return;
    this.#mode = 'details';
    this.#scroll = 0;
    this.#follows = false;
  }

  /** Exactly `height` lines of at most `width` columns. */
  lines(width: number, height: number): string[] {
    const message = this.#message.flatMap((line) => wrapToWidth(visibleLine(line), width)).slice(0, height - 2);
    const room = Math.max(1, height - 2 - message.length);
    this.#page = Math.max(1, room - 1);
    this.#list.refresh();
    if (this.#follows) this.#selected = this.#list.shown.at(-1);
    const body = this.#body(width, room);
    const blank = Array.from({ length: Math.max(0, room - body.length) }, () => '');
    const all = [this.#head(width), ...body.slice(0, room), ...blank, ...message, this.#foot(width)];
    return all.slice(0, height);
  }

  #body(width: number, room: number): string[] {
    if (this.#mode === 'help') return help.map((line) => cutToWidth(line, width));
    if (this.#mode === 'details' && this.#selected) return this.#details(this.#selected, width, room);
    const { shown } = this.#list;
    const at = this.#index();
    this.#top = Math.max(0, Math.min(this.#top, at, Math.max(0, shown.length - room)));
    if (at >= this.#top + room) this.#top = at - room + 1;
    return shown.slice(this.#top, this.#top + room).map((entry) => this.#row(entry, width));
  }

  #details(entry: Entry, width: number, room: number): string[] {
    const { messagesOf, dateMs } = this.#options;
    const lines = entryDetails(entry, messagesOf(entry), dateMs).flatMap((line) => wrapToWidth(line, width));
    this.#scroll = Math.min(this.#scroll, Math.max(0, lines.length - room));
    return lines.slice(this.#scroll, this.#scroll + room);
  }

  #row(entry: Entry, width: number): string {
    const { dateMs, paint } = this.#options;
    const isSelected = entry === this.#selected;
    const name = cutToWidth(visibleLine(serverOf(entry) ?? clientOf(entry) ?? ''), WIDEST_SERVER);
    const head = `${isSelected ? '>' : ' '}${timeText(dateMs(atMsOf(entry)))} ${padToWidth(name, WIDEST_SERVER)} `;
    const isRequest = entry.type === 'exchange';
    const tail = isRequest
      ? ` ${padToWidth(cutToWidth(visibleLine(outcomeOf(entry.exchange)), OUTCOME), OUTCOME)}${durationText(durationMs(entry)).padStart(DURATION)}`
      : '';
    const left = Math.max(1, width - textWidth(head) - tail.length);
    const line = cutToWidth(`${head}${padToWidth(cutToWidth(visibleLine(whatOf(entry)), left), left)}${tail}`, width);
    if (isSelected) return `\x1b[7m${line}\x1b[27m`;
    const colour = colourOf(entry);
    return colour === undefined || colour === 'green' ? line : paint(colour, line);
  }

  #head(width: number): string {
    const { shown, size, dropped } = this.#list;
    const counts = shown.length === size ? `${size}` : `${shown.length} of ${size}`;
    const lost = dropped > 0 ? `, ${dropped} older ones dropped` : '';
    const text = `${visibleLine(this.#options.title)}  ${counts} entries${lost}`;
    return this.#options.paint('bold', cutToWidth(text, width));
  }

  #foot(width: number): string {
    if (this.#mode === 'filter') return cutToWidth(`/${this.#typed}_`, width);
    const filter = filterLine(this.#filter);
    const keys = {
      details: 'Esc back  n next  p previous  r resend',
      help: 'any key: back',
      confirm: 'y yes  other keys: no',
    };
    const shown =
      this.#mode === 'list' ? 'Enter details  / filter  e errors  r resend  ? keys  q end' : keys[this.#mode];
    return this.#options.paint(
      'dim',
      cutToWidth(`${shown}${filter === '' ? '' : `   filter: ${visibleLine(filter)}`}`, width),
    );
  }
}
