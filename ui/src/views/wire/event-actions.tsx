// What can be done with the content of an event: copy it, send it again with changes, open its tool.

import { useMemo } from 'react';
import type { EventDetail } from '../../../../src/app/inspector/api.ts';
import { addressOf, goTo } from '../../route.ts';
import { commandOf } from '../../state/copy-command.ts';
import { copyText } from '../../text/copy.ts';
import { ResendButton } from '../resend/resend-button.tsx';
import { callOf, copyCall, exactOf, isOfClient, type ToolCall } from './copy-call.ts';

export function EventActions({ detail }: { detail: EventDetail }) {
  const { text, row } = detail;
  const exact = useMemo(() => exactOf(detail), [detail]);
  // The names in a client request may differ from those of the server.
  const call = isOfClient(row) ? undefined : callOf(exact);
  return (
    <div className="buttons">
      <ResendButton row={row} />
      {text !== undefined && (
        <button type="button" onClick={() => copyText(text, 'Text')}>
          Copy text
        </button>
      )}
      {call && (
        <button type="button" title={commandOf(row.server, call)} onClick={() => copyCall(row.seq)}>
          Copy as standpipe call
        </button>
      )}
      {call?.kind === 'tool' && (
        <button type="button" onClick={() => goTo(addressOf('tools', callParams(row.server, call)))}>
          Open in Tools
        </button>
      )}
    </div>
  );
}

function callParams(server: string, { name, args, argsText }: ToolCall) {
  const text = argsText ?? JSON.stringify(args);
  return { server, name, args: text.length < 4000 ? text : undefined };
}
