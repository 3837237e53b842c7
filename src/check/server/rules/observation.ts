// The observed conversation, which rules read instead of sending messages. Invariants: it has only valid messages, so that rules do not judge
// effects of other rules; it does not depend on the selection and the order of the rules.

import { PROTOCOL_VERSION_KEY } from '../../../mcp/meta.ts';
import { inTime } from '../../in-parallel.ts';
import { familyOf } from '../../rule.ts';
import { NotApplicable, Violation } from '../../verdict.ts';
import { type Conversation, UNKNOWN_METHOD } from '../conversation.ts';
import type { ServerRule } from '../server-rule.ts';
import type { ServerRuleRun } from '../server-rule-run.ts';
import { echo, isEchoed } from './answers.ts';
import { surveyOf } from './methods/survey.ts';
import { fullFilter, listen, makeChanges, stopListening } from './modern/listening.ts';
import { askingCall } from './modern/tried-calls.ts';
import { taskCalls } from './tasks/followed-tasks.ts';

const families = ['methods', 'modern', 'tasks', 'apps', 'skills'];

/** Includes rules that use the survey, the tried calls or their tasks. */
export function readsObservation({ id, uses }: ServerRule): boolean {
  return uses === 'seen' || families.includes(familyOf(id));
}

/** Number of pings in one burst. */
const AT_ONCE = 100;
const MOST_BURSTS = 5;
/** No further burst starts after this time. */
const BURSTS_MS = 1_000;

type Step = (ruleRun: ServerRuleRun, conversation: Conversation) => Promise<unknown>;

const UNKNOWN = 'standpipe-unknown';
const CONCURRENT = 12;
const CONCURRENT_ID = 20_000;

/** Requests that the server refuses come last: it may exit after its answer, and later requests would be blamed. */
const steps: readonly Step[] = [
  (_, conversation) => conversation.settle(),
  (ruleRun) => surveyOf(ruleRun),
  async (ruleRun) => {
    if (ruleRun.era === 'modern')
      await (await askingCall(ruleRun)).request({ requestState: UNKNOWN, inputResponses: {} });
  },
  async (ruleRun, conversation) => {
    if (ruleRun.era === 'modern') await listenForChanges(ruleRun, conversation);
  },
  (ruleRun) => taskCalls(ruleRun),
  (_, conversation) => echo(conversation, 'Zürich, café'),
  (_, conversation) => longIdsAtOnce(conversation),
  (_, conversation) => manyAtOnce(conversation),
  async (ruleRun, conversation) => {
    const { name, arguments: args } = ruleRun.longCall();
    conversation.notify('notifications/cancelled', {
      requestId: conversation.ask('tools/call', { name, arguments: args }),
    });
    await conversation.settle();
  },
  ({ facts }, conversation) => askFor(conversation, facts.capabilities.tools, 'tools/call', { name: UNKNOWN }),
  ({ facts }, conversation) => askFor(conversation, facts.capabilities.prompts, 'prompts/get', { name: UNKNOWN }),
  ({ facts }, conversation) =>
    askFor(conversation, facts.capabilities.resources, 'resources/read', { uri: 'standpipe://unknown' }),
  async ({ era }, conversation) => {
    if (era === 'modern')
      await conversation.request('server/discover', { _meta: { [PROTOCOL_VERSION_KEY]: '1900-01-01' } });
  },
  (_, conversation) => conversation.request(UNKNOWN_METHOD),
];

/** `ruleRun`: an observer. The rules about a step report its failure. */
export async function observe(ruleRun: ServerRuleRun, limitMs: number): Promise<void> {
  await inTime(takeAll(ruleRun), limitMs).catch(ignoreVerdict);
}

async function takeAll(ruleRun: ServerRuleRun): Promise<void> {
  for (const step of steps) {
    const conversation = await ruleRun.shared();
    await step(ruleRun, conversation).catch(ignoreVerdict);
  }
}

function ignoreVerdict(error: unknown): void {
  if (!(error instanceof Violation || error instanceof NotApplicable)) throw error;
}

async function askFor(conversation: Conversation, isDeclared: unknown, ...request: [string, object]): Promise<void> {
  if (isDeclared) await conversation.request(request[0], { ...request[1] });
}

async function listenForChanges(ruleRun: ServerRuleRun, conversation: Conversation): Promise<void> {
  const tools = await listen(ruleRun, conversation, { toolsListChanged: true });
  const all = await listen(ruleRun, conversation, fullFilter(ruleRun));
  await makeChanges(ruleRun, conversation);
  await stopListening(conversation, tools.id, all.id);
}

/** Concurrent answers that are larger than a pipe. */
async function longIdsAtOnce(conversation: Conversation): Promise<void> {
  if (!(await isEchoed(conversation, 'whole'))) return;
  const ids = Array.from({ length: CONCURRENT }, (_, at) => `${at}`.padEnd(CONCURRENT_ID, '-'));
  await burst(conversation, [...ids, conversation.probe.newId()]);
}

/** Threads that write concurrently mix up only some of many answers. A slow server gets one burst. */
async function manyAtOnce(conversation: Conversation): Promise<void> {
  const startMs = performance.now();
  for (let count = 0; count < MOST_BURSTS; count++) {
    const ids = Array.from({ length: AT_ONCE }, () => conversation.probe.newId());
    if (!(await burst(conversation, ids)) || performance.now() - startMs > BURSTS_MS) return;
  }
}

/** Requests in one write. The wait ends after as many lines as requests. False if a request was not answered. */
async function burst(conversation: Conversation, ids: readonly (string | number)[]): Promise<boolean> {
  const { probe } = conversation;
  const from = probe.frames.length;
  probe.write(ids.map((id) => `${JSON.stringify(conversation.ping(id))}\n`).join(''));
  const isOver = () =>
    probe.frames.length - from >= ids.length || probe.frames.some(({ fault }) => fault === 'mixed up');
  for (const id of ids) {
    if (!(await probe.maybe(() => probe.answersTo(id)[0] ?? (isOver() || undefined)))) return false;
  }
  return ids.every((id) => probe.answersTo(id)[0]);
}
