// Questions of servers (forms, sampling requests) that wait for an answer from the page. A question ends when it is answered, when
// the server no longer waits, or when no page is open: it is then declined with a reason, so that the server does not wait forever.
// The number of pending questions is bounded.

import { randomUUID } from 'node:crypto';
import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import { RpcError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { isNestedTooDeeply } from '../../../base/to-json.ts';
import type { InputContext, InputHandlers } from '../../../mcp/client/options.ts';
import type { ElicitResult, Root, SampleResult } from '../../../mcp/types.ts';
import { HttpProblem } from '../../../wire/http/http-problem.ts';
import type { Answer, Question } from '../api.ts';

export interface QuestionsOptions {
  /** If true, servers before 2026-07-28 may ask questions only if a page is open when they start. */
  needsPage?: boolean;
  /** How long a question waits for a page to be opened. Default: 5 s. */
  graceMs?: number;
  /** Called for each question that is declined because no page is open. */
  onUnanswered?: (question: Question) => void;
  clock?: Clock;
}

export interface QuestionWatcher {
  asked(question: Question): void;
  settled(id: string): void;
}

interface OpenQuestion {
  question: Question;
  settle: (answer: Answer) => void;
}

const MOST_OPEN = 100;
const MOST_SETTLED = 200;
/** The specification's code for a rejection by the user. */
const USER_REJECTED = -1;

/**
 * Must be called before the host is created: `new Host(servers, { inputs: questions.inputs })`, then `hostSource(host, { questions
 * })`.
 */
export function inspectorInputs(options?: QuestionsOptions): Questions {
  return new Questions(options);
}

export class Questions {
  readonly #open = new Map<string, OpenQuestion>();
  readonly #settled: string[] = [];
  readonly #clock: Clock;
  readonly #needsPage: boolean;
  readonly #graceMs: number;
  readonly #onUnanswered: QuestionsOptions['onUnanswered'];
  /** The answer to `roots/list` of every server. */
  roots: readonly Root[] = [];
  #watcher: QuestionWatcher | undefined;
  #pages = 0;
  #alone: Timer | undefined;

  constructor({ needsPage = false, graceMs = 5_000, onUnanswered, clock = systemClock }: QuestionsOptions = {}) {
    this.#needsPage = needsPage;
    this.#graceMs = graceMs;
    this.#onUnanswered = onUnanswered;
    this.#clock = clock;
  }

  readonly inputs = (server: string): InputHandlers => ({
    elicitModes: ['form', 'url'],
    roots: () => this.roots,
    isAnswered: () => !this.#needsPage || this.#pages > 0,
    elicit: async (params, context) => {
      const answer = await this.#ask({ id: randomUUID(), server, kind: 'elicit', params }, context);
      return 'refuse' in answer ? { action: 'cancel' } : (answer as ElicitResult);
    },
    sample: async (params, context) => {
      const answer = await this.#ask({ id: randomUUID(), server, kind: 'sample', params }, context);
      if ('refuse' in answer) throw new RpcError(USER_REJECTED, answer.refuse);
      return answer as SampleResult;
    },
  });

  get open(): Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** The newest closed questions, for a page that was disconnected in the meantime. */
  get settled(): readonly string[] {
    return this.#settled;
  }

  watch(watcher: QuestionWatcher | undefined): void {
    this.#watcher = watcher;
  }

  set pages(count: number) {
    this.#pages = count;
    this.#waitForSomebody();
  }

  /** Returns false if the question is not pending. Throws an HttpProblem if the answer is invalid. */
  answer(id: string, given: unknown): boolean {
    const open = this.#open.get(id);
    if (!open) return false;
    open.settle(readAnswer(open.question.kind, given));
    return true;
  }

  /** Refuses all pending questions. */
  refuseAll(reason: string): void {
    this.#alone?.cancel();
    this.#alone = undefined;
    for (const { settle } of this.#open.values()) settle({ refuse: reason });
  }

  #ask(question: Question, { signal }: InputContext): Promise<Answer> {
    if (this.#open.size >= MOST_OPEN) return Promise.resolve({ refuse: 'Too many questions are pending already' });
    if (isNestedTooDeeply(question)) return Promise.resolve({ refuse: 'It is nested too deeply to be shown' });
    const { id } = question;
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        if (!this.#open.delete(id)) return;
        signal.removeEventListener('abort', giveUp);
        this.#settled.push(id);
        if (this.#settled.length > MOST_SETTLED) this.#settled.shift();
        this.#watcher?.settled(id);
        resolve(answer);
      };
      const giveUp = () => settle({ refuse: 'The server no longer waits' });
      signal.addEventListener('abort', giveUp);
      this.#open.set(id, { question, settle });
      this.#watcher?.asked(question);
      this.#waitForSomebody();
    });
  }

  #waitForSomebody(): void {
    if (this.#pages > 0 || this.#open.size === 0) {
      this.#alone?.cancel();
      this.#alone = undefined;
      return;
    }
    this.#alone ??= this.#clock.after(this.#graceMs, () => {
      const unanswered = this.open;
      this.refuseAll('The Inspector is not open in a browser');
      for (const question of unanswered) this.#onUnanswered?.(question);
    });
    this.#alone.keepAlive(false);
  }
}

/** Throws an HttpProblem if the answer is invalid. */
export function readAnswer(kind: Question['kind'], given: unknown): Answer {
  if (!isObject(given)) throw new HttpProblem(400, 'An answer must be a JSON object');
  if (typeof given.refuse === 'string') return { refuse: given.refuse };
  return kind === 'elicit' ? readElicitResult(given) : readSampleResult(given);
}

function readElicitResult({ action, content }: Record<string, unknown>): ElicitResult {
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    throw new HttpProblem(400, 'The answer to a form needs an "action": accept, decline or cancel');
  }
  if (content === undefined || action !== 'accept') return { action };
  if (!isObject(content)) throw new HttpProblem(400, 'The "content" of a form must be an object');
  return { action, content: content as ElicitResult['content'] };
}

function readSampleResult(given: Record<string, unknown>): SampleResult {
  const { role, content, model, stopReason } = given;
  if ((role !== 'assistant' && role !== 'user') || typeof model !== 'string') {
    throw new HttpProblem(400, 'A message needs a "role" (assistant or user) and a "model"');
  }
  if (!isObject(content) && !Array.isArray(content)) throw new HttpProblem(400, 'A message needs "content"');
  const result = { role, content, model } as SampleResult;
  return typeof stopReason === 'string' ? { ...result, stopReason } : result;
}

const kinds: Readonly<Record<string, Question['kind']>> = {
  'elicitation/create': 'elicit',
  'sampling/createMessage': 'sample',
};

const MOST_QUESTION_CHARS = 1024 * 1024;

/** Converts the `inputRequests` of a task, which may have any form. `id`: the task in the list of tasks. */
export function taskQuestions(id: string, server: string, inputRequests: unknown): Question[] {
  if (!isObject(inputRequests) || isNestedTooDeeply(inputRequests)) return [];
  if (JSON.stringify(inputRequests).length > MOST_QUESTION_CHARS) return [];
  return Object.entries(inputRequests)
    .slice(0, MOST_OPEN)
    .flatMap(([key, request]) => {
      const { method, params = {} } = isObject(request) ? request : {};
      const kind = kinds[String(method)];
      if (!kind || !isObject(params)) return [];
      return [{ id: `${id} ${key}`, server, kind, params: params as never, task: { id, key } }];
    });
}
