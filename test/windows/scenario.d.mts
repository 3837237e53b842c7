export interface Scenario {
  title: string;
  wineFault?: string;
}
export function readGroups(): Promise<{ file: string; title: string; scenarios: Scenario[] }[]>;
export function readFaults(): { name: string; path: string; text: string }[];
