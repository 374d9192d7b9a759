/** A question with misspelt words replaced, as a search took them. Words are compared without case. */
export function corrected(
  question: string,
  corrections: readonly (readonly [misspelt: string, meant: string])[],
): string {
  if (corrections.length === 0) return question;
  const meant = new Map(corrections.map(([misspelt, word]) => [misspelt.toLowerCase(), word]));
  return question.replace(/[\p{L}\p{M}]+/gu, (word) => {
    const other = meant.get(word.toLowerCase());
    if (other === undefined) return word;
    return /^\p{Lu}/u.test(word) ? other.charAt(0).toUpperCase() + other.slice(1) : other;
  });
}
