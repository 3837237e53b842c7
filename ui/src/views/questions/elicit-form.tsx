import { useState } from 'react';
import type { Answer } from '../../../../src/inspector/api.ts';
import type { Elicitation } from '../../api/shapes.ts';
import { firstValue } from '../../schema-form/first-value.ts';
import { SchemaForm } from '../../schema-form/schema-form.tsx';
import { copyText } from '../../text/copy.ts';
import { visible } from '../../text/visible.ts';

type Content = Record<string, string | number | boolean | string[]>;

interface Props {
  question: Elicitation;
  onAnswer(answer: Answer): void;
}

export function ElicitForm({ question: { params }, onAnswer }: Props) {
  const schema = 'requestedSchema' in params ? params.requestedSchema : undefined;
  const [content, setContent] = useState<unknown>(() => (schema ? firstValue(schema) : undefined));
  const accept = () => onAnswer(schema ? { action: 'accept', content: content as Content } : { action: 'accept' });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        accept();
      }}
      noValidate
    >
      <p className="about">{visible(String(params.message))}</p>
      {'url' in params && (
        <div className="note">
          <p>It wants you to open this address. Look at it well: it comes from the server.</p>
          <p>
            <code>{visible(String(params.url))}</code>
          </p>
          <button type="button" onClick={() => copyText(params.url, 'Address')}>
            Copy the address
          </button>
        </div>
      )}
      {schema && <SchemaForm schema={schema} value={content} label="answer" onChange={setContent} />}
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
