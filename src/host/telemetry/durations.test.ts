import { expect, test } from 'vitest';
import { Durations } from './durations.ts';

interface Read {
  histogram: { dataPoints: { count: string; attributes: { key: string }[]; bucketCounts: string[] }[] };
}

test('adds up everything beyond 2,000 series in one', () => {
  const durations = new Durations('mcp.server.operation.duration');
  for (let tool = 0; tool < 3_000; tool++) durations.add({ 'gen_ai.tool.name': `tool-${tool}` }, 0.015);
  durations.add({ 'gen_ai.tool.name': 'tool-0' }, 1e6);
  const { dataPoints } = (durations.read(0) as Read).histogram;
  expect(dataPoints).toHaveLength(2_001);
  expect(dataPoints[0]).toMatchObject({ count: '2' });
  expect(dataPoints[0]!.bucketCounts.map(Number)).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(dataPoints[2_000]).toMatchObject({ count: '1000', attributes: [{ key: 'otel.metric.overflow' }] });
});
