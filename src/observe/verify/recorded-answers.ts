// Answers the questions of a server during a request as the recorded client did.

import { canonicalJson } from '../../base/canonical-json.ts';
import { RpcCode, RpcError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import type { InputRequest, InputResponse } from '../../mcp/types.ts';
import type { MessageFile } from '../replay/message-file.ts';
import type { MessagePlace, RecordedExchange } from '../replay/recorded-exchange.ts';

export interface RecordedQuestion {
  readonly method: string;
  readonly params: unknown;
  /** Its key, in 2026-07-28. */
  readonly name: string | undefined;
  /** A response, or undefined if the recording has none. */
  readonly answer: { readonly result?: unknown; readonly error?: unknown } | undefined;
}

/** The most questions of one request that are read. */
const MOST_QUESTIONS = 1000;

export async function readQuestions({ during = [] }: RecordedExchange, file: MessageFile): Promise<RecordedQuestion[]> {
  const found: RecordedQuestion[] = [];
  for (const { kind, place, answer } of during) {
    if (found.length >= MOST_QUESTIONS) break;
    if (kind === 'question') {
      const { method, params } = await file.message(place);
      found.push({ method: String(method), params, name: undefined, answer: answer && (await file.message(answer)) });
    } else if (kind === 'round') found.push(...(await questionsOfRound(place, answer, file)));
  }
  return found.filter(({ params }) => !isNestedTooDeeply(params));
}

async function questionsOfRound(place: MessagePlace, answer: MessagePlace | undefined, file: MessageFile) {
  const { result } = await file.message(place);
  const asked = isObject(result) && isObject(result.inputRequests) ? Object.entries(result.inputRequests) : [];
  const params = answer && (await file.message(answer)).params;
  const responses = isObject(params) && isObject(params.inputResponses) ? params.inputResponses : {};
  return asked.slice(0, MOST_QUESTIONS).map(([name, question]): RecordedQuestion => {
    const { method, params } = isObject(question) ? question : ({} as JsonObject);
    const response = Object.hasOwn(responses, name) ? { result: responses[name] } : undefined;
    return { method: String(method), params, name, answer: response };
  });
}

export class RecordedAnswers {
  /** The questions that the server asks now; the roots of the client are no part of the answer. */
  readonly asked: { method: string; params: unknown }[] = [];
  /** Why a question could not be answered. */
  problem: string | undefined;
  readonly #left: RecordedQuestion[];
  readonly #roots: () => Promise<JsonObject | undefined>;

  /** `roots`: the recorded answer to `roots/list`, for questions that came at another time. */
  constructor(questions: readonly RecordedQuestion[], roots: () => Promise<JsonObject | undefined>) {
    this.#left = [...questions];
    this.#roots = roots;
  }

  async answer({ method, params }: InputRequest, name: string | undefined): Promise<InputResponse> {
    if (method !== 'roots/list' && this.asked.length < MOST_QUESTIONS) this.asked.push({ method, params });
    const found = this.#take(method, params, name);
    const answer = found?.answer ?? (method === 'roots/list' ? await this.#roots() : undefined);
    if (isObject(answer?.error)) {
      const { code, message, data } = answer.error;
      throw new RpcError(typeof code === 'number' ? code : RpcCode.internalError, String(message), data);
    }
    if (isObject(answer?.result)) return answer.result as unknown as InputResponse;
    this.problem ??= `The server asked ${method}, and the recording has no answer to it`;
    throw new RpcError(RpcCode.methodNotFound, this.problem);
  }

  /** The same question, or else the next one of this kind. */
  #take(method: string, params: unknown, name: string | undefined): RecordedQuestion | undefined {
    const fits = (each: RecordedQuestion) => each.method === method && (each.name === name || name === undefined);
    const text = isNestedTooDeeply(params) ? undefined : canonicalJson(params ?? {});
    const same = this.#left.findIndex((each) => fits(each) && canonicalJson(each.params ?? {}) === text);
    const at = same >= 0 ? same : this.#left.findIndex(fits);
    return at < 0 ? undefined : this.#left.splice(at, 1)[0];
  }
}

/** The questions that are compared. */
export function comparedQuestions(questions: readonly { method: string; params?: unknown }[]): object[] {
  return questions.flatMap(({ method, params }) => {
    if (method === 'roots/list') return [];
    const { _meta, ...others } = isObject(params) ? params : {};
    return { method, params: others };
  });
}
