// A dialog to answer a question from a server (elicitation or sampling). It is available in every view.

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
  const send = async (answer: Parameters<typeof answerQuestion>[1]) => {
    try {
      await answerQuestion(question.id, answer);
      announce(`The answer was sent to ${question.server}`, 'good');
    } catch (error) {
      announce(`Not answered: ${(error as Error).message}`, 'bad');
    }
  };
  const what = question.kind === 'elicit' ? 'asks a question' : 'requests a model response';
  return (
    <Dialog
      key={question.id}
      wide
      title={`${visibleLine(question.server)} ${what}`}
      onClose={() => openQuestion.set(undefined)}
    >
      {question.kind === 'elicit' ? (
        <ElicitForm question={question} onAnswer={send} />
      ) : (
        <SampleForm question={question} onAnswer={send} />
      )}
    </Dialog>
  );
}
