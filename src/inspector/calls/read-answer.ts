// Reads and checks the page's answer to a question of a server.

import { isObject } from '../../base/json-object.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { ElicitResult, SampleResult } from '../../mcp/types.ts';
import type { Answer, Question } from '../api.ts';

export function readAnswer(kind: Question['kind'], given: unknown): Answer {
  if (!isObject(given)) throw new HttpProblem(400, 'An answer is a JSON object');
  if (typeof given.refuse === 'string') return { refuse: given.refuse };
  return kind === 'elicit' ? readElicitResult(given) : readSampleResult(given);
}

function readElicitResult({ action, content }: Record<string, unknown>): ElicitResult {
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    throw new HttpProblem(400, 'The answer to a form needs an "action": accept, decline or cancel');
  }
  if (content === undefined || action !== 'accept') return { action };
  if (!isObject(content)) throw new HttpProblem(400, 'The "content" of a form is an object');
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
