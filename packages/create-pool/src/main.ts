export const main = (): number => 0;
