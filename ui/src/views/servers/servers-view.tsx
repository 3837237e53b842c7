// The servers: state, previous process runs, and buttons to start and stop them.

import { useState } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { useCell } from '../../state/cell.ts';
import { canAct, droppedByStore, servers, source } from '../../state/inspected.ts';
import { byteSize, plural } from '../../text/amounts.ts';
import { Roots } from './roots-dialog.tsx';
import { ServerCard } from './server-card.tsx';

export function ServersView() {
  const all = useCell(servers);
  const looked = useCell(source);
  const acts = useCell(canAct);
  const dropped = useCell(droppedByStore);
  const [search, setSearch] = useState('');
  const shown = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const ready = all.filter(({ status }) => status?.state === 'ready').length;
  return (
    <>
      <div className="view-head">
        <h1>Servers</h1>
        {looked?.kind === 'host' && (
          <span className="muted">
            {ready} of {all.length} ready
          </span>
        )}
        {dropped.events > 0 && (
          <span className="muted">
            the oldest {plural(dropped.events, 'event')} ({byteSize(dropped.bytes)}) were dropped
          </span>
        )}
        {acts && <Roots />}
        {all.length > 5 && <SearchBox label="Find a server" value={search} onChange={setSearch} />}
      </div>
      <div className="scroll pad">
        {looked && all.length === 0 && <Empty title="No servers yet">Servers are shown here when they start.</Empty>}
        <div className="server-cards">
          {shown.map((server) => (
            <ServerCard key={server.name} server={server} />
          ))}
        </div>
      </div>
    </>
  );
}
