// The content of an event as JSON, text and bytes.

import { useMemo, useState } from 'react';
import { AnsiText } from '../../parts/ansi-text.tsx';
import { HexView } from '../../parts/hex-view.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { hasColours } from '../../text/visible.ts';
import { exactOf } from './copy-call.ts';
import type { Loading } from './event-details.ts';

type Form = 'json' | 'text' | 'hex';

export function Contents({ seq, loading }: { seq: number; loading: Loading }) {
  const { detail, failure } = loading;
  const [wished, setWished] = useState<Form>('json');
  const exact = useMemo(() => exactOf(detail), [detail]);
  if (failure) return <p className="note">The content is not available: {failure}</p>;
  if (!detail) return <p className="muted">Loading…</p>;
  const { json, text, base64, offset } = detail;
  const hasJson = json !== undefined && json !== null;
  if (!hasJson && !text && base64 === '') return null;
  const tabs: { key: Form; title: string }[] = [
    ...(hasJson ? [{ key: 'json' as const, title: 'JSON' }] : []),
    ...(text !== undefined ? [{ key: 'text' as const, title: 'Text' }] : []),
    { key: 'hex', title: 'Hex' },
  ];
  const form = tabs.some(({ key }) => key === wished) ? wished : tabs[0]!.key;
  return (
    <>
      <Tabs label="Contents" tabs={tabs} chosen={form} onChoose={setWished}>
        {form === 'json' && <JsonTree key={seq} value={exact} label="Contents as JSON" />}
        {form === 'text' && <EventText key={seq} text={text ?? ''} isStderr={detail.row.kind === 'stderr'} />}
        {form === 'hex' && <HexView key={seq} base64={base64} offset={offset} />}
      </Tabs>
      {detail.tailBase64 && (
        <>
          <h3>Last bytes</h3>
          <HexView base64={detail.tailBase64} offset={undefined} />
        </>
      )}
    </>
  );
}

/** Colours of stderr are shown as colours; the bytes are in the tab Hex. */
function EventText({ text, isStderr }: { text: string; isStderr: boolean }) {
  if (isStderr && hasColours(text)) return <AnsiText text={text} label="Contents as text" />;
  return <LongText text={text} label="Contents as text" />;
}
