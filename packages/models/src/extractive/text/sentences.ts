/** A stretch of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** Words that end in a full stop without ending a sentence. */
const abbreviation =
  /(?:^|[\s("'“])(?:\p{Lu}|(?:\p{L}\.)+\p{L}|[Mm]rs?|[Mm]s|[Dd]rs?|[Pp]rof|[Rr]ev|[Ss]t|[Jj]r|[Ss]r|[Gg]en|[Cc]ol|[Ll]t|[Cc]apt|[Ss]gt|[Hh]on|[Gg]ov|[Ss]en|[Rr]ep|[Pp]res|[Nn]os?|[Vv]ols?|[Pp]p?|[Ff]igs?|[Ee]d|[Ee]ds|[Cc]a|[Cc]f|[Vv]s?|[Ee]tc|[Aa]pprox|[Ii]nc|[Cc]orp|[Ll]td|[Cc]o|[Bb]ros|[Dd]ept|[Uu]niv|[Mm]t|[Ff]t|[Aa]ve|[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Jj]un|[Jj]ul|[Aa]ug|[Ss]epts?|[Oo]ct|[Nn]ov|[Dd]ec|e\.g|i\.e|al)\.["'”)\]]*\s*$/u;

const openBracket = (text: string): boolean => {
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
  }
  return depth > 0;
};

/** How far a bracket may hold sentences together: beyond, it was never closed. */
const longestBracket = 400;

/** So much of what stands before a break says whether it is one. */
const reach = 60;

const joins = (before: string, after: string): boolean =>
  abbreviation.test(before.slice(-reach)) ||
  /^[\p{Ll}),;:\]]/u.test(after) ||
  // A break of the line inside a sentence: the segmenter takes it for an end.
  !/[.!?…。！？][\p{Pe}\p{Pf}"'*_`\])]*\s*(?:\[\d+\]\s*)*$/u.test(before.slice(-reach)) ||
  (before.length < longestBracket && openBracket(before));

/**
 * Where the sentences of a paragraph are, white space at both ends left out. The standard segmenter
 * (https://unicode.org/reports/tr29/#Sentence_Boundaries) finds the candidates; abbreviations, initials, brackets
 * and breaks of lines do not end a sentence.
 */
export function sentences(paragraph: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  let end = 0;
  const close = (): void => {
    const piece = paragraph.slice(start, end);
    const trimmed = piece.trim();
    if (trimmed !== "") {
      const from = start + piece.indexOf(trimmed);
      spans.push({ start: from, end: from + trimmed.length });
    }
  };
  for (const { segment, index } of segmenter.segment(paragraph)) {
    if (index > start && !joins(paragraph.slice(Math.max(start, index - longestBracket), index), segment)) {
      close();
      start = index;
    }
    end = index + segment.length;
  }
  close();
  return spans;
}
