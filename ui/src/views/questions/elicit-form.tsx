import { useState } from 'react';
import type { Answer } from '../../../../src/app/inspector/api.ts';
import type { Elicitation } from '../../api/shapes.ts';
import { lossOf, parseExact, plainOf } from '../../json/exact-json.ts';
import { firstValue } from '../../schema-form/first-value.ts';
import { Refusal } from '../../schema-form/refusal.tsx';
import { SchemaForm } from '../../schema-form/schema-form.tsx';
import { useDraft } from '../../schema-form/use-draft.ts';
import { answerKeeper } from '../../state/drafts.ts';
import { copyText } from '../../text/copy.ts';
import { visible } from '../../text/visible.ts';

type Content = Record<string, string | number | boolean | string[]>;

interface Props {
  question: Elicitation;
  onAnswer(answer: Answer): void;
}

export function ElicitForm({ question: { id, params }, onAnswer }: Props) {
  const schema = 'requestedSchema' in params ? params.requestedSchema : undefined;
  const draft = useDraft(schema, () => (schema ? firstValue(schema) : undefined), answerKeeper(id));
  const [loss, setLoss] = useState<string>();
  const accept = async (anyway: boolean) => {
    if (!(await draft.admits(anyway))) return;
    const lost = lossOf(draft.text === undefined ? draft.value : parseExact(draft.text));
    setLoss(lost);
    if (lost !== undefined) return;
    onAnswer(schema ? { action: 'accept', content: plainOf(draft.value) as Content } : { action: 'accept' });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void accept(false);
      }}
      noValidate
    >
      <p className="about">{visible(String(params.message))}</p>
      {'url' in params && (
        <div className="note">
          <p>The server asks you to open this address. Check it before you open it.</p>
          <p>
            <code>{visible(String(params.url))}</code>
          </p>
          <button type="button" onClick={() => copyText(params.url, 'Address')}>
            Copy address
          </button>
        </div>
      )}
      {schema && <SchemaForm schema={schema} draft={draft} label="answer" />}
      <Refusal draft={draft} anyway="Answer anyway" onAnyway={() => void accept(true)} />
      {loss !== undefined && (
        <p className="note bad" role="alert">
          Not sent: an answer cannot represent this exactly: {loss}
        </p>
      )}
      <div className="buttons end">
        <button type="button" onClick={() => onAnswer({ action: 'cancel' })}>
          Cancel
        </button>
        <button type="button" onClick={() => onAnswer({ action: 'decline' })}>
          Decline
        </button>
        <button type="submit" className="primary">
          {schema ? 'Answer' : 'I have done it'}
        </button>
      </div>
    </form>
  );
}
