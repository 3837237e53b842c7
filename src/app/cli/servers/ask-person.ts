// Shows an elicitation of a server at the terminal and reads the answer. Without a terminal, declines and reports it.

import { createInterface } from 'node:readline';
import { visibleIndented, visibleLine } from '../../../base/terminal/visible.ts';
import { unlessAborted } from '../../../base/wait.ts';
import type { Unanswered } from '../../../host/services/process-service.ts';
import type { InputHandlers } from '../../../mcp/client/options.ts';
import type { ElicitFormParams, ElicitParams, ElicitResult } from '../../../mcp/types.ts';
import type { Output } from '../output/output.ts';
import { describeType, TypeMismatch, typedValue } from '../values/typed-value.ts';
import { hasTerminal, reportUnanswered } from './server-reports.ts';

type Ask = (question: string) => Promise<string>;
type Content = NonNullable<ElicitResult['content']>;

export function askPerson(server: string, out: Output, unanswered: Unanswered[] = []): InputHandlers {
  return {
    elicitModes: ['form', 'url'],
    isAnswered: hasTerminal,
    elicit: async (params, { signal }) => {
      if (!hasTerminal()) {
        const question: Unanswered = { server, message: params.message, action: 'decline' };
        unanswered.push(question);
        reportUnanswered(question, out);
        return { action: 'decline' };
      }
      out.say(out.paintError('bold', `${visibleLine(server)} asks: ${visibleIndented(params.message)}`));
      const goOn = out.activity.hold(); // the activity line would overwrite the question
      const lines = new TypedLines();
      try {
        return await answer(params, (question) => lines.ask(question, signal), out);
      } catch (error) {
        if (!(error instanceof EndOfInput)) throw error;
        out.say('');
        return { action: 'cancel' };
      } finally {
        lines.close();
        goOn();
      }
    },
  };
}

async function answer(params: ElicitParams, ask: Ask, out: Output): Promise<ElicitResult> {
  if (params.mode === 'url') {
    out.say(`Open this page, if you trust it: ${visibleLine(params.url)}`);
    return { action: isYes(await ask('Done? [y/N] ')) ? 'accept' : 'decline' };
  }
  const content = await fillIn(params, ask, out);
  if (!isYes(await ask('Send this? [y/N] '))) return { action: 'decline' };
  return { action: 'accept', content };
}

async function fillIn({ requestedSchema }: ElicitFormParams, ask: Ask, out: Output): Promise<Content> {
  const content: Content = {};
  const required = new Set(requestedSchema?.required);
  for (const [name, schema] of Object.entries(requestedSchema?.properties ?? {})) {
    const about = [schema.title, schema.description].filter((text) => typeof text === 'string').map(String);
    if (about.length > 0) out.say(`  ${visibleLine(about.join(': '))}`);
    const usual = schema.default === undefined ? '' : ` (${visibleLine(String(schema.default))})`;
    const optional = required.has(name) ? '' : ', optional';
    const question = `  ${visibleLine(name)} <${visibleLine(describeType(schema, requestedSchema))}${optional}>${usual}: `;
    const value = await askUntilItFits(question, schema, required.has(name), ask, out);
    if (value !== undefined) content[name] = value as Content[string];
  }
  return content;
}

async function askUntilItFits(question: string, schema: object, isRequired: boolean, ask: Ask, out: Output) {
  for (;;) {
    const text = await ask(question);
    const { default: usual } = schema as { default?: unknown };
    if (text === '' && (usual !== undefined || !isRequired)) return usual;
    try {
      return typedValue(text, schema, {});
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
      out.say(`  The value ${visibleLine(error.message)}.`);
    }
  }
}

function isYes(text: string): boolean {
  return /^y(?:es)?$/i.test(text.trim());
}

/** Thrown when the user presses Ctrl-D or closes the terminal. */
class EndOfInput extends Error {}

/** Questions answered by one line each. Lines that were pasted or typed ahead answer the next questions. */
class TypedLines {
  readonly #lines = createInterface({ input: process.stdin, output: process.stderr });
  readonly #ahead: string[] = [];
  #isClosed = false;
  /** Called with the next line, or without an argument at the end of the input. */
  #next: ((line?: string) => void) | undefined;

  constructor() {
    this.#lines.on('line', (line) => {
      if (!this.#answer(line)) this.#ahead.push(line);
    });
    this.#lines.on('close', () => {
      this.#isClosed = true;
      this.#answer();
    });
    // While readline reads from the terminal, Ctrl-C emits its SIGINT event and sends no signal.
    this.#lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  }

  async ask(question: string, signal: AbortSignal): Promise<string> {
    const known = this.#ahead.shift();
    if (known !== undefined) {
      process.stderr.write(`${question}${visibleLine(known)}\n`);
      return known;
    }
    if (this.#isClosed) throw new EndOfInput();
    this.#lines.setPrompt(question);
    this.#lines.prompt();
    const answer = new Promise<string>((resolve, reject) => {
      this.#next = (line) => (line === undefined ? reject(new EndOfInput()) : resolve(line));
    });
    return unlessAborted(answer, signal);
  }

  close(): void {
    this.#lines.close();
  }

  /** Several lines may arrive in one turn: only the first one answers the question. */
  #answer(line?: string): boolean {
    const next = this.#next;
    this.#next = undefined;
    next?.(line);
    return next !== undefined;
  }
}
