// The log messages of servers (`notifications/message`) with their levels, searchable. Each links to its event on the wire.

import { useLayoutEffect, useRef, useState } from 'react';
import type { LogPage } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { Empty } from '../../parts/empty.tsx';
import { useFixedRows } from '../../parts/fixed-rows.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { ServerChip } from '../../parts/server-chip.tsx';
import { useThrottled } from '../../parts/throttled.ts';
import { useLoaded } from '../../parts/use-loaded.ts';
import { addressOf, replaceParams, useRoute } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { arrivals, servers, wallTime } from '../../state/inspected.ts';
import { logLevels } from '../../state/log-level.ts';
import { clockTime, plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { LogLevelSelect } from './log-level-select.tsx';

const ROW_PX = 22;
const ASK_EVERY_MS = 200;

type Messages = LogPage['messages'];

export default function LogsView() {
  const { params } = useRoute();
  const all = useCell(servers);
  const { server = '', level = '' } = params;
  const [search, setSearch] = useState(params.q ?? '');
  const { page, failure } = useLogs(server, level, search);
  const choose = (change: Record<string, string>) => replaceParams({ ...params, server, level, q: search, ...change });
  const chosen = all.find(({ name }) => name === server);
  return (
    <>
      <div className="view-head">
        <h1>Logs</h1>
        <select aria-label="Server" value={server} onChange={(event) => choose({ server: event.target.value })}>
          <option value="">all servers</option>
          {all.map(({ name }) => (
            <option key={name} value={name}>
              {visibleLine(name)}
            </option>
          ))}
        </select>
        <select aria-label="Level" value={level} onChange={(event) => choose({ level: event.target.value })}>
          <option value="">all levels</option>
          {logLevels.slice(1).map((each) => (
            <option key={each} value={each}>
              {each} and above
            </option>
          ))}
        </select>
        <SearchBox
          label="Find in logs"
          value={search}
          onChange={(text) => {
            setSearch(text);
            choose({ q: text });
          }}
        />
        {chosen?.status?.state === 'ready' && <LogLevelSelect server={server} />}
        <span className="muted" role="status">
          {page && plural(page.messages.length, 'message')}
          {page?.dropped && ', older ones are left out'}
        </span>
      </div>
      {failure && <p className="note bad pad">{failure}</p>}
      {page && page.messages.length === 0 && (
        <Empty title={search || level ? 'No matching messages' : 'No log messages'}>
          Servers send them as <code>notifications/message</code>. Choose a server to set the level that it sends.
        </Empty>
      )}
      {page && page.messages.length > 0 && <Lines messages={page.messages} />}
    </>
  );
}

function useLogs(server: string, level: string, typed: string) {
  const rows = useThrottled(useCell(arrivals).rows, ASK_EVERY_MS);
  const search = useThrottled(typed, ASK_EVERY_MS);
  return useLoaded(() => api.logs({ server, level, search }), JSON.stringify([server, level, search, rows]));
}

function Lines({ messages }: { messages: Messages }) {
  const scroller = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const window = useFixedRows(scroller, messages.length, ROW_PX);
  const { first, end } = window;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the messages change
  useLayoutEffect(() => {
    const element = scroller.current;
    if (isAtEnd.current && element) element.scrollTop = element.scrollHeight;
  }, [messages]);
  const onScroll = () => {
    window.onScroll();
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < ROW_PX;
  };
  return (
    <ScrollRegion className="stderr-lines" ref={scroller} onScroll={onScroll} label="Log messages">
      <div className="rows" style={{ height: messages.length * ROW_PX }}>
        {messages.slice(first, end).map((message, at) => (
          <a
            // biome-ignore lint/suspicious/noArrayIndexKey: a batch may hold several messages
            key={`${message.seq}-${first + at}`}
            className="stderr-line named"
            href={addressOf('wire', { event: message.seq })}
            style={{ transform: `translateY(${(first + at) * ROW_PX}px)` }}
          >
            <span className="stderr-time">{clockTime(wallTime(message.atMs))}</span>
            <ServerChip name={message.server} />
            <span className={`log-level ${message.level}`}>{message.level}</span>
            {message.logger && <span className="muted">{visibleLine(message.logger)}</span>}
            <span>{visibleLine(message.data)}</span>
          </a>
        ))}
      </div>
    </ScrollRegion>
  );
}
