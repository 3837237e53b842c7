export interface Scenario {
  title: string;
  wineFault?: string;
}
export function readScenarios(words?: readonly string[]): Promise<Scenario[]>;
export function readFaults(): { name: string; path: string; text: string }[];
