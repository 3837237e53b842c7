import { Empty } from '../../parts/empty.tsx';
import { useCell } from '../../state/cell.ts';
import { deepSearch } from '../../state/deep-search.ts';
import { columns, connection, wireRows } from '../../state/inspected.ts';
import type { WireFilter } from '../../state/wire-filter.ts';
import { plural } from '../../text/amounts.ts';
import { isFiltering } from './filter-address.ts';

export function TimelineEmpty({ filter }: { filter: WireFilter }) {
  const scanning = useCell(wireRows.scanning);
  const deep = useCell(deepSearch);
  const { state } = useCell(connection);
  if (scanning || deep === 'looking' || state === 'connecting' || state === 'loading')
    return <Empty title="Looking…" />;
  if (columns.count > 0 && isFiltering(filter)) {
    return <Empty title="No events match the filter">There are {plural(columns.count, 'event')} without it.</Empty>;
  }
  return <Empty title="No events yet">Events are shown here as soon as a server starts.</Empty>;
}
