export { argumentsIn, messageOfTurn } from "@agentpool/core";
