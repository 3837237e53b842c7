// A scatter plot of latency over time, one dot per response, with a logarithmic latency axis. Drawn on a canvas by uPlot.

import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { LatencyReport, LatencyRow } from '../../../../src/app/inspector/api.ts';
import { useCell } from '../../state/cell.ts';
import { wallTime } from '../../state/inspected.ts';
import { dark } from '../../state/theme.ts';
import { clockTime, latency, plural } from '../../text/amounts.ts';

const HEIGHT_PX = 240;
const LEAST_MS = 0.01;

type Points = LatencyReport['points'];

interface Props {
  points: Points;
  /** How many points the backend has kept, of how many responses. */
  read: number;
  total: number;
  chosen: LatencyRow | undefined;
}

export function LatencyPlot({ points, read, total, chosen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const isDark = useCell(dark);
  const shown = chosen === undefined ? points : points.filter(({ key }) => belongs(key, chosen));

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme's colours are read when the plot is made
  useEffect(() => {
    const element = box.current!;
    const made = new uPlot(optionsFor(element), [[], [], []], element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [isDark]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new plot needs the data
  useEffect(() => plot.current?.setData(dataOf(shown)), [shown, isDark]);

  const failed = shown.filter(({ error }) => error).length;
  return (
    <figure className="plot">
      <div
        ref={box}
        role="img"
        aria-label={`Latency over time: ${plural(shown.length, 'response')}, ${plural(failed, 'error')}. The table shows the figures.`}
      />
      <figcaption className="muted">
        <span className="key good">● responses</span> <span className="key bad">● errors</span>
        {chosen && ` of ${chosen.tool ?? chosen.method}`}
        {read < total && ` · the newest ${read.toLocaleString('en')} of ${plural(total, 'response')}`}
      </figcaption>
    </figure>
  );
}

function belongs(key: string, { server, method, tool }: LatencyRow): boolean {
  return key === (tool === undefined ? `${server} ${method}` : `${server} ${method} ${tool}`);
}

function dataOf(points: Points): uPlot.AlignedData {
  const sorted = [...points].sort((a, b) => a.atMs - b.atMs);
  const value = (wanted: boolean) =>
    sorted.map(({ latencyMs, error }) => (error === wanted ? Math.max(LEAST_MS, latencyMs) : null));
  return [sorted.map(({ atMs }) => wallTime(atMs).getTime() / 1000), value(false), value(true)];
}

function isDecade(ms: number): boolean {
  return Math.abs(Math.log10(ms) - Math.round(Math.log10(ms))) < 1e-6;
}

function optionsFor(element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name) || style.color;
  const axis = { stroke: style.color, grid: { stroke: style.borderTopColor, width: 1 }, ticks: { show: false } };
  const dots = (name: string): uPlot.Series => ({
    stroke: colour(name),
    paths: () => null,
    points: { show: true, size: 5, fill: colour(name), stroke: colour(name), width: 0 },
  });
  return {
    width: element.clientWidth || 600,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { drag: { x: true, y: false }, points: { show: false } },
    scales: { y: { distr: 3 } },
    axes: [
      {
        ...axis,
        size: 28,
        space: 100,
        values: (_, ticks) => {
          const chars = ticks.every(Number.isInteger) ? 8 : 12;
          return ticks.map((seconds) => clockTime(new Date(seconds * 1000)).slice(0, chars));
        },
      },
      {
        ...axis,
        size: 70,
        grid: { ...axis.grid, filter: (_, ticks) => ticks.map((ms) => (isDecade(ms) ? ms : null)) },
        values: (_, ticks) => ticks.map((ms) => (ms === null ? '' : latency(ms))),
      },
    ],
    series: [{}, dots('--plot-good'), dots('--plot-bad')],
  };
}
