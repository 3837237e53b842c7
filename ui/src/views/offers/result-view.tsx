// A result in readable form (text, images, audio, links, structured content) and as JSON.

import { useState } from 'react';
import type { CallUpdate } from '../../../../src/app/inspector/api.ts';
import { JsonTree } from '../../parts/json-tree.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { addressOf } from '../../route.ts';
import { visible } from '../../text/visible.ts';
import { ContentView, ResourceView } from './content-view.tsx';

type Result = NonNullable<CallUpdate['result']>;
type Form = 'content' | 'structured' | 'json';

export function ResultView({ result, server }: { result: Result; server: string }) {
  const structured = 'structuredContent' in result ? result.structuredContent : undefined;
  const tabs: { key: Form; title: string }[] = [
    { key: 'content', title: 'Content' },
    ...(structured === undefined ? [] : [{ key: 'structured' as const, title: 'Structured' }]),
    { key: 'json', title: 'JSON' },
  ];
  const [form, setForm] = useState<Form>('content');
  return (
    <Tabs label="Result" tabs={tabs} chosen={form} onChoose={setForm}>
      {form === 'content' && <Contents result={result} server={server} />}
      {form === 'structured' && <JsonTree value={structured} label="Structured result" />}
      {form === 'json' && <JsonTree value={result} label="Result as JSON" />}
      {form !== 'content' && (
        <p className="muted small">
          Numbers are shown as JavaScript numbers: integers beyond 2<sup>53</sup> are rounded.{' '}
          <a href={addressOf('wire', { server, kinds: 'answer' })}>See exact values on the wire</a>
        </p>
      )}
    </Tabs>
  );
}

function Contents({ result, server }: { result: Result; server: string }) {
  if ('contents' in result) {
    return (
      <>
        {result.contents.map((contents, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their position
          <ResourceView key={at} contents={contents} />
        ))}
      </>
    );
  }
  if ('messages' in result) {
    return (
      <>
        {result.description && <p className="about">{visible(result.description)}</p>}
        {result.messages.map(({ role, content }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are identified by their position
          <div key={at} className="message">
            <span className="tag">{visible(role)}</span>
            <ContentView block={content} server={server} />
          </div>
        ))}
      </>
    );
  }
  const blocks = Array.isArray(result.content) ? result.content : [];
  if (blocks.length === 0) return <p className="muted">No content.</p>;
  return (
    <>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their position
        <ContentView key={at} block={block} server={server} />
      ))}
    </>
  );
}
