// A result in readable form (structured content, text, images, audio, links) and as JSON.

import { useState } from 'react';
import type { CallUpdate } from '../../../../src/app/inspector/api.ts';
import type { ContentBlock, ResourceContents } from '../../api/shapes.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { addressOf } from '../../route.ts';
import { visible } from '../../text/visible.ts';
import { ContentView, ResourceView } from './content-view.tsx';

type Result = NonNullable<CallUpdate['result']>;
type Form = 'structured' | 'content' | 'json';

interface Props {
  result: Result;
  server: string;
  /** The name of saved files, without their ending. */
  fileName: string;
  /** The event of the answer. */
  answerSeq?: number | undefined;
}

export function ResultView({ result, server, fileName, answerSeq }: Props) {
  const structured = 'structuredContent' in result ? result.structuredContent : undefined;
  const tabs: { key: Form; title: string }[] = [
    ...(structured === undefined ? [] : [{ key: 'structured' as const, title: 'Structured' }]),
    { key: 'content', title: 'Content' },
    { key: 'json', title: 'JSON' },
  ];
  const [wished, setForm] = useState<Form>();
  const form = tabs.find(({ key }) => key === wished)?.key ?? tabs[0]!.key;
  const exact = answerSeq === undefined ? { server, kinds: 'answer' } : { event: answerSeq };
  return (
    <Tabs label="Result" tabs={tabs} chosen={form} onChoose={setForm}>
      {form === 'content' && <Contents result={result} server={server} fileName={fileName} />}
      {form === 'structured' && <JsonView value={structured} label="Structured content" fileName={fileName} />}
      {form === 'json' && <JsonView value={result} label="All as JSON" fileName={fileName} />}
      {form !== 'content' && (
        <p className="muted small">
          Numbers are shown as JavaScript numbers: integers beyond 2<sup>53</sup> are rounded.{' '}
          <a href={addressOf('wire', exact)}>See exact values on the wire</a>
        </p>
      )}
    </Tabs>
  );
}

function Contents({ result: given, server, fileName }: Pick<Props, 'result' | 'server' | 'fileName'>) {
  const result = given as Record<string, unknown>;
  if (Array.isArray(result.contents)) {
    return (
      <>
        {(result.contents as ResourceContents[]).map((contents, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their position
          <ResourceView key={at} contents={contents} fileName={fileName} />
        ))}
      </>
    );
  }
  if (Array.isArray(result.messages)) {
    return (
      <>
        {typeof result.description === 'string' && <p className="about">{visible(result.description)}</p>}
        {(result.messages as { role: string; content: ContentBlock }[]).map(({ role, content }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are identified by their position
          <div key={at} className="message">
            <span className="tag">{visible(role)}</span>
            <ContentView block={content} server={server} fileName={fileName} />
          </div>
        ))}
      </>
    );
  }
  if (!('content' in result)) return <JsonView value={result} label="Answer" fileName={fileName} />;
  const blocks = Array.isArray(result.content) ? (result.content as ContentBlock[]) : [];
  if (blocks.length === 0) return <p className="muted">No content.</p>;
  return (
    <>
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by their position
        <ContentView key={at} block={block} server={server} fileName={fileName} />
      ))}
    </>
  );
}
