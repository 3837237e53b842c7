// Tasks in the Inspector: from calls of the page, from other clients, of a host, in both forms, and in a recording.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type {
  CallStarted,
  CallUpdate,
  EventPage,
  ExchangeReport,
  LatencyReport,
  Overview,
  TaskDetail,
  TaskSummary,
} from '../../src/app/inspector/api.ts';
import { recordingSource } from '../../src/app/inspector/sources/recording-source.ts';
import type { CommandConfig } from '../../src/config/server-config.ts';
import { connect } from '../../src/connect/connect.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { clientOf } from '../../src/mcp/client/client.ts';
import { innermostId } from '../../src/mcp/handles.ts';
import { record } from '../../src/observe/record/recorder.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { serverConfig } from '../fixtures/server-config.ts';
import { type Inspected, inspectHost, kindsOf, openPage, type Page } from './inspecting.ts';

const renders = (more: Partial<CommandConfig> = {}) => serverConfig('renders', 'test/fixtures/tasks/renders.mjs', more);

async function call(page: Page, name: string, server = 'renders'): Promise<string> {
  return (await page.post<CallStarted>(`servers/${server}/call`, { kind: 'tool', name, args: {} })).id;
}

/** The newest task of the tool that satisfies the condition. */
async function task(page: Page, tool: string, isWanted: (task: TaskSummary) => boolean): Promise<TaskDetail> {
  let found: TaskSummary | undefined;
  await until(`the task of ${tool} is as wanted`, async () => {
    found = (await page.get<TaskSummary[]>('tasks')).findLast((each) => each.tool === tool);
    return found !== undefined && isWanted(found);
  });
  return page.get<TaskDetail>(`tasks/${found!.id}`);
}

async function callOver(page: Page, id: string): Promise<CallUpdate> {
  let found: CallUpdate | undefined;
  await until('the call is over', async () => {
    found = (await page.get<CallUpdate[]>('calls')).find((each) => each.id === id);
    return found !== undefined && found.state !== 'running';
  });
  return found!;
}

const isOver = ({ endMs }: TaskSummary) => endMs !== undefined;

async function problems(page: Page): Promise<string[]> {
  return kindsOf((await page.get<Overview>('overview')).problems);
}

