/** Counts vitest's JSON report. A file that failed before any of its tests ran counts as one failed. */
export function count(report) {
  const tally = { passed: 0, failed: 0, skipped: [] };
  for (const file of report.testResults) {
    let failedHere = 0;
    for (const test of file.assertionResults) {
      if (test.status === "passed") tally.passed++;
      else if (test.status === "failed") failedHere++;
      else tally.skipped.push({ file: file.name, name: test.fullName });
    }
    tally.failed += file.status === "failed" ? Math.max(failedHere, 1) : failedHere;
  }
  return tally;
}

export const closingLine = ({ passed, failed, skipped }) =>
  `Tests: ${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`;
