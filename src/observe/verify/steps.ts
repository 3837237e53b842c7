// The requests of a recording in the order in which they are sent again. The pages of one list are one step.

import { isObject } from '../../base/json-object.ts';
import { type MethodFacts, methodsOfMcp } from '../../mcp/methods.ts';
import type { Params } from '../../mcp/service.ts';
import type { Conversation } from '../replay/conversation.ts';
import { messageOf, sideOf } from '../replay/diff-sessions.ts';
import type { RecordedExchange } from '../replay/recorded-exchange.ts';
import type { RecordedSession } from '../replay/recorded-session.ts';
import { comparedQuestions, type RecordedQuestion, readQuestions } from './recorded-answers.ts';
import type { VerifySide } from './report.ts';

export interface Step {
  readonly exchange: RecordedExchange;
  readonly facts: MethodFacts | undefined;
  /** The recorded parameters with `_meta`; undefined if they were not recorded whole. */
  readonly params: Params | undefined;
  readonly before: VerifySide;
  /** The recorded answer as it is compared; undefined if there is none. */
  readonly recorded: Params | undefined;
  readonly questions: readonly RecordedQuestion[];
  /** Number of recorded pages, if the request was for the first page of a list. */
  readonly pages?: number;
  /** The client did not read the rest of the list. */
  readonly hasMorePages?: true;
  /** A later request of the recording asks for the state of the same task. */
  readonly isAskedAgain?: true;
}

/** How many requests after the first page of a list may lie between two pages. */
const MOST_BETWEEN = 200;

export async function* stepsOf(session: RecordedSession, { exchanges }: Conversation): AsyncGenerator<Step> {
  const taken = new Set<number>();
  const lastPolls = new Map(exchanges.filter(isPoll).map(({ target, index }) => [target, index]));
  for (const exchange of exchanges) {
    if (taken.delete(exchange.index)) continue;
    const message = await messageOf(session, exchange.request);
    const params = message && (isObject(message.params) ? message.params : {});
    const { side, answer } = await sideOf(session, exchange);
    const questions = exchange.during ? await readQuestions(exchange, session.file) : [];
    const facts = methodsOfMcp.get(exchange.method);
    const step: Step = {
      ...{ exchange, facts, params, questions },
      before: side,
      recorded: answer && withQuestions(answer, questions),
      ...(isPoll(exchange) && lastPolls.get(exchange.target) !== exchange.index && { isAskedAgain: true }),
    };
    const isFirstPage =
      facts?.list !== undefined && side.outcome === 'ok' && params !== undefined && !('cursor' in params);
    yield isFirstPage ? await withPages(step, session, exchanges, taken) : step;
  }
}

/** An answer with the questions that came before it, if there were any. */
export function withQuestions(answer: Params, questions: readonly { method: string; params?: unknown }[]): Params {
  const compared = comparedQuestions(questions);
  return compared.length > 0 ? { ...answer, questions: compared } : answer;
}

async function withPages(
  first: Step,
  session: RecordedSession,
  exchanges: readonly RecordedExchange[],
  taken: Set<number>,
): Promise<Step> {
  const { exchange, recorded } = first;
  const { member } = first.facts!.list!;
  let page = isObject(recorded?.result) ? recorded.result : {};
  const entries: unknown[] = entriesOf(page, member);
  let pages = 1;
  const until = Math.min(exchanges.length, exchange.index + MOST_BETWEEN);
  for (let at = exchange.index + 1; at < until && page.nextCursor !== undefined; at++) {
    const next = exchanges[at]!;
    if (next.method !== exchange.method || next.wire !== exchange.wire || taken.has(at)) continue;
    const params = (await messageOf(session, next.request))?.params;
    if (!isObject(params) || params.cursor !== page.nextCursor) continue;
    const { side, answer } = await sideOf(session, next);
    if (side.outcome !== 'ok' || !isObject(answer?.result)) break;
    taken.add(at);
    page = answer.result;
    for (const entry of entriesOf(page, member)) entries.push(entry);
    pages++;
  }
  const isWhole = page.nextCursor === undefined;
  return { ...first, recorded: { result: { [member]: entries } }, pages, ...(!isWhole && { hasMorePages: true }) };
}

export function entriesOf(page: Params, member: string): unknown[] {
  const entries = page[member];
  return Array.isArray(entries) ? entries : [];
}

function isPoll({ method }: RecordedExchange): boolean {
  return method === 'tasks/get';
}
