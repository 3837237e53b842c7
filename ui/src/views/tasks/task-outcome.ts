// The name and the outcome of a task, as words.

import type { TaskSummary } from '../../../../src/app/inspector/api.ts';

export function nameOf({ tool, method }: TaskSummary): string {
  return tool ?? method ?? 'unknown tool';
}

export function outcomeOf({ status, failure }: TaskSummary): { word: string; tone: string } {
  const word = status.replace('_', ' ');
  if (status === 'working' || status === 'input_required') return { word, tone: 'busy' };
  if (status === 'completed' && failure !== undefined) return { word: 'tool error', tone: 'bad' };
  if (status === 'completed') return { word, tone: 'good' };
  return { word, tone: status === 'cancelled' ? 'plain' : 'bad' };
}
