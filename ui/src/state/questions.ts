// Pending questions from servers, oldest first, and the one whose form is shown.

import type { Answer, Question } from '../../../src/app/inspector/api.ts';
import { api } from '../api/request.ts';
import { calls } from './calls.ts';
import { Cell } from './cell.ts';

export const questions = new Cell<readonly Question[]>([]);
export const openQuestion = new Cell<string | undefined>(undefined);

export function putQuestion(question: Question): void {
  if (questions.read().some(({ id }) => id === question.id)) return;
  questions.update((known) => [...known, question]);
  // Opened at once after a call of this server from this page; otherwise only the badge shows it.
  const awaited = calls.read().some(({ state, server }) => state === 'running' && server === question.server);
  if (awaited && openQuestion.read() === undefined) openQuestion.set(question.id);
}

export function dropQuestion(id: string): void {
  questions.update((known) => known.filter((question) => question.id !== id));
  if (openQuestion.read() === id) openQuestion.set(undefined);
}

export async function answerQuestion(id: string, answer: Answer): Promise<void> {
  await api.answer(id, answer);
  dropQuestion(id);
}
