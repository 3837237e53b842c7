// The stderr output of servers, searchable. Each line links to its event on the wire.

import { useLayoutEffect, useRef, useState } from 'react';
import type { StderrPage } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { Ansi } from '../../parts/ansi-text.tsx';
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
import { clockTime, plural } from '../../text/amounts.ts';
import { hasColours, visibleLine, withoutColours } from '../../text/visible.ts';

const ROW_PX = 22;
const ASK_EVERY_MS = 200;

export default function StderrView() {
  const { params } = useRoute();
  const all = useCell(servers);
  const server = params.server ?? '';
  const [search, setSearch] = useState(params.q ?? '');
  const [following, setFollowing] = useState(true);
  const lives = all.find(({ name }) => name === server)?.lives ?? [];
  const { page, failure } = useStderr(server, params.life ?? '', search);
  const choose = (change: Record<string, string>) => replaceParams({ ...params, server, q: search, ...change });
  return (
    <>
      <div className="view-head">
        <h1>stderr</h1>
        <select
          aria-label="Server"
          value={server}
          onChange={(event) => choose({ server: event.target.value, life: '' })}
        >
          <option value="">all servers</option>
          {all.map(({ name }) => (
            <option key={name} value={name}>
              {visibleLine(name)}
            </option>
          ))}
        </select>
        <select
          aria-label="Process run"
          disabled={server === ''}
          value={params.life ?? ''}
          onChange={(event) => choose({ life: event.target.value })}
        >
          <option value="">all runs</option>
          {lives.map(({ life, pid }) => (
            <option key={life} value={life}>
              run {life}
              {pid === undefined ? '' : ` (pid ${pid})`}
            </option>
          ))}
        </select>
        <SearchBox
          label="Find in stderr"
          value={search}
          onChange={(text) => {
            setSearch(text);
            choose({ q: text });
          }}
        />
        <button
          type="button"
          aria-pressed={following}
          title="Scroll to new lines automatically"
          onClick={() => setFollowing(!following)}
        >
          Follow
        </button>
        <span className="muted" role="status">
          {page && plural(page.lines.length, 'line')}
          {page?.dropped && ', older ones were dropped'}
        </span>
      </div>
      {failure && <p className="note bad pad">{failure}</p>}
      {page && page.lines.length === 0 && <Empty title={search ? 'No matching lines' : 'No stderr output'} />}
      {page && page.lines.length > 0 && (
        <Lines
          lines={page.lines}
          search={search}
          namesServers={server === '' && all.length > 1}
          following={following}
          onFollow={setFollowing}
        />
      )}
    </>
  );
}

function useStderr(server: string, life: string, typed: string) {
  const stderr = useThrottled(useCell(arrivals).stderr, ASK_EVERY_MS);
  const search = useThrottled(typed, ASK_EVERY_MS);
  return useLoaded(() => api.stderr({ server, life, search }), JSON.stringify([server, life, search, stderr]));
}

interface LinesProps {
  lines: StderrPage['lines'];
  search: string;
  namesServers: boolean;
  following: boolean;
  onFollow(following: boolean): void;
}

function Lines({ lines, search, namesServers, following, onFollow }: LinesProps) {
  const scroller = useRef<HTMLElement>(null);
  const rows = useFixedRows(scroller, lines.length, ROW_PX);
  const { first, end } = rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the lines change
  useLayoutEffect(() => {
    const element = scroller.current;
    if (following && element) element.scrollTop = element.scrollHeight;
  }, [following, lines]);
  const onScroll = () => {
    rows.onScroll();
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < ROW_PX;
    if (isAtEnd !== following) onFollow(isAtEnd);
  };
  return (
    <ScrollRegion className="stderr-lines" ref={scroller} onScroll={onScroll} label="Lines of stderr">
      <div className="rows" style={{ height: lines.length * ROW_PX }}>
        {lines.slice(first, end).map((line, at) => (
          <a
            // biome-ignore lint/suspicious/noArrayIndexKey: several lines may come from one event
            key={`${line.seq}-${first + at}`}
            className={namesServers ? 'stderr-line named' : 'stderr-line'}
            href={addressOf('wire', { event: line.seq })}
            style={{ transform: `translateY(${(first + at) * ROW_PX}px)` }}
          >
            <span className="stderr-time">{clockTime(wallTime(line.atMs))}</span>
            {namesServers && <ServerChip name={line.server} />}
            <span className="stderr-life">{line.life}</span>
            <Marked line={line.text} search={search} />
          </a>
        ))}
      </div>
    </ScrollRegion>
  );
}

/** While a text is searched, its places are marked, and colours are left out. */
function Marked({ line, search }: { line: string; search: string }) {
  if (search === '' && hasColours(line)) {
    return (
      <span>
        <Ansi text={line} />
      </span>
    );
  }
  const text = visibleLine(withoutColours(line));
  const at = search === '' ? -1 : text.toLowerCase().indexOf(search.toLowerCase());
  if (at < 0) return <span>{text || ' '}</span>;
  return (
    <span>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + search.length)}</mark>
      {text.slice(at + search.length)}
    </span>
  );
}
