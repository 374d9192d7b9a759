/** A whole number with its thousands apart. */
export const count = (value: number): string => value.toLocaleString("en");
