import {
  asksForReports,
  asksForSteps,
  type CallInfo,
  type ReviewsAsked,
  type ReviewTrigger,
  type Rule,
  selects,
} from "@agentpool/core";

/** Everything that asks for a review of a step: any of it is enough, and nothing takes another's back. */
export function whatAsksForStep(
  { agent, tools }: ReviewsAsked,
  applying: readonly Rule[],
  calls: readonly CallInfo[],
): readonly ReviewTrigger[] {
  const isConsequential = ({ tool: name, identity }: CallInfo): boolean =>
    tools.some((pattern) => selects(pattern, { name, identity }));
  return [
    ...(asksForSteps(agent) ? [{ by: "agent" } as const] : []),
    ...applying.flatMap(({ title, review }) =>
      asksForSteps(review) ? [{ by: "rule", title } as const] : [],
    ),
    ...calls.filter(isConsequential).map(({ tool, id }) => ({ by: "tool", tool, call: id }) as const),
  ];
}

/** And of a report. */
export const whatAsksForReport = (
  { agent }: ReviewsAsked,
  applying: readonly Rule[],
): readonly ReviewTrigger[] => [
  ...(asksForReports(agent) ? [{ by: "agent" } as const] : []),
  ...applying.flatMap(({ title, review }) =>
    asksForReports(review) ? [{ by: "rule", title } as const] : [],
  ),
];
