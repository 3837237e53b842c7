// Pending questions from servers, oldest first, and the one whose form is shown.

import type { Answer, CallUpdate, Question } from '../../../src/app/inspector/api.ts';
import { api } from '../api/request.ts';
import { readRoute } from '../route.ts';
import { calls } from './calls.ts';
import { Cell } from './cell.ts';

export const questions = new Cell<readonly Question[]>([]);
export const openQuestion = new Cell<string | undefined>(undefined);

export function putQuestion(question: Question): void {
  if (questions.read().some(({ id }) => id === question.id)) return;
  questions.update((known) => [...known, question]);
  // The form opens at once after a call of this server from this page; otherwise only the badge shows the question. The
  // view of tasks shows the questions of tasks.
  if (openQuestion.read() === undefined && isAwaited(question)) openQuestion.set(question.id);
}

function isAwaited(question: Question): boolean {
  if (readRoute().view === 'tasks') return false;
  return calls.read().some(({ state, server }) => state === 'running' && server === question.server);
}

/** The newest answered questions of tasks: a task may still have them for a moment. */
const answered = new Set<string>();
const MAX_ANSWERED = 1_000;

export function isAnswered({ id }: Question): boolean {
  return answered.has(id);
}

/** Takes over the questions of the task of a call. */
export function putTaskQuestions({ id, task, state }: CallUpdate): void {
  const open = state === 'running' ? (task?.questions ?? []) : [];
  const isGone = (question: Question) => question.task?.id === id && !open.some((each) => each.id === question.id);
  for (const question of questions.read().filter(isGone)) dropQuestion(question.id);
  for (const question of open) if (!isAnswered(question)) putQuestion(question);
}

export function dropQuestion(id: string): void {
  questions.update((known) => known.filter((question) => question.id !== id));
  // A call may ask several questions at once: the next one opens when one is answered.
  if (openQuestion.read() === id) openQuestion.set(questions.read().find(isAwaited)?.id);
}

export async function answerQuestion({ id, task }: Question, answer: Answer): Promise<void> {
  if (task) await api.answerTask(task.id, { key: task.key, answer });
  else await api.answer(id, answer);
  answered.add(id);
  for (const oldest of answered) if (answered.size > MAX_ANSWERED) answered.delete(oldest);
  dropQuestion(id);
}
