import { expect, it } from 'vitest';
import { Latency, SAMPLES } from './latency.ts';

it('keeps the newest times and counts all answers', () => {
  const table = new Latency();
  for (let i = 0; i < SAMPLES; i++) table.add({ server: 'a', method: 'm' }, 0, 1000, true);
  for (let i = 0; i < SAMPLES; i++) table.add({ server: 'a', method: 'm' }, 0, 5, false);
  expect(table.rows()).toMatchObject([{ count: 2 * SAMPLES, errors: SAMPLES, p50Ms: 5, p99Ms: 5 }]);
});

it('limits its rows and counts further names in one row', () => {
  const table = new Latency();
  for (let i = 0; i < 3000; i++) table.add({ server: 'a', method: `invented/${i}` }, 0, 1, false);
  const rows = table.rows();
  expect(rows.length).toBe(1001);
  expect(rows.at(-1)).toMatchObject({ method: '(others)', count: 2000 });
});

it('shortens long names', () => {
  const table = new Latency();
  for (let i = 0; i < 10; i++) table.add({ server: 'a', method: `${'m'.repeat(100_000)}${i}` }, 0, 1, false);
  table.add({ server: 'a', method: 'm', tool: 't'.repeat(100_000) }, 0, 1, false);
  expect(table.rows()).toMatchObject([{ server: '(others)', method: '(others)', count: 11 }]);
});

it('keeps a point for each of the newest answers, in order', () => {
  const latency = new Latency();
  for (let atMs = 0; atMs < 5_003; atMs++) latency.add({ server: 'a', method: 'm', tool: 't' }, atMs, 2, false);
  const points = latency.points();
  expect(points).toHaveLength(5_000);
  expect(points[0]).toEqual({ atMs: 3, latencyMs: 2, key: 'a m t', error: false });
  expect(points.at(-1)!.atMs).toBe(5_002);
});

it('sets aside what is not work of a server, and counts all answers', () => {
  const latency = new Latency();
  latency.add({ server: 'a', method: 'initialize' }, 0, 1_000, false);
  latency.add({ server: 'a', method: 'elicitation/create' }, 0, 9_000, false);
  latency.add({ server: 'a', method: 'tools/list', origin: 'lists' }, 0, 1, false);
  latency.add({ server: 'a', method: 'tools/list' }, 0, 2, false);
  const work = latency.rows().filter(({ aside }) => !aside);
  expect(work).toMatchObject([{ method: 'tools/list', count: 1, p50Ms: 2 }]);
  expect(latency.points().filter(({ aside }) => !aside)).toHaveLength(1);
  expect(latency.total).toBe(4);
});
