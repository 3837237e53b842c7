// The filter of the timeline, and the buttons to follow, pause and export.

import { useState } from 'react';
import { useCell } from '../../state/cell.ts';
import { deepSearch } from '../../state/deep-search.ts';
import { arrivals, clients, columns, droppedByStore, servers, wireRows } from '../../state/inspected.ts';
import { type Group, groups, noFilter, type WireFilter } from '../../state/wire-filter.ts';
import { plural } from '../../text/amounts.ts';
import { labelOf } from '../../text/client-label.ts';
import { visibleLine } from '../../text/visible.ts';
import { isFiltering } from './filter-address.ts';
import { follow } from './wire-state.ts';

interface Props {
  filter: WireFilter;
  onChange(filter: WireFilter): void;
  onExport(): void;
}

const groupTitles: Record<Group, string> = {
  request: 'requests',
  answer: 'responses',
  notification: 'notifications',
  noise: 'stray output',
  fault: 'faults',
  stderr: 'stderr',
  http: 'HTTP',
  lifecycle: 'lifecycle',
};

export function FilterBar({ filter, onChange, onExport }: Props) {
  const [open, setOpen] = useState(false);
  const set = (change: Partial<WireFilter>) => onChange({ ...filter, ...change });
  return (
    <search className={open ? 'filter-bar open' : 'filter-bar'} aria-label="Filter the timeline">
      <h1 className="hidden-text">Wire</h1>
      <input
        type="search"
        className="grow"
        placeholder="Find text in messages, method, tool, id"
        maxLength={1000}
        aria-label="Find in the timeline"
        value={filter.text}
        onChange={(event) => set({ text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          event.preventDefault();
          document.getElementById('timeline')?.focus();
        }}
      />
      <button
        type="button"
        className={isFiltering({ ...filter, text: '' }) ? 'narrow-only filtering' : 'narrow-only'}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        Filter{isFiltering({ ...filter, text: '' }) ? ' · on' : ''}
      </button>
      <div className="filters">
        <Choices filter={filter} set={set} />
        <GroupToggles chosen={filter.groups} onChange={(chosen) => set({ groups: chosen })} />
        {filter.task > 0 && (
          <button type="button" aria-pressed="true" title="Show all messages" onClick={() => set({ task: 0 })}>
            one task <span aria-hidden="true">✕</span>
          </button>
        )}
        {isFiltering(filter) && (
          <button type="button" className="quiet" onClick={() => onChange(noFilter)}>
            Clear
          </button>
        )}
      </div>
      <Progress />
      <Flow onExport={onExport} />
    </search>
  );
}

function Choices({ filter, set }: { filter: WireFilter; set(change: Partial<WireFilter>): void }) {
  const all = useCell(servers);
  const known = useCell(clients);
  useCell(arrivals);
  const named = columns.servers.list.filter((name) => !known.has(name));
  return (
    <>
      <select aria-label="Server" value={filter.server} onChange={(event) => set({ server: event.target.value })}>
        <option value="">all servers</option>
        {withChosen(filter.server, [...new Set([...all.map(({ name }) => name), ...named])]).map(option)}
      </select>
      {(known.size > 0 || filter.client !== '') && (
        <select aria-label="Client" value={filter.client} onChange={(event) => set({ client: event.target.value })}>
          <option value="">all clients</option>
          {withChosen(filter.client, [...known.keys()]).map((name) => (
            <option key={name} value={name}>
              {visibleLine(labelOf(name, known.get(name)))}
            </option>
          ))}
        </select>
      )}
      <select aria-label="Method" value={filter.method} onChange={(event) => set({ method: event.target.value })}>
        <option value="">all methods</option>
        {withChosen(filter.method, [...columns.methods.list].sort()).map(option)}
      </select>
      <select
        aria-label="Direction"
        value={filter.direction}
        onChange={(event) => set({ direction: event.target.value as WireFilter['direction'] })}
      >
        <option value="">both directions</option>
        <option value="toServer">→ to server</option>
        <option value="fromServer">← from server</option>
        {known.size > 0 && <option value="fromClient">→ from client</option>}
        {known.size > 0 && <option value="toClient">← to client</option>}
      </select>
      <label className="check">
        <input
          type="checkbox"
          checked={filter.errorsOnly}
          onChange={(event) => set({ errorsOnly: event.target.checked })}
        />{' '}
        errors only
      </label>
      <label className="check" title="Lists that this page and its host read by themselves">
        <input
          type="checkbox"
          checked={!filter.hidesLists}
          onChange={(event) => set({ hidesLists: !event.target.checked })}
        />{' '}
        own lists
      </label>
      <label className="check">
        slower than{' '}
        <input
          type="number"
          className="short"
          min={0}
          step={10}
          value={filter.slowerThanMs || ''}
          onChange={(event) => set({ slowerThanMs: Math.max(0, Number(event.target.value)) })}
        />{' '}
        ms
      </label>
    </>
  );
}

function withChosen(chosen: string, names: string[]): string[] {
  return (chosen === '' || names.includes(chosen) ? names : [...names, chosen]).slice(0, 500);
}

function option(name: string) {
  return (
    <option key={name} value={name}>
      {visibleLine(name)}
    </option>
  );
}

function GroupToggles({ chosen, onChange }: { chosen: Group[]; onChange(chosen: Group[]): void }) {
  return (
    <fieldset className="toggles">
      <legend className="hidden-text">Kinds of events</legend>
      {groups.map((group) => {
        const on = chosen.includes(group);
        const next = on ? chosen.filter((one) => one !== group) : [...chosen, group];
        return (
          <button
            key={group}
            type="button"
            aria-pressed={on}
            className={`toggle g-${group}`}
            onClick={() => onChange(next.length === groups.length ? [] : next)}
          >
            {groupTitles[group]}
          </button>
        );
      })}
    </fieldset>
  );
}

function Progress() {
  useCell(wireRows.version);
  const scanning = useCell(wireRows.scanning);
  const deep = useCell(deepSearch);
  useCell(arrivals);
  const gone = columns.dropped + useCell(droppedByStore).events;
  const all = columns.count - columns.hidden;
  const matching = wireRows.count + wireRows.folded;
  const some = matching === all ? '' : `${matching.toLocaleString('en')} of `;
  return (
    <span className="muted figures" role="status">
      {scanning || deep === 'looking' ? 'looking… ' : ''}
      {some}
      {plural(all, 'event')}
      {gone > 0 && `, ${plural(gone, 'older event')} dropped`}
      {deep === 'failed' && ', whole messages could not be searched'}
    </span>
  );
}

function Flow({ onExport }: { onExport(): void }) {
  const following = useCell(follow);
  const held = useCell(wireRows.held);
  useCell(wireRows.version);
  return (
    <div className="buttons">
      <button type="button" aria-pressed={following} title="Follow new rows (f)" onClick={() => follow.set(!following)}>
        Follow
      </button>
      <button
        type="button"
        aria-pressed={wireRows.paused}
        title="Do not show new rows (Space)"
        onClick={() => wireRows.pause(!wireRows.paused)}
      >
        {wireRows.paused ? `Paused${held > 0 ? ` · ${held.toLocaleString('en')} new` : ''}` : 'Pause'}
      </button>
      <button type="button" title="Save rows as JSON lines (e)" onClick={onExport}>
        Export
      </button>
    </div>
  );
}
