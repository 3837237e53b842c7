// Answers a question from a server (elicitation or sampling): in a dialog that is available in every view, or beside its task.

import type { Question } from '../../../../src/app/inspector/api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { announce } from '../../state/announce.ts';
import { useCell } from '../../state/cell.ts';
import { answerQuestion, openQuestion, questions } from '../../state/questions.ts';
import { visibleLine } from '../../text/visible.ts';
import { ElicitForm } from './elicit-form.tsx';
import { SampleForm } from './sample-form.tsx';

export function QuestionDialog() {
  const open = useCell(openQuestion);
  const question = useCell(questions).find(({ id }) => id === open);
  if (!question) return null;
  return (
    <Dialog key={question.id} wide title={titleOf(question)} onClose={() => openQuestion.set(undefined)}>
      <QuestionForm question={question} />
    </Dialog>
  );
}

export function titleOf({ server, kind }: Question): string {
  return `${visibleLine(server)} ${kind === 'elicit' ? 'asks a question' : 'requests a model response'}`;
}

export function QuestionForm({ question }: { question: Question }) {
  const send = async (answer: Parameters<typeof answerQuestion>[1]) => {
    try {
      await answerQuestion(question, answer);
      announce(`The answer was sent to ${question.server}`, 'good');
    } catch (error) {
      announce(`Not answered: ${(error as Error).message}`, 'bad');
    }
  };
  return question.kind === 'elicit' ? (
    <ElicitForm question={question} onAnswer={send} />
  ) : (
    <SampleForm question={question} onAnswer={send} />
  );
}