describe('a call of the page that becomes a task', () => {
  test('has live states and the result of a call, and is listed with its history', async () => {
    const page = await inspectHost([renders()]);
    const live = await page.live('after=0');
    const id = await call(page, 'work');
    await until('it works', () => live.all('call').some(({ task }) => task?.statusMessage === 'frame 1 of 2'));
    const running = await task(page, 'work', () => true);
    expect(running).toMatchObject({ status: 'working', canAct: true });
    expect(running).not.toHaveProperty('endMs');
    await page.host.callTool('renders', 'release', {});
    expect(await callOver(page, id)).toMatchObject({
      state: 'done',
      task: { status: 'completed' },
      result: { content: [{ text: 'both frames are rendered' }] },
    });
    const over = await task(page, 'work', isOver);
    expect(over).toMatchObject({ server: 'renders', form: '2026-07-28', status: 'completed', canAct: false });
    expect(over.result).toMatchObject({ content: [{ type: 'text', text: 'both frames are rendered' }] });
    expect(over.history.at(-1)!.status).toBe('completed');
    const first = { status: 'working', statusMessage: 'frame 1 of 2', atMs: expect.any(Number) };
    expect(over.history).toContainEqual(first);
    await until('the page has the end', () => live.all('task').some((each) => each.id === over.id && isOver(each)));
    expect(await page.get<TaskSummary[]>('tasks')).toHaveLength(1);
    expect(new Set(live.all('task').map((each) => each.id))).toEqual(new Set([over.id]));
  });

  test('is one exchange on the wire: its messages show its number, and the call has its duration and status', async () => {
    const page = await inspectHost([renders()]);
    await callOver(page, await call(page, 'tool-error'));
    await callOver(page, await call(page, 'quick'));
    const { row, startMs, endMs, messages } = await task(page, 'tool-error', isOver);
    const { rows } = await page.get<EventPage>('events?after=0');
    const parts = rows.filter((each) => each.task === row);
    expect(parts).toHaveLength(messages);
    expect(parts[0]).toMatchObject({
      method: 'tools/call',
      latencyMs: endMs! - startMs,
      note: 'task completed',
      error: 'the tool reported an error',
    });
    expect(parts.slice(1).every(({ error, note }) => error === undefined && note === undefined)).toBe(true);
    expect(rows.filter(({ tool }) => tool === 'quick').every((each) => each.task === undefined)).toBe(true);
    const report = await page.get<ExchangeReport>(`exchanges/${parts.at(-1)!.seq}`);
    expect(report.task).toMatchObject({ row, tool: 'tool-error' });
    const latency = await page.get<LatencyReport>('latency');
    expect(latency.rows.filter(({ tool }) => tool === 'tool-error')).toMatchObject([{ count: 1, errors: 0 }]);
    expect(await problems(page)).toEqual([]);
  });

  test('shows its questions, which can be answered there', async () => {
    const page = await inspectHost([renders()]);
    const live = await page.live('after=0');
    const id = await call(page, 'asks');
    const isAsked = ({ questions }: TaskSummary) => questions === 1;
    const asking = await task(page, 'asks', isAsked);
    const [question] = asking.asked;
    expect(question).toMatchObject({ kind: 'elicit', server: 'renders', params: { message: 'Which size?' } });
    await until('the call has it', () => live.all('call').some((each) => each.task?.questions[0]?.id === question!.id));
    const answer = (key: string, given: unknown) => page.post(`tasks/${asking.id}/answer`, { key, answer: given });
    const { key } = question!.task!;
    await expect(answer(key, { action: 'perhaps' })).rejects.toThrow(/^400/);
    await expect(answer('other', { action: 'accept' })).rejects.toThrow(/^404/);
    await answer(key, { action: 'accept', content: { size: 'L' } });
    expect(await callOver(page, id)).toMatchObject({ result: { content: [{ text: 'accept: L' }] } });
    expect(await task(page, 'asks', isOver)).toMatchObject({ questions: 0, asked: [], status: 'completed' });
  });

  test('can be answered in place of a model, and the question cannot be refused', async () => {
    const page = await inspectHost([renders()]);
    const id = await call(page, 'thinks');
    const { asked, id: listed } = await task(page, 'thinks', ({ questions }) => questions === 1);
    const { key } = asked[0]!.task!;
    await expect(page.post(`tasks/${listed}/answer`, { key, answer: { refuse: 'no' } })).rejects.toThrow(/^409/);
    const answer = { role: 'assistant', content: { type: 'text', text: 'red' }, model: 'm' };
    await page.post(`tasks/${listed}/answer`, { key, answer });
    expect(await callOver(page, id)).toMatchObject({ result: { content: [{ text: 'the model says red' }] } });
  });

  test('can be cancelled from the call and from the task', async () => {
    const page = await inspectHost([renders()]);
    const first = await call(page, 'never');
    await task(page, 'never', () => true);
    await page.delete(`calls/${first}`);
    expect(await callOver(page, first)).toMatchObject({ state: 'cancelled', task: { status: 'cancelled' } });
    const second = await call(page, 'never');
    const running = await task(page, 'never', ({ status }) => status === 'working');
    await page.delete(`tasks/${running.id}`);
    expect(await callOver(page, second)).toMatchObject({ state: 'cancelled' });
    const cancelled = await task(page, 'never', isOver);
    expect(cancelled.status).toBe('cancelled');
    expect(cancelled).not.toHaveProperty('failure');
    expect(await problems(page)).toEqual([]);
  });

  test('shows a protocol error as a failure', async () => {
    const page = await inspectHost([renders()]);
    expect(await callOver(page, await call(page, 'protocol-error'))).toMatchObject({ state: 'failed' });
    expect(await task(page, 'protocol-error', isOver)).toMatchObject({
      status: 'failed',
      failure: '-32050: no such queue',
      error: { code: '-32050', message: 'no such queue' },
    });
  });
});

