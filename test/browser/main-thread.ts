// How long the page's main thread was busy at a stretch. Wall time is what people notice on an idle machine; processor time
// is what the page itself costs, however many others share the machine with the test.

import type { Page } from 'playwright-core';

export interface LongestTask {
  cpuMs: number;
  wallMs: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** In µs. */
  dur?: number;
  tdur?: number;
  args: { name?: string };
}

export async function longestTaskWhile(page: Page, act: () => Promise<unknown>): Promise<LongestTask> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mainThreads = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && mainThreads.has(threadOf(event)));
  if (tasks.length === 0) throw new Error('The browser traced no tasks');
  const longest = (of: (task: TraceEvent) => number) => Math.round(Math.max(...tasks.map(of)) / 1000);
  return { cpuMs: longest(({ tdur = 0 }) => tdur), wallMs: longest(({ dur = 0 }) => dur) };
}
