export declare const root: string;
export declare function isPageBuilt(): boolean;
