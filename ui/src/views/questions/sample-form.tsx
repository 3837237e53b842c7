// Answers a sampling request by hand in place of a model, or refuses it.

import { useId } from 'react';
import type { Answer } from '../../../../src/app/inspector/api.ts';
import type { ContentBlock, Sampling } from '../../api/shapes.ts';
import { JsonTree } from '../../parts/json-tree.tsx';
import { useKeptAnswer } from '../../state/drafts.ts';
import { visible } from '../../text/visible.ts';
import { ContentView } from '../offers/content-view.tsx';

interface Props {
  question: Sampling;
  onAnswer(answer: Answer): void;
}

export function SampleForm({ question: { id: question, params, server }, onAnswer }: Props) {
  const id = useId();
  const [{ text, model }, keep] = useKeptAnswer(question, { text: '', model: 'written-by-hand' });
  const messages = Array.isArray(params.messages) ? params.messages : [];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ role: 'assistant', content: { type: 'text', text }, model, stopReason: 'endTurn' });
      }}
    >
      {params.systemPrompt && <p className="about">{visible(params.systemPrompt)}</p>}
      <div className="messages">
        {messages.map(({ role, content }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are identified by their position
          <div key={at} className="message">
            <span className="tag">{visible(String(role))}</span>
            {(Array.isArray(content) ? content : [content]).map((block, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their position
              <ContentView key={place} block={block as ContentBlock} server={server} />
            ))}
          </div>
        ))}
      </div>
      <details>
        <summary>Full request</summary>
        <JsonTree value={params} label="Parameters" />
      </details>
      <div className="field">
        <label htmlFor={`${id}text`}>Model response</label>
        <textarea
          id={`${id}text`}
          rows={4}
          required
          value={text}
          onChange={(event) => keep({ text: event.target.value, model })}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}model`}>Model name</label>
        <input
          id={`${id}model`}
          type="text"
          value={model}
          onChange={(event) => keep({ text, model: event.target.value })}
        />
      </div>
      <div className="buttons end">
        <button type="button" onClick={() => onAnswer({ refuse: 'The user refused.' })}>
          Refuse
        </button>
        <button type="submit" className="primary">
          Answer
        </button>
      </div>
    </form>
  );
}