describe('a server of 2025-11-25', () => {
  test('lists its tasks, with questions as requests, and without problems', async () => {
    const legacy = serverConfig('requires', 'test/fixtures/tasks/requires-tasks.mjs', { revision: '2025-11-25' });
    const page = await inspectHost([legacy]);
    const live = await page.live('after=0');
    await callOver(page, await call(page, 'job', 'requires'));
    await callOver(page, await call(page, 'fails', 'requires'));
    const asks = await call(page, 'asks', 'requires');
    await until('it asks', () => live.all('question').length > 0);
    const [question] = live.all('question');
    await page.post(`questions/${question!.id}`, { action: 'accept', content: { name: 'Ada' } });
    expect(await callOver(page, asks)).toMatchObject({ result: { content: [{ text: 'Hello, Ada' }] } });
    expect(await task(page, 'job', isOver)).toMatchObject({
      form: '2025-11-25',
      status: 'completed',
      result: { content: [{ text: 'done' }] },
    });
    expect(await task(page, 'fails', isOver)).toMatchObject({ status: 'failed', result: { isError: true } });
    const asked = await task(page, 'asks', isOver);
    expect(asked.history.map(({ status }) => status)).toContain('input_required');
    const { rows } = await page.get<EventPage>('events?after=0');
    const methods = new Set(rows.filter((each) => each.task === asked.row).map(({ method }) => method));
    expect([...methods]).toEqual(
      expect.arrayContaining(['tools/call', 'tasks/get', 'tasks/result', 'elicitation/create']),
    );
    expect(await problems(page)).toEqual([]);
    const latency = await page.get<LatencyReport>('latency');
    expect(latency.rows.map(({ method }) => method)).not.toContain('tasks/result');
  });
});

describe('a task of another client', () => {
  async function other({ host }: Inspected) {
    return clientOf(host.service('renders'), { elicit: () => new Promise(() => undefined) });
  }

  test('is shown without a request from the page, and can be cancelled and answered on demand', async () => {
    const page = await inspectHost([renders()]);
    const client = await other(page);
    const handle = await client.callTool('never', {}, { task: 'handle' });
    const sent = async () => {
      const { rows } = await page.get<EventPage>('events?after=0');
      return rows.filter(({ direction, method }) => direction === 'toServer' && method?.startsWith('tasks/')).length;
    };
    const seen = await task(page, 'never', () => true);
    expect(seen).toMatchObject({ taskId: innermostId(handle.taskId), status: 'working', canAct: true });
    expect(await sent()).toBe(0);
    await page.delete(`tasks/${seen.id}`);
    await expect(handle.result()).rejects.toMatchObject({ code: 'TASK_CANCELLED' });

    const asking = await client.callTool('asks', {}, { task: 'handle' });
    await asking.status();
    const { asked, id } = await task(page, 'asks', ({ questions }) => questions === 1);
    await page.post(`tasks/${id}/answer`, { key: asked[0]!.task!.key, answer: { action: 'decline' } });
    expect(await asking.result()).toMatchObject({ content: [{ text: 'decline: undefined' }] });
  });

  test('is shown once if it comes through the gateway, with the messages of both sides', async () => {
    const page = await inspectHost([renders()]);
    const observeClient = page.host.clients.observe;
    const serving = await serveHttp((name) => page.host.service(name), { token: false, observeClient });
    later(() => serving.close());
    const client = await connect({ url: `${serving.url}/renders` });
    later(() => client.close());
    await client.callTool('tool-error', {});
    const seen = await task(page, 'tool-error', isOver);
    expect(await page.get<TaskSummary[]>('tasks')).toHaveLength(1);
    const { rows } = await page.get<EventPage>('events?after=0');
    const directions = (number: number | undefined) =>
      new Set(rows.filter((row) => row.task === number).map(({ direction }) => direction));
    expect(directions(seen.row)).toEqual(new Set(['toServer', 'fromServer']));
    expect(directions(seen.clientRow)).toEqual(new Set(['fromClient', 'toClient']));
    expect(rows.filter(({ client }) => client === seen.client).length).toBeGreaterThan(2);
  });

  test('is shown from a recording, which can only be watched', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'standpipe-tasks-'));
    later(async () => rmSync(folder, { recursive: true, force: true }));
    const page = await inspectHost([renders()]);
    const recorder = record(page.host.flow, { file: join(folder, 'run.jsonl') });
    const client = await other(page);
    const handle = await client.callTool('tool-error', {}, { task: 'handle' });
    await handle.result();
    await client.callTool('never', {}, { task: 'handle' });
    await page.host.stop();
    await recorder.close();
    const recorded = await openPage(recordingSource(join(folder, 'run.jsonl')));
    expect(await task(recorded, 'tool-error', isOver)).toMatchObject({
      status: 'completed',
      failure: 'the tool reported an error',
      result: { isError: true, content: [{ text: 'the disk is full' }] },
      canAct: false,
    });
    const lost = await task(recorded, 'never', isOver);
    expect(lost).toMatchObject({ status: 'lost', canAct: false });
    await expect(recorded.delete(`tasks/${lost.id}`)).rejects.toThrow(/^409/);
    await expect(recorded.get('tasks/999')).rejects.toThrow(/^404/);
  });
});
